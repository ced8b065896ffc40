"""From files to a table of counts."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorfloor.cli._columns import Chosen, check_options, choose
from errorfloor.cli._session import Session

if TYPE_CHECKING:
    from errorfloor import ScoreTable, VoteTable

FORMATS = ("csv", "tsv", "jsonl", "parquet", "npz")
STDIN = "-"
_ZIP = b"PK\x03\x04"  # how a ZIP archive begins, which NPZ is


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels as a table of counts, and how they were laid out."""

    table: ScoreTable | VoteTable
    layout: str
    columns: Mapping[str, Any]

    def named_columns(self) -> dict[str, str]:
        """Return the columns, each as text."""
        return {
            role: column if isinstance(column, str) else ", ".join(column)
            for role, column in self.columns.items()
        }

    def to_dict(self, files: Sequence[str]) -> dict[str, Any]:
        """Return what was read as plain values."""
        return {
            "files": list(files),
            "layout": self.layout,
            "columns": dict(self.columns),
            "n": self.table.n,
            "dropped": self.table.dropped,
        }


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that are still to be counted: where they are, and what their columns hold."""

    data: Any
    layout: str
    columns: Mapping[str, Any]
    arguments: Mapping[str, Any]

    def count(self, progress: Any) -> ScoreTable | VoteTable:
        """Return the table of all rows."""
        from errorfloor import frames

        how = {**self.arguments, "progress": progress}
        if self.layout == "soft labels":
            how["score"] = how.pop("soft")
        if self.layout in ("scores", "soft labels"):
            return frames.score_table(self.data, **how)
        return frames.vote_table(self.data, **how)


@dataclass(frozen=True, slots=True)
class Source:
    """Files, and what the user says about them."""

    files: tuple[str, ...]
    file_format: str | None
    given: Mapping[str, str | tuple[str, ...]]
    positive: str | None
    drop_missing: bool
    allowed: tuple[str, ...]  # layouts that the command can use

    @property
    def name(self) -> str:
        """What the files are called in messages."""
        if len(self.files) > 1:
            return f"{self.files[0]} and {len(self.files) - 1} more"
        return "standard input" if self.files == (STDIN,) else self.files[0]

    def read(self, session: Session) -> Labels:
        """Return the labels, counted."""
        with self.rows(session) as rows:
            if not isinstance(rows, Labels):
                with session.step(f"reading {self.name}") as progress:
                    rows = Labels(rows.count(progress), rows.layout, rows.columns)
        session.about["input"] = rows.to_dict(self.files)
        return rows

    @contextmanager
    def rows(self, session: Session) -> Iterator[Rows | Labels]:
        """Yield the rows to be counted; labels where they are counted already."""
        try:
            check_options(self.given, self.allowed)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        if STDIN in self.files and len(self.files) > 1:
            raise click.UsageError("- for standard input stands alone.")
        with self._paths(session) as paths:
            yield self._open(paths, session)

    @contextmanager
    def _paths(self, session: Session) -> Iterator[list[str]]:
        """Yield the files, for standard input a copy of it, which readers can go over twice."""
        if self.files != (STDIN,):
            yield list(self.files)
            return
        with tempfile.TemporaryDirectory(prefix="errorfloor-") as folder:
            path = Path(folder) / "stdin"
            with path.open("wb") as file, session.step(f"reading {self.name}"):
                shutil.copyfileobj(sys.stdin.buffer, file)
            try:
                yield [str(path)]
            except ValueError as error:  # the user knows no such file
                raise ValueError(str(error).replace(repr(str(path)), self.name)) from error

    def _open(self, paths: list[str], session: Session) -> Rows | Labels:
        from errorfloor import frames

        data: Any = paths
        if self.file_format == "npz" or (self.file_format is None and all(map(_is_npz, paths))):
            saved = self._saved(paths)
            if saved is not None:
                return saved
            data = _as_relation(_arrays(paths[0], self.name), self.name)
        elif self.file_format is not None:
            data = frames.scan(paths, format=self.file_format)
        kinds = frames.columns(data)
        chosen = choose(kinds, self.given, self.allowed, self.name)
        if chosen.guessed:
            session.remark(f"took {chosen.options}")
        arguments = self._arguments(data, kinds, chosen)
        return Rows(data, chosen.layout, chosen.columns, arguments)

    def _arguments(self, data: Any, kinds: Mapping[str, str], chosen: Chosen) -> dict[str, Any]:
        """Return the columns by the names that the library has for them."""
        column: dict[str, Any] = dict(chosen.columns)
        how: dict[str, Any] = {"drop_missing": self.drop_missing}
        if self.positive is not None and chosen.layout in ("votes", "soft labels"):
            raise ValueError("--positive goes with labels and single votes, not --votes or --soft.")
        if chosen.layout == "soft labels":
            return {"soft": column["soft"], **how}
        if chosen.layout == "votes":
            total = column["total"] if column["total"] in kinds else int(column["total"])
            return {"positives": column["votes"], "totals": total, **how}
        votes = column.get("label") or column.get("vote") or column["annotators"][0]
        how["positive"] = self._positive(data, votes, kinds[votes])
        if chosen.layout == "annotators":
            column["annotators"] = list(column["annotators"])
        return column | how

    def _positive(self, data: Any, column: str, kind: str) -> object:
        """Return the value of class 1 as the column has it; ask for it where labels are words."""
        if self.positive is None:
            values = _values(data, column) if kind == "text" else []
            if values and not {"0", "1"} & {*values}:  # or else a word went astray
                raise ValueError(
                    f"Column {column!r} holds words: {', '.join(values)}. Say which one is "
                    f"class 1, such as --positive {shlex.quote(values[0])}."
                )
            return None
        if kind == "number":
            for number in (int, float):
                try:
                    if str(number(self.positive)) == self.positive:
                        return number(self.positive)
                except ValueError:
                    continue
        return self.positive

    def _saved(self, paths: list[str]) -> Labels | None:
        """Return the sum of saved tables, or None for a file of plain arrays."""
        from errorfloor import ScoreTable, VoteTable, merge

        if len(paths) == 1 and Path(paths[0]).is_file():
            names = _arrays(paths[0], self.name).keys()
            if not any(names >= {*kind.columns} for kind in (ScoreTable, VoteTable)):
                return None
        table = merge(paths)
        soft = self.given == {"soft": "scores"} and not isinstance(table, VoteTable)
        if self.given and not soft:
            raise ValueError(
                f"{self.name} is a saved table, whose columns are known, so name none. "
                "--soft scores takes the scores of a table for true probabilities."
            )
        layout = "votes" if isinstance(table, VoteTable) else "soft labels" if soft else "scores"
        if layout not in self.allowed:
            raise ValueError(f"{self.name} holds {layout}; this needs {' or '.join(self.allowed)}.")
        return Labels(table, layout, {"soft": "scores"} if soft else {})


def _is_npz(path: str) -> bool:
    """Tell whether a file, a folder or a pattern is of NPZ."""
    from errorfloor._files import start_of

    place = Path(path)
    if place.is_dir():
        return any(place.rglob("*.npz"))
    if not place.is_file():
        return place.suffix.lower() == ".npz"
    return start_of(path, 4) == _ZIP


def _arrays(path: str, name: str) -> dict[str, Any]:
    from zipfile import BadZipFile

    import numpy as np

    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            found = dict(arrays)
    except (EOFError, ValueError, AttributeError, BadZipFile) as error:
        raise ValueError(f"{name} does not hold plain arrays as NPZ: {error}.") from error
    if not all(isinstance(array, np.ndarray) for array in found.values()):
        raise ValueError(
            f"{name} is a ZIP archive or an Excel file, without arrays. Save its rows as CSV."
        )
    return found


def _as_relation(arrays: dict[str, Any], name: str) -> Any:
    """Return the arrays as columns."""
    import duckdb

    shapes = {key: array.shape for key, array in arrays.items()}
    if len(set(shapes.values())) != 1 or any(len(shape) != 1 for shape in shapes.values()):
        listed = ", ".join(f"{key} {shape}" for key, shape in shapes.items())
        raise ValueError(f"{name} must hold 1-d arrays of equal length, got {listed or 'none'}.")
    return duckdb.connect().sql("SELECT * FROM arrays")


def _values(data: Any, column: str) -> list[str]:
    """Return some values of a column of words, in order."""
    from errorfloor import frames

    rows = frames.scan(data) if isinstance(data, list) else data
    quoted = '"' + column.replace('"', '""') + '"'
    found = rows.filter(f"{quoted} is not null").project(quoted).distinct().limit(7).fetchall()
    values = sorted(str(value) for (value,) in found)
    return [*values[:6], "..."] if len(values) > 6 else values
