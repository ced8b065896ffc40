"""Where a model stands next to the best that any model can do."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from errorfloor._shown import Answer, Plain, as_plain, model_index_of
from errorfloor.results.estimate import Estimate, Interval

# Where both limits are limits of any model; where scores or features bound it from one side, which
# cannot tell what a model that sees more can do; and where no limit bounds it.
ROOM, SATURATED, BEYOND = "room", "saturated", "beyond"
MATCHES, BETTER = "matches", "better"
OPEN = "open"
VERDICTS = (ROOM, SATURATED, BEYOND, MATCHES, BETTER, OPEN)


@dataclass(frozen=True, slots=True)
class PairedTest(Plain):
    """A test on items that both the floor and the model's predictions are known for.

    Attributes
    ----------
    name : str
        Which test.
    statistic : float
        Its statistic.
    p : float
        Its p-value: small if some rule beats the model.
    claim : str
        What a small p-value shows.
    detail : str
        What follows from that.
    needs : str
        What the test needs.
    prediction : str or None
        The column that the predictions came from.
    """

    in_dict = ("name", "statistic", "p", "means", "prediction")

    name: str
    statistic: float
    p: float
    claim: str
    detail: str
    needs: str = ""
    prediction: str | None = None

    @property
    def means(self) -> str:
        """What a small p-value means, and what the test needs."""
        return f"A small p-value means that {self.claim}, {self.detail}. {self.needs}".rstrip()

    def shows(self, level: float) -> bool:
        """Tell whether it shows its claim, at the level of a two-sided interval."""
        return self.p <= (1 - level) / 2


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a model gets, with limits; infinite where there is no upper one."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float | None]:
        """Return plain values, None for what has no limit."""
        return {name: None if one == float("inf") else one for name, one in asdict(self).items()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verdict(Answer):
    """Where a model stands: how much worse its value is than the best there can be.

    Attributes
    ----------
    verdict : {"room", "saturated", "beyond", "matches", "better", "open"}
        Whether the model can still improve ("room"). If not, and the claim of the floor has both
        sides: whether it cannot be told from the limit ("saturated") or is better than any model
        can be ("beyond"). Where the claim is one-sided: whether it cannot be told from the best
        rule on the scores ("matches"), or is better than that ("better"), which scores alone
        cannot explain. "open" where no limit holds that would tell.
    difference : float
        How much worse the model's value is than that of `floor`: the model's error less the floor's
        value, or the ceiling less the model's value.
    low : float
        Lower limit of the difference at `level`.
    high : float
        Upper limit of the difference at `level`.
    p_room : float
        P-value: a small one speaks against a model at or beyond the floor. Next to a floor from
        votes it is an upper limit, and 1 where the limits of model and floor overlap even at a
        level of 0.5.
    p_beyond : float
        P-value: a small one speaks against a model at or above the floor; as for `p_room`.
    model_error : float
        The model's error on `n` test items; of another metric its value, which is `model_value`.
    model : Interval
        The model's own interval at `level`; of an error it is exact.
    floor : Estimate
        What the model was compared with.
    same_labelling : bool
        Whether the test labels were said to be made as the labels of the floor.
    test : PairedTest or None
        The test that decides whether there is room, where floor and model share their items.
    information : PairedTest or None
        The test whether the scores miss information that the model has, on the same items.
    share : Reached or None
        With ratings: which share of the ceiling the model reaches; of R2 and MSE, of the
        variance that any model can explain.
    worth : Reached or None
        Next to ratings: the mean of how many people's ratings is as good as the model.
    given : mapping
        What was said of the model besides its errors, for metrics other than error.
    people : People or None
        How many people the model is worth, where it was compared with votes.
    """

    verdict: str
    difference: float
    low: float
    high: float
    level: float
    p_room: float
    p_beyond: float
    model_error: float
    n: int
    model: Interval
    floor: Estimate
    same_labelling: bool = False
    warnings: tuple[str, ...] = ()
    test: PairedTest | None = None
    information: PairedTest | None = None
    share: Reached | None = None
    worth: Reached | None = None
    given: Mapping[str, Any] = field(default_factory=dict, repr=False)
    people: Any = field(default=None, repr=False)

    @property
    def model_value(self) -> float:
        """The model's value of the metric that the floor or ceiling is of."""
        return self.model_error

    @property
    def found_by_test(self) -> bool:
        """Whether the test shows that there is room, and not only the interval."""
        return self.test is not None and self.test.shows(self.level)

    @property
    def errors(self) -> int:
        """How many test items the model got wrong."""
        return round(self.model_error * self.n)

    @property
    def p_above(self) -> float:
        """The name of `p_room` in 0.1."""
        return self._renamed("p_above", "p_room")

    @property
    def p_below(self) -> float:
        """The name of `p_beyond` in 0.1."""
        return self._renamed("p_below", "p_beyond")

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict and how it was reached as plain values, ready for JSON."""
        names = ("verdict", "difference", "low", "high", "level", "p_room", "p_beyond")
        more = ("model_error", "n", "same_labelling", "sentence")
        if not self.floor.measure.is_error:
            more = ("model_value", *more[1:])
        reached = {"share": self.share, "worth": self.worth}
        return {
            **{name: getattr(self, name) for name in (*names, *more)},
            "model_low": self.model.low,
            "model_high": self.model.high,
            "refuted": self.floor.refuted,
            "floor": self.floor.to_dict(),
            "claim": self.floor.claim.to_dict(),
            **{name: as_plain(getattr(self, name)) for name in ("test", "information", "warnings")},
            **{name: one.to_dict() for name, one in reached.items() if one is not None},
        }

    def to_model_index(
        self,
        *,
        model: str,
        dataset: str,
        task: str = "text-classification",
        dataset_name: str | None = None,
        split: str | None = None,
    ) -> str:
        """Return the verdict as `model-index`, which model cards on the Hugging Face Hub have.

        Parameters
        ----------
        model : str
            Name of the model.
        dataset : str
            Id of the data set on the Hub, such as "stanfordnlp/sst2".
        task : str
            Task, as the Hub calls it.
        dataset_name : str, optional
            What people call the data set; its id by default.
        split : str, optional
            Part of the data set, such as "test".

        Returns
        -------
        str
            YAML, to paste between the lines of three dashes at the top of the card: the model's
            value, and next to it the best possible one, or what is known to be reachable.
        """
        return model_index_of(self, model, dataset, task, dataset_name, split)

    def _renamed(self, old: str, new: str) -> float:
        message = f"Verdict.{old} is called {new} now, a name that fits every metric."
        warnings.warn(message, DeprecationWarning, stacklevel=3)
        return float(getattr(self, new))
