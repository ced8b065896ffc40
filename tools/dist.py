"""What is uploaded at a release: `python -m tools.dist` builds it, `--check` also installs it.

The wheel and the sdist are built twice and have to be the same bytes, have to pass `twine check
--strict`, and the wheel may hold the package and nothing else. `--check` installs the wheel by each
line of README into an empty environment, dependencies from the package index, and types README's
first minute there. The tests do the same without a network.
"""

from __future__ import annotations

import argparse
import doctest
import hashlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
# What users need: code, the mark of typed code, the style of pages and reports, the JSON Schema.
SUFFIXES = {".css", ".html", ".js", ".json", ".py", ".typed"}
LARGEST = 1_200_000  # bytes of the wheel; a larger one is looked at before it is let through


@dataclass(frozen=True, slots=True)
class Built:
    """The files of a release."""

    sdist: Path
    wheel: Path

    def __iter__(self) -> Iterator[Path]:
        return iter((self.sdist, self.wheel))


def build(folder: Path, *, isolated: bool) -> Built:
    """Build the sdist, and the wheel from it, into an empty folder.

    Isolated, the newest hatchling comes from the package index; else the one that is installed.
    """
    subprocess.run(
        [
            *(sys.executable, "-m", "build", "--outdir", folder),
            *(() if isolated else ("--no-isolation",)),
            str(ROOT),
        ],
        env=environment({"SOURCE_DATE_EPOCH": str(moment())}),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return Built(sdist, wheel)


def moment() -> int:
    """Return the time that files in the archives have: that of the last commit, if there is one.

    With it everybody who builds one commit gets the same bytes.
    """
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    done = subprocess.run(
        ["git", "-C", ROOT, "log", "-1", "--format=%ct"],
        capture_output=True,
        text=True,
        check=False,
    )
    return int(done.stdout or 1_580_601_600)  # 2020-02-02, which hatchling takes by itself


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of this process without those that would lead to the checkout."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        **more,
    }


def not_needed(wheel: Path) -> list[str]:
    """Return the files of the wheel that no user needs."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    return [name for name in names if not _is_needed(PurePosixPath(name))]


def _is_needed(name: PurePosixPath) -> bool:
    if name.parts[0].endswith(".dist-info"):
        return True
    return name.parts[0] == "errorfloor" and name.suffix in SUFFIXES and "tests" not in name.parts


def described(path: Path) -> str:
    """Say how large a file is, how much it holds, and its checksum."""
    content = path.read_bytes()
    held = ""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            sizes = [one.file_size for one in archive.infolist()]
        held = f"{len(sizes)} files, {sum(sizes) / 1e6:.2f} MB unpacked, "
    return (
        f"{path.name}: {len(content) / 1e6:.2f} MB, {held}SHA-256 "
        f"{hashlib.sha256(content).hexdigest()}"
    )


def install_lines() -> dict[str, str]:
    """Return README's lines that install the package, or run it, by the program that does."""
    block = re.search(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert block is not None, "README has no block of lines that install"
    lines = [line.split("  #")[0].strip() for line in block[1].splitlines()]
    return {line.split()[0]: line for line in lines if line}


def first_minute() -> list[tuple[str, str]]:
    """Return the commands of README's first terminals, and what it shows of their output."""
    text = README.read_text(encoding="utf-8").split("## One minute")[1].split("\n## ")[0]
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    pairs = [part.partition("\n")[::2] for part in parts]
    assert pairs
    return pairs


def type_first_minute(program: Sequence[str], folder: Path, more: Mapping[str, str]) -> None:
    """Type README's first minute in a folder, `errorfloor` being the program that was installed."""
    for command, shown in first_minute():
        printed = typed([*program, *shlex.split(command)[1:]], folder, more)
        if not doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS):
            raise SystemExit(f"README shows of {command}\n{shown}\nbut it printed\n{printed}")


def typed(command: Sequence[str], folder: Path, more: Mapping[str, str]) -> str:
    """Return what a command prints in a folder; stop where it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment({"OPENBLAS_NUM_THREADS": "1", "NO_COLOR": "1", **more}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)} left with {done.returncode}:\n{done.stdout}")
    return done.stdout


def install(program: str, wheel: Path, folder: Path, more: Mapping[str, str]) -> list[str]:
    """Install the wheel by README's line for `program`, and return what starts the command then.

    In the line, the name of the package becomes the path of the wheel; the rest is as in README.
    """
    line = install_lines()[program]
    words = [_from(wheel, word) for word in shlex.split(line)]
    tool = str(Path(sys.executable).parent / program)
    if program == "uvx":
        return [tool, *words[1 : words.index("errorfloor", 1) + 1]]
    if program == "pipx":
        typed([tool, *words[1:]], folder, more)
        return [str(Path(more["PIPX_BIN_DIR"]) / "errorfloor")]
    own = folder / "venv"
    venv.create(own, with_pip=False)
    inside = str(own / "bin" / "python")
    typed([sys.executable, "-m", "pip", "--python", inside, *words[1:]], folder, more)
    return [str(own / "bin" / "errorfloor")]


def _from(wheel: Path, word: str) -> str:
    """Return `errorfloor[cli]` as a requirement of the wheel, and other words as they are."""
    named = re.fullmatch(r"errorfloor(\[[\w,]+\])", word)
    return f"errorfloor{named[1]} @ {wheel.resolve().as_uri()}" if named else word


def homes(folder: Path) -> dict[str, str]:
    """Return the variables that keep all that pipx and uv write in a folder."""
    return {
        "PIPX_HOME": str(folder / "pipx"),
        "PIPX_BIN_DIR": str(folder / "bin"),
        "PIPX_MAN_DIR": str(folder / "man"),
        "UV_CACHE_DIR": str(folder / "uv"),
        "UV_TOOL_DIR": str(folder / "tools"),
    }


def check_installed(wheel: Path) -> None:
    """Install the wheel by every line of README, and type its first minute each time."""
    for program in install_lines():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            more = homes(folder)
            type_first_minute(install(program, wheel, folder, more), folder, more)
            print(f"{install_lines()[program]}: README's first minute works.", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Build, look at what was built, and install it where asked."""
    parser = argparse.ArgumentParser(prog="python -m tools.dist", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="dist by default; emptied")
    parser.add_argument("--check", action="store_true", help="install it too")
    given = parser.parse_args(arguments)
    for old in (*given.out.glob("*.whl"), *given.out.glob("*.tar.gz")):
        old.unlink()
    built = build(given.out, isolated=True)
    with tempfile.TemporaryDirectory() as folder:
        for first, again in zip(built, build(Path(folder), isolated=True), strict=True):
            if first.read_bytes() != again.read_bytes():
                raise SystemExit(f"{first.name} differs from one build to the next.")
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *built], check=True)
    if others := not_needed(built.wheel):
        raise SystemExit(f"The wheel holds what no user needs: {', '.join(others)}.")
    if built.wheel.stat().st_size > LARGEST:
        raise SystemExit(f"The wheel has more than {LARGEST:,} bytes. What is new in it?")
    print(*map(described, built), sep="\n", flush=True)
    if given.check:
        check_installed(built.wheel)


if __name__ == "__main__":
    main()
