"""The command line: every command, every format, every way to fail."""

import doctest
import gzip
import json
import math
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner
from conftest import NO_DATA, needs_data

import errorfloor as ef
from errorfloor import cli as package
from errorfloor import demo
from errorfloor.cli._columns import LAYOUTS, choose
from errorfloor.cli._commands import cli
from errorfloor.cli._commands import run as main

ROOT = Path(__file__).parents[1]
PROGRAM = [sys.executable, "-W", "error", "-m", "errorfloor"]
ENVIRONMENT = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "src")}


@pytest.fixture(scope="session")
def demo_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    demo.save(folder / "demo")
    return folder


@pytest.fixture
def folder(demo_files, tmp_path, monkeypatch):
    """Be in an empty folder but for the files of the demo."""
    (tmp_path / "demo").symlink_to(demo_files / "demo")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments, code=0, data=None):
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], input=data)
    assert result.exit_code == code, result.output
    return result


def answer(*arguments, **options):
    return json.loads(run(*arguments, "--json", **options).stdout)


def error(*arguments, code=1, data=None):
    result = run(*arguments, code=code, data=data)
    assert result.stdout == ""
    return result.stderr


def start(*arguments, stdin=None, **environment):
    """Run the real program."""
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        capture_output=True,
        stdin=stdin,
        env=ENVIRONMENT | environment,
        check=False,
    )


def commands(group=cli, path=()):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        yield (*path, name)


def help_of(path):
    return run(*path, "--help").stdout


# Examples.


def examples_of(text):
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if re.match(r"(cat \S+ \| )?errorfloor [a-z]", line)]


@pytest.mark.parametrize("path", [(), *commands()], ids=lambda path: " ".join(path) or "errorfloor")
def test_the_examples_of_every_help_page_work(path, folder):
    examples = examples_of(help_of(path))
    assert examples
    for example in examples:
        before, _, command = example.rpartition("| ")
        data = Path(before.split()[1]).read_bytes() if before else None
        arguments = shlex.split(command)[1:]
        if arguments[:2] == ["data", "fetch"] and "ERRORFLOOR_DATA" not in os.environ:
            pytest.skip(NO_DATA)
        run(*arguments, data=data)


def consoles():
    """Yield the blocks of the documents that show a terminal."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = path.read_text(encoding="utf-8")
        for i, block in enumerate(re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)):
            if "$ errorfloor" in block:
                yield pytest.param(block, id=f"{path.name} {i}")


@pytest.mark.parametrize("block", [*consoles()])
def test_terminals_in_the_documents_show_what_is_printed(block, folder):
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        if not command.startswith("errorfloor "):
            continue
        done = subprocess.run(
            [*PROGRAM, *shlex.split(command)[1:]],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=ENVIRONMENT,
            text=True,
            check=False,
        )
        if shown.strip():
            same = doctest.OutputChecker().check_output(shown, done.stdout, doctest.ELLIPSIS)
            assert same, f"{command} printed\n{done.stdout}"
        else:
            assert done.returncode == 0, done.stdout


def test_the_documents_list_every_command():
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    table = page[: page.index("## Files")]
    for path in commands():
        assert re.search(rf"[` ]{path[-1]}\b", table)


# Answers.


def test_estimates_are_those_of_the_library(folder):
    data = ef.datasets.synthetic.gaussian_mixture(10_000, rng=0).corrupted(2, 0.7)
    expected = ef.from_scores(data.scores, data.labels, level=0.9, rng=3)
    found = answer("estimate", "demo/scores.csv", "--level", 0.9, "--seed", 3)
    assert found["result"] == expected.to_dict()
    expected = ef.from_soft_labels(data.soft_labels, rng=0)
    assert answer("estimate", "demo/soft_labels.csv")["result"] == expected.to_dict()


def test_the_three_layouts_of_votes_agree(folder):
    counted = answer("estimate", "demo/votes.csv")["result"]
    assert answer("estimate", "demo/votes.csv", "--votes", "positives", "--total", 3)["result"] == (
        counted
    )
    assert answer("estimate", "demo/annotations.csv")["result"] == counted
    long = [line.split(",") for line in Path("demo/annotations.csv").read_text().split()[1:]]
    votes = {}
    for item, who, vote in long:
        votes.setdefault(item, {})[who] = vote
    rows = [",".join(by.values()) for by in votes.values()]
    (folder / "wide.csv").write_text("\n".join(["rater_1,rater_2,Rater 3", *rows]))
    wide = run("estimate", "wide.csv", "--json")
    assert json.loads(wide.stdout)["result"] == counted
    assert wide.stderr == "note: took --annotators 'rater_1,rater_2,Rater 3'\n"


def test_blanks_among_annotators_are_votes_not_cast(folder):
    (folder / "wide.csv").write_text("id,a,b,c\n1,1,,0\n2,1,1,1\n3,,0,0\n4,0,1,1\n")
    expected = ef.from_votes([1, 3, 0, 2], [2, 3, 2, 3], interval=None)
    found = answer("estimate", "wide.csv", "--annotators", "a,b,c", "--interval", "none")
    assert found["result"] == expected.to_dict()
    found = answer("estimate", "wide.csv", "--annotators", "[abc]", "--interval", "none")
    assert found["result"] == expected.to_dict()
    assert found["input"]["columns"] == {"annotators": ["a", "b", "c"]}


def test_groups_have_a_row_each(folder):
    found = answer("estimate", "demo/scores.csv", "--group", "batch", "--simultaneous")
    assert [row["group"] for row in found["result"]["rows"]] == ["a", "b"]
    assert found["result"]["simultaneous"]
    assert found["input"] == {
        "files": ["demo/scores.csv"],
        "layout": "scores",
        "columns": {"score": "score", "label": "label", "group": "batch"},
        "n": 10_000,
        "dropped": 0,
    }
    failed = run("estimate", "demo/scores.csv", "--group", "batch", "--fail-above", 0.01, code=3)
    assert re.search(r"failed: above 0.01: the floor of a, 0.07\d+; the floor of b", failed.stderr)


def test_tables_are_counted_merged_and_read_as_one(folder):
    lines = Path("demo/scores.csv").read_text().splitlines()
    for name, rows in (("first", lines[1:4000]), ("second", lines[4000:])):
        (folder / f"{name}.csv").write_text("\n".join([lines[0], *rows]))
        run("count", f"{name}.csv", "-o", f"{name}.npz")
    merged = answer("merge", "first.npz", "second.npz", "-o", "both.npz")["result"]
    assert merged["n"] == 10_000
    assert merged["kind"] == "ScoreTable"
    whole = answer("estimate", "demo/scores.csv")["result"]
    assert answer("estimate", "both.npz")["result"] == whole
    assert answer("estimate", "first.npz", "second.npz")["result"] == whole
    assert answer("estimate", "first.csv", "second.csv")["result"] == whole
    assert answer("estimate", "-", data=Path("both.npz").read_bytes())["result"] == whole
    soft = answer("estimate", "both.npz", "--soft", "scores")["result"]
    assert soft["method"] == "clean"
    assert "name none" in error("estimate", "both.npz", "--score", "scores")
    assert "no groups" in error("estimate", "both.npz", "--group", "batch")
    run("count", "demo/votes.csv", "-o", "votes.npz")
    assert "holds votes; this needs scores" in error("compare", "votes.npz")
    assert "both score tables and vote tables" in error(
        "merge", "votes.npz", "both.npz", "-o", "all.npz"
    )
    assert not Path("all.npz").exists()


def test_reports_carry_the_exact_command(folder):
    found = answer("report", "demo/scores.csv", "-o", "my report.json", "--title", "It's noisy")
    assert found["result"]["output"] == "my report.json"
    text = Path("my report.json").read_text()
    command = json.loads(text)["command"]
    typed = ["report", "demo/scores.csv", "-o", "my report.json", "--title", "It's noisy", "--json"]
    assert command == shlex.join(["errorfloor", *typed])
    run(*shlex.split(command)[1:])
    assert Path("my report.json").read_text() == text


def test_a_model_is_given_whole(folder):
    for options in ([], ["--test-items", 9], ["--model-errors", 3], ["--model-error", 0.1]):
        assert "Give --test-items" in error("headroom", "demo/scores.csv", *options, code=2)
    rate = ["--model-error", 0.098, "--test-items", 1000]
    count = ["--model-errors", 98, "--test-items", 1000]
    assert (
        answer("headroom", "demo/scores.csv", *rate)["result"]
        == (answer("headroom", "demo/scores.csv", *count)["result"])
    )


def test_requirements_have_their_own_exit_code_and_print_the_result(folder):
    model = ["demo/scores.csv", "--model-errors", 98, "--test-items", 1000]
    assert answer("headroom", *model, "--require", "room")["passed"] is True
    either = ["--require", "below", "--require", "saturated"]
    failed = run("headroom", *model, *either, "--json", "--quiet", code=3)
    assert json.loads(failed.stdout)["passed"] is False
    assert failed.stderr == "failed: the verdict is room, not below or saturated.\n"
    assert answer("estimate", "demo/scores.csv", "--fail-above", 0.08)["passed"] is True
    failed = run("estimate", "demo/scores.csv", "--fail-above", 0.07, code=3)
    assert failed.stdout.startswith("floor 7.40 %")
    assert failed.stderr.endswith("failed: above 0.07: the floor, 0.074.\n")


def test_warnings_become_remarks_in_the_words_of_the_command(folder):
    model = ["--model-errors", 98, "--test-items", 1000]
    shifted = run("headroom", "demo/votes.csv", *model)
    assert "warning: The floor came from votes." in shifted.stderr
    assert "--same-labelling" in shifted.stderr
    assert "LabelShiftWarning" not in shifted.stderr
    assert run("headroom", "demo/votes.csv", *model, "--quiet").stderr == ""
    remarks = answer("headroom", "demo/votes.csv", *model)["remarks"]
    assert remarks[0] == "took --votes positives --total total"
    assert len(remarks) == 2
    same = answer("headroom", "demo/votes.csv", *model, "--same-labelling")
    assert len(same["remarks"]) == 1


# JSON.


def keys(value):
    if isinstance(value, dict):
        for key, entry in value.items():
            yield key
            yield from keys(entry)
    if isinstance(value, list):
        for entry in value:
            yield from keys(entry)


JSON = {
    "estimate": ["estimate", "demo/votes.csv"],
    "compare": ["compare", "demo/scores.csv", "--method", "isotonic"],
    "demo": ["demo", "--save", "more"],
    "feebee": ["feebee", "demo/scores.csv", "--model-error", 0.1, "--method", "isotonic"],
    "headroom": ["headroom", "demo/scores.csv", "--model-error", 0.1, "--test-items", 9],
    "plan": ["plan", "demo/scores.csv", "--target", 0.02],
    "report": ["report", "demo/scores.csv", "-o", "report.json"],
    "count and merge": ["count", "demo/scores.csv", "-o", "table.npz"],
    "data": ["data", "list"],
    "paper": ["paper", "figure-2", "--out", "out"],
}


@pytest.mark.parametrize("section", JSON)
def test_every_key_of_the_json_is_documented(section, folder):
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").split("## JSON")[1]
    common, *parts = page.split("\n### ")
    said = {part.split("\n")[0]: part for part in parts}
    text = run(*JSON[section], "--json").stdout
    assert text.count("\n") == 1
    content = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    result = content.pop("result")
    assert content["schema"] == "errorfloor/1"
    assert content["version"] == ef.__version__
    assert content["command"] == " ".join(JSON[section][: 2 if section == "data" else 1])
    for key in content:
        assert f"`{key}`" in common
    known = said[section] + said["estimate"] + (said["headroom"] if section == "report" else "")
    unknown = {key for key in keys(result) if f"`{key}`" not in known}
    # Methods name the curves of FeeBee, and the paper's checks are the paper's.
    assert unknown <= {"isotonic", "oracle"} | set(
        keys(result.get("figures", [{}])[0].get("checks"))
    )


def test_json_never_holds_nan():
    from errorfloor.cli._session import _plain

    odd = {
        "a": math.nan,
        "b": [math.inf, np.float64(1)],
        "c": np.array([1.0, math.nan]),
        1: Path("x"),
    }
    assert _plain(odd) == {"a": None, "b": [None, 1.0], "c": [1.0, None], "1": "x"}


# Columns.


@pytest.mark.parametrize(
    ("columns", "layout", "taken"),
    [
        ("p y", "scores", "p y"),
        ("Probability Y_true id", "scores", "Probability Y_true"),
        ("k m", "votes", "k m"),
        ("positives total text", "votes", "positives total"),
        ("soft_label", "soft labels", "soft_label"),
        ("item_id worker label", "annotations", "item_id worker label"),
        ("id rater1 rater2", "annotators", "rater1,rater2"),
    ],
)
def test_columns_are_guessed_by_names(columns, layout, taken):
    kinds = dict.fromkeys(columns.split(), "number")
    found = choose(kinds, {}, tuple(LAYOUTS), "x.csv")
    named = [",".join([one] if isinstance(one, str) else one) for one in found.columns.values()]
    assert (found.layout, " ".join(named)) == (layout, taken)
    assert found.guessed == tuple(found.columns)


@pytest.mark.parametrize(
    "columns",
    ["a b", "p q", "p prob y", "soft label", "score label positives total", "p", "rater1"],
)
def test_columns_are_not_guessed_if_there_is_doubt(columns):
    kinds = dict.fromkeys(columns.split(), "number")
    with pytest.raises(ValueError, match="Cannot tell which columns to take") as raised:
        choose(kinds, {}, tuple(LAYOUTS), "x.csv")
    for column in kinds:
        assert f"{column} (number)" in str(raised.value)


def test_several_readings_are_offered(folder):
    (folder / "all.csv").write_text("score,label,positives,total\n0.2,0,1,3\n0.7,1,2,3\n")
    said = error("estimate", "all.csv")
    assert said.endswith(
        "You may mean\n  --score score --label label\n  --votes positives --total total\n"
    )


def test_two_columns_of_different_kinds_need_no_names():
    allowed = tuple(LAYOUTS)
    found = choose({"a": "boolean", "b": "number"}, {}, allowed, "x.csv")
    assert found.columns == {"score": "b", "label": "a"}
    with pytest.raises(ValueError, match="Cannot tell"):
        choose({"a": "number", "score": "text"}, {}, allowed, "x.csv")


def test_a_missing_option_is_filled_in_if_one_column_is_left():
    found = choose({"a": "number", "b": "number"}, {"score": "b"}, ("scores",), "x.csv")
    assert found.columns == {"score": "b", "label": "a"}
    assert found.options == "--label a"
    with pytest.raises(ValueError, match=r"x.csv needs --label as well. The columns of x.csv are"):
        choose(dict.fromkeys("abc", "number"), {"score": "b"}, ("scores",), "x.csv")


def test_a_column_that_is_not_there_is_named_with_those_that_are(folder):
    said = error("estimate", "demo/scores.csv", "--score", "scores")
    assert "no column 'scores' (--score). Did you mean score?" in said
    assert "label (number), batch (text)" in said
    said = error("estimate", "demo/annotators.csv", "--annotators", "ann,carl")
    assert "called 'carl' (--annotators)" in said
    said = error("estimate", "demo/scores.csv", "--score", "score", "--votes", "label", code=2)
    assert "--score and --votes cannot be used together" in said
    assert "No such option" in error("compare", "demo/scores.csv", "--votes", "label", code=2)


def test_labels_that_are_words_need_to_know_the_positive_one(folder):
    (folder / "pets.csv").write_text("p,y\n0.2,cat\n0.7,dog\n0.6,cat\n")
    said = error("estimate", "pets.csv")
    assert "Column 'y' holds words: cat, dog. Say which one is class 1" in said
    assert said.endswith("such as --positive cat.\n")
    found = answer("estimate", "pets.csv", "--positive", "dog", "--interval", "none")
    assert found["result"]["value"] == 0
    assert "has only" in error("estimate", "pets.csv", "--positive", "wolf")
    (folder / "stray.csv").write_text("p,y\n0.2,0\n0.7,1\n0.6,oops\n")
    assert "1 of 3 are bad, for example 'oops'" in error("estimate", "stray.csv")
    said = error("estimate", "demo/votes.csv", "--positive", 1)
    assert "--positive goes with labels and single votes" in said
    (folder / "numbers.csv").write_text("p,y\n0.2,1\n0.7,2\n0.6,1\n")
    assert "name it with --positive" in error("estimate", "numbers.csv")
    found = answer("estimate", "numbers.csv", "--positive", 2, "--interval", "none")
    assert found["result"]["value"] == 0


def test_missing_values_are_counted(folder):
    (folder / "gaps.csv").write_text("p,y\n0.2,0\n,0\n0.7,1\n0.6,\n0.1,0\n")
    said = error("estimate", "gaps.csv")
    assert "missing values: 1 of 5 rows" in said
    assert "--drop-missing" in said
    found = run("estimate", "gaps.csv", "--drop-missing")
    assert "Left out: 2 items with missing values." in found.stdout
    found = answer("estimate", "gaps.csv", "--drop-missing")
    assert found["result"]["dropped"] == found["input"]["dropped"] == 2
    assert found["result"]["n"] == 3
    compared = run("compare", "gaps.csv", "--drop-missing", "--method", "isotonic")
    assert "Left out: 2 items" in compared.stdout


# Formats.

ITEMS = {"p": [0.25, 0.5, 0.75, 0.5], "y": [0, 1, 1, 0]}
TEXT = "p,y\n" + "".join(f"{p},{y}\n" for p, y in zip(*ITEMS.values(), strict=True))


def write_parquet(path):
    import duckdb

    duckdb.sql(
        "select unnest([0.25, 0.5, 0.75, 0.5]) as p, unnest([0, 1, 1, 0]) as y"
    ).write_parquet(str(path))


def write_zst(path):
    import duckdb

    path.with_suffix(".source").write_text(TEXT)
    source = duckdb.read_csv(str(path.with_suffix(".source")), all_varchar=True)
    source.write_csv(str(path), compression="zstd", header=True)


FORMATS = {
    "x.csv": lambda path: path.write_text(TEXT),
    "bom.csv": lambda path: path.write_bytes(b"\xef\xbb\xbf" + TEXT.encode()),
    "semicolon.csv": lambda path: path.write_text(TEXT.replace(",", ";")),
    "windows.csv": lambda path: path.write_bytes(TEXT.replace("\n", "\r\n").encode()),
    "x.tsv": lambda path: path.write_text(TEXT.replace(",", "\t")),
    "no_suffix": lambda path: path.write_text(TEXT),
    "x.csv.gz": lambda path: path.write_bytes(gzip.compress(TEXT.encode())),
    "x.csv.zst": write_zst,
    "x.jsonl": lambda path: path.write_text(
        "".join(json.dumps({"p": p, "y": y}) + "\n" for p, y in zip(*ITEMS.values(), strict=True))
    ),
    "x.parquet": write_parquet,
    "x.npz": lambda path: np.savez(path, **{name: np.array(ITEMS[name]) for name in ITEMS}),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_answer_from_a_file_and_from_stdin(name, folder):
    path = folder / name
    FORMATS[name](path)
    expected = ef.from_scores(*ITEMS.values(), rng=0).to_dict()
    found = answer("estimate", path)
    assert found["result"] == expected
    assert found["remarks"] == ["took --score p --label y"]
    assert answer("estimate", "-", data=path.read_bytes())["result"] == expected
    if name == "x.tsv":
        assert answer("estimate", path, "--format", "tsv")["result"] == expected


def test_names_with_spaces_and_quotes_work(folder):
    path = folder / "my labels' file.csv"
    path.write_text('"the, score",my label\n0.25,0\n0.75,1\n0.5,1\n')
    found = run("estimate", path, "--score", "the, score", "--interval", "none")
    assert found.stderr == "note: took --label 'my label'\n"
    path.write_text('"the, score",my label\n0.25,cat\n0.75,dog\n')
    assert "--positive cat" in error("estimate", path, "--score", "the, score")


def test_folders_and_patterns_are_read_as_one(folder):
    (folder / "parts").mkdir()
    for name in ("a.csv", "b.csv"):
        (folder / "parts" / name).write_text(TEXT)
    for source in ("parts", "parts/*.csv"):
        assert answer("estimate", source)["result"]["n"] == 8
    (folder / "tables").mkdir()
    run("count", "parts/a.csv", "-o", "tables/a.npz")
    run("count", "parts/b.csv", "-o", "tables/b.npz")
    assert answer("estimate", "tables")["result"]["n"] == 8


GARBAGE = bytes(np.random.default_rng(0).integers(0, 256, 4000, dtype=np.uint8))
BAD = {
    "empty.csv": (b"", "Could not read 'empty.csv': it is empty"),
    "header.csv": (b"p,y\n", "no rows"),
    "garbage.csv": (GARBAGE, "Could not read 'garbage.csv'"),
    "garbage": (GARBAGE, "Could not read 'garbage'"),
    "garbage.parquet": (b"PAR1" + GARBAGE, "Could not read 'garbage.parquet'"),
    "garbage.npz": (b"PK\x03\x04" + GARBAGE, "does not hold plain arrays"),
    "garbage.csv.gz": (b"\x1f\x8b" + GARBAGE, "Could not read"),
    "utf16.csv": (TEXT.encode("utf-16"), "not utf-8"),
    "twice.csv": (b"p,p,y\n0.1,0.2,1\n", "2 columns called 'p'"),
    "word.csv": (
        b"p,y\n0.1,0\nlow,1\n",
        "must be finite numbers: 1 of 2 are bad, for example 'low'",
    ),
    "comma.csv": (b"p;y\n0,1;0\n0,2;1\n", "must be finite numbers"),
    "infinite.csv": (b"p,y\n0.1,0\ninf,1\n", "must be finite numbers"),
}


@pytest.mark.parametrize("name", BAD)
def test_files_that_cannot_be_used_are_refused_in_one_message(name, folder):
    content, message = BAD[name]
    (folder / name).write_bytes(content)
    said = error("estimate", name)
    assert message in said
    assert said.count("error:") == 1
    assert "Traceback" not in said


def test_arrays_have_to_be_plain_and_of_one_length(folder):
    np.savez("ragged.npz", p=[0.1, 0.2], y=[1])
    assert "equal length, got p (2,), y (1,)" in error("estimate", "ragged.npz")
    np.savez("objects.npz", p=np.array([{}], dtype=object))
    assert "allow_pickle" in error("estimate", "objects.npz")


def test_files_that_are_not_there_or_not_ours_are_refused(folder):
    assert "There is no file 'nowhere.csv'" in error("estimate", "nowhere.csv")
    assert "no file 'nowhere.npz'" in error("merge", "nowhere.npz", "-o", "x.npz")
    assert "it is no NPZ file" in error("merge", "demo/scores.csv", "-o", "x.npz")
    (folder / "none").mkdir()
    assert "has no file" in error("estimate", "none")
    assert "Could not read standard input: it is empty" in error("estimate", "-", data=b"")
    assert "stands alone" in error("estimate", "-", "demo/scores.csv", code=2)
    assert "must end in .npz" in error("count", "demo/scores.csv", "-o", "x.csv", code=2)
    (folder / "table.npz").mkdir()
    assert "cannot be written" in error("count", "demo/scores.csv", "-o", "table.npz", code=2)
    assert "no folder" in error("count", "demo/scores.csv", "-o", "none/at/x.npz", code=2)


def test_archives_and_sheets_are_refused(folder):
    with zipfile.ZipFile("book.xlsx", "w") as book:
        book.writestr("sheet.xml", "<sheet/>")
    assert "is a ZIP archive or an Excel file" in error("estimate", "book.xlsx")


def test_files_that_cannot_be_read_are_refused(folder):
    # The start of a process's memory: nobody can read it, not even root.
    (folder / "secret.csv").symlink_to("/proc/self/mem")
    assert error("estimate", "secret.csv") == "error: secret.csv: Input/output error.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["estimate"],
        ["estimate", "x.csv", "--level", "95"],
        ["estimate", "x.csv", "--fail-above", "5"],
        ["estimate", "x.csv", "--seed", "-1"],
        ["estimate", "x.csv", "--simultaneous"],
        ["estimat", "x.csv"],
        ["feebee", "x.csv"],
        ["headroom", "x.csv", "--model-errors", "1", "--test-items", "2", "--require", "more"],
        ["plan", "x.csv", "--try-votes", "two"],
        ["report", "x.csv", "-o", "x.pdf"],
        ["data", "fetch"],
    ],
    ids=" ".join,
)
def test_usage_is_checked_before_files_are_read(arguments):
    assert "Usage:" in error(*arguments, code=2)


def test_names_of_methods_and_intervals_are_checked_by_the_library(folder):
    assert "Did you mean isotonic" in error("estimate", "demo/scores.csv", "--method", "isotonik")
    assert "--interval must be one of" in error("estimate", "demo/scores.csv", "--interval", "wald")
    said = error("estimate", "demo/soft_labels.csv", "--method", "isotonic", code=2)
    assert "soft labels need none" in said
    assert "--try-votes must be" in error("plan", "demo/votes.csv", "--try-votes", "1,2")


# Sets and figures.


def test_sets_are_found_in_the_folder_that_the_user_names(folder, monkeypatch):
    monkeypatch.setenv("ERRORFLOOR_DATA", str(folder / "sets"))
    assert run("data", "path").stdout == f"{folder / 'sets'}\n"
    assert "iclr-2017 is not here yet: errorfloor data fetch" in error("data", "path", "iclr-2017")
    assert "does not exist" in error("data", "fetch", "cifar10h")
    (folder / "sets" / "iclr").mkdir(parents=True)
    (folder / "sets" / "iclr" / "iclr_2017.csv").write_text(
        "paper_id,ratings,confidences,decision,accepted\na,3;4,,Reject,0\nb,7;8,,Accept,1\n"
    )
    assert run("data", "path", "iclr-2017").stdout.endswith("sets/iclr/iclr_2017.csv\n")
    fetched = answer("data", "fetch", "iclr-2017", "--save", "iclr.csv")["result"]
    assert fetched["sets"][0]["n"] == 2
    assert fetched["sets"][0]["licence"] == "CC BY 4.0"
    assert answer("estimate", "iclr.csv", "--interval", "none")["result"]["value"] == 0
    here = {row["name"]: row["here"] for row in answer("data", "list")["result"]["sets"]}
    assert not any(here.values())
    assert "must be one of cifar10h" in error("data", "fetch", "cifar")
    assert "takes one set" in error("data", "fetch", "iclr", "cifar10h", "--save", "x", code=2)


@needs_data
def test_real_sets_become_files_for_the_other_commands(folder):
    run("data", "fetch", "chaosnli-snli", "--save", "snli.csv")
    data = ef.datasets.load_chaosnli("snli")
    found = answer("estimate", "snli.csv", "--votes", "positives", "--total", "total")
    assert found["result"] == ef.from_votes(data.vote_table).to_dict()


def test_the_paper_is_drawn_as_by_its_own_program(folder):
    found = run("paper", "figure-2", "--out", "out")
    assert found.stdout == "figure-2: 3 of 3 numbers agree, out/figure-2.svg\n"
    assert "no page yet: out lacks figure-1" in found.stderr
    assert Path("out/figure-2.svg").is_file()
    assert "`which` must be one of" in error("paper", "figure-0", "--out", "out")


# The program itself.


def test_the_program_has_a_version_and_help_that_load_nothing_heavy():
    assert start("--version").stdout.decode() == f"errorfloor {ef.__version__}\n"
    code = (
        "import sys; from errorfloor.cli._commands import run; run(['estimate', '--help']);"
        "print('loaded', *sys.modules)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True
    ).stdout
    loaded = {name.split(".")[0] for name in shown.rpartition("loaded ")[2].split()}
    assert "click" in loaded
    assert not loaded & {"numpy", "scipy", "rich", "duckdb", "matplotlib", "narwhals"}


def test_an_estimate_loads_no_matplotlib(folder):
    code = (
        "import sys; from errorfloor.cli._commands import run;"
        "run(['estimate', 'demo/scores.csv']); print('loaded', *sys.modules)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True
    ).stdout
    assert "matplotlib" not in shown
    assert "rich" not in shown.rpartition("loaded ")[2].split()


def test_without_arguments_the_program_prints_its_help():
    assert run().stdout.startswith("Usage: errorfloor")


def test_without_the_extra_the_program_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "errorfloor.cli._commands", None)
    with pytest.raises(SystemExit) as left:
        package.main()
    assert left.value.code == 1
    said = capsys.readouterr().err
    assert "pip install 'errorfloor[cli]'" in said
    assert said.count("\n") == 1


def test_without_duckdb_the_error_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    said = error("estimate", "demo/scores.csv")
    assert said.startswith("error: ")
    assert "pip install 'errorfloor[cli]'" in said


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["estimate", "demo/votes.csv"], 0),
        (["estimate", "nowhere.csv"], 1),
        (["estimate"], 2),
        (["estimate", "demo/votes.csv", "--fail-above", "0.01"], 3),
    ],
)
def test_the_program_leaves_with_the_code_that_is_documented(arguments, code, folder):
    done = start(*arguments)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert bool(done.stdout) == (code in (0, 3))
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert f"\n| {code} | " in page


def test_piped_output_is_plain_and_not_wrapped(folder):
    done = start("estimate", "demo/scores.csv", COLUMNS="20")
    lines = done.stdout.decode().splitlines()
    assert len(lines) == 2
    assert "\x1b" not in done.stdout.decode() + done.stderr.decode()


def test_standard_input_can_be_a_pipe(folder):
    with Path("demo/scores.csv").open("rb") as file:
        done = start("estimate", "-", stdin=file)
    assert done.stdout.startswith(b"floor 7.40 %")
    assert done.stderr == b"note: took --score score --label label\n"


def test_a_reader_that_goes_away_is_no_error(folder):
    pipe = f"{shlex.join(PROGRAM)} demo | true; echo ${{PIPESTATUS[0]}} >&2"
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, env=ENVIRONMENT, check=True)
    assert done.stderr == b"141\n"


def test_ctrl_c_leaves_neither_files_nor_a_traceback(folder):
    # A pipe that nobody writes to: the program waits for it with its copy begun.
    os.mkfifo(folder / "pipe")
    (folder / "scratch").mkdir()
    writer = os.open(folder / "pipe", os.O_RDWR)
    os.write(writer, b"p,y\n")
    environment = ENVIRONMENT | {"TMPDIR": str(folder / "scratch")}
    with open(folder / "pipe", "rb") as source:
        program = subprocess.Popen(
            [*PROGRAM, "count", "-", "-o", "table.npz"],
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        while not any((folder / "scratch").iterdir()):
            assert program.poll() is None
            time.sleep(0.01)
        program.send_signal(signal.SIGINT)
        shown, said = program.communicate(timeout=60)
    os.close(writer)
    assert program.returncode == 130
    assert shown == b""
    assert said.strip() == b""
    assert not any((folder / "scratch").iterdir())
    assert sorted(path.name for path in folder.iterdir()) == ["demo", "pipe", "scratch"]


def test_ctrl_c_in_a_long_computation_leaves_no_file(folder):
    arguments = ["report", "demo/scores.csv", "-o", "report.html", "--interval", "bca"]
    program = subprocess.Popen(
        [*PROGRAM, *arguments, "--method", "beta", "--resamples", "1000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert program.stderr.readline() == b"note: took --score score --label label\n"
    program.send_signal(signal.SIGINT)
    shown, said = program.communicate(timeout=60)
    assert program.returncode == 130
    assert shown == b""
    assert said.strip() == b""
    assert [path.name for path in folder.iterdir()] == ["demo"]


def test_ctrl_c_in_a_query_is_no_error_either(folder, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise RuntimeError("Query interrupted")  # as DuckDB does

    monkeypatch.setattr(ef.frames, "score_table", interrupted)
    assert main(["count", "demo/scores.csv", "-o", "table.npz", "--quiet"]) == 130
    assert capsys.readouterr().err.strip() == ""


class Terminal:
    """The program on a pseudo-terminal; `stdin` takes what it reads if that is not the terminal."""

    def __init__(self, *arguments, columns=100, stdin=None, **environment):
        import fcntl
        import struct
        import termios

        self.main, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        plain = {k: v for k, v in ENVIRONMENT.items() if k not in ("NO_COLOR", "COLUMNS")}
        usual = {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
        self.program = subprocess.Popen(
            [*PROGRAM, *map(str, arguments)],
            stdin=end if stdin is None else stdin,
            stdout=end,
            stderr=end,
            env=plain | usual | environment,
        )
        os.close(end)
        self.shown = ""

    def wait(self, until=None, seconds=60.0):
        """Return all that is shown, until it has some words, or is over."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and (until is None or until not in self.shown):
            if select.select([self.main], [], [], 0.1)[0]:
                try:
                    part = os.read(self.main, 65_536)
                except OSError:  # the other end is closed
                    part = b""
                if not part:
                    break
                self.shown += part.decode()
        if until is None:
            os.close(self.main)
            assert self.program.wait() == 0
        return self.shown


def on_a_terminal(*arguments, **options):
    return Terminal(*arguments, **options).wait()


def test_progress_shows_on_a_terminal_until_the_step_is_done(folder):
    source, sink = os.pipe()
    terminal = Terminal("estimate", "-", stdin=source)
    os.close(source)
    os.write(sink, TEXT.encode())
    shown = terminal.wait(until="reading standard input")
    assert "reading standard input" in shown
    os.close(sink)
    shown = terminal.wait()
    end = shown.rindex("reading standard input")
    assert "\x1b[2K" in shown[end:]  # the line is cleared
    assert "floor 25.00 %" in shown[end:]


def test_a_quiet_program_shows_no_progress(folder):
    source, sink = os.pipe()
    terminal = Terminal("estimate", "-", "--quiet", stdin=source, NO_COLOR="1")
    os.close(source)
    terminal.wait(until="nothing of the kind", seconds=2.5)
    os.write(sink, TEXT.encode())
    os.close(sink)
    assert terminal.wait().startswith("floor 25.00 %")


def test_terminals_show_styles_unless_no_color_is_set(folder):
    shown = on_a_terminal("estimate", "demo/scores.csv", columns=60)
    assert "\x1b[1mfloor 7.40 %" in shown
    shown = on_a_terminal("estimate", "demo/scores.csv", columns=60, NO_COLOR="1")
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 60


def test_comparisons_are_drawn_where_there_is_room(folder):
    arguments = ["compare", "demo/scores.csv", "--method", "isotonic", "--method", "corrupted"]
    shown = on_a_terminal(*arguments, NO_COLOR="1")
    lines = shown.replace("\r", "").splitlines()
    row = next(line for line in lines if line.startswith("isotonic"))
    assert re.search(r"6.89 % to 8.20 %  honest  ─●─", row)
    assert lines[-1] == "95 % intervals, n = 10,000"
    narrow = on_a_terminal(*arguments, columns=60, NO_COLOR="1")
    assert "●" not in narrow
    ascii_only = on_a_terminal(*arguments, NO_COLOR="1", PYTHONIOENCODING="ascii")
    assert "-o-" in ascii_only
