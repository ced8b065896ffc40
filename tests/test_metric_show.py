"""Every metric reaches people: text, cards, reports, pictures, commands and recipes."""

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

import errorfloor as ef
from errorfloor import metrics, plot
from errorfloor.apps.cli.building import complete_metrics
from errorfloor.apps.cli.commands import cli
from errorfloor.metrics.choice import MetricChoice
from errorfloor.metrics.selective import risk_coverage
from errorfloor.questions.plan import _expected
from errorfloor.results.estimate import method_of
from errorfloor.show import grids, numbers
from errorfloor.show.gauge import gauge_of
from errorfloor.show.html import html_of
from errorfloor.show.next_steps import steps_of
from errorfloor.show.recipe import command_line, python_code
from errorfloor.show.report import summarize
from errorfloor.show.report.summary import method_in_words
from errorfloor.show.text import long_text_of

pytestmark = pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
N = 240
GIVEN = {
    "cost": {"costs": (1, 5)},
    "error-at-coverage": {"at": 0.8},
    "coverage-at-error": {"at": 0.05},
}
EVERY = metrics.names()
OTHERS = [name for name in EVERY if name != "error"]


def rows(n=N, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.5, 0.8, n).round(2)
    y = (rng.random(n) < p).astype(int)
    model = np.clip(p + rng.normal(0, 0.15, n), 0.01, 0.99).round(3)
    return pd.DataFrame(
        {
            "soft_label": p,
            "score": (p**1.5).round(3),
            "y": y,
            "model": model,
            "said": (model > 0.5).astype(int),
            "k": rng.binomial(5, p),
            "m": 5,
            "site": np.where(np.arange(n) % 3, "a", "b"),
        }
    )


DATA = rows()


def soft(metric, **options):
    return ef.from_soft_labels(
        DATA["soft_label"], metric=metric, rng=0, **GIVEN.get(metric, {}) | options
    )


def scores(metric, **options):
    given = GIVEN.get(metric, {}) | options
    return ef.from_scores(DATA["score"], DATA["y"], metric=metric, rng=0, **given)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("metrics")
    DATA.to_csv(folder / "all.csv", index=False)
    return folder


def run(*arguments, code=0):
    ran = CliRunner().invoke(cli, list(map(str, arguments)))
    assert ran.exit_code == code, ran.output
    return ran


# Words and numbers.


@pytest.mark.parametrize("metric", EVERY)
@pytest.mark.parametrize("ask", [soft, scores])
def test_floors_are_floors_ceilings_ceilings_and_plain_numbers_plain(ask, metric):
    found = ask(metric)
    record = found.measure
    other = "floor" if record.limit == "ceiling" else "ceiling"
    report = summarize(found).to_markdown()
    said = re.sub(r"```.*?```", "", report, flags=re.DOTALL)  # code has a variable called floor
    for text in (said, str(found), long_text_of(found), html_of(found)):
        assert not re.search(rf"\b{other}s?\b", text.replace('class="errorfloor"', "")), text
    assert str(found).startswith(f"{record.limit} ")
    name = record.opposite or record.words
    if ask is soft:
        assert f"true probabilities, the best possible {name} is about " in found.sentence
    else:
        assert f"{name} of at " in found.sentence
    if not record.per_cent:
        assert "%" not in found.sentence.replace("95 % confidence", "")
        assert "points" not in found.sentence
    value = numbers.style_of(found).value(found.value, numbers.digits_for(found))
    assert value in str(found)
    assert value in said


def test_sentences_are_as_people_say_them():
    def told(metric, value, low, high, **given):
        made = ef.Estimate(
            value=value,
            method="mixture",
            interval=ef.Interval(low, high, 0.95, "likelihood"),
            n=900,
            assumptions="",
            metric=metric,
            options=MetricChoice(metric, **given).kept(),
        )
        return made.sentence.removeprefix("The best possible "), str(made)

    assert told("auc", 0.9432, 0.938, 0.948) == (
        "AUC on these labels is about 0.943 (0.938 to 0.948).",
        "ceiling 0.943 AUC, 95 % interval 0.938 to 0.948 (n = 900, method mixture, "
        "likelihood interval)",
    )
    assert told("log-loss", 0.3121, 0.3, 0.32) == (
        "log-loss on these labels is about 0.312 nats (0.300 to 0.320 nats).",
        "floor 0.312 nats of log-loss, 95 % interval 0.300 to 0.320 nats (n = 900, method mixture, "
        "likelihood interval)",
    )
    assert told("cost", 23.456, 21, 25, costs=(100, 500))[0] == (
        "mean cost per item on these labels is about 23.5 (21.0 to 25.0)."
    )
    assert told("cost", 0.0023456, 0.0021, 0.0025, costs=(0.01, 0.05))[0] == (
        "mean cost per item on these labels is about 0.00235 (0.00210 to 0.00250)."
    )
    assert told("balanced-error", 0.0741, 0.07, 0.08)[0] == (
        "balanced accuracy on these labels is about 92.6 % (92.0 to 93.0 %)."
    )
    assert told("coverage-at-error", 0.851, 0.83, 0.87, at=0.02)[0] == (
        "coverage at 2 % error on these labels is about 85.1 % (83.0 to 87.0 %)."
    )


@pytest.mark.parametrize(
    ("name", "best", "bound"),
    [
        ("f1", "largest", "too low, still a lower"),
        ("balanced-error", "least", "too high, still an"),
    ],
)
def test_the_best_threshold_is_told_by_the_better_end(name, best, bound):
    found = ef.from_scores(DATA, score="score", label="y", metric=name, method="isotonic")
    assert f" is the {best} " in method_in_words(found)
    assert bound in method_of(found).if_wrong


def test_gains_are_counted_in_the_metrics_own_unit():
    y, model, said = DATA["y"], DATA["model"], DATA["said"]
    found = ef.headroom(soft("auc"), model_scores=-model, labels=y)
    assert re.search(
        r"Your model, at 0\.\d+, can still gain 0\.\d+ to 0\.\d+ AUC\.$", found.sentence
    )
    assert re.search(
        r"^The ceiling minus the model's AUC: \+0\.\d{2,4}, 95 % interval",
        long_text_of(found),
        re.MULTILINE,
    )
    found = ef.headroom(soft("log-loss"), model_scores=1 - model, labels=y)
    assert re.search(r"can still come down by \d\.\d+ to \d\.\d+ in log-loss\.$", found.sentence)
    found = ef.headroom(soft("balanced-error"), predictions=1 - said, labels=y)
    assert re.search(
        r"Your model, at \d\d\.\d %, can still gain \d+ to \d+ points\.$", found.sentence
    )
    found = ef.headroom(soft("f1"), predictions=y, labels=y)
    assert "F1 too good: suspect" in found.sentence
    assert json.loads(json.dumps(found.to_dict()))["model_value"] == 1
    assert "model_error" not in found.to_dict()
    assert "looks too good" in summarize(found).to_markdown()


def test_groups_and_methods_are_compared_in_the_metrics_words():
    floors = ef.from_soft_labels(DATA, soft="soft_label", group="site", metric="auc", rng=0)
    assert re.fullmatch(
        r"If these are the true probabilities, the best possible AUC is about 0\.\d+ in site [ab] "
        r"and 0\.\d+ in site [ab]\.",
        floors.sentence,
    )
    assert "ceiling of AUC" in str(floors)
    page = summarize(floors).to_markdown()
    assert "The best possible AUC in each group" in page
    assert page.startswith("# AUC ceiling by site")
    compared = ef.compare(DATA["score"], DATA["y"], metric="log-loss", rng=0)
    assert "  log-loss  " in str(compared)
    for row in compared:
        alone = scores("log-loss", method=row.method)
        assert (row.value, row.low, row.high) == (alone.value, alone.low, alone.high)
    assert compared.main.method == scores("log-loss").method
    with pytest.raises(ef.InputError, match=r"must be one of ranking, isotonic"):
        ef.compare(DATA["score"], DATA["y"], metric="auc", methods=["platt"])


def test_findings_point_the_other_way_from_ceilings():
    low, high = (
        next(one.sentence for one in found.findings if one.name == "Ties")
        for found in (scores("error"), scores("auc"))
    )
    assert low.endswith("this raises the floor.")
    assert high.endswith("this lowers the ceiling.")


# Pictures.


@pytest.mark.parametrize("metric", ["auc", "log-loss", "error-at-coverage", "cost"])
def test_pictures_are_in_the_metrics_unit(metric):
    found = soft(metric)
    factor = 100 if found.measure.per_cent else 1
    ax = Figure().add_subplot()
    plot.forest([found], model_error=found.value, ax=ax)
    line = next(one for one in ax.lines if len(one.get_xdata()) == 2 and one.get_linestyle() == "-")
    assert list(line.get_xdata()) == pytest.approx([factor * found.low, factor * found.high])
    assert found.measure.limit in ax.get_xlabel()
    assert (
        "%" in ax.get_xlabel().replace("95 %", "").replace("80 %", "")
    ) is found.measure.per_cent
    given = {"model_scores": DATA["model"]} if metric != "cost" else {"predictions": DATA["said"]}
    verdict = ef.headroom(found, **given, labels=DATA["y"])
    ax = Figure().add_subplot()
    plot.headroom(verdict, ax=ax)
    ends = [float(one) for one in re.findall(r"[\d.]+", ax.get_title(loc="left"))]
    assert all(end <= factor * 1.01 for end in ends)
    shown = gauge_of(verdict)
    assert 0 <= shown.place(shown.model) <= shown.place(shown.perfect) == 1


def test_the_risk_coverage_curve_goes_through_the_answer():
    for metric, at in (("error-at-coverage", 0.8), ("coverage-at-error", 0.05)):
        found = soft(metric)
        ax = Figure().add_subplot()
        plot.risk_coverage(found, ax=ax)
        curve = ax.lines[0]
        x, y = np.asarray(curve.get_xdata()), np.asarray(curve.get_ydata())
        place = (at, found.value) if metric == "error-at-coverage" else (found.value, at)
        assert np.interp(100 * place[0], x, y) == pytest.approx(100 * place[1], abs=0.05)
        dot = ax.lines[-1]
        assert (dot.get_xdata()[0], dot.get_ydata()[0]) == pytest.approx(
            (100 * place[0], 100 * place[1])
        )
        names = [one.name for one in summarize(found).pictures]
        assert names[0] == "risk-coverage"
    kept, wrong = risk_coverage(DATA["soft_label"].to_numpy(), np.ones(N))
    ax = Figure().add_subplot()
    plot.risk_coverage(soft("error"), ax=ax)
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(100 * wrong[-1] / kept[-1])
    given = ef.headroom(0.1, errors=2, n=10).floor
    with pytest.raises(ValueError, match="has no probabilities to draw the curve from"):
        plot.risk_coverage(given)


def test_reports_leave_out_what_is_about_errors(folder):
    error = ef.from_votes(folder / "all.csv", positives="k", totals="m")
    other = ef.from_votes(folder / "all.csv", positives="k", totals="m", metric="brier")
    assert "simply counting them gives" in summarize(error).to_markdown()
    page = summarize(other, theory=True).to_markdown()
    assert "plug-in" not in page
    assert "Bias of vote shares" not in page
    assert "errors of the best classifier" not in page
    assert "counting the votes" not in long_text_of(other)


def test_data_are_reported_on_by_any_metric(folder):
    path = ef.report(folder / "all.csv", folder / "auc.md", soft="soft_label", metric="auc")
    assert soft("auc").sentence in path.read_text(encoding="utf-8")
    with pytest.raises(ef.InputError, match="`metric`"):
        ef.report(soft("auc"), folder / "auc.md", metric="auc")


# The command line.


@pytest.mark.parametrize("metric", OTHERS)
@pytest.mark.parametrize("columns", [{"soft": "soft_label"}, {"score": "score", "label": "y"}])
def test_recipes_give_the_same_bits(folder, metric, columns):
    ask = ef.from_soft_labels if "soft" in columns else ef.from_scores
    given = GIVEN.get(metric, {}) | (
        {"prior": 0.4} if metric == "auc" and "soft" in columns else {}
    )
    found = ask(folder / "all.csv", **columns, metric=metric, level=0.9, rng=3, **given)
    space = {}
    exec(python_code(found), space)
    again = space["floor"]
    assert (again.value, again.low, again.high) == (found.value, found.low, found.high)
    program, *arguments = shlex.split(command_line(found))
    assert program == "errorfloor"
    result = json.loads(run(*arguments, "--json").stdout)["result"]
    assert (result["value"], result["low"], result["high"]) == (found.value, found.low, found.high)
    for step in steps_of(found):
        exec(
            step.python,
            {"print": lambda *_: None}
            | dict.fromkeys(("model_scores",), DATA["model"])
            | {"predictions": DATA["said"], "labels": DATA["y"]},
        )
        if step.command is not None:
            run(*shlex.split(step.command)[1:])


@pytest.mark.parametrize(
    ("metric", "model"),
    [
        ("auc", {"prediction": "model"}),
        ("f1", {"prediction": "said"}),
        ("cost", {"prediction": "said"}),
        ("error-at-coverage", {"prediction": "model"}),
    ],
)
def test_recipes_of_verdicts_give_the_same_bits(folder, metric, model):
    where = {"soft": "soft_label", "label": "y"}
    given = GIVEN.get(metric, {})
    found = ef.headroom(folder / "all.csv", **where, **model, metric=metric, rng=0, **given)
    space = {}
    exec(python_code(found.floor, found), space)
    again = space["verdict"]
    assert (again.low, again.high, again.p_room) == (found.low, found.high, found.p_room)
    result = json.loads(run(*shlex.split(command_line(found.floor, found))[1:], "--json").stdout)
    assert (result["result"]["low"], result["result"]["high"]) == (found.low, found.high)
    floor = soft(metric)
    for said in ({"confusion": [[90, 20], [10, 80]]}, {"model_value": 0.3, "n": 90}):
        try:
            found = ef.headroom(floor, **said)
        except ef.InputError:  # not every metric can be had from both
            continue
        space = {"soft_labels": DATA["soft_label"]}
        exec(python_code(found.floor, found), space)
        assert space["verdict"].low == found.low


@pytest.mark.parametrize("words", [("--interval", "hoefding", "-q"), ("-q", "--interval=hoefding")])
def test_a_suggested_command_replaces_an_option(folder, words):
    start = ("estimate", str(folder / "all.csv"), "--soft", "soft_label")
    said = run(*start, *words, code=1).stderr
    assert said.splitlines()[-1].strip() == f"errorfloor {' '.join(start)} -q --interval none"


def test_what_is_refused_is_not_suggested_by_its_other_name(tmp_path):
    file = tmp_path / "classes.csv"
    file.write_text("a,b,c,label\n" + "0.2,0.3,0.5,a\n0.6,0.3,0.1,b\n0.1,0.1,0.8,c\n" * 9)
    for name in ("auc", "roc-auc", "ROC_AUC"):
        words = ("estimate", file, "--score", "a,b,c", "--metric", name, "-q")
        said = run(*words, code=1).stderr
        assert "--metric auc cannot be answered" in said
        assert "errorfloor estimate" not in said


def test_costs_shares_and_priors_are_typed_as_people_do(folder):
    path = folder / "all.csv"

    def value(*more):
        words = ("estimate", path, "--soft", "soft_label", "-q", "--json", *more)
        return json.loads(run(*words).stdout)["result"]["value"]

    pair, matrix = value("--metric", "cost", "--costs", "1,5"), "0,1;5,0"
    assert pair == value("--metric", "cost", "--costs", matrix) == soft("cost").value
    at = soft("error-at-coverage").value
    assert value("--metric", "error-at-coverage", "--at", "80%") == at
    assert value("--metric", "AUC", "--prior", "0.4") == soft("auc", prior=0.4).value
    assert value("--metric", "auc", "--prior", "60%,40%") == soft("auc", prior=0.4).value


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--metric", "cost"], r"--metric cost needs --costs: .* such as --costs 1,5, or a matrix"),
        (["--metric", "goodness"], "--metric must be one of error, balanced-error"),
        (["--costs", "1,5"], "--costs needs --metric cost. Add it, or leave out --costs."),
        (["--metric", "error-at-coverage"], "such as --at 0.8, or the error to allow"),
        (
            ["--metric", "auc", "--at", "0.8"],
            "--at goes with the metrics error-at-coverage and cov",
        ),
    ],
)
def test_errors_are_told_in_the_words_of_the_command_line(folder, words, says):
    said = run("estimate", folder / "all.csv", "--soft", "soft_label", *words, code=1).stderr
    assert re.search(says, said), said
    assert "`" not in said


def test_bad_numbers_behind_options_are_refused(folder):
    path = folder / "all.csv"
    for words in (
        ["--metric", "cost", "--costs", "1,x"],
        ["--metric", "cost", "--costs", "1,-5"],
        ["--metric", "auc", "--prior", "1.4"],
        ["--metric", "auc", "--at", "80"],
    ):
        assert "Invalid value for" in run("estimate", path, *words, code=2).stderr
    said = run("headroom", path, "--soft", "soft_label", "--metric", "auc", code=2).stderr
    assert "--model-value, the model's auc, or --confusion, or --prediction" in said
    model = ["--metric", "auc", "--model-value", "0.8"]
    said = run("headroom", path, "--soft", "soft_label", *model, code=2).stderr
    assert "Give --test-items with --model-value" in said
    said = run("headroom", "-", "--metric", "auc", "--prediction", "model", code=1).stderr
    assert "reads a file twice" in said


def test_gates_go_by_the_metric(folder):
    path = folder / "all.csv"
    by = ("estimate", path, "--soft", "soft_label", "-q")
    best = soft("auc").value
    run(*by, "--metric", "auc", "--attainable", best - 0.01)
    run(*by, "--metric", "auc", "--fail-below", best - 0.01)
    said = run(*by, "--metric", "auc", "--fail-below", best + 0.01, code=3).stderr
    assert re.search(
        r"^Failed: the estimate of the ceiling is 0\.\d+, below the required 0\.\d+\.$",
        said,
        re.MULTILINE,
    )
    said = run(*by, "--metric", "auc", "--fail-above", 0.5, code=2).stderr
    assert "does not fit AUC, of which higher is better. Use --fail-if-ceiling-below." in said
    assert "of which lower is better" in run(*by, "--fail-below", 0.5, code=2).stderr
    run(*by, "--metric", "cost", "--costs", "100,500", "--attainable", 80)
    said = run(*by, "--metric", "auc", "--attainable", 93, code=2).stderr
    assert "93 % is 0.93" in said
    both = ("--attainable", 0.9, "--fail-below", 0.9)
    assert "not both" in run(*by, "--metric", "auc", *both, code=2).stderr


def test_metrics_are_listed_and_completed():
    listed = run("metrics").stdout
    assert [line.split()[0] for line in listed.splitlines()[1:]] == list(EVERY)
    found = json.loads(run("metrics", "--json").stdout)["result"]["metrics"]
    assert [one["name"] for one in found] == list(EVERY)
    auc = next(one for one in found if one["name"] == "auc")
    assert auc["two_classes_only"]
    assert not auc["less_is_better"]
    assert auc["from"]["soft labels"] == {"two classes": soft("auc").interval_method}
    assert complete_metrics(None, None, "a") == ["auc", "average-precision"]
    assert len(grids.of_metrics().rows) == len(EVERY)
    assert "coverage-at-error" in run("estimate", "--help").stdout.replace("\n", "").replace(
        " ", ""
    )


# Plans, and questions that are about errors.


def test_plans_of_other_metrics_start_from_the_pilots_interval():
    found = scores("auc")
    plan = ef.plan(found.table, metric="auc", items=(N, 4 * N), target=0.02)
    assert plan.width[0] == pytest.approx([found.high - found.low, (found.high - found.low) / 2])
    assert plan.sentence.startswith(
        "For a new set of items, the cheapest way to an interval of 0.02 is one label for each of "
    )
    assert "Width of the 95 % interval of the AUC ceiling" in str(plan)
    assert "plug-in" not in str(plan)
    assert plan.to_dict()["metric"] == "auc"
    table = ef.VoteTable.from_arrays(DATA["k"], 5)
    votes = ef.plan(table, metric="brier", votes=(5,), items=(N, 4 * N))
    now = ef.from_votes(table, metric="brier")
    assert votes.width[0, 0] == pytest.approx(now.high - now.low, rel=0.1)
    assert votes.width[0, 1] == pytest.approx(votes.width[0, 0] / 2, rel=0.1)
    with pytest.raises(ef.InputError, match="is planned from data"):
        ef.plan(([0.1, 0.9], [0.5, 0.5]), metric="auc")


def test_expected_votes_are_whole_and_add_up():
    k, counts = _expected(np.array([0.1, 0.6]), np.array([0.3, 0.7]), 4, 101)
    assert counts.sum() == 101
    assert (counts > 0).all()
    mean = (0.3 * 0.1 + 0.7 * 0.6) * 4
    assert k @ counts / 101 == pytest.approx(mean, abs=0.05)


def test_questions_about_errors_say_that_they_are():
    with pytest.raises(
        ef.InputError, match="confusion of classes is about errors, and this is the"
    ):
        ef.confusion(soft("auc"))
    with pytest.raises(ef.InputError, match="`metric` does not go with this question"):
        ef.items(DATA, positives="k", totals="m", metric="auc")
    with pytest.raises(ef.InputError, match="`metric` does not go with this question"):
        ef.confusion(DATA, score="score", label="y", metric="auc")
