"""What a check found out about the data behind a result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from errorfloor._checks import Sentence

Level: TypeAlias = Literal["refuted", "warn", "note", "ok"]
TRAINED = "Scores as of training data"  # the one finding that is shown though it is a note
LEVELS: tuple[Level, ...] = ("refuted", "warn", "note", "ok")  # the gravest first


@dataclass(frozen=True, slots=True)
class Finding:
    """One question about the data, its answer, and what the answer means.

    Attributes
    ----------
    name : str
        What was checked, in a few words.
    value : str
        The answer in short.
    level : {"refuted", "warn", "note", "ok"}
        How much it matters. A result with a refuted finding is not stated as one.
    sentence : str
        What the answer means.
    remedy : str
        What to do about it.
    """

    name: str
    value: str
    level: Level
    sentence: str
    remedy: str = ""

    @property
    def text(self) -> str:
        """What it means and what to do about it."""
        return Sentence(self.sentence, " ", self.remedy) if self.remedy else self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain values."""
        return {name: str(value) for name, value in asdict(self).items()}
