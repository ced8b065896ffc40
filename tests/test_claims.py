"""What an answer claims: which limits are limits of any model, and what sentences say of it."""

import json
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

import errorfloor as ef
from errorfloor import intervals, methods
from errorfloor.apps.cli.commands import cli
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.signs import beats_every_cut
from errorfloor.methods.record import Classes
from errorfloor.show.recipe import command_line, python_code
from errorfloor.show.text import long_text_of

# Words that only an answer about any model may say.
TOO_MUCH = ("best possible", "any model can be", "leaked test set", "is at the limit")


@pytest.fixture(autouse=True)
def _doubts_are_welcome():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        yield


def two_features(n=600, seed=0):
    """Return scores that see one of two features, labels, and the true probabilities."""
    rng = np.random.default_rng(seed)
    seen, unseen = rng.normal(size=(2, n))
    p = 1 / (1 + np.exp(-2 * (seen + unseen)))
    return 1 / (1 + np.exp(-1.3 * seen)), (rng.random(n) < p).astype(int), p


def classes_of(n=400, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet((1.0, 1.0, 1.0), n)
    labels = np.array([rng.choice(3, p=row) for row in scores])
    return scores, labels


def answer(kind, **options):
    scores, labels, p = two_features()
    votes = np.random.default_rng(1).binomial(5, p)
    return {
        "votes": lambda: ef.from_votes(votes, 5, **options),
        "gold": lambda: ef.from_votes(votes, 5, labels=labels, rng=0, **options),
        "soft": lambda: ef.from_soft_labels(p, rng=0, **options),
        "scores": lambda: ef.from_scores(scores, labels, rng=0, **options),
        "classes": lambda: ef.from_scores(*classes_of(), rng=0, **options),
        "features": lambda: ef.from_features(np.c_[scores, p], labels, rng=0, **options),
        "agreement": lambda: ef.from_agreement(90, 100, **options),
    }[kind]()


CLAIMS = [
    ("votes", {}, "both", ""),
    ("votes", {"interval": "certified"}, "both", ""),
    ("votes", {"majority": 3}, "both", ""),
    ("votes", {"metric": "auc"}, "both", ""),
    ("votes", {"method": "plugin"}, "low", "the simple count of votes"),
    ("votes", {"method": "plugin", "metric": "brier"}, "low", "the simple count of votes"),
    ("votes", {"method": "plugin", "metric": "auc"}, "high", "the simple count of votes"),
    ("votes", {"method": "plugin", "majority": 3}, "none", "the simple count of votes"),
    ("soft", {}, "both", ""),
    ("scores", {}, "high", "the best threshold on these scores"),
    ("scores", {"method": "isotonic-cf", "interval": "certified"}, "high", None),
    ("scores", {"metric": "auc"}, "low", "the ranking by these scores"),
    ("scores", {"metric": "f1"}, "low", "the best threshold on these scores"),
    ("scores", {"metric": "brier"}, "high", "the best monotone calibration of these scores"),
    ("scores", {"metric": "error-at-coverage", "at": 0.8}, "high", None),
    ("scores", {"metric": "coverage-at-error", "at": 0.2}, "low", None),
    ("scores", {"interval": "bca"}, "none", "the best threshold on these scores"),
    ("scores", {"method": "beta"}, "none", "the best rule on these scores"),
    ("scores", {"method": "hist-10"}, "none", "the best rule on these scores"),
    ("scores", {"method": "corrupted"}, "none", "the best rule on these scores"),
    ("scores", {"method": "beta", "interval": "certified"}, "high", None),
    ("scores", {"interval": None}, "none", "the best threshold on these scores"),
    ("scores", {"complete": True}, "both", ""),
    ("scores", {"complete": True, "method": "beta"}, "both", ""),
    ("scores", {"complete": True, "metric": "auc"}, "both", ""),
    (
        "classes",
        {},
        "high",
        "the best weighting of these scores",
    ),
    ("classes", {"method": "top1"}, "high", "choosing the class with the largest of these scores"),
    ("classes", {"complete": True}, "both", ""),
    ("gold", {}, "high", "the best threshold on these shares of votes"),
    ("gold", {"metric": "auc"}, "low", "the ranking by these shares of votes"),
    (
        "features",
        {},
        "high",
        "predicting each item with the model that was best on the items before it",
    ),
    ("features", {"method": "1nn"}, "none", None),
    ("agreement", {}, "both", ""),
]


@pytest.mark.parametrize(("kind", "options", "limits", "best_of"), CLAIMS)
def test_data_method_and_interval_decide_what_is_claimed(kind, options, limits, best_of):
    found = answer(kind, **options)
    assert found.claim.limits == limits
    assert best_of is None or found.claim.best_of == best_of
    kept = found.to_dict()["claim"]
    assert kept["limits"] == limits
    assert kept["sentence"] == found.claim.sentence
    json.dumps(kept)


@pytest.mark.parametrize(("kind", "options", "limits", "best_of"), CLAIMS)
def test_only_an_answer_about_any_model_is_called_the_best_possible(kind, options, limits, best_of):
    found = answer(kind, **options)
    said = [found.sentence, str(found), long_text_of(found), found._repr_html_()]
    bounded = not found.claim.any_model
    for text in said:
        if bounded and found.claim.sees:
            assert not any(words in text for words in TOO_MUCH), text
    assert str(found).startswith(f"{found.measure.limit} ") == (
        found.claim.any_model or limits in ("low", "high") or kind == "features"
    )


def score_questions():
    """Yield every method of scores with each of its intervals and metrics."""
    for method in methods.reading(ScoreTable.kind, classes=None, metric=None):
        for kind in intervals.of(method):
            for metric in method.metrics:
                yield method.classes, metric, method.name, kind


MORE = {
    "cost": {"costs": (1, 5)},
    "error-at-coverage": {"at": 0.8},
    "coverage-at-error": {"at": 0.3},
}


@pytest.mark.parametrize(("classes", "metric", "method", "kind"), list(score_questions()))
def test_no_score_method_claims_both_sides_unless_scores_are_complete(
    classes, metric, method, kind
):
    options = {"metric": metric, "method": method, "interval": kind, **MORE.get(metric, {})}
    scores, labels, _ = two_features(200)
    if classes is Classes.MANY:
        scores, labels = classes_of(200)
        options |= {"costs": 1 - np.eye(3)} if metric == "cost" else {}
    found = ef.from_scores(scores, labels, rng=0, n_resamples=50, **options)
    assert found.claim.limits in ("none", "high" if found.measure.less_is_better else "low")
    assert found.claim.any_model is False
    held = found.claim.reachable(found.measure)
    assert (found.reachable is not None) == held
    declared = ef.from_scores(scores, labels, rng=0, n_resamples=50, complete=True, **options)
    assert declared.claim.limits == "both"
    assert declared.claim.condition.startswith("these scores are complete and ")
    assert (found.value, found.low, found.high) == (declared.value, declared.low, declared.high)


def test_headlines_lead_with_the_limit_that_holds():
    found = answer("scores")
    reach = (
        f"An accuracy of at least {100 * (1 - found.high) // 1:.0f} % on these labels is reachable"
    )
    assert found.sentence.startswith(reach)
    assert "the estimate for the best threshold on these scores is" in found.sentence
    assert "A model that sees more than these scores may do better." in found.sentence
    most = f"floor at most {-(-100 * found.high // 1):.0f} % with 95 % confidence; "
    assert str(found).startswith(most)
    assert answer("scores", metric="auc").sentence.startswith("An AUC of at least ")
    assert answer("scores", metric="brier").sentence.startswith("A Brier score of at most ")
    assert answer("soft").sentence.startswith("If these are the true probabilities, the best ")
    declared = answer("scores", complete=True).sentence
    assert declared.startswith("If these scores are complete and in the right order, the best ")
    many = answer("classes", complete=True).sentence
    assert many.startswith("If these scores are complete and right up to one weight per class, ")


def test_the_command_line_says_how_to_get_the_floor_itself():
    assert "To get the floor itself and not only a limit, collect votes" in long_text_of(
        answer("scores")
    )
    assert "add --complete" in long_text_of(answer("scores"))
    assert "--complete" not in long_text_of(answer("gold"))
    assert "add --label-is-vote" in long_text_of(answer("gold"))
    assert "To get the floor itself" not in long_text_of(answer("scores", complete=True))


def test_scores_that_were_tried_assume_nothing_of_the_scores():
    assert "The scores need not be calibrated" in answer("scores").assumptions
    assert "order the items" in answer("scores", complete=True).assumptions
    assert "order the items" in answer("scores", interval="bca").assumptions


# What people declare


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda data: ef.headroom(data, 3, 10, positives="k", totals=5, complete=True), "votes"),
        (lambda data: ef.headroom(data, 3, 10, soft="p", complete=True), "soft labels"),
    ],
)
def test_complete_is_about_scores(call, what):
    import pandas as pd

    frame = pd.DataFrame({"k": [0, 2, 5, 4], "p": [0.1, 0.4, 0.9, 0.8]})
    with pytest.raises(ef.InputError, match=f"`complete` is about scores.*These are {what}"):
        call(frame)


def test_what_was_declared_is_part_of_the_recipe(tmp_path):
    import pandas as pd

    scores, labels, _ = two_features()
    path = tmp_path / "scores.csv"
    pd.DataFrame({"score": scores, "label": labels}).to_csv(path, index=False)
    found = ef.from_scores(path, complete=True, rng=0)
    assert "complete=True" in python_code(found)
    assert "--complete" in command_line(found)
    again = CliRunner().invoke(cli, [*command_line(found).split()[1:], "--json"])
    assert json.loads(again.stdout)["result"]["claim"]["limits"] == "both"
    assert "complete" not in python_code(ef.from_scores(path, rng=0))


def test_groups_comparisons_confusions_and_plans_keep_to_the_claim():
    import pandas as pd

    scores, labels, _ = two_features()
    frame = pd.DataFrame({"score": scores, "label": labels, "half": np.arange(600) % 2})
    groups = ef.from_scores(frame, score="score", label="label", group="half", rng=0)
    compared = ef.compare(scores, labels, methods=["isotonic", "beta"], rng=0)
    planned = ef.plan(ScoreTable.from_arrays(scores, labels), target=0.05)
    confused = ef.confusion(ef.from_scores(*classes_of(), rng=0))
    for text in (groups.sentence, compared.sentence, planned.sentence, confused.sentence):
        assert not any(words in text for words in (*TOO_MUCH, "any model makes")), text
    assert "it cannot fall below what the best threshold on these scores gets" in planned.sentence
    assert "errors confuse" in confused.sentence
    declared = ef.confusion(ef.from_scores(*classes_of(), rng=0, complete=True))
    assert "errors that any model makes" in declared.sentence


# A model next to a bound


def test_the_bayes_rule_of_more_features_is_never_accused():
    for seed in range(40):
        scores, labels, p = two_features(400, seed)
        floor = ef.from_scores(scores, labels, rng=0)
        wrong = int(np.sum((p > 0.5) != labels))
        verdict = ef.headroom(floor, wrong, 400)
        assert verdict.verdict == "better"
        assert not any(words in long_text_of(verdict) for words in TOO_MUCH)
        assert "this comparison cannot tell which" in verdict.sentence


def test_an_oracle_beside_votes_with_a_gold_label_is_never_accused():
    rng = np.random.default_rng(0)
    for votes in (3, 5):
        p = rng.beta(0.8, 0.8, 3000)
        gold = (rng.random(3000) < p).astype(int)
        floor = ef.from_votes(rng.binomial(votes, p), votes, labels=gold, rng=0)
        verdict = ef.headroom(floor, int(np.sum((p > 0.5) != gold)), 3000)
        assert verdict.verdict in ("matches", "better")
        assert not any(words in long_text_of(verdict) for words in TOO_MUCH)


def test_what_can_be_gained_is_at_least_something_where_the_claim_is_one_sided():
    floor = answer("scores")
    worse = ef.headroom(floor, 450, 1000)
    assert worse.verdict == "room"
    assert "can still gain at least" in worse.sentence
    same = ef.headroom(floor, round(1000 * floor.value), 1000)
    assert same.verdict == "matches"
    assert "may be as good as the best threshold on these scores" in same.sentence
    assert "may do better" in same.sentence


def test_limits_that_bound_no_model_leave_the_question_open():
    for options in ({"method": "beta"}, {"interval": "bca"}):
        floor = answer("scores", **options)
        for errors in (50, round(1000 * floor.value), 480):
            assert ef.headroom(floor, errors, 1000).verdict == "open"
    low = answer("votes", method="plugin", rng=0)
    assert ef.headroom(low, 400, 1000, same_labelling=True).verdict == "open"
    assert ef.headroom(low, 1, 1000, same_labelling=True).verdict == "beyond"


def test_features_show_room_but_never_that_there_is_none():
    floor = answer("features")
    assert ef.headroom(floor, 480, 1000).verdict == "room"
    assert ef.headroom(floor, round(1000 * floor.value), 1000).verdict == "matches"
    with pytest.raises(ef.InputError, match="gives no limit to compare with"):
        ef.headroom(answer("features", method="1nn"), 10, 100)


def test_complete_scores_are_judged_from_both_sides():
    floor = answer("scores", complete=True)
    verdict = ef.headroom(floor, 10, 1000)
    assert verdict.verdict == "beyond"
    assert "or doubt that these scores are complete and in the right order" in verdict.sentence
    assert ef.headroom(floor, round(1000 * floor.value), 1000).verdict == "saturated"


# Whether the scores miss information


def pair_of(scores, labels, predictions):
    return tuple(
        ScoreTable.from_arrays(scores[at], labels[at]) if at.any() else ScoreTable.empty()
        for at in (~predictions, predictions)
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_test_of_information_is_the_largest_of_all_mcnemar_tests(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 12, 60) / 12
    labels, predictions = rng.random((2, 60)) < 0.5
    found = []
    for cut in (-1.0, *np.unique(scores)):
        by_cut = scores > cut
        differ = by_cut != predictions
        won, n = int(np.sum(differ & (predictions == labels))), int(differ.sum())
        found.append(binomtest(won, n, alternative="greater").pvalue if n else 1.0)
    _, p = beats_every_cut(*pair_of(scores, labels.astype(int), predictions))
    assert p == pytest.approx(max(found), abs=1e-12)


def test_information_that_scores_miss_is_found_and_seldom_seen_where_there_is_none():
    caught = false = 0
    for seed in range(60):
        scores, labels, p = two_features(500, seed)
        caught += beats_every_cut(*pair_of(scores, labels, p > 0.5))[1] <= 0.025
        # The best rule on the scores, and labels that know nothing else.
        own = (np.random.default_rng(seed + 99).random(500) < scores).astype(int)
        false += beats_every_cut(*pair_of(scores, own, scores > 0.5))[1] <= 0.025
    assert caught == 60
    assert false == 0


def test_predictions_on_the_same_items_say_whether_the_scores_miss_something():
    scores, labels, p = two_features(800)
    found = ef.headroom(scores, labels=labels, predictions=(p > 0.5).astype(int), rng=0)
    assert found.verdict == "better"
    assert found.information.p < 1e-6
    assert "McNemar's test against every threshold" in found.sentence
    assert found.to_dict()["information"]["p"] == found.information.p
    cut = ef.headroom(scores, labels=labels, predictions=(scores > 0.5).astype(int), rng=0)
    assert cut.information.p == 1
    declared = {"complete": True, "labels": labels, "predictions": (scores > 0.5).astype(int)}
    assert ef.headroom(scores, rng=0, **declared).information is None


# Gates


@pytest.fixture
def file(tmp_path):
    import pandas as pd

    scores, labels, _ = two_features()
    pd.DataFrame({"score": scores, "label": labels}).to_csv(tmp_path / "scores.csv", index=False)
    return str(tmp_path / "scores.csv")


def test_gates_compare_the_limit_that_holds(file):
    found = ef.from_scores(file, rng=0)
    between = (found.value + found.high) / 2
    for limit, code in ((found.high + 1e-6, 0), (between, 3), (found.value - 0.01, 3)):
        ran = CliRunner().invoke(cli, ["estimate", file, "--attainable", f"{limit:.8f}"])
        assert ran.exit_code == code
        assert ("does not show that it is at" in ran.stderr) == bool(code)
    declared = ["estimate", file, "--complete", "--attainable", f"{between:.8f}"]
    assert CliRunner().invoke(cli, declared).exit_code == 0
    none = ["estimate", file, "--method", "beta", "--attainable", "0.45"]
    assert "no limit holds for any model" in CliRunner().invoke(cli, none).stderr


def test_old_names_of_verdicts_are_accepted_for_bounds(file):
    floor = ef.from_scores(file, rng=0)
    model = ["--model-errors", str(round(1000 * floor.value)), "--test-items", "1000"]
    for name, code in (("saturated", 0), ("matches", 0), ("room", 3), ("better", 3)):
        ran = CliRunner().invoke(cli, ["headroom", file, *model, "--require", name])
        assert ran.exit_code == code, name
