"""From labels that were read to the answer of one question."""

from __future__ import annotations

from typing import Any

from errorfloor._checks import InputError, argument
from errorfloor.apps.cli.options import How, Model
from errorfloor.data.read import Reading
from errorfloor.data.tables import ScoreTable, VoteTable


def floor(reading: Reading, how: How, *, simultaneous: bool = False) -> Any:
    """Return the floor, or one for each group."""
    from errorfloor import methods
    from errorfloor.methods.record import Options
    from errorfloor.questions.answer import Request
    from errorfloor.questions.estimate import Question

    kind = _kind(reading)
    method = methods.DEFAULTS[kind] if how.method is None else methods.find(how.method, kind)
    _check_fits(kind, how)
    request = Request.of(how.interval, how.level, how.n_resamples, how.rng)
    question = Question(method, Options(how.clip), how.bias_for_error)
    return question.answer(reading, request, how.rng, simultaneous)


def verdict(floors: Any, model: Model, level: float) -> Any:
    """Return where a model stands beside the floor, or beside that of each group."""
    from errorfloor.questions.headroom import headroom

    return headroom(
        floors,
        model.errors,
        model.n,
        model_error=model.model_error,
        level=level,
        same_labelling=model.same_labelling,
    )


def each(result: Any) -> dict[Any, Any]:
    """Return the result of each group by its name; of the group None where there is one only."""
    from errorfloor.results import Groups

    return dict(result) if isinstance(result, Groups) else {None: result}


def refuted(result: Any) -> bool:
    """Tell whether the data contradict a floor, or one of several."""
    from errorfloor.results import Comparison, Verdict

    if isinstance(result, Verdict):
        return result.floor.refuted
    if isinstance(result, Comparison):
        return result.main.refuted
    return any(map(refuted, each(result).values())) if None not in each(result) else result.refuted


def _kind(reading: Reading) -> str:
    return next(iter(reading.tables.values())).kind


def _check_fits(kind: str, how: How) -> None:
    """Refuse options that say nothing about labels of this kind."""
    for name, value, usual, reads in (
        ("clip", how.clip, "auto", ScoreTable.kind),
        ("bias_for_error", how.bias_for_error, None, VoteTable.kind),
    ):
        if value != usual and kind != reads:
            raise InputError(argument(name), f" goes with {reads}; these are {kind}. Leave it out.")
