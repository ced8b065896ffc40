"""A metric is one record: nothing outside `metrics` goes by what a metric is called."""

import ast
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import errorfloor as ef
from errorfloor import metrics
from errorfloor.apps.cli import commands as cli
from errorfloor.metrics.record import Metric, TableValue
from errorfloor.show import grids
from errorfloor.show.next_steps import steps_of

SOURCE = Path(ef.__file__).parent
# Also words for other things: they count next to something that is called a metric only.
ORDINARY = {"error", "cost", "kappa"}
CONSTANTS = {
    name
    for path in (SOURCE / "metrics").glob("*.py")
    for node in ast.parse(path.read_text()).body
    if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("Metric(")
    for name in [ast.unparse(node.targets[0])]
}


def is_metric(node):
    """Tell whether an expression is the record of a certain metric."""
    return (isinstance(node, ast.Name) and node.id in CONSTANTS) or (
        isinstance(node, ast.Attribute) and node.attr in CONSTANTS
    )


def is_name(node, beside=""):
    """Tell whether an expression is the name of a certain metric."""
    if isinstance(node, ast.Attribute) and node.attr == "name":
        return is_metric(node.value)
    if not isinstance(node, ast.Constant) or node.value not in metrics.names():
        return False
    return node.value not in ORDINARY or "metric" in beside


def goes_by_names(tree):
    """Yield expressions that compare with a certain metric, or that list or key by metrics."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                sides, text = [node.left, *node.comparators], ast.unparse(node)
                if any(is_name(side, text) or is_metric(side) for side in sides):
                    yield node
            case ast.MatchValue() if is_name(node.value, "metric"):
                yield node.value
            case ast.Dict() if any(is_name(key) for key in node.keys):
                yield node
            case ast.Tuple() | ast.List() | ast.Set() if any(map(is_name, node.elts)):
                yield node
            case ast.DictComp() if is_name(node.key):
                yield node


def test_every_metric_has_a_constant():
    assert len(CONSTANTS) == len(metrics.METRICS)


def test_nothing_goes_by_the_name_of_a_metric():
    assert [
        f"{path}, line {node.lineno}: {ast.unparse(node)[:80]}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] != "metrics"
        for node in goes_by_names(ast.parse(path.read_text()))
    ] == []


@pytest.mark.parametrize(
    "code",
    [
        "metric.name == ERROR.name",
        "metric != metrics.ERROR.name",
        "estimate.metric == 'error'",
        "name in ('auc', 'f1')",
        "metric is ERROR",
        "{BALANCED.name: 1}",
        "{'log-loss': 1}",
        "KNOWN = (AUC.name,)",
        "match metric:\n    case 'error':\n        pass",
    ],
)
def test_what_goes_by_names_is_found(code):
    assert list(goes_by_names(ast.parse(code)))


# Metrics that are added at run time

TOY = "toy-metric"
RNG = np.random.default_rng(0)
P = RNG.random(120).round(2)
LABELS = (RNG.random(120) < P).astype(int)
CHOSEN = (P > 0.5).astype(int)
VOTES = RNG.binomial(5, P)
GIVEN = {
    "cost": {"costs": (1, 3)},
    "error-at-coverage": {"at": 0.8},
    "coverage-at-error": {"at": 0.1},
}


@pytest.fixture
def add(monkeypatch):
    """Return what adds a metric."""

    def added(record):
        monkeypatch.setattr(metrics, "METRICS", (*metrics.METRICS, record))

    return added


def copy_of(name):
    record = metrics.named(name)
    return replace(record, name=TOY, title=record.words)


def facts(result):
    """Return an answer as JSON, but for what a metric is called and for last digits."""
    text = json.dumps(result.to_dict()).replace(TOY, "balanced-error")
    return json.loads(text, parse_float=lambda number: round(float(number), 6))


SOURCES = {
    "soft labels": lambda metric: ef.from_soft_labels(P, metric=metric, rng=0),
    "scores": lambda metric: ef.from_scores(P, LABELS, metric=metric, rng=0),
    "votes": lambda metric: ef.from_votes(VOTES, 5, metric=metric, rng=0),
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_copy_of_a_record_under_another_name_answers_the_same(source, add, tmp_path):
    add(copy_of("balanced-error"))
    found, expected = SOURCES[source](TOY), SOURCES[source]("balanced-error")
    assert facts(found) == facts(expected)
    assert str(found) == str(expected)
    for model in (
        {"model_value": 0.3, "n": 100},
        {"labels": LABELS, "predictions": CHOSEN},
        {"confusion": [[40, 20], [10, 50]]},
    ):
        verdict = ef.headroom(found, same_labelling=True, **model)
        other = ef.headroom(expected, same_labelling=True, **model)
        assert facts(verdict) == facts(other)
    with pytest.raises(ef.InputError, match="errors does not tell a model's balanced error"):
        ef.headroom(found, errors=3, n=10)
    page = ef.report(found, tmp_path / "page.html").read_text()
    assert "balanced error" in page


def test_a_copy_of_a_record_is_planned_and_compared(add):
    add(copy_of("balanced-error"))
    scores, votes = ef.ScoreTable.from_arrays(P, LABELS), ef.VoteTable.from_arrays(VOTES, 5)
    for ask in (
        lambda metric: ef.plan(scores, metric=metric, items=(100, 300)),
        lambda metric: ef.plan(votes, metric=metric, items=(100,), votes=(3,)),
        lambda metric: ef.compare(scores, metric=metric, rng=0),
    ):
        assert str(ask(TOY)) == str(ask("balanced-error"))


def test_a_copy_of_a_record_is_on_the_command_line_and_in_the_documents(add, tmp_path, capsys):
    add(copy_of("balanced-error"))
    file = tmp_path / "scores.csv"
    rows = zip(P, LABELS, CHOSEN, strict=True)
    file.write_text("score,label,chosen\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    columns = ("--score", "score", "--label", "label")
    for words in (("estimate",), ("headroom", "--prediction", "chosen"), ("compare",)):
        shown = []
        for name in (TOY, "balanced-error"):
            assert cli.run([words[0], str(file), *words[1:], *columns, "--metric", name]) == 0
            shown.append(capsys.readouterr().out)
        assert shown[0] == shown[1]
    row = grids.of_metrics().rows[-1]
    assert (row[0], row[1:4]) == (TOY, grids.of_metrics().rows[1][1:4])


@pytest.mark.parametrize("metric", metrics.METRICS, ids=lambda one: one.name)
def test_a_model_is_judged_alike_by_a_copy_of_any_metric(metric, add):
    add(copy_of(metric.name))
    given = GIVEN.get(metric.name, {})
    by_scores = {"labels": LABELS, "model_scores": P.clip(0.01, 0.99)}
    by_decisions = {"confusion": [[40, 20], [10, 50]]}
    answers = []
    for name in (TOY, metric.name):
        found = []
        for model in (by_decisions, by_scores, {"model_value": 0.3, "n": 50}):
            try:
                verdict = ef.headroom(0.2, metric=name, **given, **model)
                found.append((verdict.low, verdict.high, verdict.sentence))
            except ef.InputError as error:
                found.append(str(error))
        answers.append(found)
    assert answers[0] == answers[1]
    assert any(isinstance(one, tuple) for one in answers[0])


def youden(table):
    (tn, fp), (fn, tp) = table
    return tp / (tp + fn) - fp / (tn + fp)


def f2(table):
    (_, fp), (fn, tp) = table
    return 5 * tp / (5 * tp + 4 * fn + fp)


def g_mean(table):
    (tn, fp), (fn, tp) = table
    return np.sqrt(tp / (tp + fn) * tn / (tn + fp))


def of_table(value, **more):
    return Metric(TOY, "ceiling", False, lambda classes: (0.0, 1.0), two_only=True,
                  of_model=TableValue(value), **more)  # fmt: skip


@pytest.mark.parametrize("value", [youden, f2, g_mean])
def test_a_models_value_of_any_table_metric_has_limits_that_hold(value, add):
    add(of_table(value))
    truth = np.array([[0.56, 0.14], [0.06, 0.24]])
    held = 0
    for seed in range(100):
        matrix = np.random.default_rng(seed).multinomial(150, truth.ravel()).reshape(2, 2)
        found = ef.headroom(0.99, metric=TOY, confusion=matrix)
        assert found.model_value == pytest.approx(value(matrix))
        held += found.model.low <= value(truth) <= found.model.high
    assert held >= 91  # of 100: fewer have a chance of 1 in 30 where 95 are to be expected


def test_a_published_value_of_any_table_metric_has_limits_that_hold(add):
    def balanced(table):
        return (1 - youden(table)) / 2

    add(replace(copy_of("balanced-error"), of_model=TableValue(balanced)))
    floor, share = ef.from_soft_labels(P, metric=TOY), P.mean()
    truth = np.array([[(1 - share) * 0.8, (1 - share) * 0.2], [share * 0.1, share * 0.9]])
    held = 0
    for seed in range(100):
        matrix = np.random.default_rng(seed).multinomial(150, truth.ravel()).reshape(2, 2)
        found = ef.headroom(floor, model_value=balanced(matrix), n=150)
        held += found.model.low <= balanced(truth) <= found.model.high
    assert held >= 91
    for value in (0.0, 1.0):  # one table only has either
        found = ef.headroom(floor, model_value=value, n=150).model
        assert min(abs(found.low - value), abs(found.high - value)) == pytest.approx(0, abs=1e-9)


def test_table_metrics_are_for_two_classes_and_need_both(add):
    add(replace(of_table(youden), two_only=False))
    with pytest.raises(ef.InputError, match=r"says for two classes .* the labels are of 3"):
        ef.headroom(0.9, metric=TOY, confusion=np.eye(3, dtype=int))
    with pytest.raises(ef.InputError, match="needs test items of both classes"):
        ef.headroom(0.9, metric=TOY, confusion=[[3, 4], [0, 0]])
    with pytest.raises(ef.InputError, match=r"are not known\. Give the model's predictions"):
        ef.headroom(0.9, metric=TOY, model_value=0.5, n=10)


def test_what_a_record_lacks_is_named(add):
    add(replace(copy_of("balanced-error"), of_model=None, how=None))
    floor = ef.from_soft_labels(P, metric=TOY)
    for model in (
        {"model_value": 0.3, "n": 100},
        {"labels": LABELS, "predictions": CHOSEN},
        {"labels": LABELS, "model_scores": P},
        {"errors": 3, "n": 10},
    ):
        with pytest.raises(ef.InputError, match=f"record of the metric {TOY} .* \\(of_model\\)"):
            ef.headroom(floor, **model)
    assert "headroom" not in "".join(step.python for step in steps_of(floor))
