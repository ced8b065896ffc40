"""Every answer has the same picture: a bar from the worst value to a perfect one."""

import json
import re
from functools import partial
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

import errorfloor as ef
from errorfloor.apps import demo
from errorfloor.apps.cli.commands import cli
from errorfloor.metrics import METRICS
from errorfloor.results import Finding
from errorfloor.show.gauge import gauge_of, heroes_of, lines_of, picture_of
from errorfloor.show.terminal import draw

pytestmark = [pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")]
RNG = np.random.default_rng(5)
P = RNG.uniform(size=300)
Y = (RNG.uniform(size=300) < P).astype(int)
VOTES = RNG.binomial(3, P)
THREE = RNG.dirichlet([1, 1, 1], 300)
COUNTS = np.array([RNG.multinomial(4, p) for p in THREE])
GIVEN = {
    "cost": {"costs": (1, 5)},
    "error-at-coverage": {"at": 0.8},
    "coverage-at-error": {"at": 0.2},
}


def votes(**options):
    return ef.from_votes(VOTES, 3, **options)


def scores(**options):
    return ef.from_scores(P, Y, rng=0, **options)


ANSWERS = {
    "votes": votes,
    "plug-in": lambda: votes(method="plugin"),
    "votes for three": lambda: ef.from_votes(counts=COUNTS),
    "scores": scores,
    "complete scores": lambda: scores(complete=True),
    "no interval": lambda: scores(interval=None),
    "features": lambda: ef.from_features(P[:, None], Y, rng=0),
    "agreement": lambda: ef.from_agreement(80, 100),
    "room": lambda: ef.headroom(votes(), errors=400, n=800, same_labelling=True),
    "beyond": lambda: ef.headroom(votes(), errors=8, n=800, same_labelling=True),
    "model of scores": lambda: ef.headroom(scores(), errors=300, n=800),
    "given": lambda: ef.headroom(0.1, errors=100, n=800),
}
for _name in [metric.name for metric in METRICS]:
    _given = {"metric": _name, **GIVEN.get(_name, {})}
    ANSWERS[f"{_name} of probabilities"] = partial(ef.from_soft_labels, P, **_given)
    ANSWERS[f"{_name} of scores"] = partial(scores, **_given)


@pytest.mark.parametrize("name", ANSWERS)
def test_the_bar_claims_what_the_answer_claims(name):
    result = ANSWERS[name]()
    floor = getattr(result, "floor", result)
    gauge, metric, claim = gauge_of(result), floor.measure, floor.claim
    assert (gauge.reached is not None) == claim.reachable(metric)
    assert (gauge.limit is not None) == claim.unbeatable(metric)
    assert 0 <= gauge.solid <= gauge.faded <= 1
    for value in (gauge.best, gauge.reached, gauge.limit, gauge.model, gauge.guessing):
        assert value is None or 0 <= gauge.place(value) <= 1
    if gauge.reached is not None and gauge.limit is not None:
        assert gauge.solid - 1e-12 <= gauge.place(gauge.best) <= gauge.faded + 1e-12
    line, legend = lines_of(gauge, 40)
    assert len(line) == 40 + 2 + sum(map(len, gauge.ends))
    assert ("cannot tell" in legend) == (gauge.limit is None)
    assert ("no model gets here" in legend) == (gauge.limit is not None)
    assert lines_of(gauge, 40, unicode=False)[0].isascii()
    root = ET.fromstring(f"<div>{picture_of(result)}</div>")
    (svg,) = root.iter("svg") if gauge.model is None else [next(root.iter("svg"))]
    assert svg.get("aria-label") == result.sentence
    for box in svg.iter("rect"):
        start, width = (float(box.get(side).rstrip("%")) for side in ("x", "width"))
        assert start >= -0.01
        assert start + width <= 100.01
    assert all(text.get("fill") == "currentColor" for text in svg.iter("text"))


def test_the_ends_of_the_bar_are_the_metrics_own_and_better_is_to_the_right():
    assert gauge_of(votes()).ends == ("0 %", "100 %")
    brier = gauge_of(ef.from_soft_labels(P, metric="brier"))
    assert brier.ends == ("0.25", "0")
    assert brier.place(0.1) > brier.place(0.2)
    auc = gauge_of(ef.from_soft_labels(P, metric="auc"))
    assert auc.ends == ("0.5", "1")
    bad = gauge_of(ef.headroom(ef.from_soft_labels(P, metric="brier"), model_value=0.4, n=300))
    assert bad.ends == ("0.4", "0")  # a model may be worse than any best value


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (lambda: scores(), max(Y.mean(), 1 - Y.mean())),
        (lambda: ef.from_soft_labels(P), max(P.mean(), 1 - P.mean())),
        (lambda: votes(), max(VOTES.mean() / 3, 1 - VOTES.mean() / 3)),
        (lambda: ef.from_votes(counts=COUNTS), (COUNTS / 4).mean(axis=0).max()),
        (lambda: ef.from_soft_labels(P, metric="auc"), 0.5),
        (lambda: ef.from_soft_labels(P, metric="brier"), P.mean() * (1 - P.mean())),
        (lambda: scores(metric="f1"), 2 * Y.mean() / (1 + Y.mean())),
        (lambda: scores(metric="balanced-error"), 0.5),
    ],
)
def test_guessing_is_the_best_answer_that_sees_nothing_of_an_item(result, expected):
    assert gauge_of(result()).guessing == pytest.approx(expected)


def test_guessing_weighs_items_as_the_answer_does_and_is_unknown_for_a_majority():
    weight = np.where(Y == 1, 3.0, 1.0)
    heavy = ef.from_scores(P, Y, weight=weight, rng=0)
    assert heavy.guessing == pytest.approx(1 - weight[Y == 1].sum() / weight.sum())
    assert votes(majority=3).guessing is None
    assert ef.headroom(0.1, errors=100, n=800).floor.guessing is None


def test_a_refuted_answer_has_no_gauge_and_no_card():
    wrong = Finding("Wrong", "", "refuted", "It is wrong.")
    bad = ef.Estimate(
        value=0.1, method="beta", interval=None, n=9, assumptions="A.", findings=(wrong,)
    )
    assert gauge_of(bad) is None
    assert picture_of(bad) == ""
    with pytest.raises(ValueError, match=r"No floor can be stated\. It is wrong"):
        ef.card(bad)


def test_bounds_are_rounded_so_that_no_digit_overstates_them():
    for found in (scores(), scores(metric="brier"), votes(method="plugin")):
        gauge = gauge_of(found)
        number = float(re.search(r"[\d.]+", heroes_of(found, gauge)[0].number)[0])
        bound = gauge.limit if gauge.reached is None else gauge.reached
        sign = heroes_of(found, gauge)[0].number[0]
        shown = number / gauge.style.factor
        assert shown <= bound + 1e-9 if sign == "\N{GREATER-THAN OR EQUAL TO}" else shown >= bound


def test_a_terminal_shows_the_gauge_between_the_sentence_and_the_numbers():
    found = votes()
    console = Console(width=80, force_terminal=True, color_system=None)
    with console.capture() as capture:
        draw(found, f"{found.sentence}\nmore", console)
    lines = capture.get().splitlines()
    bar = next(at for at, line in enumerate(lines) if line.startswith("0 % \N{DARK SHADE}"))
    assert lines[bar].endswith("100 %")
    assert "guessing" in " ".join(lines[bar + 1 :])
    assert lines[-1] == "more"


# Cards.


@pytest.mark.parametrize("name", ["votes", "scores", "room", "beyond", "model of scores"])
@pytest.mark.parametrize("dark", [False, True])
def test_a_card_has_number_sentence_and_origin_within_its_edges(name, dark):
    result = ANSWERS[name]()
    card = ef.card(result, title="My <data>", dark=dark)
    root = ET.fromstring(card.svg)
    assert (root.get("width"), root.get("height")) == ("1200", "630")
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "My <data>"
    assert heroes_of(result, gauge_of(result))[0].number in texts
    assert any(text.startswith(f"errorfloor {ef.__version__}") for text in texts)
    assert all(len(text) <= 100 for text in texts)
    assert card._repr_svg_() == card.svg
    assert card.png.startswith(b"\x89PNG")


def test_a_card_is_written_by_its_ending_or_refused(tmp_path):
    ef.card(votes(), tmp_path / "card.svg")
    ef.card(votes(), tmp_path / "card.PNG")
    assert (tmp_path / "card.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert (tmp_path / "card.PNG").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match=r"`path` must end in .svg or .png; got 'card.txt'"):
        ef.card(votes(), tmp_path / "card.txt")
    with pytest.raises(ValueError, match="`result` must be a floor, a verdict on a model"):
        ef.card([0.1])


def test_a_card_of_people_has_the_curve_and_the_order(tmp_path):
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 0.5, 400)
    models = {"good & new": (p > 0.5).astype(int), "bad": rng.integers(0, 2, 400)}
    found = ef.people(rng.binomial(5, p), 5, predictions=models)
    drawn = ef.card(found).svg
    texts = [one.text for one in ET.fromstring(drawn).iter() if one.tag.endswith("text")]
    best = f"{100 * found.best_possible.value:.1f} %"
    assert best in texts
    assert f"best possible {best}" in texts
    assert f"good & new {100 * found['good & new'].value:.1f} %" in texts
    assert any("The data show that good & new is better than bad." in one for one in texts)
    assert "is the worth of good & new" in texts
    ef.card(found, tmp_path / "card.png")
    assert (tmp_path / "card.png").read_bytes().startswith(b"\x89PNG")
    alone = ef.card(ef.people(rng.binomial(5, p), 5)).svg
    assert "is how often two people agree" in alone


def test_predictions_made_from_the_votes_have_no_card():
    rng = np.random.default_rng(0)
    votes = rng.binomial(5, rng.beta(0.5, 0.5, 400))
    found = ef.people(votes, 5, predictions={"copy": (votes > 2).astype(int)})
    assert found.refuted
    with pytest.raises(ValueError, match="A card shows an answer, and here is none"):
        ef.card(found)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "votes.csv"
    path.write_text("positives,total\n" + "".join(f"{k},3\n" for k in VOTES))
    return path


def run(*arguments, code=0, data=None):
    ran = CliRunner().invoke(cli, list(map(str, arguments)), input=data)
    assert ran.exit_code == code, ran.output
    return ran


def test_the_command_draws_a_card_with_or_without_a_model(file, tmp_path):
    run("card", file)
    assert ef.__version__ in (tmp_path / "votes-card.svg").read_text(encoding="utf-8")
    model = ("--model-errors", 200, "--test-items", 800)
    ran = run("card", file, *model, "-o", "card.png", "--dark", "--json")
    assert json.loads(ran.stdout)["result"]["output"] == "card.png"
    assert (tmp_path / "card.png").read_bytes().startswith(b"\x89PNG")


def test_the_card_of_several_models_compares_them_with_people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    demo.save("demo")
    models = ("demo/models.csv", "--prediction", "careful,hasty")
    ran = run("card", *models, "--json")
    assert json.loads(ran.stdout)["result"]["models"][0]["name"] == "careful"
    assert "is the worth of careful" in (tmp_path / "models-card.svg").read_text(encoding="utf-8")
    run("report", *models, "-o", "report.html")
    assert "is the worth of careful" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_no_card_is_drawn_of_what_the_data_refute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{p},{1 - y}\n" for p, y in zip(P, Y, strict=True))
    (tmp_path / "reversed.csv").write_text(f"score,label\n{rows}")
    ran = run("card", "reversed.csv", code=4)
    assert ran.stdout.startswith("No floor can be stated. The scores are reversed")
    assert [path.name for path in tmp_path.iterdir()] == ["reversed.csv"]


def test_a_report_needs_no_name_and_begins_with_the_gauge(file, tmp_path):
    run("report", file)
    page = (tmp_path / "votes-report.html").read_text(encoding="utf-8")
    assert page.index('class="headline"') < page.index("<dl>")
    run("report", file, "-o", "report.md")
    assert "0 % \N{DARK SHADE}" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_a_file_alone_is_a_question_about_its_floor(file):
    assert run(file).stdout == run("estimate", file).stdout
    assert run(file, "--json").stdout == run("estimate", file, "--json").stdout
    assert run("-", data=file.read_text()).stdout == run(file).stdout
    assert "There is no file" in run("nothing.csv", code=2).output


def test_a_command_wins_over_a_file_of_its_name(file, tmp_path):
    listed = run("metrics").stdout
    (tmp_path / "metrics").write_text(file.read_text())
    assert run("metrics").stdout == listed
    assert "average-precision" in listed


def test_help_shows_what_matters_and_the_rest_on_demand():
    short, long = run("estimate", "--help").stdout, run("estimate", "--help-all").stdout
    assert "--score" in short
    assert "--stopping" not in short
    assert "--help-all" in short
    assert set(re.findall(r"--[a-z-]+", short)) < set(re.findall(r"--[a-z-]+", long))
    assert "--stopping" in long


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_no_help_has_an_open_range(name):
    assert "None" not in run(name, "--help").stdout.replace("NONE", "")


def test_commands_stand_under_what_people_want_to_do():
    shown = run("--help").stdout
    heads = ["Start:", "Ask:", "Improve:", "Share:", "More:"]
    assert sorted(heads, key=shown.index) == heads
    assert all(re.search(rf"^  {name} ", shown, re.MULTILINE) for name in cli.commands)
