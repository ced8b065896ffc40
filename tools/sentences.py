"""Draw sentences that people read, at random, for a reader's test.

`python -m tools.sentences --seed 1` prints 60 of them, each behind the command that shows it. They
come from the help pages, from the transcripts of new users' jobs (output, findings and errors),
from the examples of the help pages as they run on the files of the demo, and from what each check
asks. Read each aloud once: one that needs a second reading is to be written again.
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


def of_help() -> Iterator[tuple[str, str]]:
    """Yield the paragraphs and the options of the help pages, each behind its command."""
    for words in commands():
        page = run(*words, "--help-all") if "--help-all" in run(*words, "--help") else ""
        text = (page or run(*words, "--help")).split("Examples")[0]
        for part in re.split(r"\n\s*\n|\n(?=  --?[a-z].*  )", text):
            place, plain = " ".join(("errorfloor", *words, "--help")), " ".join(part.split())
            # An option is read with its name, and in one go.
            yield (place, plain) if plain.startswith("-") else (place, plain + "\n")


def of_jobs() -> Iterator[tuple[str, str]]:
    """Yield what the jobs of new users show, behind the commands."""
    command = ""
    for line in PLACE.read_text().splitlines():
        if line.startswith("$"):
            command = line[2:]
        elif not line.startswith("#"):
            yield command, line + "\n"


def of_examples() -> Iterator[tuple[str, str]]:
    """Yield what the examples of the help pages answer, behind the commands."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        demo.save("demo")
        for words in commands():
            if words[0] in _SLOW:
                continue
            page = run(*words, "--help").partition("Examples")[2]
            for line in re.findall(r"^ +(errorfloor .*)$", page, re.MULTILINE):
                if "--json" not in line and "|" not in line:
                    shown = run(*shlex.split(line)[1:])
                    yield from ((line, one + "\n") for one in shown.splitlines())


def of_checks() -> Iterator[tuple[str, str]]:
    """Yield what the checks ask."""
    yield from (("a check asks", one.asks) for one in RECORDS)


def sentences() -> dict[str, str]:
    """Return all sentences, each once, with the first place where it is read.

    Rows of tables are none; a text without a line's end is read whole.
    """
    found: dict[str, str] = {}
    for place, text in (*of_help(), *of_jobs(), *of_examples(), *of_checks()):
        parts = re.split(r"(?<=[.:?!]) (?=[A-Z])", text) if text.endswith("\n") else [text]
        for one in (part.strip() for part in parts):
            is_typed = one.startswith(("$", "#", "errorfloor", "Usage", '"'))
            is_row = bool(re.search(r"\S {2,}\S", one))
            if not (is_typed or is_row) and len(re.findall(r"[a-z]{2,}", one)) >= _LEAST_WORDS:
                found.setdefault(one, place)
    return found


def main() -> None:
    """Print sentences drawn at random."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=60)
    asked = parser.parse_args()
    every = sorted(sentences().items())
    drawn = np.random.default_rng(asked.seed).choice(len(every), asked.number, replace=False)
    print(f"{asked.number} of {len(every)} sentences, seed {asked.seed}")
    for number, at in enumerate(drawn.tolist(), 1):
        text, place = every[at]
        print(f"{number:3} [{place}]\n    {text}")


if __name__ == "__main__":
    main()
