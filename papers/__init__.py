"""Every figure and table of the paper that has numbers, computed again next to the printed ones.

One module a figure or table: `compute` returns its numbers, `draw` draws them, `checks` compares
them with the print. `python -m papers` in a clone, or `make paper`, runs all of them.

References
----------
.. [1] R. Ushio, T. Ishida and M. Sugiyama, "Practical estimation of the optimal classification
   error with soft labels and calibration", ICLR 2026: "the paper" in these modules.
.. [2] R. Ushio, T. Ishida and M. Sugiyama, "Bayes-optimal BER and AUC: estimation and evaluation of
   estimators", 2026: "the follow-up paper".
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorfloor import __version__
from errorfloor._checks import check_choice
from errorfloor.data.storage import write_bytes
from papers._check import Check

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURES", "FOLLOW_UP", "Check", "Reproduction", "load", "reproduce"]

# In the paper's order.
FIGURES: tuple[str, ...] = (
    "figure-1",
    "figure-2",
    "figure-3",
    "figure-4",
    "figure-5",
    "figure-6",
    "figure-7",
    "figure-8",
    "figure-9",
    "figure-10",
    "figure-11",
    "figure-12",
    "table-feebee",
)

# Of the same authors' next paper, on balanced error and AUC.
FOLLOW_UP: tuple[str, ...] = ("follow-up-figure", "follow-up-table", "follow-up-feebee")

FORMATS = ("svg", "png")


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A figure or table that was computed: its numbers, their checks, and where its files are."""

    name: str
    title: str
    numbers: dict[str, Any]
    checks: tuple[Check, ...]
    folder: Path
    remarks: str = ""  # Markdown: more numbers, and what they say

    @property
    def svg(self) -> Path:
        """The drawing."""
        return self.folder / f"{self.name}.svg"


def reproduce(
    which: str | Iterable[str] = "all",
    out: str | os.PathLike[str] = "paper",
    *,
    force: bool = False,
) -> list[Reproduction]:
    """Compute and draw figures and tables of the paper, and compare them with the print.

    Writes NAME.svg, NAME.png and NAME.json into `out`, each whole or not at all. What is there
    already from the same version of errorfloor and of the figure's module is not computed again.
    Needs the extra `paper`, and the real sets from the cache, the network, or the folder that
    ERRORFLOOR_DATA names.

    Parameters
    ----------
    which : str or sequence of str
        Names from `FIGURES` or `FOLLOW_UP`; "all" of the former, or "follow-up" for the latter.
    out : path
        The folder for the files; it is made if need be.
    force : bool
        Compute again what is there.

    Returns
    -------
    list of Reproduction
        In the order of the names.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (found,) = reproduce("figure-2", folder)
    >>> check = found.checks[1]
    >>> check.name, check.published, round(check.ours, 6), check.agrees
    ('bound B(E, m) at E = 0.05 %', 0.00276, 0.002757, True)
    """
    folder = Path(out)
    names = _names(which)
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for name in _with_progress(names):
        ready = None if force else load(name, folder)
        found.append(ready or _make(name, folder))
    return found


def load(name: str, out: str | os.PathLike[str]) -> Reproduction | None:
    """Return what `reproduce` left in `out`, or None unless it is complete and of this code."""
    folder = Path(out)
    if not all((folder / f"{name}.{kind}").is_file() for kind in (*FORMATS, "json")):
        return None
    try:
        content = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        if content["version"] != __version__ or content["source"] != _source(name):
            return None
        checks = tuple(Check(**check) for check in content["checks"])
        remarks = content.get("remarks", "")
        return Reproduction(name, content["title"], content["numbers"], checks, folder, remarks)
    except (KeyError, TypeError, ValueError):  # not what we write
        return None


def _names(which: str | Iterable[str]) -> list[str]:
    if which in ("all", "follow-up"):
        return list(FIGURES if which == "all" else FOLLOW_UP)
    several = isinstance(which, Iterable) and not isinstance(which, str)
    hint = ' "all" is every one of the first paper, "follow-up" of the second.'
    return [
        check_choice(name, (*FIGURES, *FOLLOW_UP), name="which", hint=hint)
        for name in (which if several else [which])
    ]


def _module(name: str) -> Any:
    return import_module(f"papers.{name.replace('-', '_')}")


def _source(name: str) -> str:
    """Return a digest of a figure's module: what other code made is not taken for its figure."""
    return sha256(Path(_module(name).__file__).read_bytes()).hexdigest()


def _make(name: str, folder: Path) -> Reproduction:
    module = _module(name)
    # Through JSON and back, so that new and resumed numbers are drawn and checked alike.
    numbers = json.loads(_json(module.compute()))
    checks = tuple(module.checks(numbers))
    remarks = module.remarks(numbers) if hasattr(module, "remarks") else ""
    for kind, drawing in _drawn(module.draw, numbers).items():
        write_bytes(folder / f"{name}.{kind}", drawing)
    content = {
        "name": name,
        "title": module.TITLE,
        "version": __version__,
        "source": _source(name),
        "checks": [check.to_dict() for check in checks],
        "numbers": numbers,
        **({"remarks": remarks} if remarks else {}),
    }
    write_bytes(folder / f"{name}.json", (_json(content) + "\n").encode())  # the last: all is there
    return Reproduction(name, module.TITLE, numbers, checks, folder, remarks)


def _drawn(draw: Any, numbers: dict[str, Any]) -> dict[str, bytes]:
    try:
        from papers._style import style

        context = style()
    except ImportError as error:
        raise ImportError(
            f"Figures need matplotlib ({error}): pip install 'errorfloor[paper]'."
        ) from error
    with context:
        figure: Figure = draw(numbers)
        return {kind: _saved(figure, kind) for kind in FORMATS}


def _saved(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    # Neither dates nor versions, so that the same numbers give the same file.
    metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
    figure.savefig(buffer, format=kind, metadata=metadata)
    content = buffer.getvalue()
    return re.sub(rb"\n +", b"\n", content) if kind == "svg" else content  # without indents


def _json(content: Any) -> str:
    return json.dumps(content, allow_nan=False, indent=1)


def _with_progress(names: list[str]) -> Iterable[str]:
    if not sys.stderr.isatty():
        return names
    try:
        from tqdm import tqdm
    except ImportError:
        return names
    return _bar(tqdm(names, unit="figure"))


def _bar(bar: Any) -> Iterable[str]:
    for name in bar:
        bar.set_description(name)
        yield name
