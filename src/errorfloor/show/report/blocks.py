"""What a report is made of, whatever it is written as."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from errorfloor.results.finding import Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Answer(Text):
    """The paragraph that says it all."""


@dataclass(frozen=True, slots=True)
class Caution(Text):
    """A paragraph that must not be missed."""


@dataclass(frozen=True, slots=True)
class Name(Text):
    """What the blocks after it are about."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head, the first cell of each being its name."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What the checks found."""

    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """A numbered list."""

    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """What to type."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing, how to read it, and in words what it shows.

    `draw` takes a width in inches: a phone and a screen need different drawings, because letters
    that can be read on both have another size beside them.
    """

    name: str
    title: str
    caption: str
    description: str
    draw: Callable[[float], Figure] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Headline:
    """The answer as a number and a gauge: as a piece of HTML, and as lines of text."""

    html: str
    lines: tuple[str, ...]


Block: TypeAlias = Headline | Text | Facts | Table | Findings | Entries | Code | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading."""

    name: str
    heading: str
    blocks: tuple[Block, ...]
