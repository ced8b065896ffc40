"""The page before anything is asked: a place to drop a file, examples, and room for answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from errorfloor.show.markup import tag


@dataclass(frozen=True, slots=True)
class Demo:
    """Simulated data to try the page on."""

    name: str  # of the file
    title: str
    roles: Mapping[str, str] = field(default_factory=dict)  # of columns whose names do not tell


DEMOS = (
    Demo("scores.csv", "Scores and labels"),
    Demo("votes.csv", "Vote counts"),
    Demo("models.csv", "Models", dict.fromkeys(("careful", "hasty"), "prediction")),
    Demo("annotations.csv", "Votes in rows"),
    Demo("annotators.csv", "Votes in columns"),
    Demo("gold.csv", "Gold labels"),
    Demo("class_scores.csv", "Five classes"),
    Demo("class_votes.csv", "Class votes"),
    Demo("soft_labels.csv", "Soft labels"),
    Demo("judged.csv", "LLM judge"),
    Demo("ratings.csv", "Ratings"),
)


def index() -> str:
    """Return the page."""
    buttons = (
        tag("button", demo.title, type="button", class_="link", **{"data-demo": demo.name})
        for demo in DEMOS
    )
    return static("index.html").replace("<!-- examples -->", "\n    ".join(buttons))


def static(name: str) -> str:
    """Return a file of the package."""
    return files("errorfloor.apps.web").joinpath("static", name).read_text(encoding="utf-8")
