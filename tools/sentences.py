"""Draw sentences that people read, at random, for a reader's test.

`python -m tools.sentences --seed 1` prints 60 of them. They come from the help pages, from the
transcripts of twenty jobs (output, findings and errors), from the examples of the help pages as
they run on the files of the demo, and from what each check asks and says. Read each aloud once:
one that needs a second reading is to be written again.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import shlex
import tempfile
from collections.abc import Iterator

import click
import numpy as np
from click.testing import CliRunner

from errorfloor.apps import demo
from errorfloor.apps.cli.commands import cli
from errorfloor.checks import RECORDS
from tests.jobs import PLACE

_LEAST_WORDS = 5
_SLOW = ("app", "demo", "data", "paper", "label")  # commands whose examples are not run


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command."""
    for name, one in group.commands.items():
        if isinstance(one, click.Group):
            yield from commands(one, (*path, name))
        else:
            yield (*path, name)


def run(*words: str) -> str:
    """Return what a command shows."""
    return str(CliRunner().invoke(cli, [*words]).output)


def of_help() -> Iterator[str]:
    """Yield the help pages, each paragraph and each option as one text."""
    for words in commands():
        page = run(*words, "--help-all") if "--help-all" in run(*words, "--help") else ""
        text = (page or run(*words, "--help")).split("Examples")[0]
        for part in re.split(r"\n\s*\n|\n(?=  -)", text):
            plain = " ".join(part.split())
            yield re.sub(r"^-\S+(, --\S+)?( [A-Z]\S*| \[.*?\])?|\[(default|x).*?\]$", "", plain)


def of_examples() -> Iterator[str]:
    """Yield what the examples of the help pages answer."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        demo.save("demo")
        for words in commands():
            if words[0] in _SLOW:
                continue
            page = run(*words, "--help").partition("Examples")[2]
            for line in re.findall(r"^ +errorfloor (.*)$", page, re.MULTILINE):
                if "--json" not in line and "|" not in line:
                    yield from run(*shlex.split(line)).splitlines()


def of_checks() -> Iterator[str]:
    """Yield what the checks ask."""
    yield from (one.asks for one in RECORDS)


def sentences() -> list[str]:
    """Return all sentences, each once."""
    texts = [*of_help(), *PLACE.read_text().splitlines(), *of_examples(), *of_checks()]
    typed = ("$", "#", "errorfloor", "Usage")
    shown = (text for text in texts if not text.startswith(typed))
    found = (one.strip() for text in shown for one in re.split(r"(?<=[.:?!]) (?=[A-Z])", text))
    able = (one for one in found if len(re.findall(r"[a-z]{2,}", one)) >= _LEAST_WORDS)
    return sorted({one for one in able if not one.startswith(typed)})


def main() -> None:
    """Print sentences drawn at random."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=60)
    asked = parser.parse_args()
    every = sentences()
    drawn = np.random.default_rng(asked.seed).choice(len(every), asked.number, replace=False)
    print(f"{asked.number} of {len(every)} sentences, seed {asked.seed}")
    for number, place in enumerate(drawn.tolist(), 1):
        print(f"{number:3} {every[place]}")


if __name__ == "__main__":
    main()
