"""From files to tables of counts, by the library's door, with progress and a word on guesses."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from errorfloor._checks import InputError, argument
from errorfloor.apps.cli.messages import guesses, written
from errorfloor.apps.cli.session import Session
from errorfloor.data.columns import by_role, layout_of
from errorfloor.data.layouts import LAYOUTS, SCORES, Layout
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read
from errorfloor.data.source import Reading
from errorfloor.data.storage import naming, scratch
from errorfloor.data.tables import VoteTable

STDIN = "-"
_COMPARED, _LEAST_COMPARED = 1000, 20  # labels of two files
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Labels:
    """Files, and what the user says about them."""

    files: tuple[str, ...]
    where: ReadOptions
    layouts: tuple[Layout, ...]  # that the command can use

    @property
    def is_stdin(self) -> bool:
        """Whether they come from standard input, which nobody can read again."""
        return self.files == (STDIN,)

    @property
    def name(self) -> str:
        """What the files are called in messages."""
        if self.is_stdin:
            return "standard input"
        more = f" and {len(self.files) - 1} more" if len(self.files) > 1 else ""
        return f"{self.files[0]}{more}"

    def beside(self, ending: str) -> Path:
        """Return a file in the current folder that is called after the first of these files."""
        first = Path("labels" if self.is_stdin else self.files[0]).name
        return Path(first.partition(".")[0] + ending)

    def read(self, session: Session) -> Reading:
        """Return the labels, counted, and say which columns were guessed."""
        return self.read_and(session, lambda paths, where: None)[0]

    def read_and(
        self, session: Session, also: Callable[[list[str], ReadOptions], T]
    ) -> tuple[Reading, T]:
        """Return the same, and what `also` reads from the files."""
        self._check()
        note_doubles(session, self.files)
        with self.paths(session) as paths, session.step(f"reading {self.name}") as progress:
            where = replace(self.where, called=self.name) if self.is_stdin else self.where
            reading = self._read(paths, where, progress)
            more = also(paths, where)
        _refuse_two_models(reading, self.files)
        # Of standard input there is a copy, which is gone by now.
        reading = replace(reading, source=replace(reading.source, files=self.files))
        session.about["input"] = _described(reading)
        if reading.source.guessed:
            session.remark(guesses(reading.source))
        if reading.source.options.unlabelled and not self.where.unlabelled:
            session.remark(
                "most items have no label: their scores are used as well, as with --unlabelled; "
                "--drop-missing leaves them out"
            )
        for note in reading.source.facts.get("notes", ()):
            session.remark(note)
        _remark_on_classes(session, reading)
        return reading, more

    def _read(self, paths: list[str], where: ReadOptions, progress: Any) -> Reading:
        """Return the labels; items without one are kept where they are the most."""
        from errorfloor.data.rows import FewLabelsError

        try:
            return read(paths, self.layouts, where, progress=progress)
        except FewLabelsError:
            context = click.get_current_context(silent=True)
            if context is None or "unlabelled" not in context.params:
                raise
            return read(paths, self.layouts, replace(where, unlabelled=True), progress=progress)

    def check_simultaneous(self, simultaneous: bool) -> None:
        """Refuse intervals that hold for all groups at once where there are no groups."""
        if simultaneous and self.where.group is None:
            raise click.UsageError("--simultaneous goes with --group. Add that, or leave it out.")

    def _check(self) -> None:
        if STDIN in self.files and len(self.files) > 1:
            raise click.UsageError("- for standard input stands alone. Name it without files.")
        self._check_columns()
        try:
            layout_of(by_role(self.where.columns), self.layouts)
        except InputError as error:
            raise click.UsageError(error.told(written)) from error

    def _check_columns(self) -> None:
        """Refuse what can be told to be wrong before any file is read."""
        named = {role.name: role for layout in LAYOUTS for role in layout.roles}
        for name, column in by_role(self.where.columns).items():
            option = written(argument(named[name].argument))
            if column == self.where.group:
                raise click.UsageError(
                    f"{option} and --group name the same column, {column!r}. "
                    "Group by another column, or leave out --group."
                )
            if named[name].several and len(column) == 1 and not set(column[0]) & set(",*?["):
                raise click.UsageError(
                    f"{option} needs at least two columns, got {column[0]!r}. "
                    "Name all of them with commas between, or give a pattern such as 'rater*'."
                )

    @contextmanager
    def paths(self, session: Session) -> Iterator[list[str]]:
        """Yield the files, for standard input a copy of it, which readers can go over twice."""
        if not self.is_stdin:
            yield list(self.files)
            return
        if sys.stdin is None:
            raise InputError(
                "Standard input is closed. Pipe labels into the command, or name a file."
            )
        with scratch() as folder:
            path = Path(folder) / "stdin"
            with naming(path), path.open("wb") as file, session.step(f"reading {self.name}"):
                shutil.copyfileobj(sys.stdin.buffer, file)
            yield [str(path)]


def _refuse_two_models(reading: Reading, files: Sequence[str]) -> None:
    """Refuse to add up two files with the same labels in the same order, such as of two models."""
    label = reading.source.columns.get("label")
    different = len({os.path.realpath(file) for file in files})
    if reading.source.layout != SCORES.name or not isinstance(label, str) or different != 2:
        return
    from errorfloor.data.engines import select
    from errorfloor.data.read_rows import rows_of

    first = []
    files = [*{os.path.realpath(file): file for file in files}.values()]
    for file in files:
        in_order = ReadOptions.of(format=reading.source.options.format, duplicates="first")
        with rows_of(file, in_order) as (frame, run):
            found = run(select(frame, {"label": label}).head(_COMPARED))["label"].tolist()
        first.append(found)
    one, other = first
    if one == other and len(one) >= _LEAST_COMPARED and len(set(map(str, one))) > 1:
        lines = [shlex.join(("errorfloor", "estimate", file)) for file in files]
        raise InputError(
            f"{files[0]} and {files[1]} hold the same labels in the same order, as scores of two "
            "models on the same items do. Added up, each item would count twice. Find out which "
            "model is better, or ask about each by itself:\n  ",
            "\n  ".join([shlex.join(("errorfloor", "compare", *files)), *lines]),
        )


def note_doubles(session: Session, files: Sequence[str]) -> None:
    """Say which files are named more than once; they are counted once."""
    names = {os.path.realpath(file): file for file in reversed(files)}  # by which they came first
    for path, times in Counter(map(os.path.realpath, files)).items():
        if times > 1:
            session.remark(f"{names[path]} is named {times} times, and counted once")


def _remark_on_classes(session: Session, reading: Reading) -> None:
    """Say which class is which, where labels are not 0 and 1."""
    classes = reading.source.facts.get("classes")
    votes = any(isinstance(table, VoteTable) for table in reading.tables.values())
    if isinstance(classes, list):
        from errorfloor.data.classes import described_many

        session.remark(described_many(classes, "votes" if votes else "items"))
    elif classes is not None:
        from errorfloor.data.classes import described

        ones, zeros = (
            sum(of) for of in zip(*map(_numbers_of, reading.tables.values()), strict=True)
        )
        session.remark(described(classes, ones, zeros, "votes" if votes else "items"))


def _numbers_of(table: Any) -> tuple[int, int]:
    """Return the labels or votes of class 1 and of class 0."""
    if isinstance(table, VoteTable):
        ones = int(table.positives @ table.counts)
        return ones, int(table.totals @ table.counts) - ones
    return int(table.positives.sum()), int(table.negatives.sum())


def _described(reading: Reading) -> dict[str, object]:
    """Return what was read as plain values."""
    source, tables = reading.source, reading.tables.values()
    group = {} if source.options.group is None else {"group": source.options.group}
    facts = source.facts.get("classes")
    many = dict(facts) if isinstance(facts, list) else None
    return {
        "files": source.files,
        "layout": source.layout,
        "columns": {**source.columns, **group},
        **({} if many is None else {"classes": many}),
        "guessed": source.guessed,
        "n": sum(table.n for table in tables),
        "dropped": sum(table.dropped for table in tables),
    }
