"""Results for other programs: numbers for trackers, parts of cards, and documents for agents."""

import json
import math
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.apps.cli.commands import cli

pytestmark = [pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")]
ROOT = Path(__file__).parents[1]
RNG = np.random.default_rng(0)
SCORES = RNG.random(400).round(3)
LABELS = (RNG.random(400) < SCORES).astype(int)
VOTES = RNG.binomial(5, SCORES)


@pytest.fixture(scope="module")
def floor():
    return ef.from_votes(VOTES, 5)


@pytest.fixture(scope="module")
def bound():
    return ef.from_scores(SCORES, LABELS)


def test_metrics_are_flat_finite_numbers_by_plain_names(floor, bound):
    pd = pytest.importorskip("pandas")
    rows = pd.DataFrame({"score": SCORES, "label": LABELS, "batch": np.tile(["a", "b%"], 200)})
    results = [
        floor,
        bound,
        ef.headroom(floor, 90, 400),
        ef.compare(SCORES, LABELS, methods=["isotonic", "platt"], n_resamples=20),
        ef.from_scores(rows, group="batch"),
        ef.plan(ef.VoteTable.from_arrays(VOTES, [5] * 400)),
    ]
    for one in results:
        found = one.to_metrics("floor/")
        assert found
        assert all(type(value) is float and math.isfinite(value) for value in found.values())
        assert all(re.fullmatch(r"[\w\-./ ]+", name) for name in found)
        json.dumps(found)
    assert floor.to_metrics()["value"] == floor.value
    assert floor.to_metrics()["refuted"] == 0.0
    verdict = results[2].to_metrics()
    assert (verdict["model_error"], verdict["floor.high"]) == (0.225, floor.high)
    assert results[3].to_metrics()["platt.value"] == results[3]["platt"].value
    assert results[4].to_metrics()["b_.low"] == results[4]["b%"].low
    with pytest.raises(ValueError, match="`prefix` must be text"):
        floor.to_metrics(3)


def test_markdown_says_the_sentence_the_assumptions_and_how_it_was_made(floor, bound):
    for one in (floor, bound, ef.headroom(floor, 90, 400)):
        text = one.to_markdown()
        assert text.startswith("### How good any model can get\n\n**")
        assert "- Assumes: " in text
        assert f"Made with errorfloor {ef.__version__}" in text
        assert text.endswith("\n")
    assert "at least" in bound.to_markdown().splitlines()[2]
    rows = ef.compare(SCORES, LABELS, methods=["isotonic", "platt"], n_resamples=20).to_markdown()
    assert "```text" in rows


def test_markdown_of_a_file_has_its_command(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("votes,total\n" + "".join(f"{one},5\n" for one in VOTES))
    text = ef.from_votes(path).to_markdown()
    (command,) = re.findall(r"`(errorfloor estimate .*)`", text)
    assert str(path) in command


def test_a_refuted_answer_is_stated_nowhere():
    scores = np.repeat([0.0, 1.0], 200)
    refuted = ef.from_scores(scores, scores.astype(int))
    assert refuted.to_metrics()["refuted"] == 1.0
    assert "reachable" not in refuted.to_markdown().splitlines()[2]
    with pytest.raises(ValueError, match="no answer to put on a card"):
        ef.headroom(refuted, 90, 400).to_model_index(model="m", dataset="d")


def test_the_model_index_has_the_fields_that_the_hub_asks_for(floor, bound):
    yaml = pytest.importorskip("yaml")
    name = 'mine: "1" # {x}'
    for one, kind, value in (
        (floor, "best_possible_accuracy", round(1 - floor.value, 4)),
        (bound, "reachable_accuracy", math.floor(1e4 * (1 - bound.high)) / 1e4),
    ):
        text = ef.headroom(one, 90, 400).to_model_index(model=name, dataset="a/b", split="test")
        (model,) = yaml.safe_load(text)["model-index"]
        (result,) = model["results"]
        assert model["name"] == name
        assert result["task"] == {"type": "text-classification"}
        assert result["dataset"] == {"type": "a/b", "name": "a/b", "split": "test"}
        own, best = result["metrics"]
        assert (own["type"], own["value"], own["name"]) == ("accuracy", 0.775, "Accuracy")
        assert (best["type"], best["value"]) == (kind, value)
        assert best["args"]["sentence"].startswith(one.sentence.split(" is ")[0])
    with pytest.raises(ValueError, match="`dataset` must be a name"):
        ef.headroom(floor, 90, 400).to_model_index(model="m", dataset="")


def test_a_model_index_goes_by_the_metric():
    yaml = pytest.importorskip("yaml")
    floor = ef.from_soft_labels(SCORES, metric="auc")
    verdict = ef.headroom(floor, model_value=0.8, n=400)
    text = verdict.to_model_index(model="m", dataset="d", task="tabular-classification")
    own, best = yaml.safe_load(text)["model-index"][0]["results"][0]["metrics"]
    assert (own["type"], own["value"]) == ("roc_auc", 0.8)
    assert best["type"] == "best_possible_roc_auc"


# What agents read: each name and each command in it is real.

DOCUMENTS = ("llms.txt", "SKILL.md", "docs/agents.md")


@pytest.mark.parametrize("name", ["llms.txt", "SKILL.md"])
def test_the_first_rule_is_that_agreement_is_not_the_ceiling(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    rule = text.index("Agreement between annotators is not the ceiling")
    assert rule < min(text.find(one) for one in ("errorfloor look", "errorfloor estimate"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_names_in_documents_for_agents_exist(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for one in re.findall(r"\bef\.(\w+)", text):
        assert hasattr(ef, one), one
    found = ef.headroom(ef.from_votes(VOTES, 5), 90, 400)
    for one in re.findall(r"`\.(\w+)", text):
        assert hasattr(found, one) or hasattr(found.floor, one), one
    for path in re.findall(r"\]\((docs/\w+\.md)\)", text):
        assert (ROOT / path).exists(), path
    typed = re.findall(r"(?:^\s*|`)errorfloor ([a-z]+) ", text, re.MULTILINE)
    assert typed
    for one in typed:
        assert one in cli.commands, one


def commands_in(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    lines = re.findall(r"^\s*(errorfloor [a-z]+ .*)$|`(errorfloor [a-z]+ [^`]*)`", text, re.M)
    found = [one or other for one, other in lines]
    return [one for one in found if "FILE" not in one and "mcp" not in one]


@pytest.mark.parametrize("name", ["llms.txt", "SKILL.md"])
def test_commands_in_documents_for_agents_run(name, tmp_path):
    from click.testing import CliRunner

    assert CliRunner().invoke(cli, ["demo", "--save", str(tmp_path)]).exit_code == 0
    commands = commands_in(name)
    assert len(commands) > 3
    for command in commands:
        words = [
            str(tmp_path / one) if one.endswith(".csv") else one for one in shlex.split(command)[1:]
        ]
        ran = CliRunner().invoke(cli, words)
        assert ran.exit_code == 0, (command, ran.output)


def test_the_python_of_the_skill_runs():
    pytest.importorskip("sklearn")
    text = (ROOT / "SKILL.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    code = re.sub(r"^ {3}", "", code, flags=re.M)
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert "is reachable" in ran


def test_the_skill_begins_with_what_agents_choose_it_by():
    yaml = pytest.importorskip("yaml")
    _, head, _ = (ROOT / "SKILL.md").read_text(encoding="utf-8").split("---\n", 2)
    about = yaml.safe_load(head)
    assert about["name"] == "errorfloor"
    assert 50 < len(about["description"]) < 1024
