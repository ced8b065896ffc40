"""What the answers from features do and promise, in words for reports and documents."""

from __future__ import annotations

from dataclasses import dataclass

from errorfloor.features import classics

SEQUENTIAL = "sequential"
NAMES = (SEQUENTIAL, *classics.NAMES)


@dataclass(frozen=True, slots=True)
class InWords:
    """A way to answer from features, in words."""

    explains: str
    promise: str
    references: tuple[str, ...]


_SEQUENTIAL = InWords(
    "Each item is predicted by the model that did best on the later half of the items before it, "
    "fitted to earlier items alone. The value is the share of errors: an upper estimate.",
    "The upper limit of Clopper and Pearson for the errors of predictions from earlier items "
    "alone, exact at any number of items, for any models and features. The lower limit is 0, as "
    "with one label per item there is no other.",
    ("C. Clopper and E. Pearson, Biometrika 26, 1934.",),
)


def in_words(method: str) -> InWords:
    """Return what a method does and promises."""
    if method == SEQUENTIAL:
        return _SEQUENTIAL
    record = classics.find(method)
    promise = "There is no interval: the ends hold with unlimited items, and not always then."
    return InWords(record.explains, promise, record.references)
