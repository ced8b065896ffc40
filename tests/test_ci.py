"""What people use in CI: the action, the hook, the assertions, and summaries of jobs."""

import os
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

import errorfloor as ef
from errorfloor.apps import demo
from errorfloor.apps.cli.commands import cli
from errorfloor.testing import assert_floor, assert_headroom

yaml = pytest.importorskip("yaml", reason="pyyaml is not installed: pip install -e '.[test]'")

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
VOTES = "positives,total\n" + "0,3\n0,3\n1,3\n2,3\n3,3\n3,3\n" * 40


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my votes.csv").write_text(VOTES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def act(folder, **inputs):
    """Run the step of the action that asks, as a runner does; return it and the job's summary."""
    assert inputs.keys() <= ACTION["inputs"].keys()
    (step,) = (one for one in ACTION["runs"]["steps"] if one["name"] == "Ask")
    given = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | inputs
    values = {f"${{{{ inputs.{name} }}}}": value for name, value in given.items()}
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").symlink_to(sys.executable)
    summary = folder / "summary.md"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env=os.environ
        | {name: values[value] for name, value in step["env"].items()}
        | {
            "GITHUB_STEP_SUMMARY": str(summary),
            # The interpreter finds its packages by its own path, which a link would hide.
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *filter(None, sys.path)]),
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "OPENBLAS_NUM_THREADS": "1",
        },
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done, summary.read_text(encoding="utf-8") if summary.exists() else ""


def test_the_action_writes_the_sentence_and_the_gauge_into_the_summary(folder):
    done, summary = act(folder, file="my votes.csv", gate="--fail-if-floor-above 40%")
    assert done.returncode == 0, done.stderr
    assert summary.startswith("**The best possible accuracy in predicting one more")
    assert "\n```text\n0 % " in summary
    assert "Failed" not in summary


def test_the_action_fails_where_its_gate_does_and_says_why(folder):
    model = "--model-errors 10 --test-items 1000 --same-labelling"
    options = "--votes 'positives' --total \"total\""
    done, summary = act(
        folder, file="my votes.csv", model=model, options=options, gate="--fail-unless room"
    )
    assert done.returncode == 3
    assert "Your model, at 99 %" in summary
    assert "❌ Failed: The verdict is not 'room': your model looks" in summary


@pytest.mark.parametrize("gate", ["--fail-if-floor-above '10%", "--fail-if-floor-obove 10%"])
def test_the_action_fails_where_its_gate_cannot_be_read(gate, folder):
    done, _ = act(folder, file="my votes.csv", gate=gate)
    assert done.returncode != 0


def test_nothing_in_the_inputs_of_the_action_is_run(folder):
    odd = "$(touch run) `touch run`; touch run"
    done, _ = act(folder, file=odd, options=odd)
    assert done.returncode != 0
    assert not (folder / "run").exists()
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]  # inputs come as variables, never as text of the script


def test_the_action_installs_the_package_with_its_extra():
    install, ask = ACTION["runs"]["steps"]
    assert ACTION["inputs"]["package"]["default"] == "errorfloor[cli]"
    assert install["run"] == 'python3 -m pip install --quiet "$EF_PACKAGE"'
    assert {"file", "gate", "model"} <= ACTION["inputs"].keys()
    assert ask["env"].keys() == {"EF_FILE", "EF_GATE", "EF_MODEL", "EF_OPTIONS"}


def documented(language):
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    return [part.split("```")[0] for part in text.split(f"```{language}\n")[1:]]


def test_the_documented_hook_runs(folder):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (repo,) = yaml.safe_load(documented("yaml")[1])
    (used,) = repo["hooks"]
    assert used["id"] == hook["id"]
    assert not hook["pass_filenames"]
    program, *start = shlex.split(hook["entry"])
    assert program == "errorfloor"
    (folder / "labels").mkdir()
    (folder / "labels" / "votes.csv").write_text(VOTES)
    done = CliRunner().invoke(cli, [*start, *used["args"]])
    assert done.exit_code == 3, done.output
    assert "above the allowed 10 %" in done.stderr


def test_the_documented_use_of_the_action_names_its_inputs():
    _, step = yaml.safe_load(documented("yaml")[0])
    assert step["with"].keys() <= ACTION["inputs"].keys()
    assert step["with"]["package"] == f"errorfloor[cli]=={ef.__version__}"
    assert f"errorfloor[cli]=={ef.__version__}'" in documented("sh")[0]


def test_a_summary_is_added_to_what_is_there(folder):
    Path("summary.md").write_text("before\n")
    command = ["estimate", "my votes.csv", "--summary", "summary.md", "--json", "--quiet"]
    assert CliRunner().invoke(cli, command).exit_code == 0
    lines = Path("summary.md").read_text().splitlines()
    assert lines[0] == "before"
    assert lines[1].startswith("**The best possible accuracy")
    assert lines[-2] == "</details>"


def test_names_of_others_do_not_steer_a_summary(folder):
    name = "a`*b*`<img src=x>|[x](y)\x1b[1m"
    rows = "".join(f"0.{i},{i % 2},{name}\n" for i in range(10, 60))
    Path("x.csv").write_text(f"score,label,g\n{rows}")
    done = CliRunner().invoke(cli, ["x.csv", "--group", "g", "--summary", "s.md"])
    assert done.exit_code in (0, 4), done.output
    text = Path("s.md").read_text()
    assert "\x1b" not in text
    for line in text.split("```")[0].splitlines():
        assert "<img" not in line.replace("\\<", "")


# Assertions.


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    demo.save(folder)
    return folder


@pytest.fixture(scope="module")
def floor():
    return ef.from_votes([0, 0, 1, 2, 3, 3] * 40, 3)


@pytest.mark.parametrize(
    ("required", "option"),
    [
        ({"at_most": "10%"}, ["--fail-if-floor-above", "10%"]),
        ({"at_most": 0.45}, ["--fail-if-floor-above", "45%"]),
        ({"ceiling_at_least": 0.99}, ["--fail-if-ceiling-below", "99%"]),
        ({"ceiling_at_least": "60%"}, ["--fail-if-ceiling-below", "60%"]),
    ],
)
def test_assertions_fail_where_the_command_does_and_in_its_words(required, option, floor, folder):
    done = CliRunner().invoke(cli, ["estimate", "my votes.csv", *option])
    if done.exit_code == 0:
        assert assert_floor(floor, **required) is None
        return
    assert done.exit_code == 3
    with pytest.raises(AssertionError) as failed:
        assert_floor(floor, **required)
    sentence, unmet = str(failed.value).split("\n")
    assert sentence == floor.sentence
    assert unmet.lower() in done.stderr.lower()


def test_a_bound_passes_only_where_it_was_shown_to_be_reachable(files):
    bound = ef.from_scores(files / "scores.csv")
    assert_floor(bound, at_most=bound.high)
    with pytest.raises(AssertionError, match="does not show that it is at"):
        assert_floor(bound, at_most=bound.value)


def test_each_group_has_to_pass(files):
    groups = ef.from_scores(files / "scores.csv", group="batch")
    assert_floor(groups, at_most="20%")
    with pytest.raises(AssertionError, match="of a"):
        assert_floor(groups, at_most="1%")


def test_a_refuted_floor_fails_whatever_is_required(files):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        refuted = ef.from_scores(files / "scores.csv", positive="0")
    with pytest.raises(AssertionError, match="no floor can be stated"):
        assert_floor(refuted, at_most=0.5)
    with pytest.raises(
        AssertionError, match=r"Failed: The verdict is not .*: no floor can be stated"
    ):
        assert_headroom(ef.headroom(refuted, errors=1, n=100), *ef.results.verdict.VERDICTS)


def test_of_ceilings_more_is_better(files):
    auc = ef.from_soft_labels(files / "soft_labels.csv", metric="auc")
    assert_floor(auc, ceiling_at_least=0.5)
    with pytest.raises(AssertionError, match="below the required"):
        assert_floor(auc, ceiling_at_least=1)
    with pytest.raises(ValueError, match="Use `ceiling_at_least`"):
        assert_floor(auc, at_most=0.5)


def test_verdicts_are_compared_by_both_of_their_names(files):
    bound = ef.from_scores(files / "scores.csv")
    matching = ef.headroom(bound, errors=75, n=1000)
    assert matching.verdict == "matches"
    assert_headroom(matching, "saturated")
    with pytest.raises(AssertionError) as failed:
        assert_headroom(matching)
    assert str(failed.value) == (
        f"{matching.sentence}\nFailed: The verdict is not 'room': your model may be as good as the "
        "best threshold on these scores."
    )


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda floor: assert_floor(floor), "Give `at_most` or `ceiling_at_least`"),
        (lambda floor: assert_floor(floor, at_most=1, ceiling_at_least=1), "Give `at_most` or"),
        (lambda floor: assert_floor(floor, at_most=10), "`at_most` must lie in .* 10 % is 0.1"),
        (lambda floor: assert_floor(0.1, at_most=1), "`estimate` must be an estimate, got float"),
        (lambda floor: assert_headroom(floor), "`verdict` must be a verdict, got VotesEstimate"),
        (
            lambda floor: assert_headroom(ef.headroom(floor, 1, 9, same_labelling=True), "rom"),
            "room",
        ),
    ],
)
def test_what_cannot_be_asked_is_said(ask, said, floor):
    with pytest.raises(ValueError, match=said):
        ask(floor)
