"""What every report has, what it is made of, and the ways to write it down; here is Markdown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from errorfloor.results.claim import Finding
from errorfloor.show.markup import fenced, plain
from errorfloor.show.next_steps import NextStep

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
    that can be read on both have another size next to them.
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


SCHEMA = "errorfloor-report/3"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Document(ABC):
    """A report; renderers only write it down.

    Attributes
    ----------
    title : str
        What it is about.
    pictures : tuple of Picture
        What to draw, with a text alternative each.
    source : dict
        What the data was.
    python, command : str
        What to type for the same result; None where no command gives it.
    versions : dict
        With what it was computed.
    steps : tuple of NextStep
        What to do next.
    """

    title: str
    pictures: tuple[Picture, ...]
    source: Mapping[str, str]
    python: str
    command: str | None
    versions: Mapping[str, str]
    steps: tuple[NextStep, ...] = ()

    @property
    @abstractmethod
    def answer(self) -> str:
        """The answer in one sentence."""

    @property
    @abstractmethod
    def method(self) -> str:
        """What the method does."""

    @property
    @abstractmethod
    def references(self) -> tuple[str, ...]:
        """Where it comes from."""

    @abstractmethod
    def sections(self) -> list[Section]:
        """Return what the report says in the order of reading."""

    @abstractmethod
    def findings(self) -> dict[str, Any]:
        """Return what was found as plain values, ready for JSON."""

    def to_html(self) -> str:
        """Return the report as one HTML page that needs nothing else."""
        from errorfloor.show.report.html import page

        return page(self.title, self.sections())

    def to_markdown(self) -> str:
        """Return the report as Markdown, with the pictures in words."""
        return _markdown(self.title, self.sections())

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, ready for JSON, with the pictures in words."""
        return {
            "schema": SCHEMA,
            "title": self.title,
            "answer": self.answer,
            "source": dict(self.source),
            **self.findings(),
            "pictures": [
                {name: getattr(picture, name) for name in ("title", "caption", "description")}
                for picture in self.pictures
            ],
            "next": [step.to_dict() for step in self.steps],
            "method": self.method,
            "references": list(self.references),
            "python": self.python,
            "command": self.command,
            "versions": dict(self.versions),
        }


# Markdown, with the pictures in words.

_LEVELS = {"ok": "fine", "note": "note", "warn": "**warning**", "refuted": "**refuted**"}


def _markdown(title: str, sections: Iterable[Section]) -> str:
    """Return the whole report in Markdown."""
    parts = [f"# {plain(title)}"]
    for section in sections:
        parts.append(f"## {section.heading}")
        parts += filter(None, map(_block, section.blocks))
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    match block:
        case Headline(_, lines):
            return fenced(lines) if lines else ""
        case Answer(text):
            return f"**{plain(text)}**"
        case Caution(text):
            return f"> **Caution:** {plain(text)}"
        case Name(text):
            return f"### {plain(text)}"
        case Text(text):
            return plain(text)
        case Facts(pairs):
            return _table(("", ""), pairs)
        case Table():
            return _table(block.head, block.rows, caption=block.caption)
        case Findings(findings):
            return "\n".join(
                f"- {_LEVELS[one.level]}: {plain(one.name)}, {plain(one.value)}. {plain(one.text)}"
                for one in findings
            )
        case Entries(entries):
            return "\n".join(f"{i}. {plain(entry)}" for i, entry in enumerate(entries, 1))
        case Code(text):
            return fenced([text])
        case Picture():
            return f"**{plain(block.title)}.** {plain(block.description)}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "") -> str:
    lines = [
        _line(map(plain, head)),
        _line("---" for _ in head),
        *(_line(map(plain, row)) for row in rows),
    ]
    return "\n".join([f"{plain(caption)}:", "", *lines] if caption else lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
