"""Features beside votes or scores: a lower limit from labels, an upper one from predictions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from errorfloor._checks import InputError, argument, as_flag, function
from errorfloor._numbers import per_cent
from errorfloor.intervals.record import Evidence
from errorfloor.metrics import ERROR
from errorfloor.results import Estimate, FeaturesEstimate, Interval
from errorfloor.results.finding import Finding

NO_LOWER_LIMIT = (
    "There is no lower limit: with one label per item, features cannot tell noise in the labels "
    "from a pattern that no model has found yet."
)


@dataclass(frozen=True, slots=True, eq=False)
class BothLimits:
    """Limits from labels and from predictions, each with half of the risk."""

    labels: Evidence = field(repr=False)
    predictions: Evidence = field(repr=False)
    method: str

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower limit of the labels, and the lower of both upper ones."""
        low, high = self.labels.limits((1 + level) / 2)
        most = self.predictions.limits((1 + level) / 2)[1]
        return min(low, most), min(high, most)


def check_floor(floor: object, same_labelling: bool) -> None:
    """Refuse what features cannot be set beside."""
    as_flag(same_labelling, name="same_labelling")
    if floor is None:
        if same_labelling:
            text = " goes with a floor from votes or scores. Add "
            raise InputError(argument("same_labelling"), text, argument("floor"), ".")
        return
    able = isinstance(floor, Estimate) and floor.evidence is not None and floor.n > 0
    if not able or isinstance(floor, FeaturesEstimate) or not floor.measure.is_error:  # type: ignore[attr-defined]
        raise InputError(
            argument("floor"),
            " must be an error floor with an interval, from votes or scores of the same items. "
            "Estimate it by ",
            *(function("from_votes"), " or ", function("from_scores"), "."),
        )
    claim, metric = floor.claim, floor.measure  # type: ignore[attr-defined]
    if not claim.unbeatable(metric):
        raise InputError(
            argument("floor"),
            f" is that of {claim.best_of}, which bounds the floor from above, as features do. Take "
            "one from votes, or from scores with ",
            *(argument("complete", True), "."),
        )
    if floor.refuted:  # type: ignore[attr-defined]
        raise InputError(argument("floor"), " is refuted by its own data. Mend that first.")


def beside(found: FeaturesEstimate, floor: Estimate | None, same: bool) -> FeaturesEstimate:
    """Return an answer from features with what labels say of the same items.

    Where the labels were made as the votes were, both limits hold for one floor. Else there are
    two floors, and that one excludes the other is a finding.
    """
    if floor is None or floor.evidence is None or found.evidence is None or found.level is None:
        return found
    if len(floor.classes) != len(found.classes):
        text = f" is of {len(floor.classes)} classes, the labels are of {len(found.classes)}."
        raise InputError(argument("floor"), text)
    half = (1 + found.level) / 2
    low, most = floor.evidence.limits(half)[0], found.evidence.limits(half)[1]
    findings = (_contradiction(found, floor, same),) if low > most else ()
    said = replace(
        found,
        findings=(*found.findings, *findings),
        warnings=(*found.warnings, *(one.text for one in findings)),
    )
    if not same:
        return said
    evidence = BothLimits(floor.evidence, found.evidence, f"{found.method} and {floor.method}")
    interval = Interval.at(found.level, evidence, ERROR, len(found.classes))
    proved = found.assumptions.removesuffix(f" {NO_LOWER_LIMIT}")
    assumes = f"{proved} {floor.assumptions} The labels were made as"
    return replace(
        said,
        value=min(max(floor.value, interval.low), interval.high),
        interval=interval,
        evidence=evidence,
        assumptions=f"{assumes} those behind the lower limit.",
        lower_from=floor.method,
        lower_claim=floor.claim,
    )


def _contradiction(found: FeaturesEstimate, floor: Estimate, same: bool) -> Finding:
    reached, votes = per_cent(found.value), per_cent(floor.value)
    if same:
        return Finding(
            "Labelling",
            "contradicted",
            "refuted",
            f"An error of {reached} is reached on these labels, below what the floor of {votes} "
            f"by {floor.method} allows.",
            "The labels were not made as that floor assumes: leave out the same labelling.",
        )
    return Finding(
        "Labelling",
        "another one",
        "warn",
        f"An error of {reached} is already reached on these labels; the floor of {votes} by "
        f"{floor.method} answers another question.",
        "State which label is meant.",
    )
