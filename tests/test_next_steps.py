"""Reports say what to do next, show items and annotators, and lead back to themselves."""

import io
import json
import shlex
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.apps.cli import commands as cli
from errorfloor.datasets.synthetic import gaussian_ring
from errorfloor.results import Finding
from errorfloor.show.next_steps import steps_of, steps_of_groups
from errorfloor.show.recipe import Recipe, recipe_of
from errorfloor.show.report import context, summarize

pytestmark = [pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    rng = np.random.default_rng(0)
    p = rng.uniform(size=300).round(3)
    labels = (rng.uniform(size=300) < p).astype(int)
    site = np.where(np.arange(300) % 2, "a", "b")
    pd.DataFrame({"score": p, "label": labels, "site": site}).to_csv(folder / "s.csv", index=False)
    votes = rng.binomial(1, p[:, None], size=(300, 3))
    rows = [
        (f"<i>{at}", who, votes[at, i])
        for at in range(300)
        for i, who in enumerate(("ann", "b|b", "c"))
    ]
    long = pd.DataFrame(rows, columns=["item", "annotator", "vote"])
    long.to_csv(folder / "v.csv", index=False)
    pd.DataFrame({"positives": votes.sum(axis=1), "total": 3}).to_csv(folder / "k.csv", index=False)
    ring = gaussian_ring(200, classes=4, rng=0)
    many = pd.DataFrame(ring.soft_labels.round(4), columns=[f"proba_{k}" for k in "wxyz"])
    many.assign(label=np.array(list("wxyz"))[ring.labels]).to_csv(folder / "m.csv", index=False)
    return folder


@cache
def floor(folder, name, **more):
    ask = ef.from_votes if name in "vk" else ef.from_scores
    return ask(folder / f"{name}.csv", rng=0, **more)


def run(command):
    words = shlex.split(command)
    assert words[0] == "errorfloor"
    with redirect_stdout(io.StringIO()) as said:
        assert cli.run([*words[1:], "--json", "--quiet"]) in (0, 4)
    return json.loads(said.getvalue())["result"]


def plain(rows):
    """Return all that was found, without the words in which it was asked for."""
    return [{**row.to_dict(), "source": None, "options": None} for row in rows]


def kinds(steps):
    return [shlex.split(step.command)[1] for step in steps]


def test_steps_fit_the_result(folder):
    assert kinds(steps_of(floor(folder, "v"))) == ["plan", "headroom", "items"]
    assert kinds(steps_of(floor(folder, "s"))) == ["headroom", "compare", "plan"]
    assert kinds(steps_of(floor(folder, "m"))) == ["headroom", "confusion", "compare"]
    known = floor(folder, "m")
    saturated = ef.headroom(known, model_error=known.value, n=500)
    assert kinds(steps_of(known, saturated)) == ["confusion", "compare", "plan"]
    single = ef.from_votes([0, 1] * 30, 1, method="plugin", rng=0)
    for few in (single, ef.from_scores([0.1, 0.2, 0.3], [0, 0, 0], rng=0)):
        assert not any("ef.plan" in step.python for step in steps_of(few))
    soft = ef.from_soft_labels([0.1, 0.3] * 40)
    assert len(steps_of(soft)) == 1
    assert steps_of(ef.headroom(0.05, errors=30, n=400).floor) == ()
    assert not steps_of(floor(folder, "v", interval=None))[0].python.count("plan")


@pytest.mark.parametrize("name", ["s", "v", "k", "m"])
def test_steps_can_be_pasted_as_they_are(folder, name, capsys):
    found = floor(folder, name)
    for step in steps_of(found):
        assert step.why.endswith(":")
        assert run(step.command)
        exec(step.python, {})
        assert capsys.readouterr().out.strip()


def test_of_arrays_steps_are_lines_of_python(capsys):
    scores, labels = np.array([0.1, 0.4, 0.6, 0.9] * 20), np.array([0, 0, 1, 1] * 20)
    steps = steps_of(ef.from_scores(scores, labels, rng=0))
    assert {step.command for step in steps} == {None}
    assert len(steps) == 3
    for step in steps:
        exec(step.python, {"scores": scores, "labels": labels})
        assert capsys.readouterr().out.strip()


def test_a_refuted_floor_is_asked_for_again_in_another_way(folder):
    reverse = ef.from_scores(folder / "s.csv", positive=0, rng=0)
    assert reverse.refuted
    first, second = steps_of(reverse)
    again, falling = run(first.command), run(second.command)
    assert not again["refuted"]
    assert again["value"] == floor(folder, "s").value
    assert (falling["method"], falling["refuted"]) == ("hist-25", False)
    assert "Then ask again:" not in first.why
    unknown = Finding("Something new", "", "refuted", "It is wrong.", "Mend it.")
    (step,) = steps_of(replace(floor(folder, "s"), findings=(unknown,)))
    assert step.why == "Mend it. Then ask again:"
    assert run(step.command)["value"] == floor(folder, "s").value


def test_totals_that_are_no_chance_are_explained_in_both_ways(tmp_path):
    rng = np.random.default_rng(1)
    totals = np.repeat([2, 10], 300)
    p = np.concatenate([rng.choice([0.02, 0.98], 300), rng.uniform(0.3, 0.7, 300)])
    frame = pd.DataFrame({"positives": rng.binomial(totals, p), "total": totals})
    frame.to_csv(tmp_path / "k.csv", index=False)
    found = ef.from_votes(tmp_path / "k.csv")
    assert found.findings[0].name == "Why totals differ"
    for step, why in zip(steps_of(found), ("item", "votes"), strict=True):
        assert f"--totals-by {why}" in step.command
        assert run(step.command)["options"]["totals_by"] == why


def test_groups_are_asked_for_at_once(folder):
    found = ef.from_scores(folder / "s.csv", group="site", rng=0)
    (step,) = steps_of_groups(found)
    assert run(step.command)["simultaneous"] is True
    names = {}
    exec(step.python, names)
    assert names["floors"].simultaneous
    assert steps_of_groups(ef.from_scores(folder / "s.csv", group="site", simultaneous=True)) == ()
    assert steps_of_groups(ef.Groups("site", dict(found.items()) | {"c": floor(folder, "s")})) == ()


def test_a_report_has_the_steps_in_every_format(folder):
    summary = summarize(floor(folder, "v"))
    page, markdown = summary.to_html(), summary.to_markdown()
    for step, said in zip(summary.steps, summary.to_dict()["next"], strict=True):
        assert said == {"why": step.why, "python": step.python, "command": step.command}
        assert f"```\n{step.command}\n```" in markdown
    assert "What to do next" in page
    assert "What to do next" not in summarize(ef.headroom(0.05, errors=3, n=90)).to_markdown()


def test_reports_of_votes_show_the_hardest_items_and_the_annotators(folder):
    summary = summarize(floor(folder, "v"))
    found = summary.to_dict()
    assert len(found["items"]) == 10
    errors = [row["contribution"] for row in found["items"]]
    assert errors == sorted(errors, reverse=True)
    assert [row["annotator"] for row in found["annotators"]] == [
        row.annotator for row in ef.annotators(folder / "v.csv")
    ]
    page = summary.to_html()
    assert "&lt;i&gt;" in page
    assert "<i>" not in page
    assert summary.to_markdown().count("b\\|b") == 1


def test_items_without_names_and_votes_that_are_gone_are_left_out(folder, tmp_path, monkeypatch):
    assert summarize(floor(folder, "k")).items is None
    assert summarize(floor(folder, "s")).items is None
    copy = tmp_path / "v.csv"
    copy.write_bytes((folder / "v.csv").read_bytes())
    found = ef.from_votes(copy)
    copy.write_text("\n".join(copy.read_text().splitlines()[:-3]) + "\n")  # one item less
    assert context.items_again(found) is context.annotators_again(found) is None
    copy.unlink()
    assert context.items_again(found) is None
    monkeypatch.setattr(context, "MOST_ITEMS", 299)
    assert context.items_again(floor(folder, "v")) is None


def test_items_and_annotators_can_be_given(folder, tmp_path):
    frame = pd.read_csv(folder / "v.csv")
    found = ef.from_votes(frame)
    given = {"items": ef.items(frame), "annotators": ef.annotators(frame)}
    path = ef.report(found, tmp_path / "r.md", **given)
    said = path.read_text(encoding="utf-8")
    assert "## The hardest items" in said
    assert "## The annotators" in said
    assert "## The hardest items" not in ef.report(found, path).read_text(encoding="utf-8")
    groups = ef.from_scores(folder / "s.csv", group="site")
    with pytest.raises(ef.InputError, match=r"`items` goes with one floor"):
        ef.report(groups, path, items=given["items"])
    wide = pd.DataFrame({"ann": [0, 1, 1] * 20, "bob": [0, 1, 0] * 20})
    assert ef.report(wide, path, annotators=["ann", "bob"]) == path


def test_theory_is_drawn_where_asked(folder, tmp_path):
    found = floor(folder, "v")
    assert "bias" not in [one.name for one in summarize(found).pictures]
    asked = summarize(found, theory=True)
    assert "bias" in [one.name for one in asked.pictures]
    assert "theory=True" in asked.python


@pytest.mark.parametrize("options", [{}, {"interval": None}, {"interval": "percentile"}])
def test_a_report_on_a_comparison_leads_back_to_it(folder, options):
    names = ["corrupted", "isotonic", "platt"]
    rows = ef.compare(folder / "s.csv", methods=names, n_resamples=200, level=0.9, rng=5, **options)
    found = {}
    summary = summarize(rows)
    exec(summary.python.replace("ef.report(", "found = ("), found)
    same = found["rows"]
    assert plain(same) == plain(rows)
    typed = run(summary.command)
    assert [row["value"] for row in typed["rows"]] == [row.value for row in rows]
    assert [row["low"] for row in typed["rows"]] == [row.low for row in rows]
    beside = summarize(floor(folder, "s"), comparison=rows)
    exec(beside.python.replace("ef.report(", "found = (lambda *given, **named: named)("), found)
    assert plain(found["rows"]) == plain(rows)
    assert found["found"]["comparison"] is found["rows"]


def test_rows_of_several_calls_have_no_single_one(folder):
    rows = ef.Comparison((floor(folder, "s"), floor(folder, "s", method="platt", level=0.9)))
    assert recipe_of(rows) == Recipe(python="", command=None)
    assert "ef.from_scores" in summarize(rows).python


def test_a_report_on_many_classes_leads_back_to_it(folder):
    rows = ef.compare(folder / "m.csv", methods=["offsets", "top1"], n_resamples=100, rng=1)
    found = {}
    summary = summarize(rows)
    exec(summary.python.replace("ef.report(", "found = ("), found)
    assert plain(found["rows"]) == plain(rows)
    assert run(summary.command)["rows"][0]["value"] == rows.main.value
    one = summarize(floor(folder, "m"))
    exec(one.python.replace("ef.report(", "found = ("), found)
    assert plain([found["floor"]]) == plain([one.floor])


@pytest.mark.parametrize("metric", ["error", "auc", "brier", "balanced-error"])
def test_a_model_is_compared_by_the_metric_of_weighted_items(metric):
    scores, labels = np.tile([0.2, 0.4, 0.6, 0.8], 10), np.tile([0, 1, 0, 1], 10)
    found = ef.from_scores(scores, labels, weight=np.tile([1.0, 2.0], 20), metric=metric, rng=0)
    (step,) = steps_of(found)
    names = {"ef": ef, "floor": found, "labels": labels, "model_scores": scores}
    shown = io.StringIO()
    with redirect_stdout(shown):
        exec(step.python.splitlines()[-1], names | {"predictions": labels})
    assert "our model, at" in shown.getvalue()
