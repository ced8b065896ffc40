"""A card to share: the answer in one picture that can be pasted into a chat or a slide."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from errorfloor import __version__
from errorfloor._checks import InputError, argument, as_flag, shown
from errorfloor.data.storage import write_bytes
from errorfloor.results import Estimate, Verdict
from errorfloor.show import numbers
from errorfloor.show.drawing import Box, Shape, Theme, Words, png, svg
from errorfloor.show.gauge import Gauge, gauge_of, heroes_of, shapes
from errorfloor.show.sentences import refusal_of, sentence_of
from errorfloor.show.standings import may_do_better, standing_of

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

    shapes: tuple[Shape, ...]
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
    result: Estimate | Verdict,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    dark: bool = False,
) -> Card:
    """Draw an answer as a card to share: number, gauge, sentence, and what it is from.

    Parameters
    ----------
    result : Estimate or Verdict
        What a function such as `from_votes` or `headroom` returned.
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
    if not isinstance(result, Estimate | Verdict):
        raise InputError(
            argument("result"),
            " must be a floor or a verdict on a model, as from_votes, from_scores and headroom "
            f"return; got a {type(result).__name__}.",
        )
    if path is not None and not isinstance(path, str | os.PathLike):
        raise InputError(argument("path"), f" must be the path of a file, got {shown(path)}.")
    if title is not None and not isinstance(title, str):
        raise InputError(argument("title"), f" must be text, got {shown(title)}.")
    dark = as_flag(dark, name="dark")
    floor = result.floor if isinstance(result, Verdict) else result
    gauge = gauge_of(result)
    if gauge is None:
        reason = refusal_of(floor) if floor.refuted else "There is nothing to draw."
        raise InputError(f"A card shows an answer, and here is none. {reason}")
    made = Card(tuple(_shapes(result, floor, gauge, title)), sentence_of(result), dark)
    if path is not None:
        _write(made, Path(path))
    return made


def _write(made: Card, path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            argument("path"), f" must end in {' or '.join(SUFFIXES)}; got {path.name!r}."
        )
    write_bytes(path, made.png if suffix == ".png" else made.svg.encode())


def _shapes(
    result: Estimate | Verdict, floor: Estimate, gauge: Gauge, title: str | None
) -> Iterator[Shape]:
    yield Box(0, 0, 1, SIZE[1], "paper")
    yield Words(EDGE, 80, _short(title or _title(floor), 84), 24, "soft", weight=500)
    for hero, x, size, colour in zip(
        heroes_of(result, gauge), (EDGE, MIDDLE), (96, 72), ("ink", "model"), strict=False
    ):
        yield Words(x, 205, hero.number, size, colour, weight=700)
        yield Words(x, 254, _short(hero.meaning, 42), 26, "ink", weight=500)
        yield Words(x, 292, _short(hero.detail, 42), 24, "soft")
    yield from shapes(gauge, top=370, tall=50, size=20, left=EDGE, wide=1 - 2 * EDGE)
    said = textwrap.wrap(_meaning(result, floor), LONG, max_lines=LINES, placeholder=" …")
    for place, line in enumerate(said):
        yield Words(EDGE, 546 + 28 * place, line, 21, "ink")
    made = f"errorfloor {__version__}, {date.today():%d %b %Y}"
    yield Words(1 - EDGE, 606, made, 16, "soft", "end")


def _meaning(result: Estimate | Verdict, floor: Estimate) -> str:
    """Return what follows from the number: for the model, or for any other."""
    if isinstance(result, Verdict):
        return f"Your model {standing_of(result).sentence(result)}"
    claim = floor.claim
    if claim.condition and floor.n:
        return f"This is true if {claim.condition}."
    return may_do_better(claim).strip() or f"This is for {floor.target}."


def _title(floor: Estimate) -> str:
    """Return what the answer is from: the file, and how many items."""
    source = floor.source
    names = () if source is None else source.files
    file = f"{Path(names[0]).name}, " if len(names) == 1 else ""
    items = numbers.counted(floor.n, "item") if floor.n else "a given number"
    return f"{file}{items}; {floor.target}"


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"
