"""Values of labels and votes as classes: which is which, as far as the values alone tell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errorfloor._checks import InputError, Part, argument, command
from errorfloor.data.annotators import text_of
from errorfloor.data.naming import MOST_CLASSES, Naming, brief, listed, refuse_several
from errorfloor.data.spelling import spelt
from errorfloor.data.table import TWO_CLASSES

# Pairs of which the first means "yes": letters and digits only, in small letters.
PAIRS = (
    *("ja nein", "ja nee", "oui non", "si no", "vrai faux", "wahr falsch"),
    *("yes no", "y n", "true false", "t f", "1 0", "on off", "positive negative", "pos neg"),
    *("spam ham", "spam notspam", "pass fail", "passed failed", "success failure", "good bad"),
    *("correct incorrect", "correct wrong", "right wrong", "accept reject", "accepted rejected"),
    *("approve reject", "approved rejected", "approved denied", "agree disagree", "like dislike"),
    *("relevant irrelevant", "present absent", "malignant benign", "abnormal normal", "win loss"),
    *("fraud legit", "fraud legitimate", "fraud genuine", "fraud normal", "sick healthy"),
    *("case control", "hit miss", "active inactive", "duplicate unique", "true fake"),
    *(f"toxic {one}" for one in ("clean", "normal", "ok", "neutral", "none", "safe", "civil")),
    *(f"{one} {other}" for one in ("hate", "offensive", "abusive") for other in ("normal", "none")),
)
_KNOWN = {tuple(pair.split()) for pair in PAIRS}
_WITHOUT = ("not", "non", "no")  # before a word make it the other class
_LISTED = 6  # values that a message names
_LONGEST = 100  # characters of the name of a class


@dataclass(frozen=True, slots=True)
class Told:
    """Which value is which class; nothing where they are 0 and 1 as they stand."""

    positive: str | None = None  # the one of two words that means yes
    naming: Naming | None = None


def positive_of(values: Sequence[str]) -> str | None:
    """Return which of two words means "yes", or None where that is not known.

    Examples
    --------
    >>> positive_of(["ham", "spam"]), positive_of(["Not toxic", "Toxic"]), positive_of(["a", "b"])
    ('spam', 'Toxic', None)
    """
    if len(values) != 2:
        return None
    for one, other in (values, values[::-1]):
        yes, no = _letters(one), _letters(other)
        if (yes, no) in _KNOWN or (yes and no in {f"{without}{yes}" for without in _WITHOUT}):
            return one
    return None


def told_by_values(values: Sequence[str], said: tuple[Part, ...]) -> Told | None:
    """Return which vote is which class, or None where that has to be asked for."""
    numbers = [spelt(value) for value in values]
    if len(values) > MOST_CLASSES or any(n is not None and n != int(n) for n in numbers):
        raise _no_classes(values, said)
    if set(numbers) <= {0.0, 1.0}:
        return Told()
    if any(number is None for number in numbers):
        return told_by_words(values, said, many=True)
    ordered = sorted({int(number) for number in numbers if number is not None})
    if len(ordered) == 1:
        return None
    place = {value: ordered.index(int(spelt(value) or 0)) for value in values}
    return Told(naming=Naming(tuple(map(str, ordered)), place))


def told_by_words(values: Sequence[str], said: tuple[Part, ...], *, many: bool) -> Told | None:
    """Return the same of words, which may be classes of any names where there may be `many`."""
    if any(spelt(value) in (0, 1) for value in values):
        return Told()  # a stray word among numbers
    refuse_several(values, said)
    positive = positive_of(values)
    if positive is not None:
        return Told(positive=positive)
    if not many or len(values) == 1:
        return None
    texts = sorted({text_of(value) for value in values})
    return Told(naming=Naming(tuple(texts), {one: texts.index(text_of(one)) for one in values}))


def two_of(names: tuple[str, ...]) -> dict[str, list[str]] | None:
    """Return which of two classes is which, unless they are called 0 and 1."""
    if len(names) > 2 or names == TWO_CLASSES:
        return None
    return {"1": [names[1]], "0": [names[0]]}


def _no_classes(values: Sequence[str], said: tuple[Part, ...]) -> InputError:
    if len(values) > MOST_CLASSES:
        what = f" has more than {MOST_CLASSES:,} different values, such as {values[0]!r}"
        return InputError(*said, f"{what}, which are no classes. Check which column it is.")
    bad = next(one for one in values if (n := spelt(one)) is not None and n != int(n))
    what = f" has numbers that are no classes, such as {bad}. Say from which number on they are "
    return InputError(
        *(*said, what, "class 1 with ", argument("positive_from")),
        ", or make classes of them first.",
    )


def divided(values: Sequence[str], positive: object) -> dict[str, list[str]]:
    """Return the values that are class 1, and those that are class 0."""
    ones = [value for value in values if is_same(value, positive)]
    return {"1": ones or [str(positive)], "0": [value for value in values if value not in ones]}


def is_same(value: str, positive: object) -> bool:
    """Tell whether a value is the positive one, however both are written."""
    if value == str(positive):
        return True
    number = spelt(value)
    return number is not None and number == spelt(str(positive))


def which_is_1(
    values: Sequence[str], said: tuple[Part, ...], means: Mapping[str, float]
) -> InputError:
    """Ask which class is 1, with what to type for each, the likeliest first.

    `means` are the mean scores of each value, where there are scores.
    """
    ranked = sorted(values, key=lambda value: -means.get(value, 0.0))[:_LISTED]
    longest = max(map(len, values))
    if longest > _LONGEST:
        text = f" holds texts of up to {longest:,} characters, which are no classes, such as "
        check = f"{brief(values[0])!r}. Check which column it is."
        raise InputError(*said, text, check)
    which = "Say which one is class 1"
    if len(values) > 2:
        which += "; the answer is then for that one against the rest"
    if len(means) > 1:
        most = ranked[0]
        which += f". The scores are highest for {most}, {means[most]:.4g} on average"
    commands = (part for one in ranked for part in ("\n  ", command("positive", one)))
    return InputError(*said, f" holds words: {listed(values)}. {which}:", *commands)


def _letters(value: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", value.casefold())
