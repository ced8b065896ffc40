"""A card to share: the answer in one picture that can be pasted into a chat or a slide."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from errorfloor import __version__
from errorfloor._checks import InputError, argument, as_flag, shown
from errorfloor.data.storage import write_bytes
from errorfloor.results import Estimate, ModelComparison, People, Verdict
from errorfloor.show import models as in_models
from errorfloor.show import numbers
from errorfloor.show import people as in_people
from errorfloor.show.drawing import Box, Hero, Shape, Theme, Words, png, svg
from errorfloor.show.gauge import gauge_of, heroes_of, shapes
from errorfloor.show.sentences import refusal_of, sentence_of
from errorfloor.show.standings import only_if, standing_of

SIZE = (1200.0, 630.0)  # pixels, what chats and slides expect of a picture
EDGE, MIDDLE = 70 / 1200, 690 / 1200
LONG, LINES = 92, 2  # letters of a line, and lines of the sentence
SUFFIXES = (".svg", ".png")

LIGHT: Theme = {
    "paper": "#fdfdfb",
    "ink": "#14171c",
    "soft": "#5d6570",
    "model": "#0b6bb0",
    "left": "#56b4e9",
    "zone": "#8c8c8c",
    "beyond": "#c98700",
}
DARK: Theme = {
    "paper": "#15181b",
    "ink": "#e4e6e3",
    "soft": "#a9b0b5",
    "model": "#4ba6e0",
    "left": "#2f7fae",
    "zone": "#8c9196",
    "beyond": "#e69f00",
}


@dataclass(frozen=True, slots=True)
class Card:
    """A picture of an answer, for light or dark pages.

    Attributes
    ----------
    shapes : tuple
        What is drawn.
    sentence : str
        The answer, for those who cannot see the picture.
    dark : bool
    """

    shapes: tuple[Shape, ...] = field(repr=False)
    sentence: str
    dark: bool = False

    @property
    def svg(self) -> str:
        """The picture as an SVG file."""
        return svg(self.shapes, SIZE[1], self._theme, self.sentence, SIZE[0])

    @property
    def png(self) -> bytes:
        """The picture as a PNG file, which needs matplotlib."""
        return png(self.shapes, SIZE, self._theme)

    def _repr_svg_(self) -> str:
        return self.svg

    @property
    def _theme(self) -> Theme:
        return DARK if self.dark else LIGHT


def card(
    result: Estimate | Verdict | People | ModelComparison,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    dark: bool = False,
) -> Card:
    """Draw an answer as a card to share: number, picture, sentence, and what it is from.

    The picture is the gauge; of models compared with people, the curve with the models on it; of
    models compared with each other, their values with intervals.

    Parameters
    ----------
    result : Estimate, Verdict, People or ModelComparison
        What a function such as `from_votes`, `headroom`, `people` or `compare` returned.
    path : str or path, optional
        Where to write it: a name that ends in .svg, or .png, which needs matplotlib.
    title : str, optional
        The first line; by default the file and the number of items.
    dark : bool
        Whether it is for a dark page.

    Returns
    -------
    Card
        Notebooks show it; `card.svg` and `card.png` are its files.

    Examples
    --------
    >>> import errorfloor as ef
    >>> votes = ef.from_votes([0, 3, 3, 1, 0, 3], 3)
    >>> ef.card(votes, title="Six reviews").svg[:5]
    '<svg '
    """
    if not isinstance(result, Estimate | Verdict | People | ModelComparison):
        raise InputError(
            argument("result"),
            " must be a floor, a verdict on a model, or models that were compared, as from_votes, "
            f"from_scores, headroom, people and compare return; got a {type(result).__name__}.",
        )
    if path is not None and not isinstance(path, str | os.PathLike):
        raise InputError(argument("path"), f" must be the path of a file, got {shown(path)}.")
    if title is not None and not isinstance(title, str):
        raise InputError(argument("title"), f" must be text, got {shown(title)}.")
    dark = as_flag(dark, name="dark")
    if not has_card(result):
        raise InputError(f"A card shows an answer, and here is none. {_why_none(result)}")
    made = Card(tuple(_shapes(result, title)), sentence_of(result), dark)
    if path is not None:
        _write(made, Path(path))
    return made


def has_card(result: object) -> bool:
    """Tell whether a result can be drawn as a card: one answer, which the data do not refute."""
    if isinstance(result, People | ModelComparison):
        return not result.refuted
    return isinstance(result, Estimate | Verdict) and gauge_of(result) is not None


def _why_none(result: Estimate | Verdict | People | ModelComparison) -> str:
    if isinstance(result, ModelComparison):
        return refusal_of(result)
    floor = result if isinstance(result, Estimate) else result.floor
    if floor.refuted:
        return refusal_of(floor)
    found = result.findings if isinstance(result, People) else ()
    refuted = (one.text for one in found if one.level == "refuted")
    return next(refuted, "There is nothing to draw.")


def _write(made: Card, path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            argument("path"), f" must end in {' or '.join(SUFFIXES)}; got {path.name!r}."
        )
    write_bytes(path, made.png if suffix == ".png" else made.svg.encode())


def _shapes(
    result: Estimate | Verdict | People | ModelComparison, title: str | None
) -> Iterator[Shape]:
    yield Box(0, 0, 1, SIZE[1], "paper")
    of = result.floor if isinstance(result, Verdict | People) else result
    yield Words(EDGE, 80, _short(title or _title(of), 84), 24, "soft", weight=500)
    within = {"left": EDGE, "wide": 1 - 2 * EDGE}
    if isinstance(result, ModelComparison):
        yield from _numbers(in_models.heroes_of(result), 62, -52)
        yield from in_models.values(result, top=262, tall=258, **within)
    elif isinstance(result, People):
        yield from _numbers(in_people.heroes_of(result), 62, -52)
        yield from in_people.shapes(result, top=264, tall=160, size=20, **within)
    else:
        gauge = gauge_of(result)
        assert gauge is not None
        yield from _numbers(heroes_of(result, gauge), 96)
        yield from shapes(gauge, top=370, tall=50, size=20, **within)
    lines = textwrap.wrap(
        f"{_doubt(result)}{_meaning(result)}", LONG, max_lines=LINES, placeholder=" …"
    )
    for place, line in enumerate(lines):
        yield Words(EDGE, 546 + 28 * place, line, 21, "ink")
    made = f"errorfloor {__version__}, {date.today():%d %b %Y}"
    yield Words(1 - EDGE, 606, made, 16, "soft", "end")


def _numbers(heroes: Sequence[Hero], size: float, off: float = 0.0) -> Iterator[Shape]:
    """Yield the numbers side by side, `off` pixels from where they usually are.

    What is said of a number is on two lines where it is long, so that no number is cut.
    """
    rooms = (46, 34) if len(heroes) > 1 else (88,)  # letters
    looks = zip((EDGE, MIDDLE), (size, 0.75 * size), ("ink", "model"), rooms, strict=False)
    for hero, (x, own, colour, room) in zip(heroes, looks, strict=False):
        yield Words(x, 205 + off, hero.number, own, colour, weight=700)
        y = 254 + 1.2 * off
        for line in textwrap.wrap(hero.meaning, room, max_lines=2, placeholder="…"):
            yield Words(x, y, line, 24, "ink", weight=500)
            y += 28
        y += 10 + 0.2 * off
        for line in textwrap.wrap(hero.detail, room + 2):
            yield Words(x, y, line, 22, "soft")
            y += 27


def _meaning(result: Estimate | Verdict | People | ModelComparison) -> str:
    """Return what follows from the number: for the models, or for any other."""
    if isinstance(result, ModelComparison):
        return in_models.short_sentence(result)
    if isinstance(result, People):
        return in_people.order(result) if len(result.models) > 1 else in_people.sentence(result)
    if isinstance(result, Verdict):
        return standing_of(result).sentence(result, "your model")
    claim = result.claim
    if claim.condition and result.n:
        return f"This is true if {claim.condition}."
    if claim.may_do_better:
        return claim.may_do_better.strip()
    if not result.measure.is_error or not claim.any_model:
        return ""
    error = numbers.style_of(result).value(result.value, numbers.digits_for(result))
    return f"Even the best possible model is wrong about {error} of the time."


def _doubt(result: Estimate | Verdict | People | ModelComparison) -> str:
    """Return what makes the answer doubtful, which stands in front where there is some."""
    of = result.floor if isinstance(result, Verdict | People) else result
    found = [one.sentence for one in of.findings if one.level == "warn"]
    found += [only_if(of).strip()] if isinstance(of, Estimate) else []
    return next((f"{one} " for one in found if one), "")


def _title(of: Estimate | ModelComparison) -> str:
    """Return what the answer is from: the file, and how many items."""
    source = of.source
    names = () if source is None else source.files
    file = f"{Path(names[0]).name}: " if len(names) == 1 else ""
    items = numbers.counted(of.n, "item") if of.n else "a given number"
    if isinstance(of, ModelComparison):
        return f"{file}{items}, {len(of)} models"
    return f"{file}{items}. Target: {of.target}"


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"
