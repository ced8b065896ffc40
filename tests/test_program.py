"""The program in odd surroundings: hostile names, Ctrl-C, closed streams, endless numbers."""

import json
import os
import pty
import subprocess
import sys
import warnings
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import errorfloor as ef
from errorfloor.apps import demo
from errorfloor.apps.cli.building import explained
from errorfloor.apps.cli.commands import cli
from errorfloor.apps.cli.session import PATIENCE_VARIABLE, Session
from errorfloor.questions.options import CLIP, WHOLES, Number, Whole

ROOT = Path(__file__).parents[1]
PROGRAM = [sys.executable, "-W", "error", "-m", "errorfloor"]
ENVIRONMENT = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "src")}
AT_ONCE, NEVER = "0", "inf"


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    demo.save(folder / "demo")
    return folder / "demo"


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """Be in an empty folder but for the files of the demo."""
    (tmp_path / "demo").symlink_to(made)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def start(*arguments, **environment):
    """Run the real program, with stdout and stderr apart."""
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        capture_output=True,
        env=ENVIRONMENT | environment,
        check=False,
        text=True,
    )


def on_a_terminal(*arguments, patience=NEVER, **environment):
    """Return all that the real program shows on a terminal, stdout and stderr in one."""
    main, end = pty.openpty()
    program = subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        stdin=end,
        stdout=end,
        stderr=end,
        env=ENVIRONMENT
        | {"TERM": "xterm", "NO_COLOR": "1", PATIENCE_VARIABLE: patience}
        | environment,
    )
    os.close(end)
    shown = b""
    try:
        while part := os.read(main, 65_536):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(main)
    program.wait()
    return shown.decode().replace("\r\n", "\n")


def refused(*arguments, code=2):
    result = CliRunner().invoke(cli, [str(one) for one in arguments])
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    return result.stderr


# Names and values of others.

EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2066\x85\u2028"
SHOWN = "\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}]0;owned"


def hidden(text):
    return {c for c in text if c in EVIL and c not in "[2J]0;owned31m"}


def rows(score="p", label="y", group="g", value="a", classes=("0", "1")):
    head = ",".join(f'"{name}"' for name in (score, label, group))
    body = [f"0.{i},{classes[i % 2]},{value}{i % 2}" for i in range(1, 9)]
    return "\n".join([head, *body]) + "\n"


def two_columns(label):
    return f'p,"{label}"\n0.2,0\n0.7,1\n0.6,0\n'


# Files whose names, columns or values steer terminals, and what to type for them.
HOSTILE = {
    "a guessed column": ("x.csv", two_columns(f"label {EVIL}"), ["--score", "p"]),
    "a column that is offered": ("x.csv", rows(group=f"g{EVIL}"), ["--score", "nope"]),
    "a column that is named": ("x.csv", rows(), ["--score", f"p{EVIL}"]),
    "a group": ("x.csv", rows(value=EVIL), ["--group", "g"]),
    "groups that fail": ("x.csv", rows(value=EVIL), ["--group", "g", "--attainable", "0"]),
    "a class": ("x.csv", rows(classes=(f"no{EVIL}", "yes")), []),
    "a class that is missing": ("x.csv", rows(classes=("no", "yes")), ["--positive", EVIL]),
    "a usage error": ("x.csv", rows(), [f"--{EVIL}"]),
    "a file that is not there": ("x.csv", rows(), [f"{EVIL}.csv"]),
    "the name of a file": (f"name {EVIL}.csv", rows(), []),
}


@pytest.mark.parametrize("where", HOSTILE)
def test_no_name_and_no_value_steers_the_terminal(where, folder):
    name, text, options = HOSTILE[where]
    Path(name).write_text(text, encoding="utf-8")
    done = CliRunner().invoke(cli, ["estimate", name, *options])
    assert hidden(done.output) == set()
    assert ("owned" in done.output) == (where != "the name of a file")
    if where in ("a group", "the name of a file"):  # which progress shows
        shown = on_a_terminal("estimate", name, *options, patience=AT_ONCE, PYTHONUTF8="1")
        assert hidden(shown) == set()
        assert "owned" in shown
        assert "Traceback" not in shown


def test_progress_bars_show_names_as_they_are_shown_elsewhere(folder):
    name = f"name {EVIL}.csv"
    Path(name).write_text(rows(), encoding="utf-8")
    shown = on_a_terminal("estimate", name, patience=AT_ONCE, NO_COLOR="", PYTHONUTF8="1")
    assert f"reading name {SHOWN}" in shown
    assert "\x1b]0;" not in shown


def test_json_keeps_names_as_they_are(folder):
    label = "label \x1b[2J"
    Path("x.csv").write_text(two_columns(label), encoding="utf-8")
    done = start("estimate", "x.csv", "--score", "p", "--json", "--quiet")
    assert "\x1b" not in done.stdout
    assert json.loads(done.stdout)["input"]["columns"]["label"] == label


def test_warnings_of_others_are_shown_as_text():
    session = Session("estimate", (), as_json=False, quiet=False)
    with pytest.warns(UserWarning, match="\N{REPLACEMENT CHARACTER}"), session.collecting_doubts():
        warnings.warn("\x1b[2J", stacklevel=1)


def test_letters_that_a_terminal_cannot_show_are_no_error(folder):
    Path("x.csv").write_text(rows(value="é"), encoding="utf-8")
    done = start("estimate", "x.csv", "--group", "g", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "?0" in done.stdout
    assert "?" in on_a_terminal("estimate", "x.csv", "--group", "g", PYTHONIOENCODING="ascii")


# Numbers.


def leaves(group=cli, path=()):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, (*path, name))
        else:
            yield (*path, name), command


def options_of(kind, other=None):
    """Return all options whose values are of this kind, or the other, each with its command."""
    return [
        (path, max(one.opts, key=len))
        for path, command in leaves()
        for one in command.params
        if isinstance(one, click.Option)
        and (own := getattr(one.type, "kind", None)) is not None
        and (isinstance(own, kind) or own is other)
    ]


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999"])
def test_fractions_are_never_nan_or_infinite(value):
    for path, option in options_of(Number, CLIP):
        said = refused(*path, "x.csv", f"{option}={value}")
        assert f"Invalid value for '{option}'" in said, path


def test_the_walk_over_the_options_finds_them():
    fractions = {option for _, option in options_of(Number, CLIP)}
    assert {"--level", "--clip", "--model-error", "--cost-per-vote", "--target"} <= fractions
    integers = {option for _, option in options_of(Whole, WHOLES)}
    assert integers == {
        "--budget",
        "--levels",
        "--majority",
        "--model-errors",
        "--n",
        "--pairs",
        "--panels",
        "--port",
        "--repeats",
        "--resamples",
        "--seed",
        "--test-items",
        "--try-items",
        "--try-votes",
    }
    for path, command in leaves():
        for one in command.params:
            if isinstance(one.type, click.types.FloatParamType | click.types.IntParamType):
                assert isinstance(one.type.kind, Number | Whole), f"{path} {one.name}"


@pytest.mark.parametrize("digits", [17, 400, 5000])
def test_whole_numbers_that_nothing_can_count_are_refused(digits):
    for path, option in options_of(Whole, WHOLES):
        if option != "--seed" or digits == 5000:  # which any smaller number is good for
            said = refused(*path, "x.csv", option, "9" * digits)
            assert f"Invalid value for '{option}'" in said, path
            assert "9" * 50 not in said


@pytest.mark.parametrize("value", ["2.5", "two", "", "-1"])
def test_what_is_no_whole_number_is_refused_in_words_that_say_what_is(value):
    for path, option in options_of(Whole, Whole):
        said = refused(*path, "x.csv", f"{option}={value}")
        assert f"Invalid value for '{option}': {value!r} must be a whole number, " in said, path


def test_seeds_may_be_of_any_size(folder):
    done = CliRunner().invoke(cli, ["estimate", "demo/scores.csv", "--seed", "9" * 400])
    assert done.exit_code == 0
    assert "the best threshold on these scores gives an error of 7.5 %" in done.stdout


def test_the_total_of_votes_is_a_number_that_can_be_counted(folder):
    typed = ["estimate", "demo/votes.csv", "--votes", "positives", "--total", "9" * 400]
    assert "--total must be a whole number of at least 1 and at most" in refused(*typed, code=1)


@pytest.mark.parametrize(
    "ask",
    [
        lambda huge: ef.headroom(0.1, 1, huge),
        lambda huge: ef.from_votes([1, 1], huge),
        lambda huge: ef.from_scores([0.1, 0.9], [0, 1], n_resamples=huge),
        lambda huge: ef.plan(([0.5], [1.0]), items=[huge]),
    ],
)
def test_whole_numbers_beyond_floats_are_input_errors_in_python_too(ask):
    with pytest.raises(ef.InputError):
        ask(10**400)


def test_asking_for_more_than_the_machine_has_is_said_without_a_traceback(folder):
    typed = ["feebee", "demo/scores.csv", "--model-error", 0.1, "--levels", 10**14]
    assert "Ask for less at once." in refused(*typed, code=1)
    assert explained(OSError(28, "No space left on device")) == "No space left on device."


# Closed streams.


def with_closed(streams, *arguments, stdin="</dev/null"):
    """Run the program in a shell that closes some streams, and return its code and its words."""
    program = " ".join(["exec", *PROGRAM, *arguments])
    return subprocess.run(
        ["bash", "-c", f"{program} {stdin} {streams}"],
        capture_output=True,
        env=ENVIRONMENT,
        check=False,
        text=True,
    )


@pytest.mark.parametrize("streams", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error_of_the_program(streams, folder):
    done = with_closed(streams, "estimate", "demo/scores.csv", stdin="")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert ("the best threshold on these scores gives an error of 7.5 %" in done.stdout) == (
        ">&-" not in streams.replace("2>&-", "")
    )


def test_without_any_stream_the_program_writes_files_and_ends_with_the_usual_codes(folder):
    streams = "<&- >&- 2>&-"
    done = with_closed(streams, "count", "demo/scores.csv", "-o", "table.npz", stdin="")
    assert done.returncode == 0
    assert ef.ScoreTable.load("table.npz").n == 10_000
    assert with_closed(streams, "estimate", "nowhere.csv", stdin="").returncode == 1
    assert with_closed(streams, "estimate", stdin="").returncode == 2


def test_a_closed_standard_input_is_said(folder):
    done = with_closed("<&-", "estimate", "-", stdin="")
    assert done.returncode == 1
    assert done.stderr == (
        "error: Standard input is closed. Pipe labels into the command, or name a file.\n"
    )


def test_a_full_disk_is_said(folder):
    done = with_closed(">/dev/full", "estimate", "demo/scores.csv", "--quiet")
    assert done.returncode == 1
    assert done.stderr == "error: No space left on device.\n"


# Ctrl-C.

# Python runs this before the program: it presses Ctrl-C when a module begins to load.
HOOK = """
import os, signal, sys

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["PRESS_AT"] and self in sys.meta_path:
            sys.meta_path.remove(self)
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                if os.environ["PRESS_AND"] == "raise":
                    raise
                if os.environ["PRESS_AND"] == "fail":
                    raise ImportError("a library made this of it")
                # Or it is lost, as in C code that clears the error.

sys.meta_path.insert(0, Press())
"""
LOADED = ["errorfloor.apps.cli.commands", "click", "numpy", "narwhals", "duckdb", "scipy.special"]


# What becomes of it while a module loads: each of the three ways twice.
@pytest.mark.parametrize(
    ("module", "then"), [*zip(LOADED, 2 * ["raise", "fail", "lose"], strict=True)]
)
def test_ctrl_c_while_libraries_load_ends_the_program(module, then, folder):
    (folder / "hooks").mkdir()
    (folder / "hooks" / "sitecustomize.py").write_text(HOOK)
    (folder / "scratch").mkdir()
    done = start(
        "report",
        "demo/scores.csv",
        "-o",
        "report.md",
        PYTHONPATH=f"{folder / 'hooks'}{os.pathsep}{ROOT / 'src'}",
        PRESS_AT=module,
        PRESS_AND=then,
        TMPDIR=str(folder / "scratch"),
    )
    assert done.returncode == 130, done.stderr
    assert done.stdout == ""
    said = [line for line in done.stderr.splitlines() if not line.startswith("note: using")]
    assert "".join(said).strip() == ""
    assert not any((folder / "scratch").iterdir())
    assert sorted(path.name for path in folder.iterdir()) == ["demo", "hooks", "scratch"]


def test_ctrl_c_that_is_ignored_stays_ignored(folder):
    # As in a shell script's background, or under nohup.
    (folder / "hooks").mkdir()
    (folder / "hooks" / "sitecustomize.py").write_text(HOOK)
    hooked = ENVIRONMENT | {
        "PYTHONPATH": f"{folder / 'hooks'}{os.pathsep}{ROOT / 'src'}",
        "PRESS_AT": "duckdb",
        "PRESS_AND": "raise",
    }
    typed = " ".join([*PROGRAM, "estimate", "demo/scores.csv", "--quiet"])
    done = subprocess.run(
        ["bash", "-c", f"trap '' INT; exec {typed}"],
        capture_output=True,
        env=hooked,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "the best threshold on these scores gives an error of 7.5 %" in done.stdout


# What to do.

SAID = {
    "estimate demo/scores.csv --method isotonik": (1, "--method must be", "Did you mean isotonic"),
    "estimate demo/scores.csv --interval wald": (1, "--interval must be", "--interval none skips"),
    "estimate empty": (1, "The folder 'empty' has no file", "Name a file."),
    "merge empty -o x.npz": (1, "The folder 'empty' has no file", "Name a file."),
    "estimate binary.csv": (1, "Could not read 'binary.csv'", "name its format with --format."),
    "estimate demo/scores.csv --group nope": (1, "--group must be one of the", "got 'nope'."),
    "estimate demo/scores.csv --group score": (1, "--group score leaves too", "--score COL"),
    "estimate demo/scores.csv --score score --group score": (2, "--score and --group", "Group by"),
    "estimate demo/annotators.csv --annotators ann": (2, "--annotators needs", "Name all of them"),
    "estimate demo/scores.csv --positive 1 --positive 0": (2, "'--positive'", "Give it once."),
    "estimate demo/scores.csv --group a --group b": (2, "'--group'", "Give it once."),
    "estimate demo/scores.csv --score a --score b": (2, "'--score'", "Give it once."),
    "estimate demo/soft_labels.csv --positive 1": (1, "--positive goes with", "Leave it out."),
    "estimate demo/votes.csv --positive 1": (1, "--positive goes with", "Leave it out."),
    "estimate demo/scores.csv --simultaneous": (2, "--simultaneous goes", "or leave it out."),
    "count demo/scores.csv -o no/x.npz": (2, "'--output'", "Make it first, or name another."),
    "count demo/scores.csv -o x.csv": (2, "'--output'", "must end in .npz. Add the ending."),
    "count demo/scores.csv -o dir.npz": (2, "'--output'", "Name another file."),
    "headroom demo/scores.csv --model-errors 3 --test-items 2": (2, "--model-errors", "Check"),
}


@pytest.mark.parametrize("typed", SAID)
def test_errors_name_the_option_and_say_what_to_do(typed, folder):
    (folder / "empty").mkdir()
    (folder / "dir.npz").mkdir()
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 8)
    code, what, remedy = SAID[typed]
    said = refused(*typed.split(), code=code)
    assert what in said
    assert remedy in said[said.index(what) :]


def test_files_without_the_right_to_read_are_said_with_what_to_do():
    wrong = PermissionError(13, "Permission denied", "x.csv")
    assert explained(wrong) == (
        "x.csv: Permission denied. Change its rights, or name another file."
    )


def test_files_that_are_named_twice_are_counted_once_with_a_note(folder):
    typed = ["estimate", "demo/scores.csv", "./demo/scores.csv", "--json"]
    found = json.loads(CliRunner().invoke(cli, typed).stdout)
    assert found["result"]["n"] == 10_000
    assert "demo/scores.csv is named 2 times, and counted once" in found["remarks"]
    CliRunner().invoke(cli, ["count", "demo/votes.csv", "-o", "votes.npz"])
    merged = CliRunner().invoke(cli, ["merge", "votes.npz", "votes.npz", "-o", "both.npz"])
    assert "2,000 items" in merged.stdout
    assert merged.stderr == "note: votes.npz is named 2 times, and counted once\n"


# The start.


def test_an_estimate_loads_nothing_that_it_has_no_use_for(folder):
    loading = [sys.executable, "-X", "importtime", "-m", "errorfloor", "estimate"]
    done = subprocess.run(
        [*loading, "demo/scores.csv"], capture_output=True, env=ENVIRONMENT, check=True, text=True
    )
    assert "the best threshold on these scores gives an error of 7.5 %" in done.stdout
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    loaded = {line.rpartition("|")[2].strip() for line in lines}
    assert "scipy.special" in loaded
    unused = ("pandas.core", "pyarrow", "numpy.f2py", "scipy.optimize", "scipy.stats", "rich")
    more = ("matplotlib", "numpy.testing", "concurrent", "errorfloor.show.gauge")
    assert [name for name in loaded if name.startswith((*unused, *more))] == []


@pytest.mark.parametrize("name", ["scores.csv", "votes.csv", "annotations.csv"])
def test_files_are_counted_alike_from_memory_and_from_disk(name, folder, monkeypatch):
    def counted():
        result = CliRunner().invoke(cli, ["estimate", f"demo/{name}", "--json"])
        return json.loads(result.stdout)

    kept = counted()
    monkeypatch.setattr("errorfloor.data.files._SMALL", 0)
    assert counted() == kept


def test_a_program_that_ends_quickly_has_written_everything(folder):
    done = start("data", "list", "--json")
    assert len(json.loads(done.stdout)["result"]["sets"]) > 2
    assert done.returncode == 0
