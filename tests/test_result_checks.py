"""The checks that every result carries: what they find, and how often they are wrong."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import binom

import errorfloor as ef
from errorfloor import checks
from errorfloor.apps.cli.commands import cli
from errorfloor.checks.order import area, chance_of_order, errors_saved
from errorfloor.results.finding import LEVELS
from errorfloor.show.report import summarize

N = 1000


def truth(curve, n=N, seed=0):
    """Return scores, and labels of which the curve gives the probabilities."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(size=n)
    return scores, rng.uniform(size=n) < curve(scores)


def hump(scores):
    return np.where((scores > 0.5) & (scores < 0.8), 0.9, 0.1)


def found(ask, *data, **options):
    """Return a result, and the warnings that came with it."""
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        result = ask(*data, **{"rng": 0, **options})
    return result, [one.message for one in issued]


def levels(result):
    return {one.name: one.level for one in result.findings}


SCORES, LABELS = truth(lambda p: p)
REFUTED = {
    "Reversed scores": (1 - SCORES, LABELS),
    "Falling probabilities": truth(hump),
    "Scores are the labels": (LABELS, LABELS),
    "Scores are predictions": (SCORES > 0.5, LABELS),
    "Scores are row numbers": (np.arange(N), np.sort(LABELS)),
}


@pytest.mark.parametrize("name", REFUTED)
def test_what_refutes_a_floor_takes_its_place_everywhere(name):
    floor, issued = found(ef.from_scores, *REFUTED[name])
    first = floor.findings[0]
    assert (first.name, first.level) == (name, "refuted")
    assert floor.refuted
    assert first.remedy
    assert first.text in floor.warnings
    refutations = [one for one in issued if isinstance(one, ef.RefutedWarning)]
    assert str(refutations[0]) == first.text
    record = json.loads(json.dumps(floor.to_dict()))
    assert record["refuted"] is True
    assert record["value"] == floor.value
    assert record["findings"][0]["name"] == name
    said = f"No floor can be stated. {first.text}"
    shown = f"{100 * floor.value:.2f}"
    assert str(floor) == said
    for page in (floor._repr_html_(), summarize(floor).to_markdown().split("## The data")[0]):
        assert "No floor can be stated" in page
        assert f"{shown} %" not in page
    verdict = ef.headroom(floor, errors=10, n=100)
    assert verdict.sentence.startswith("No verdict on the model")
    assert verdict.to_dict()["refuted"] is True
    assert str(verdict) == verdict.sentence
    assert first.remedy in summarize(verdict).to_markdown().replace("\\", "")


def test_good_data_have_no_warning_of_any_kind():
    floor, issued = found(ef.from_scores, SCORES, LABELS)
    assert not issued
    assert not floor.warnings
    assert not floor.refuted
    assert str(floor).count("\n") == 0
    assert {"Rising probabilities", "Direction of scores", "Class balance"} <= levels(floor).keys()


def test_what_is_doubtful_is_said_with_the_number():
    rng = np.random.default_rng(0)
    floor, issued = found(ef.from_scores, rng.uniform(size=N), rng.uniform(size=N) < 0.006)
    assert levels(floor)["Few positives"] == "warn"
    assert [type(one) for one in issued] == [ef.DoubtWarning]
    assert str(floor).splitlines()[1] == f"Warning: {floor.warnings[0]}"
    assert "<b>Warning:</b> There are only" in floor._repr_html_()


def test_a_doubt_that_was_said_on_the_way_is_not_said_again():
    floor, issued = found(ef.from_scores, SCORES, np.zeros(N))
    assert len(floor.warnings) == len(issued) == 1
    assert levels(floor)["One class"] == "warn"


def test_tiny_sets_are_noted_and_raise_no_alarm():
    floor, issued = found(ef.from_scores, [0.1, 0.2, 0.6, 0.7, 0.8], [0, 1, 0, 1, 1])
    assert not issued
    assert levels(floor)["Few positives"] == "note"


def test_methods_that_need_no_order_are_not_refuted_by_its_absence():
    for data, curves, level in (
        ((1 - SCORES, LABELS), False, "warn"),
        (truth(hump), True, "note"),
    ):
        rows, issued = found(ef.compare, *data, methods=["isotonic", "hist-10", "beta"])
        assert [row.refuted for row in rows] == [True, False, curves]
        assert level in levels(rows["hist-10"]).values()
        assert rows.main is rows["isotonic"]
        assert len(issued) == 1
        assert str(rows).splitlines()[1].split()[:2] == ["isotonic", "refuted"]
        assert rows.main.warnings[0] in str(rows)


def test_a_comparison_warns_of_its_main_method_only():
    scores = np.clip(SCORES, 0.45, 0.55)  # far from calibrated for a class that is rare
    labels = np.random.default_rng(1).uniform(size=N) < SCORES**4
    rows, issued = found(ef.compare, scores, labels, methods=["corrupted", "isotonic"])
    assert levels(rows["corrupted"])["Worse than guessing"] == "refuted"
    assert not rows.main.refuted
    assert not issued
    assert "corrupted: No floor is above the error of always" in str(rows)


def test_a_fall_that_changes_no_rule_is_a_warning():
    data = truth(lambda p: np.where(p < 0.3, 0.02, np.where(p < 0.6, 0.98, 0.75)), 4000)
    floor, _ = found(ef.from_scores, *data)
    assert levels(floor)["Falling probabilities"] == "warn"
    assert "hardly changes which rule is best" in str(floor)


def test_groups_that_are_refuted_are_marked():
    data = pd.DataFrame({"score": SCORES, "label": LABELS.astype(int)})
    data["site"] = np.where(np.arange(N) % 2, "a", "b")
    data.loc[data.site == "a", "score"] = 1 - data.score
    floors, _ = found(ef.from_scores, data, group="site")
    assert [row.refuted for row in floors.values()] == [True, False]
    lines = str(floors).splitlines()
    assert "refuted" in lines[1]
    assert lines[1].endswith("reversed scores")
    assert "%" not in lines[1]
    assert "%" in lines[2]
    page = summarize(floors).to_markdown()
    assert "No floor can be stated of 1 group." in page
    every, _ = found(ef.from_scores, data[data.site == "a"], group="site")
    assert "No floor can be stated of any group" in summarize(every).to_markdown()


def test_soft_labels_that_are_hard_refute_their_floor():
    floor, _ = found(ef.from_soft_labels, LABELS.astype(float))
    assert levels(floor)["Exact zeros and ones"] == "refuted"


def test_repeated_items_ids_and_labels_beside_votes_are_found_in_rows():
    votes = np.random.default_rng(0).binomial(3, SCORES)
    frame = pd.DataFrame({"id": np.arange(N) // 2, "score": SCORES, "label": LABELS.astype(int)})
    floor, _ = found(ef.from_scores, frame)
    assert floor.source.facts == {"repeated_items": N // 2}
    assert levels(floor)["Repeated items"] == "warn"
    floor, _ = found(ef.from_scores, frame, score="id", label="label")
    assert floor.source.facts["id_as_score"] == "id"
    assert floor.refuted
    voted = pd.DataFrame({"votes": votes, "total": 3, "gold": LABELS.astype(int)})
    floor, _ = found(ef.from_votes, voted)
    assert levels(floor)["Votes beside labels"] == "warn"
    assert not ef.from_votes(voted.drop(columns="gold")).warnings


def test_ranks_of_items_in_another_order_are_scores():
    ranks = np.argsort(np.argsort(SCORES)) + 1
    for data in ((ranks, LABELS), (pd.DataFrame({"score": ranks, "label": LABELS}),)):
        assert not ef.from_scores(*data, rng=0).refuted


# How often checks raise an alarm where there is none: probabilities that rise with the scores.
CLEAN = {
    "calibrated": lambda p: p,
    "distorted": lambda p: p**3,
    "certain or coin flips": lambda p: np.where(p < 0.5, 0.02, 0.5),
    "three steps": lambda p: np.where(p < 0.3, 0.0, np.where(p < 0.7, 0.5, 1.0)),
    "narrow": lambda p: np.where(p < 0.49, 0.0, np.where(p < 0.51, 0.5, 1.0)),
    "weak": lambda p: 0.4 + 0.2 * p,
    "rare": lambda p: 0.3 * p**2,
}


def alarms(estimate):
    return any(one.level in ("refuted", "warn") for one in checks.of(estimate))


@pytest.mark.parametrize("n", [40, 300, 3000])
def test_all_checks_together_rarely_raise_a_false_alarm(n):
    repeats = 60 if n == 3000 else 120
    for i, curve in enumerate(CLEAN.values()):
        raised = 0
        for seed in range(repeats):
            scores, labels = truth(curve, n, seed=[i, n, seed])
            if min(labels.sum(), n - labels.sum()) < 10:
                continue  # few positives are no false alarm
            scores = scores.round(2) if seed % 2 else scores
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ef.ErrorFloorWarning)
                raised += alarms(ef.from_scores(scores, labels, interval=None))
        assert raised <= binom.ppf(0.9999, repeats, 0.1)


def test_the_checks_of_votes_and_soft_labels_raise_no_false_alarm():
    raised = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        p = rng.beta(0.5, 0.5, size=200)
        raised += bool(ef.from_votes(rng.binomial(3, p), 3, interval=None).warnings)
        raised += bool(ef.from_soft_labels(p, interval=None).warnings)
    assert raised <= binom.ppf(0.9999, 80, 0.1)


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_the_test_of_order_holds_where_probabilities_are_all_equal(share):
    # The least favourable case: nothing rises, so nothing brings the noise nearer to its minorant.
    rng = np.random.default_rng(0)
    chances = []
    for _ in range(400):
        labels = rng.uniform(size=500) < share
        ones = np.cumsum(labels)
        chances.append(chance_of_order(np.arange(1, 501) - ones, ones))
    assert (np.array(chances) < 0.05).sum() <= binom.ppf(0.999, 400, 0.05)


def test_the_order_of_a_table_is_that_of_slow_code():
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores, labels = rng.integers(0, 12, size=80), rng.integers(0, 2, size=80)
        table = ef.ScoreTable.from_arrays(scores, labels)
        items = np.concatenate(([0], np.cumsum(table.items)))
        ones = np.concatenate(([0], np.cumsum(table.positives)))
        below = [
            min(
                ones[a] + (ones[b] - ones[a]) * (x - items[a]) / max(items[b] - items[a], 1)
                for a in range(len(items))
                for b in range(a, len(items))
                if items[a] <= x <= items[b]
            )
            for x in items
        ]
        share = labels.mean()
        x = max(ones - np.array(below)) / np.sqrt(80 * share * (1 - share))
        terms = (np.arange(1, 40) * x) ** 2
        chance = 2 * np.sum((4 * terms - 1) * np.exp(-2 * terms)) if x >= 1 else 1.0
        running = np.cumsum(table.counts, axis=0)
        assert chance_of_order(*running.T) == pytest.approx(chance)
        cuts = [(labels[scores > t] == 0).sum() + labels[scores <= t].sum() for t in range(-1, 12)]
        assert errors_saved(table)[1] == min(cuts)


def test_the_area_counts_pairs():
    scores, labels = np.array([1, 2, 2, 3, 5]), np.array([0, 1, 0, 0, 1])
    ones, zeros = scores[labels == 1], scores[labels == 0]
    pairs = (ones[:, None] > zeros).mean() + (ones[:, None] == zeros).mean() / 2
    assert area(ef.ScoreTable.from_arrays(scores, labels))[0] == pytest.approx(pairs)


def test_findings_come_with_the_gravest_first_and_every_check_says_what_it_asks():
    floor, _ = found(ef.from_scores, 1 - SCORES, LABELS)
    ranks = [LEVELS.index(one.level) for one in floor.findings]
    assert ranks == sorted(ranks)
    assert len({record.name for record in checks.RECORDS}) == len(checks.RECORDS)
    assert all(record.asks.endswith("?") for record in checks.RECORDS)
    assert sum(record.false_alarm for record in checks.RECORDS) <= 0.1


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"score": SCORES, "label": LABELS.astype(int)})
    frame.to_csv("good.csv", index=False)
    frame.assign(score=1 - SCORES).to_csv("reversed.csv", index=False)
    return tmp_path


def run(*words):
    return CliRunner().invoke(cli, [*words], standalone_mode=False)


@pytest.mark.parametrize(
    "words",
    [
        ("estimate", "FILE"),
        ("estimate", "FILE", "--attainable", "0.9"),
        ("compare", "FILE", "--method", "isotonic"),
        ("headroom", "FILE", "--model-errors", "1", "--test-items", "9", "--require", "beyond"),
        ("report", "FILE", "-o", "report.html"),
    ],
)
def test_a_refuted_answer_has_an_exit_code_of_its_own(files, words):
    done = CliRunner().invoke(cli, ["reversed.csv" if word == "FILE" else word for word in words])
    assert done.exit_code == 4
    assert "in reverse" in done.stdout
    assert "in reverse" not in done.stderr
    good = CliRunner().invoke(cli, ["good.csv" if word == "FILE" else word for word in words])
    assert good.exit_code in (0, 3)
    assert "warning" not in good.stderr


def test_json_keeps_the_refuted_value(files):
    done = CliRunner().invoke(cli, ["estimate", "reversed.csv", "--json", "--attainable", "0.9"])
    record = json.loads(done.stdout)
    assert done.exit_code == 4
    assert record["result"]["refuted"] is True
    assert record["result"]["value"] > 0.4
    assert record["passed"] is False
    assert any("in reverse" in one for one in record["remarks"])
    assert "no floor can be stated" in done.stderr
