"""The command line: every command, every format, every way to fail."""

import doctest
import gzip
import io
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
from helpers import answer as numbers_of
from needs import NO_DATA, needs_data

import errorfloor as ef
from errorfloor import metrics
from errorfloor._checks import Mention, argument, function
from errorfloor.apps import cli as package
from errorfloor.apps import demo
from errorfloor.apps.cli.building import explained
from errorfloor.apps.cli.commands import cli, unattainable
from errorfloor.apps.cli.commands import run as main
from errorfloor.apps.cli.messages import written
from errorfloor.apps.cli.session import PATIENCE_VARIABLE, Session, Unstyled, patience
from errorfloor.data.formats import FORMATS as FILE_FORMATS
from errorfloor.data.layouts import LAYOUTS
from errorfloor.questions.options import ASK_OPTIONS
from errorfloor.show.gates import Limit
from errorfloor.show.recipe import flag_of

ROOT = Path(__file__).parents[1]
PROGRAM = [sys.executable, "-W", "error", "-m", "errorfloor"]
AT_ONCE, NEVER = "0", "inf"  # when progress shows, so that no test depends on speed
ENVIRONMENT = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "src")}
TOOK_VOTES = 'using column "positives" as the votes for class 1 and "total" as the number of votes'


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
def test_the_examples_of_every_help_page_work(path, folder, monkeypatch):
    # The app would serve its page until it is ended.
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets: sockets[0].close())
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    if path == ("mcp",):  # which would answer until standard input ends
        pytest.importorskip("mcp")
        monkeypatch.setattr("anyio.run", lambda serve, folders: None)
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
        # What the program adds, tests/test_program.py and those below that start it look at.
        done = CliRunner().invoke(cli, shlex.split(command)[1:])
        if shown.strip():
            same = doctest.OutputChecker().check_output(shown, done.output, doctest.ELLIPSIS)
            assert same, f"{command} printed\n{done.output}"
        else:
            assert done.exit_code == 0, done.output


def test_the_documents_list_every_command():
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    table = page[: page.index("## Options")]
    for path in commands():
        assert re.search(rf"[` ]{path[-1]}\b", table)


# Answers.


def plain(result):
    """Return a result of the library as JSON has it."""
    return json.loads(json.dumps(result.to_dict()))


def numbers(found):
    """Return the result of a command but for where the labels came from."""
    aside = ("source", "seed", "findings", "warnings")  # rows tell more than counts
    return {key: value for key, value in found["result"].items() if key not in aside}


def test_estimates_are_those_of_the_library(folder):
    data = ef.datasets.synthetic.gaussian_mixture(10_000, rng=0).corrupted(2, 0.7)
    found = answer("estimate", "demo/scores.csv", "--level", 0.9, "--seed", 3)
    expected = ef.from_scores(data.scores, data.labels, level=0.9, rng=3)
    assert numbers(found) == numbers_of(expected)
    # All of it, with where the labels came from.
    assert found["result"] == plain(ef.from_scores("demo/scores.csv", level=0.9, rng=3))
    expected = ef.from_soft_labels(data.soft_labels, rng=0)
    assert numbers(answer("estimate", "demo/soft_labels.csv")) == numbers_of(expected)
    found = answer("estimate", "demo/scores.csv", "--method", "beta", "--clip", 0.001)
    assert found["result"] == plain(
        ef.from_scores("demo/scores.csv", method="beta", clip=0.001, rng=0)
    )


def test_the_three_layouts_of_votes_agree(folder):
    counted = numbers(answer("estimate", "demo/votes.csv"))
    three = answer("estimate", "demo/votes.csv", "--votes", "positives", "--total", 3)
    assert numbers(three) == counted
    known = numbers(answer("estimate", "demo/annotations.csv"))
    # Three annotators are too few to be a sample, which is all that knowing them changes.
    assert (
        known.pop("assumptions")
        == "Each item's votes are independent draws from its true probabilities."
    )
    assert "It is not known who gave which vote" in counted.pop("assumptions")
    assert "one more vote by one of these 3 annotators" in known.pop("sentence")
    assert "one more annotator's vote" in counted.pop("sentence")
    assert known["target"] == "one more vote by one of these 3 annotators"
    assert known["claim"]["scope"].startswith("for the answers of these 3 annotators,")
    assert {**known, "target": counted["target"], "claim": counted["claim"]} == counted
    long = [line.split(",") for line in Path("demo/annotations.csv").read_text().split()[1:]]
    votes = {}
    for item, who, vote in long:
        votes.setdefault(item, {})[who] = vote
    rows = [",".join(by.values()) for by in votes.values()]
    (folder / "wide.csv").write_text("\n".join(["rater_1,rater_2,Rater 3", *rows]))
    wide = run("estimate", "wide.csv", "--json")
    aside = {"assumptions": "", "sentence": ""}
    assert {**numbers(json.loads(wide.stdout)), **aside} == {**known, **aside}
    note, warning = wide.stderr.splitlines()
    assert note == 'note: using columns "rater_1", "rater_2", "Rater 3" as the annotators'
    assert warning.startswith("Warning: Only 3 annotators voted, too few to speak for other people")


def test_blanks_among_annotators_are_votes_not_cast(folder):
    (folder / "wide.csv").write_text("id,a,b,c\n1,1,,0\n2,1,1,1\n3,,0,0\n4,0,1,1\n")
    expected = numbers_of(ef.from_votes([1, 3, 0, 2], [2, 3, 2, 3], interval=None))
    for columns in ("a,b,c", "[abc]"):
        found = answer("estimate", "wide.csv", "--annotators", columns, "--interval", "none")
        said = {name: found["result"][name] for name in ("sentence", "target", "claim")}
        assert "one of these 3 annotators" in said["target"]
        assert numbers(found) == {**expected, **said}
        assert found["input"]["columns"] == {"annotators": ["a", "b", "c"]}


def test_groups_have_a_row_each(folder):
    found = answer("estimate", "demo/scores.csv", "--group", "batch", "--simultaneous")
    assert [row["group"] for row in found["result"]["rows"]] == ["a", "b"]
    assert found["result"]["simultaneous"]
    assert found["input"] == {
        "files": ["demo/scores.csv"],
        "layout": "scores",
        "columns": {"score": "score", "label": "label", "group": "batch"},
        "guessed": ["score", "label"],
        "n": 10_000,
        "dropped": 0,
    }


MODEL = ["--model-errors", 98, "--test-items", 1000]
NOISE = ["--model-error", 0.1, "--levels", 3, "--repeats", 2]
TWO = ["--method", "isotonic", "--method", "platt"]
BY_GROUP = {
    "estimate": ([], lambda path: ef.from_scores(path, group="batch", rng=0)),
    "compare": (
        TWO,
        lambda path: ef.compare(path, methods=["isotonic", "platt"], group="batch", rng=0),
    ),
    "feebee": (
        [*NOISE, *TWO],
        lambda path: ef.feebee(
            path,
            methods=["isotonic", "platt"],
            model_error=0.1,
            levels=3,
            repeats=2,
            group="batch",
            rng=0,
        ),
    ),
    "headroom": (MODEL, lambda path: ef.headroom(path, 98, 1000, group="batch", rng=0)),
    "plan": (["--target", 0.02], lambda path: ef.plan(path, target=0.02, group="batch")),
}


@pytest.mark.parametrize("command", BY_GROUP)
def test_every_question_can_be_asked_for_each_group(command, folder):
    options, ask = BY_GROUP[command]
    arguments = [command, "demo/scores.csv", *options, "--group", "batch"]
    found = answer(*arguments)
    assert found["result"] == plain(ask("demo/scores.csv"))
    assert [row["group"] for row in found["result"]["rows"]] == ["a", "b"]
    shown = run(*arguments).stdout
    assert re.search(r"^(batch )?a\b", shown, re.MULTILINE)
    assert re.search(r"^(batch )?b\b", shown, re.MULTILINE)


def test_a_wrong_group_is_named(folder):
    lines = ["p,y,batch", *("0.2,0,a" for _ in range(30)), "0.3,1,b"]
    (folder / "small.csv").write_text("\n".join(lines))
    said = error("plan", "small.csv", "--group", "batch")
    assert "--group 'b': pilot has 1 items" in said
    assert "--group must be one of" in error("estimate", "small.csv", "--group", "hospital")


def test_tables_are_counted_merged_and_read_as_one(folder):
    lines = Path("demo/scores.csv").read_text().splitlines()
    for name, rows in (("first", lines[1:4000]), ("second", lines[4000:])):
        (folder / f"{name}.csv").write_text("\n".join([lines[0], *rows]))
        run("count", f"{name}.csv", "-o", f"{name}.npz")
    merged = answer("merge", "first.npz", "second.npz", "-o", "both.npz")["result"]
    assert merged["n"] == 10_000
    assert merged["kind"] == "ScoreTable"
    whole = numbers(answer("estimate", "demo/scores.csv"))
    assert numbers(answer("estimate", "both.npz")) == whole
    assert numbers(answer("estimate", "first.npz", "second.npz")) == whole
    assert numbers(answer("estimate", "first.csv", "second.csv")) == whole
    assert numbers(answer("estimate", "-", data=Path("both.npz").read_bytes())) == whole
    soft = answer("estimate", "both.npz", "--soft", "scores")["result"]
    assert soft["method"] == "clean"
    assert "name none" in error("estimate", "both.npz", "--score", "scores")
    assert "--group go with" in error("estimate", "both.npz", "--group", "batch")
    run("count", "demo/votes.csv", "-o", "votes.npz")
    said = error("compare", "votes.npz")
    assert "holds votes; this needs scores. Use errorfloor estimate for it." in said
    assert "hold both scores and votes" in error("merge", "votes.npz", "both.npz", "-o", "all.npz")
    assert not Path("all.npz").exists()


def test_soft_labels_stay_soft_labels_in_a_table(folder):
    counted = run("count", "demo/soft_labels.csv", "-o", "soft.npz")
    assert "(SoftTable)" in counted.stdout
    data = ef.datasets.synthetic.gaussian_mixture(10_000, rng=0)
    found = answer("estimate", "soft.npz")
    assert found["input"]["layout"] == "soft labels"
    assert numbers(found) == numbers_of(ef.from_soft_labels(data.soft_labels, rng=0))
    assert found["result"]["value"] > 0.05
    run("count", "demo/scores.csv", "-o", "scores.npz")
    for pair in (["soft.npz", "scores.npz"], ["scores.npz", "soft.npz"]):
        assert "scores and soft labels" in error("merge", *pair, "-o", "all.npz")
        assert "scores and soft labels" in error("estimate", *pair)
    assert not Path("all.npz").exists()


def command_in(report):
    return json.loads(Path(report).read_text())["command"]


def test_reports_say_what_to_type_for_the_same_numbers(folder):
    arguments = ["demo/scores.csv", "--level", 0.9, "--method", "beta", "--resamples", 50]
    found = answer("report", *arguments, "-o", "my report.json", "--title", "It's noisy")
    assert found["result"]["output"] == "my report.json"
    command = shlex.split(command_in("my report.json"))
    assert command[:3] == ["errorfloor", "estimate", "demo/scores.csv"]
    again = answer(*command[1:])["result"]
    for key in ("value", "low", "high", "level", "method", "n"):
        assert again[key] == found["result"][key]
    found = answer("report", "demo/votes.csv", *MODEL, "-o", "model.json")
    command = shlex.split(command_in("model.json"))
    assert command[:2] == ["errorfloor", "headroom"]
    again = answer(*command[1:])["result"]
    for key in ("verdict", "difference", "low", "high", "p_room"):
        assert again[key] == found["result"][key]


def test_reports_on_standard_input_carry_what_was_typed(folder):
    typed = ["report", "-", "-o", "my report.json", "--title", "It's noisy", "--json"]
    run(*typed, data=Path("demo/scores.csv").read_bytes())
    text = Path("my report.json").read_text()
    assert json.loads(text)["command"] == shlex.join(["errorfloor", *typed])
    assert "/stdin" not in text
    run(*shlex.split(command_in("my report.json"))[1:], data=Path("demo/scores.csv").read_bytes())
    assert Path("my report.json").read_text() == text


def test_a_report_can_be_on_all_groups(folder):
    by_group = ["demo/scores.csv", "--group", "batch", "--simultaneous"]
    found = answer("report", *by_group, "-o", "groups.json")
    output = found["result"].pop("output")
    assert found["result"] == answer("estimate", *by_group)["result"]
    written = json.loads(Path(output).read_text())
    assert [row["group"] for row in written["groups"]["rows"]] == ["a", "b"]
    again = answer(*shlex.split(command_in(output))[1:])["result"]
    for one, other in zip(again["rows"], found["result"]["rows"], strict=True):
        assert [one[key] for key in ("value", "low", "high")] == [
            other[key] for key in ("value", "low", "high")
        ]
    shown = run("report", *by_group, "-o", "groups.html").stdout
    assert "The 95 % confidence holds for all groups at once." in shown
    assert shown.endswith("Wrote groups.html.\n")


def test_a_report_on_groups_has_no_model(folder):
    path = ["report", "demo/scores.csv", "-o", "report.html"]
    assert "--simultaneous goes with --group" in error(*path, "--simultaneous", code=2)
    said = error(*path, "--group", "batch", *MODEL, code=2)
    assert "A report on groups has no model: leave out --group" in said
    assert not Path("report.html").exists()


def test_a_model_is_given_whole(folder):
    for options in ([], ["--test-items", 9], ["--model-errors", 3]):
        assert "Give --test-items" in error("headroom", "demo/scores.csv", *options, code=2)
        if options:
            path = ["demo/scores.csv", "-o", "report.html"]
            assert "Give --test-items" in error("report", *path, *options, code=2)
    (folder / "few.csv").write_text("score,label\n" + "0.1,0\n0.9,1\n0.4,1\n0.6,0\n" * 25)
    known = answer("headroom", "few.csv", "--accuracy", "80%", "--test-items", 100)
    taken = answer("headroom", "few.csv", "--accuracy", "80%")  # on the items of the file
    assert taken["result"] == known["result"]
    assumed = "assuming that the model was tested on the 100 items"
    assert any(one.startswith(assumed) for one in taken["remarks"])
    assert "Give --test-items" in error("headroom", "5%", "--accuracy", "80%", code=2)
    many = ["demo/scores.csv", "--model-errors", 10, "--test-items", 9]
    assert "--model-errors must not be more than" in error("headroom", *many, code=2)
    bare = ["demo/scores.csv", *MODEL, "--interval", "none"]
    assert "leave out --interval none" in error("headroom", *bare, code=2)
    rate = ["--model-error", 0.098, "--test-items", 1000]
    count = ["--model-errors", 98, "--test-items", 1000]
    assert (
        answer("headroom", "demo/scores.csv", *rate)["result"]
        == (answer("headroom", "demo/scores.csv", *count)["result"])
    )


def test_requirements_have_their_own_exit_code_and_print_the_result(folder):
    model = ["demo/scores.csv", *MODEL]
    assert answer("headroom", *model, "--fail-unless", "room")["passed"] is True
    either = ["--fail-unless", "beyond", "--fail-unless", "saturated"]
    failed = run("headroom", *model, *either, "--json", "--quiet", code=3)
    assert json.loads(failed.stdout)["passed"] is False
    assert failed.stderr.startswith(
        "Failed: The verdict is not 'beyond' or 'saturated': room: at least "
    )
    assert answer("estimate", "demo/scores.csv", "--fail-if-floor-above", 0.09)["passed"] is True
    failed = run("estimate", "demo/scores.csv", "--complete", "--fail-if-floor-above", 0.07, code=3)
    assert failed.stdout.startswith(
        "If these scores are complete and in the right order, the best possible accuracy"
    )
    assert failed.stderr.endswith(
        "Failed: the estimate of the floor is 7.5 %, above the allowed 7 %.\n"
    )
    failed = run("estimate", "demo/scores.csv", "--fail-if-floor-above", 0.08, code=3)
    assert failed.stderr.endswith(
        "Failed: the floor is only known to be at most 8.3 %, which does not show that it is at "
        "most 8 %.\n"
    )
    ceiling = ["demo/scores.csv", "--fail-if-ceiling-below"]
    assert answer("estimate", *ceiling, "91%")["passed"] is True
    failed = run("estimate", *ceiling, "0.92", code=3)
    assert "accuracy is only known to be at least 91.7 %, which does not show" in failed.stderr
    failed = run("estimate", *ceiling, "95%", "--complete", code=3)
    assert "the best possible accuracy is 92.5 %, below the required 95 %." in failed.stderr
    assert "passed" not in answer("estimate", "demo/scores.csv")


def test_a_value_that_is_just_attained_passes(folder):
    complete = ["demo/scores.csv", "--complete", "--method", "isotonic", "--fail-if-floor-above"]
    assert answer("estimate", *complete, 0.074)["passed"] is True
    run("estimate", *complete, 0.0739999, code=3)


def test_requirements_hold_for_every_group(folder):
    by_group = ["demo/scores.csv", "--group", "batch", "--complete"]
    failed = run("estimate", *by_group, "--fail-if-floor-above", 0.01, code=3)
    assert re.search(
        r"Failed: the estimate of the floor of a is 7.7 %, above the allowed 1 %; the estimate",
        failed.stderr,
    )
    failed = run("estimate", *by_group, "--fail-if-floor-above", 0.073, code=3)
    above = "Failed: the estimate of the floor of a is 7.7 %, above the allowed 7.3 %.\n"
    assert failed.stderr.endswith(above)
    failed = run("headroom", *by_group, *MODEL, "--fail-unless", "saturated", code=3)
    assert re.search(
        r"Failed: The verdict is not 'saturated': room: .* points in a; room: .* points in b\.\n$",
        failed.stderr,
    )
    assert answer("headroom", *by_group, *MODEL, "--fail-unless", "room")["passed"] is True


def test_the_gate_goes_by_which_way_a_metric_is_better(monkeypatch):
    accuracy = metrics.Metric(
        name="accuracy",
        limit="ceiling",
        less_is_better=False,
        span=lambda classes: (1 / classes, 1.0),
        per_item=lambda p: np.maximum(p, 1 - p),
        formula="max(p, 1 - p)",
    )
    monkeypatch.setattr(metrics, "METRICS", (*metrics.METRICS, accuracy))
    best = ef.Estimate(
        value=0.92, method="given", interval=None, n=10, assumptions="", metric="accuracy"
    )
    session = Session("estimate", (), as_json=True, quiet=True)
    assert unattainable(session, best, Limit(0.9)) is None
    assert session.about["passed"] is True
    assert unattainable(session, best, Limit(0.95)) == (
        "the estimate of the ceiling is 92.0 %, below the required 95 %."
    )
    assert session.about["passed"] is False


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-0.1", "5", "high"])
@pytest.mark.parametrize("option", ["--fail-if-floor-above", "--attainable", "--fail-above"])
def test_the_gate_cannot_be_switched_off_by_a_number_that_is_none(option, value, folder):
    said = error("estimate", "demo/scores.csv", f"{option}={value}", code=2)
    assert f"Invalid value for '{option}'" in said


def test_names_of_0_1_are_taken_with_a_note(folder):
    failed = run("estimate", "demo/scores.csv", "--complete", "--fail-above", 0.07, code=3)
    assert failed.stderr.startswith("note: --fail-above is called --fail-if-floor-above now\n")
    assert failed.stderr.endswith(
        "Failed: the estimate of the floor is 7.5 %, above the allowed 7 %.\n"
    )
    assert answer("estimate", "demo/scores.csv", "--fail-above", 0.09)["passed"] is True
    both = ["--fail-above", 0.08, "--attainable", 0.08]
    assert "Give --fail-above or --attainable" in error(
        "estimate", "demo/scores.csv", *both, code=2
    )
    failed = run("headroom", "demo/scores.csv", *MODEL, "--require", "below", code=3)
    assert failed.stderr.startswith(
        "note: --require is called --fail-unless now\nnote: below is called beyond now\n"
    )
    assert "\nFailed: The verdict is not 'beyond': room: at least " in failed.stderr
    for old in ("--fail-above", "--fail-below", "--attainable"):
        assert old not in run("estimate", "--help-all").stdout
    assert "--require" not in run("headroom", "--help-all").stdout
    assert "below" not in help_of(["headroom"])


def test_the_bias_of_plain_shares_is_bounded_for_a_model_error(folder):
    votes = ["demo/votes.csv", "--bias-for-error", 0.1, "--interval", "none"]
    bound = answer("estimate", *votes)["result"]["bias_bound"]
    assert bound == ef.bounds.computable_bias_bound(0.1, 3)
    verdict = answer("headroom", *votes[:-2], *MODEL)["result"]
    assert verdict["floor"]["bias_bound"] == bound
    run("report", *votes, "-o", "report.json")
    assert "--bias-for-error 0.1" in command_in("report.json")
    said = error("estimate", "demo/scores.csv", "--bias-for-error", 0.1)
    assert "error: --bias-for-error caps floors of votes, and this is the floor of a true" in said
    said = error("estimate", "demo/scores.csv", "--reached", "9/100")
    assert "error: --reached caps floors of votes" in said
    said = error("estimate", "demo/votes.csv", "--clip", 0.1)
    assert said.endswith("error: --clip goes with scores; these are votes. Leave it out.\n")


def test_warnings_become_remarks_in_the_words_of_the_command(folder):
    model = MODEL
    shifted = run("headroom", "demo/votes.csv", *model)
    assert "Warning: The floor was estimated from votes." in shifted.stderr
    assert "--same-labelling" in shifted.stderr
    assert "LabelShiftWarning" not in shifted.stderr
    assert run("headroom", "demo/votes.csv", *model, "--quiet").stderr == ""
    remarks = answer("headroom", "demo/votes.csv", *model)["remarks"]
    assert (
        remarks[0]
        == 'using column "positives" as the votes for class 1 and "total" as the number of votes'
    )
    assert len(remarks) == 2
    same = answer("headroom", "demo/votes.csv", *model, "--same-labelling")
    assert len(same["remarks"]) == 1


# JSON.


def keys(value):
    """Yield all keys but those that columns, methods and checks of the paper bring."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield key
            if key not in ("columns", "facts", "curves", "checks"):
                yield from keys(entry)
    if isinstance(value, list):
        for entry in value:
            yield from keys(entry)


JSON = {
    "estimate": ["estimate", "demo/votes.csv"],
    "look": ["look", "demo/votes.csv"],
    "compare": ["compare", "demo/scores.csv", "--method", "isotonic"],
    "demo": ["demo", "--save", "more"],
    "feebee": ["feebee", "demo/scores.csv", "--model-error", 0.1, "--method", "isotonic"],
    "headroom": ["headroom", "demo/scores.csv", "--model-error", 0.1, "--test-items", 9],
    "agreement": ["agreement", "--agree", 460, "--pairs", 500],
    "items": ["items", "demo/votes.csv"],
    "plan": ["plan", "demo/scores.csv", "--target", 0.02],
    "report": ["report", "demo/scores.csv", "-o", "report.json"],
    "metrics": ["metrics"],
    "count and merge": ["count", "demo/scores.csv", "-o", "table.npz"],
    "data": ["data", "list"],
    "paper": ["paper", "figure-2", "--out", "out"],
}


def documented_json():
    """Return what the documents say of the JSON of all commands, and of each."""
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    common, *parts = page.split("\n## ")
    return common, {part.split("\n")[0]: part for part in parts}


@pytest.mark.parametrize("section", JSON)
def test_every_key_of_the_json_is_documented(section, folder):
    common, said = documented_json()
    text = run(*JSON[section], "--json").stdout
    assert text.count("\n") == 1
    content = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    result = content.pop("result")
    assert content["schema"] == "errorfloor/3"
    assert content["version"] == ef.__version__
    assert content["command"] == " ".join(JSON[section][: 2 if section == "data" else 1])
    for key in keys(content):
        assert f"`{key}`" in common, key
    known = said[section] + said["estimate"] + (said["headroom"] if section == "report" else "")
    assert {key for key in keys(result) if f"`{key}`" not in known} == set()


def test_every_key_of_a_report_on_groups_is_documented(folder):
    _, said = documented_json()
    found = answer(*JSON["report"], "--group", "batch")
    known = said["report"] + said["estimate"]
    assert {key for key in keys(found["result"]) if f"`{key}`" not in known} == set()


def test_every_key_of_feebee_for_another_metric_is_documented(folder):
    _, said = documented_json()
    metric = ["--metric", "auc", "--model-value", 0.9, "--method", "isotonic", "--levels", 2]
    found = answer("feebee", "demo/scores.csv", *metric)
    known = said["feebee"] + said["estimate"]
    assert {key for key in keys(found["result"]) if f"`{key}`" not in known} == set()


def test_json_never_holds_nan():
    from errorfloor.apps.cli.session import _plain

    odd = {
        "a": math.nan,
        "b": [math.inf, np.float64(1)],
        "c": np.array([1.0, math.nan]),
        1: Path("x"),
    }
    assert _plain(odd) == {"a": None, "b": [None, 1.0], "c": [1.0, None], "1": "x"}


# Columns.


def test_several_readings_are_offered(folder):
    (folder / "all.csv").write_text("score,label,positives,total\n0.2,0,1,3\n0.7,1,2,3\n")
    said = error("estimate", "all.csv")
    assert said.endswith(
        "You may mean\n  errorfloor estimate all.csv --score score --label label\n"
        "  errorfloor estimate all.csv --votes positives --total total\n"
    )


def test_guesses_are_said_as_options(folder):
    (folder / "x.csv").write_text("a,my label\n0.2,0\n0.7,1\n0.6,0\n")
    found = run("estimate", "x.csv", "--score", "a", "--interval", "none")
    assert found.stderr == 'note: using column "my label" as the label\n'
    found = answer("estimate", "demo/votes.csv")
    assert found["remarks"] == [
        'using column "positives" as the votes for class 1 and "total" as the number of votes'
    ]
    assert found["input"]["guessed"] == ["votes", "total"]
    named = answer("estimate", "demo/votes.csv", "--votes", "positives", "--total", "total")
    assert named["remarks"] == named["input"]["guessed"] == []


def test_a_column_that_is_not_there_is_named_with_those_that_are(folder):
    said = error("estimate", "demo/scores.csv", "--score", "scores")
    assert "'scores' (--score). Did you mean score?" in said
    assert "label (number), batch (text)" in said
    said = error("estimate", "demo/annotators.csv", "--annotators", "ann,carl")
    assert "called 'carl' (--annotators)" in said
    said = error("estimate", "demo/scores.csv", "--score", "score", "--votes", "label", code=2)
    assert "--score and --votes cannot be used together" in said
    assert "  --votes COL --total COL\n" in said
    said = error("compare", "demo/scores.csv", "--votes", "label", code=2)
    assert "errorfloor compare has no option --votes. errorfloor " in said
    assert said.rstrip().endswith(" have it.")


def test_labels_that_are_words_need_to_know_the_positive_one(folder):
    (folder / "pets.csv").write_text("p,y\n0.2,cat\n0.7,dog\n0.6,cat\n")
    said = error("estimate", "pets.csv")
    assert "holds words: cat, dog. Say which one is class 1" in said
    both = [f"  errorfloor estimate pets.csv --positive {one}\n" for one in ("dog", "cat")]
    assert said.endswith("".join(both))
    isotonic = ["--method", "isotonic", "--interval", "none"]
    found = answer("estimate", "pets.csv", "--positive", "dog", *isotonic)
    assert found["result"]["value"] == 0
    assert "has only" in error("estimate", "pets.csv", "--positive", "wolf")
    (folder / "stray.csv").write_text("p,y\n0.2,0\n0.7,1\n0.6,oops\n")
    assert "1 of 3 are bad, for example 'oops'" in error("estimate", "stray.csv")
    said = error("estimate", "demo/votes.csv", "--positive", 1)
    assert "--positive goes with single votes and with labels, not with --votes" in said
    (folder / "numbers.csv").write_text("p,y\n0.2,1\n0.7,2\n0.6,1\n")
    assert "--positive" in error("estimate", "numbers.csv")
    found = answer("estimate", "numbers.csv", "--positive", 2, *isotonic)
    assert found["result"]["value"] == 0


def test_one_annotator_is_too_few(folder):
    (folder / "one.csv").write_text("item,annotator,vote\n1,a,0\n2,a,1\n3,a,1\n")
    said = error("estimate", "one.csv")
    assert "at least 2" in said
    assert "use --score and --label if there is a score" in said


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
    expected = numbers_of(ef.from_scores(*ITEMS.values(), rng=0))
    found = answer("estimate", path)
    assert numbers(found) == expected
    assert found["remarks"] == ['using column "p" as the score and "y" as the label']
    found = answer("estimate", "-", data=path.read_bytes())
    assert numbers(found) == expected
    assert found["input"]["files"] == found["result"]["source"]["files"] == ["-"]
    if name == "x.tsv":
        assert numbers(answer("estimate", path, "--format", "tsv")) == expected


def test_the_formats_are_those_of_the_library():
    shown = re.search(r"--format \[(.*?)\]", run("estimate", "--help-all").stdout)[1]
    assert shown.split("|") == [kind.name for kind in FILE_FORMATS]
    words = " ".join(help_of([]).split())
    assert ", ".join(kind.title for kind in FILE_FORMATS) in words


def test_names_with_spaces_and_quotes_work(folder):
    path = folder / "my labels' file.csv"
    path.write_text('"the, score",my label\n0.25,0\n0.75,1\n0.5,1\n')
    found = run("estimate", path, "--score", "the, score", "--interval", "none")
    assert found.stderr == 'note: using column "my label" as the label\n'
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
    "garbage.npz": (b"PK\x03\x04" + GARBAGE, "'garbage.npz' cannot be read"),
    "garbage.csv.gz": (b"\x1f\x8b" + GARBAGE, "Could not read"),
    "twice.csv": (b"p,p,y\n0.1,0.2,1\n", "2 columns called 'p'"),
    "word.csv": (
        b"p,y\n0.1,0\nlow,1\n",
        "must be finite numbers: 1 of 2 are bad, for example 'low'",
    ),
    "comma.csv": (b'p,y\n"1,234",0\n"2,345",1\n', "must be finite numbers"),
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
    assert "'objects.npz' cannot be read" in error("estimate", "objects.npz")


def test_files_that_are_not_there_or_not_ours_are_refused(folder):
    assert "There is no file 'nowhere.csv'" in error("estimate", "nowhere.csv")
    assert "no file 'nowhere.npz'" in error("merge", "nowhere.npz", "-o", "x.npz")
    assert "no NPZ file" in error("merge", "demo/scores.csv", "-o", "x.npz")
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
    said = error("estimate", "book.xlsx")
    assert "ZIP archive" in said or "pip install 'errorfloor[cli]'" in said
    (folder / "book.csv").write_bytes((folder / "book.xlsx").read_bytes())
    assert "ZIP archive" in error("estimate", "book.csv")


def test_files_that_cannot_be_read_are_refused(folder):
    # The start of a process's memory: nobody can read it, not even root.
    (folder / "secret.csv").symlink_to("/proc/self/mem")
    assert error("estimate", "secret.csv") == "error: secret.csv: Input/output error.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["estimate"],
        ["estimate", "x.csv", "--level", "95"],
        ["estimate", "x.csv", "--level", "nan"],
        ["estimate", "x.csv", "--attainable", "5"],
        ["estimate", "x.csv", "--clip", "0.7"],
        ["estimate", "x.csv", "--clip", "nan"],
        ["estimate", "x.csv", "--bias-for-error", "nan"],
        ["estimate", "x.csv", "--format", "xlsx"],
        ["estimate", "x.csv", "--seed", "-1"],
        ["estimate", "x.csv", "--simultaneous"],
        ["estimat", "x.csv"],
        ["feebee", "x.csv"],
        ["headroom", "x.csv", "--model-errors", "1", "--test-items", "2", "--require", "more"],
        ["headroom", "x.csv", "--model-error", "nan", "--test-items", "2"],
        ["plan", "x.csv", "--try-votes", "two"],
        ["plan", "x.csv", "--cost-per-vote", "inf"],
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
    said = error("estimate", "demo/soft_labels.csv", "--method", "isotonic")
    assert "--method must be one of clean" in said
    assert "Did you mean isotonic" in error("compare", "demo/scores.csv", "--method", "isotonik")
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
    isotonic = ["--method", "isotonic", "--interval", "none"]
    assert answer("estimate", "iclr.csv", *isotonic)["result"]["value"] == 0
    here = {row["name"]: row["here"] for row in answer("data", "list")["result"]["sets"]}
    assert not any(here.values())
    assert "must be one of cifar10h" in error("data", "fetch", "cifar")
    assert "takes one set" in error("data", "fetch", "iclr", "cifar10h", "--save", "x", code=2)


@needs_data
def test_real_sets_become_files_for_the_other_commands(folder):
    run("data", "fetch", "chaosnli-snli", "--save", "snli.csv")
    data = ef.datasets.load_chaosnli("snli")
    found = answer("estimate", "snli.csv", "--votes", "positives", "--total", "total")
    assert numbers(found) == numbers_of(ef.from_votes(data.vote_table))


def test_the_paper_is_drawn_as_by_its_own_program(folder):
    found = run("paper", "figure-2", "--out", "out")
    assert found.stdout == "figure-2: 3 of 3 numbers agree, out/figure-2.svg\n"
    assert "no page yet: out lacks figure-1" in found.stderr
    assert Path("out/figure-2.svg").is_file()
    assert "NAME must be one of figure-1, " in error("paper", "figure-0", "--out", "out")


# The program itself.


def test_the_program_has_a_version_and_help_that_load_nothing_heavy():
    assert start("--version").stdout.decode() == f"errorfloor {ef.__version__}\n"
    code = (
        "import sys; from errorfloor.apps.cli.commands import run; run(['estimate', '--help']);"
        "print('loaded', *sys.modules)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True
    ).stdout
    loaded = {name.split(".")[0] for name in shown.rpartition("loaded ")[2].split()}
    assert "click" in loaded
    # NumPy comes with the records that the help is made from.
    assert not loaded & {"scipy", "rich", "duckdb", "matplotlib", "narwhals"}


def test_an_estimate_loads_no_matplotlib(folder):
    code = (
        "import sys; from errorfloor.apps.cli.commands import run;"
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
    monkeypatch.setitem(sys.modules, "errorfloor.apps.cli.commands", None)
    monkeypatch.setattr(package.process, "end_on_signal", lambda: None)
    with pytest.raises(SystemExit) as left:
        package.main()
    assert left.value.code == 1
    said = capsys.readouterr().err
    assert "\n  pip install 'errorfloor[cli]'\n" in said


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
        (["estimate", "demo/votes.csv", "--attainable", "0.01"], 3),
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
    assert [line[:12] for line in lines] == [
        "An accuracy ",
        "floor at mos",
        "Assumes: The",
        "To get the f",
    ]
    assert "\x1b" not in done.stdout.decode() + done.stderr.decode()


def test_standard_input_can_be_a_pipe(folder):
    with Path("demo/scores.csv").open("rb") as file:
        done = start("estimate", "-", stdin=file)
    assert b"; the best threshold on these scores gives an error of 7.5 %" in done.stdout
    assert done.stderr == b'note: using column "score" as the score and "label" as the label\n'


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
        while not any((folder / "scratch").rglob("stdin")):
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


def interrupted(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "place", ["errorfloor.show.report.summarize", "errorfloor.data.storage.os.replace"]
)
def test_ctrl_c_while_a_report_is_made_leaves_no_file(place, folder, monkeypatch, capsys):
    monkeypatch.setattr(place, interrupted)
    assert main(["report", "demo/scores.csv", "-o", "report.md", "--quiet"]) == 130
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.strip() == ""
    assert [path.name for path in folder.iterdir()] == ["demo"]


def test_ctrl_c_in_a_query_is_no_error_either(folder, monkeypatch, capsys):
    def stopped(*_, **__):
        raise RuntimeError("Query interrupted")  # as DuckDB does

    monkeypatch.setattr("errorfloor.apps.cli.labels.read", stopped)
    assert main(["count", "demo/scores.csv", "-o", "table.npz", "--quiet"]) == 130
    assert capsys.readouterr().err.strip() == ""


class Terminal:
    """The program on a pseudo-terminal; `stdin` takes what it reads if that is not the terminal.

    Progress never shows unless `patience` says when.
    """

    def __init__(self, *arguments, columns=100, stdin=None, patience=NEVER, **environment):
        import fcntl
        import struct
        import termios

        self.main, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        aside = ("NO_COLOR", "COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
        plain = {name: value for name, value in ENVIRONMENT.items() if name not in aside}
        usual = {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", PATIENCE_VARIABLE: patience}
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


def fed_by_hand(*arguments, **options):
    """Start the program on a terminal, and return it with what feeds its standard input."""
    source, sink = os.pipe()
    terminal = Terminal(*arguments, stdin=source, **options)
    os.close(source)
    return terminal, sink


def test_progress_shows_on_a_terminal_until_the_step_is_done(folder):
    terminal, sink = fed_by_hand("estimate", "-", patience=AT_ONCE)
    os.write(sink, TEXT.encode())
    shown = terminal.wait(until="reading standard input")
    assert "reading standard input" in shown
    os.close(sink)
    shown = terminal.wait()
    end = shown.rindex("reading standard input")
    assert "\x1b[2K" in shown[end:]  # the line is cleared
    assert "the best threshold on these scores gives an error of 50 %" in shown[end:]


def test_a_terminal_says_what_to_do_next_with_votes(folder):
    shown = " ".join(Terminal("demo/votes.csv", columns=1000).wait().split())
    reason = "the interval is wide because there are 3 votes per item; to plan more of them:"
    files = "demo/votes.csv --votes positives --total total"
    assert f"{reason} errorfloor plan {files} --target 0.037" in shown
    assert f"errorfloor headroom {files} --model-accuracy 0.9 --test-items 1000" in shown
    for words in (["demo/scores.csv"], ["demo/votes.csv", "--quiet"], ["demo/votes.csv", "--json"]):
        assert "errorfloor headroom" not in Terminal(*words, columns=1000).wait()
    assert b"errorfloor" not in start("demo/votes.csv").stderr  # a pipe


def test_progress_shows_after_a_while(folder):
    terminal, sink = fed_by_hand("estimate", "-", patience="0.01")
    assert "reading standard input" in terminal.wait(until="reading standard input")
    os.write(sink, TEXT.encode())
    os.close(sink)
    assert "the best threshold on these scores gives an error of 50 %" in terminal.wait()


@pytest.mark.parametrize(
    ("value", "seconds"), [("0", 0), ("2.5", 2.5), ("inf", math.inf), ("soon", 1), ("nan", 1)]
)
def test_the_environment_says_when_progress_shows(value, seconds, monkeypatch):
    monkeypatch.setenv(PATIENCE_VARIABLE, value)
    assert patience() == seconds
    monkeypatch.delenv(PATIENCE_VARIABLE)
    assert patience() == 1


def test_a_quiet_program_shows_no_progress(folder):
    terminal, sink = fed_by_hand("estimate", "-", "--quiet", patience=AT_ONCE)
    os.write(sink, TEXT.encode())
    os.close(sink)
    assert terminal.wait().startswith("\x1b[1mAn accuracy of at least")


PLAIN = [{"NO_COLOR": "1"}, {"NO_COLOR": "false"}, {"TERM": "dumb"}]


def test_terminals_show_styles_unless_no_color_is_set(folder):
    assert "\x1b[1mAn accuracy of at least" in on_a_terminal(
        "estimate", "demo/scores.csv", NO_COLOR=""
    )
    shown = on_a_terminal("estimate", "demo/scores.csv", columns=60, NO_COLOR="1")
    assert "\x1b" not in shown
    note, *lines = shown.splitlines()
    assert note.startswith("note: using column")
    assert max(map(len, lines)) <= 60


@pytest.mark.parametrize(
    ("environment", "arguments"),
    [
        (PLAIN[0], ["estimate", "demo/scores.csv"]),
        (PLAIN[1], ["compare", "demo/scores.csv", "--method", "isotonic"]),
        (PLAIN[2], ["headroom", "demo/votes.csv", "--model-errors=98", "--test-items=1000"]),
    ],
    ids=str,
)
def test_no_escape_codes_where_none_are_wanted_even_from_progress(arguments, environment, folder):
    shown = on_a_terminal(*arguments, patience=AT_ONCE, FORCE_COLOR="1", **environment)
    assert f"reading {arguments[1]} ...\r\n" in shown
    assert "\x1b" not in shown


def test_bars_of_libraries_lose_their_escape_codes():
    inner = io.StringIO()
    stream = Unstyled(inner)
    stream.write("\r 50%|\x1b[32m#####\x1b[0m\n\x1b[A")
    stream.flush()
    assert inner.getvalue() == "\r 50%|#####\n"
    assert not stream.isatty()


@pytest.mark.parametrize("environment", PLAIN, ids=str)
def test_plain_terminals_are_plain_for_libraries_too(environment, monkeypatch, capsys):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with Session("paper", (), as_json=False, quiet=False).quiet_libraries():
        print("\x1b[1mbold\x1b[0m", file=sys.stderr)
    with Session("paper", (), as_json=False, quiet=True).quiet_libraries():
        print("noise", file=sys.stderr)
    assert capsys.readouterr().err == "bold\n"


def test_comparisons_are_drawn_where_there_is_room(folder):
    arguments = ["compare", "demo/scores.csv", "--method", "isotonic", "--method", "corrupted"]
    shown = on_a_terminal(*arguments, NO_COLOR="1")
    lines = shown.replace("\r", "").splitlines()
    row = next(line for line in lines if line.startswith("isotonic"))
    assert re.search(r"6.8 to 8.3 %  honest  ─●─", row)
    assert lines[-1] == "95 % intervals, n = 10,000"
    narrow = on_a_terminal(*arguments, columns=60, NO_COLOR="1")
    assert "●" not in narrow
    ascii_only = on_a_terminal(*arguments, NO_COLOR="1", PYTHONIOENCODING="ascii")
    assert "-o-" in ascii_only


# The voice: messages of the library in the words of the command line.


@pytest.mark.parametrize(
    ("mention", "text"),
    [
        (argument("drop_missing", True), "--drop-missing"),
        (argument("same_labelling", True), "--same-labelling"),
        (argument("simultaneous", False), "no --simultaneous"),
        (argument("interval", None), "--interval none"),
        (argument("interval"), "--interval"),
        (argument("score", "p"), "--score p"),
        (argument("score", "my score"), "--score 'my score'"),
        (argument("label", "it's"), """--label 'it'"'"'s'"""),
        (argument("positives"), "--votes"),
        (argument("totals", 3), "--total 3"),
        (argument("annotators", ["a", "b c"]), "--annotators 'a,b c'"),
        (argument("scores"), "--score"),
        (argument("labels"), "--labels"),  # a second file
        (argument("soft_labels"), "--soft"),
        (argument("n"), "--test-items"),
        (argument("errors"), "--model-errors"),
        (argument("model_error"), "--model-error"),
        (argument("method", "beta"), "--method beta"),
        (argument("methods"), "--method"),
        (argument("n_resamples"), "--resamples"),
        (argument("votes"), "--try-votes"),
        (argument("items"), "--try-items"),
        (argument("rng"), "--seed"),
        (argument("format"), "--format"),
        (argument("group"), "--group"),
        (argument("positive", "yes"), "--positive yes"),
        (argument("level"), "--level"),
        (argument("clip", 0.1), "--clip 0.1"),
        (argument("pilot"), "pilot"),
        (argument("refine", True), "refine=True"),
        (Mention("positive", "<odd>"), "--positive '<odd>'"),
        (function("from_scores"), "--score and --label"),
        (function("from_votes"), "--votes and --total"),
        (function("from_soft_labels"), "--soft"),
        (function("plan"), "errorfloor plan"),
        (function("soft_table"), "soft_table"),
    ],
    ids=lambda value: value.in_python() if isinstance(value, Mention) else "",
)
def test_arguments_are_called_by_their_options(mention, text):
    assert written(mention) == text


def option_names(command):
    parameters = (one for one in command.params if isinstance(one, click.Option))
    return {name for one in parameters if not one.hidden for name in one.opts}


def test_every_option_that_is_mentioned_exists():
    leaves = [command_at(path) for path in commands()]
    there = set().union(*map(option_names, leaves))
    named = [argument(role.argument) for layout in LAYOUTS for role in layout.roles]
    named += [argument(name) for layout in LAYOUTS for name in layout.arrays]
    named += [function(layout.asks) for layout in LAYOUTS]
    named += [argument(str(one.name)) for leaf in leaves for one in leaf.params]
    for mention in named:
        for word in re.findall(r"--[a-z-]+", written(mention)):
            assert word in there
    for layout in LAYOUTS:
        for role in layout.roles:
            assert written(argument(role.argument)) == f"--{role.name}"


def test_what_recipes_type_exists():
    there = option_names(command_at(("estimate",)))
    asked = {flag_of("estimate", name) for name in (*ASK_OPTIONS, "simultaneous")}
    assert asked | {"--seed", "--group", "--positive", "--format"} <= there


def command_at(path):
    command = cli
    for name in path:
        command = command.commands[name]
    return command


def test_a_command_is_spoken_of_by_its_own_options():
    plan, estimate, compare = (command_at((name,)) for name in ("plan", "estimate", "compare"))
    with click.Context(plan):
        assert written(argument("votes")) == "--try-votes"
        assert written(function("from_votes")) == "--votes and --total"
        assert written(function("from_soft_labels")) == "errorfloor estimate"
    with click.Context(estimate):
        assert written(argument("model_error")) == "--bias-for-error"
    with click.Context(compare):
        assert written(function("from_votes")) == "errorfloor estimate"


def test_errors_are_told_in_options_and_others_as_they_are():
    wrong = ef.InputError(argument("n"), " must be whole, or say ", argument("rng", 1), ".")
    assert explained(wrong) == "--test-items must be whole, or say --seed 1."
    assert explained(ValueError("`n` is wrong.")) == "`n` is wrong."
    assert explained(FileNotFoundError(2, "No such file", "x.csv")) == "x.csv: No such file."
    assert "errorfloor[cli]" in explained(ImportError("No module named 'rich'"))
    assert explained(TypeError("a bug")) is None


def test_an_error_of_ours_at_the_end_of_a_file_is_not_taken_for_an_interruption(monkeypatch):
    def cut():
        raise EOFError("marshal data too short")  # as of a module that was half written

    monkeypatch.setitem(cli.commands, "cut", click.Command("cut", callback=cut))
    with pytest.raises(EOFError, match="too short"):
        main(["cut"])


@pytest.mark.parametrize(
    ("command", "headings"),
    [
        ("headroom", ["Your model", "Columns", "The answer", "Gate for CI", "Output"]),
        ("estimate", ["Columns", "The answer", "Gate for CI", "Output"]),
        ("agreement", ["Agreement on votes", "Agreement on ratings", "Output"]),
        ("card", ["Your model", "Columns", "The answer", "Output"]),
    ],
)
def test_help_has_what_belongs_together_under_one_heading(command, headings):
    text = run(command, "--help").stdout
    assert re.findall(r"^(\w[\w ]+):$", text, flags=re.MULTILINE) == headings
