"""What several tests need: methods by name, and answers to compare."""

from errorfloor import methods
from errorfloor.methods.cuts import fewest_errors, signs
from errorfloor.methods.record import Options


def bind(method, cells, *, clip):
    return methods.find(method).bind(cells, Options(clip))


def fit(table, method, *, clip):
    return methods.find(method).fit(table, Options(clip))


def best_cut_errors(cells, counts=None):
    """Return the fewest errors of any cut for each row of counts, by default the cells' own."""
    return fewest_errors(signs(cells.positive), cells.count[None] if counts is None else counts)


def answer(result):
    """Return what was found and how as plain values, but for where the labels came from."""
    aside = ("source", "seed", "findings", "warnings")  # rows tell more than counts
    return _without(result.to_dict(), aside)


def _without(value, aside):
    if isinstance(value, dict):
        return {key: _without(entry, aside) for key, entry in value.items() if key not in aside}
    return [_without(entry, aside) for entry in value] if isinstance(value, list) else value
