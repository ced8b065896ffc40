"""Results behave like numbers where people expect it, and names that people would guess work."""

import copy
import inspect
import math
import pickle
import typing
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

import errorfloor as ef
from errorfloor import metrics
from errorfloor.apps.cli.commands import cli
from errorfloor.metrics.choice import MetricChoice

pytestmark = [pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")]
SOFT = [0.1, 0.4, 0.8, 0.95]


def test_an_estimate_is_a_number_where_one_is_needed():
    found = ef.from_soft_labels(SOFT)
    assert float(found) == found.value
    assert f"{found:.3f}" == f"{found.value:.3f}"
    assert f"{found:.1%}" == f"{found.value:.1%}"
    assert f"{found}" == str(found)
    assert np.mean([float(found), float(found)]) == found.value


def one_sided(**asked):
    rng = np.random.default_rng(0)
    scores = rng.random(400).round(3)
    return ef.from_scores(scores, rng.random(400) < scores, **asked)


def test_a_format_states_what_is_claimed_rounded_so_that_it_stays_true():
    found = one_sided()
    assert found.claim.limits == "high"
    assert f"{found:.1%}" == f"at most {math.ceil(1000 * found.high) / 10:.1f}%"
    assert f"{found:.3f}" == f"at most {math.ceil(1000 * found.high) / 1000:.3f}"
    assert f"{found:.3g}" == f"at most {found.high:.3g}"
    ceiling = one_sided(metric="auc")
    assert f"{ceiling:.2f}" == f"at least {math.floor(100 * ceiling.low) / 100:.2f}"
    bare = one_sided(interval=None)
    assert f"{bare:.1%}" == f"{bare.value:.1%} (no limit)"


def test_what_the_data_refute_is_no_number():
    scores = np.linspace(0.01, 0.99, 200)
    found = ef.from_scores(1 - scores, scores > 0.5)
    assert found.refuted
    assert f"{found:.1%}" == "refuted"
    assert math.isnan(float(found))
    assert found.to_dict()["value"] == found.value  # the raw number, next to refuted=True
    for compare in (lambda: found < 0.2, lambda: found > one_sided(), lambda: found < found):
        with pytest.raises(ef.InputError, match="No floor can be stated here, so there is nothing"):
            compare()
    with pytest.raises(ef.InputError, match="nothing to compare"):
        sorted([one_sided(), found])


def test_estimates_are_compared_with_numbers_and_with_each_other_by_their_values():
    low, high = ef.from_soft_labels([0.05] * 9), ef.from_soft_labels([0.4] * 9)
    assert low < 0.1 < high
    assert high > low
    assert low <= low <= 0.1 <= high
    assert high >= low
    assert sorted([high, low]) == [low, high]
    assert max(low, high) is high
    assert low != 0.05  # results equal results only, and themselves
    with pytest.raises(TypeError):
        _ = low < "0.1"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("accuracy", "error"),
        ("balanced_accuracy", "balanced-error"),
        ("roc_auc", "auc"),
        ("AUROC", "auc"),
        ("ap", "average-precision"),
        ("f1_score", "f1"),
        ("matthews_corrcoef", "mcc"),
        ("brier_score", "brier"),
        ("cross-entropy", "log-loss"),
    ],
)
def test_metrics_are_found_by_the_names_that_people_know(name, meant):
    assert MetricChoice(name).metric == meant
    found = ef.from_soft_labels(SOFT, metric=name)
    assert (found.metric, found.value) == (meant, ef.from_soft_labels(SOFT, metric=meant).value)


def test_no_metric_has_the_name_of_another():
    names = [name for one in metrics.METRICS for name in (one.name, *one.other_names)]
    assert len(set(names)) == len(names)


def test_a_model_may_be_given_by_its_accuracy(tmp_path):
    floor = ef.from_soft_labels(SOFT * 50)
    assert ef.headroom(floor, accuracy="70%", n=500).model_error == pytest.approx(0.3)
    by_error = ef.headroom(floor, model_error=0.3, n=500)
    assert ef.headroom(floor, accuracy=0.7, n=500).difference == pytest.approx(by_error.difference)
    with pytest.raises(ValueError, match="`accuracy` and `model_error` are both given"):
        ef.headroom(floor, accuracy=0.7, model_error=0.3, n=500)
    with pytest.raises(ValueError, match="`accuracy` must"):
        ef.headroom(floor, accuracy=70, n=500)
    path = tmp_path / "soft.csv"
    path.write_text("soft\n" + "".join(f"{p}\n" for p in SOFT * 50))
    given = ["--test-items", "500", "--json"]
    outputs = [
        CliRunner().invoke(cli, ["headroom", str(path), *model, *given]).stdout
        for model in (["--model-accuracy", "70%"], ["--model-error", "0.3"])
    ]
    assert outputs[0] == outputs[1] != ""
    both = ["--model-accuracy", "0.7", "--model-error", "0.3"]
    ran = CliRunner().invoke(cli, ["headroom", str(path), *both, *given])
    assert ran.exit_code == 2
    assert "either --model-errors, --model-error or --model-accuracy" in ran.output


RNG = np.random.default_rng(0)
SCORES = RNG.random(300).round(3)
LABELS = (RNG.random(300) < SCORES).astype(int)
WORDS = np.where(LABELS, "spam", "ham")


def all_results():
    """Yield a result of every kind."""
    pd = pytest.importorskip("pandas")
    votes = RNG.binomial(5, SCORES)
    shares = RNG.dirichlet([1, 1, 1], 200)
    labels = np.array([RNG.choice(3, p=one) for one in shares])
    rows = pd.DataFrame({"score": SCORES, "label": LABELS, "batch": LABELS[::-1]})
    cast = [(i, j, int(RNG.random() < SCORES[i])) for i in range(80) for j in range(4)]
    ballots = pd.DataFrame(cast, columns=["item", "annotator", "vote"])
    floor, by_batch = ef.from_votes(votes, 5), ef.from_scores(rows, group="batch")
    yield from (floor, by_batch, ef.from_scores(SCORES, LABELS), ef.from_soft_labels(SCORES))
    yield from (ef.headroom(floor, 60, 300), ef.headroom(by_batch, 40, 300))
    yield from (ef.compare(SCORES, LABELS, n_resamples=20), ef.annotators(ballots))
    yield from (ef.items(votes, 5), ef.items(counts=RNG.multinomial(4, shares)))
    yield from (ef.plan(ef.VoteTable.from_arrays(votes, [5] * 300)), ef.look(rows))
    yield from (ef.plan_labels(SCORES, budget=9), ef.people(ballots))
    yield from (ef.difference(floor, ef.from_votes(votes[:99], 5)), ef.from_agreement(460, 500))
    yield ef.compare(labels=LABELS, predictions={"a": SCORES, "b": SCORES[::-1]})
    yield ef.from_ratings(RNG.normal(size=(40, 1)) + RNG.normal(size=(40, 3)))
    yield ef.from_features(RNG.normal(size=(60, 2)), LABELS[:60])
    yield ef.feebee(SCORES, LABELS, model_error=0.2, levels=3, repeats=2, methods=["isotonic"])
    yield ef.confusion(ef.ScoreTable.from_arrays(shares, labels))
    yield from (ef.reliability(SCORES, LABELS), ef.reliability(shares, labels))
    yield from (ef.calibrate(SCORES, LABELS), ef.calibrate(shares, labels))


@pytest.fixture(scope="module")
def results():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(all_results())
    kinds = {type(one).__name__ for one in found}
    public = {name for name in dir(ef.results) if hasattr(getattr(ef.results, name), "to_frame")}
    assert public <= kinds  # so no kind of result is left out
    return found


def test_every_result_comes_back_from_a_pickle(results):
    for one in results:
        again = pickle.loads(pickle.dumps(one))
        assert again.to_dict() == one.to_dict()
        assert str(again) == str(one) or "Reliability" in str(one) or "Calibration" in str(one)


def test_results_are_equal_to_results_that_say_the_same_and_to_nothing_else(results):
    shown = [one for one in results if hasattr(one, "to_frame")]
    for one in shown:
        again = copy.deepcopy(one)
        assert again == one
        assert hash(again) == hash(one)
        assert one not in (0.1, None, "floor")
        assert sum(one == other for other in shown) == 1
    first, second = (ef.from_scores(SCORES, LABELS) for _ in range(2))
    assert first == second
    assert first != ef.from_scores(SCORES, LABELS, level=0.9)
    assert first != first.value


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_every_result_can_be_had_as_rows(results, backend):
    pytest.importorskip(backend)
    for one in results:
        if hasattr(one, "to_frame"):
            frame = one.to_frame(backend)
            assert type(frame).__module__.startswith(backend)
    one_row = results[0].to_frame("pandas").to_dict("records")
    assert [row["value"] for row in one_row] == [results[0].value]
    plan = next(one for one in results if isinstance(one, ef.Plan)).to_frame("pandas")
    assert list(plan) == ["votes", "items", "width", "bias"]
    assert len(plan) == 25


def test_every_result_gives_its_numbers_to_trackers(results):
    for one in results:
        if hasattr(one, "to_metrics"):
            assert all(type(value) is float for value in one.to_metrics().values())


def test_a_reliability_curve_says_what_it_found_and_has_a_row_for_each_score():
    pytest.importorskip("pandas")
    curve = ef.reliability([0.1, 0.4, 0.9] * 50, [0, 0, 1, 0, 1, 1] * 25)
    assert (
        str(curve)
        == curve.sentence
        == (
            "The fitted probability of class 1 goes from 0 to 100 % for scores from 0.1 to 0.9 "
            "(isotonic, 150 items)."
        )
    )
    frame = curve.to_frame("pandas")
    assert list(frame) == ["score", "probability", "low", "high"]
    assert frame["high"].tolist() == curve.high.tolist()
    falling = ef.reliability(1 - SCORES, SCORES > 0.5)
    assert falling.sentence.endswith("somewhere the probability falls as the score rises.")
    many = ef.reliability(np.eye(3)[[0, 1, 2] * 40] * 0.5 + 0.2, [0, 1, 2] * 40)
    assert "that the likeliest class is right" in many.sentence
    assert set(many.to_frame("pandas")["curve"]) == {"likeliest class", "0", "1", "2"}


def test_results_draw_themselves(results):
    plt = pytest.importorskip("matplotlib.pyplot")
    from matplotlib.figure import Figure

    drawn = set()
    for one in results:
        if not hasattr(one, "plot"):
            continue
        ax = Figure().add_subplot()
        try:
            assert one.plot(ax=ax) is ax
            drawn.add(type(one).__name__)
        except ef.InputError as error:
            assert f"no picture of a {type(one).__name__}" in str(error)  # noqa: PT017
    assert drawn >= {"Estimate", "VotesEstimate", "Verdict", "Comparison", "People", "Plan"}
    assert drawn >= {"Reliability", "ClassReliability"}
    texts = [one.get_text() for one in results[4].plot().texts]
    assert any("your model 80" in text for text in texts)
    plt.close("all")


def test_a_refuted_answer_is_not_drawn():
    scores = np.repeat([0.0, 1.0], 200)
    refuted = ef.from_scores(scores, scores.astype(int))
    assert refuted.refuted
    with pytest.raises(ValueError, match="here is none"):
        refuted.plot()


def by_arrays(labels, **more):
    return ef.from_scores(SCORES, labels, **more)


@pytest.mark.parametrize(
    ("labels", "more"),
    [
        (WORDS, {"positive": "spam"}),
        (WORDS, {}),  # a common pair
        (list(WORDS), {"positive": "spam"}),
        (WORDS.astype(object), {}),
        (np.where(LABELS, "x", "z"), {"positive": "x"}),
        (2 * LABELS - 1, {}),
        (2.0 * LABELS - 1, {}),
        (LABELS + 1, {"positive": 2}),
        (LABELS + 1, {"positive": "2"}),
        (LABELS * 3 + 1, {"positive_from": 2.5}),
        ([bool(one) for one in LABELS], {}),
    ],
)
def test_labels_beside_arrays_may_be_words_and_other_numbers_as_in_dataframes(labels, more):
    pd = pytest.importorskip("pandas")
    usual = by_arrays(LABELS)
    rows = pd.DataFrame({"score": SCORES, "label": labels})
    for found in (
        by_arrays(labels, **more),
        by_arrays(pd.Series(labels), **more),
        ef.from_scores(rows, **more),
    ):
        assert (found.value, found.low, found.high) == (usual.value, usual.low, usual.high)


@pytest.mark.parametrize(
    ("one", "zero", "more"),
    [
        ("spam", "ham", {}),
        ("x", "z", {"positive": "x"}),
        (1, -1, {}),
        (1.0, -1.0, {}),
        (True, False, {}),
    ],
)
def test_a_models_labels_may_be_words_and_signs_as_well(one, zero, more):
    def written(ones):
        return np.where(ones, one, zero)

    model = SCORES > 0.6
    beside, usual = (
        ef.headroom(SCORES, labels=labels, predictions=chosen, **given)
        for labels, chosen, given in (
            (written(LABELS), written(model), more),
            (LABELS, model, {}),
        )
    )
    assert (beside.low, beside.high, beside.p_room) == (usual.low, usual.high, usual.p_room)
    for metric, name, given in (
        ("error", "predictions", written(model)),
        ("auc", "model_scores", SCORES**2),
    ):
        floor = ef.from_scores(SCORES, written(LABELS), metric=metric, **more)
        plain = {"labels": LABELS, name: model if name == "predictions" else given}
        usual = ef.headroom(ef.from_scores(SCORES, LABELS, metric=metric), **plain)
        own = {"labels": written(LABELS), name: given}
        for found in (ef.headroom(floor, **own), ef.headroom(floor, **own, **more)):
            assert (found.low, found.high) == (usual.low, usual.high)
    partly = written(LABELS).astype(object)
    partly[::2] = None
    numbers = np.where(np.arange(300) % 2, LABELS, np.nan)
    plan = ef.plan_labels(SCORES, partly, budget=20, **more)
    assert plan.width == ef.plan_labels(SCORES, numbers, budget=20).width


def test_predictions_in_other_words_than_the_labels_are_refused():
    floor = ef.from_scores(SCORES, LABELS)
    for data in (SCORES, floor):
        with pytest.raises(ValueError, match="has eggs, and the labels are ham, spam"):
            ef.headroom(data, labels=WORDS, predictions=np.where(SCORES > 0.5, "spam", "eggs"))
        words = np.where(LABELS, "x", "z")
        with pytest.raises(ValueError, match="`positive='x'`"):
            ef.headroom(data, labels=words, predictions=words)
    with pytest.raises(ValueError, match="`positive` goes with data"):
        ef.headroom(floor, 10, 100, positive="spam")


def test_words_stay_missing_where_they_are():
    words = WORDS.astype(object)
    words[::7] = None
    with pytest.raises(ValueError, match="drop_missing=True"):
        by_arrays(words)
    kept = by_arrays(words, drop_missing=True)
    there = np.array([one is not None for one in words])
    assert kept.value == ef.from_scores(SCORES[there], LABELS[there]).value
    assert kept.dropped == np.count_nonzero(~there)
    assert by_arrays(words, unlabelled=True).n_unlabelled == np.count_nonzero(~there)


def test_which_class_is_1_is_asked_where_nothing_tells():
    with pytest.raises(ValueError, match="highest for x") as raised:
        by_arrays(np.where(LABELS, "x", "z"))
    assert "`positive='x'`" in str(raised.value)
    with pytest.raises(ValueError, match="no label is"):
        by_arrays(WORDS, positive="eggs")
    with pytest.raises(ValueError, match="one of them is 'ham'"):
        by_arrays(WORDS, positive_from=1)
    with pytest.raises(ValueError, match="must be 0 or 1"):
        by_arrays(LABELS + 1)


def test_labels_next_to_votes_may_be_words():
    votes = RNG.binomial(5, SCORES)
    usual = ef.from_votes(votes, 5, labels=LABELS)
    for labels, more in ((WORDS, {}), (WORDS, {"positive": "spam"}), (2 * LABELS - 1, {})):
        assert ef.from_votes(votes, 5, labels=labels, **more).value == usual.value


@pytest.mark.parametrize("labels", [LABELS, 2 * LABELS - 1, WORDS, LABELS.astype(bool)])
@pytest.mark.parametrize(
    "ask", [ef.from_scores, ef.compare, ef.reliability, ef.calibrate, ef.plan_labels]
)
def test_labels_in_the_place_of_scores_are_refused_and_never_swapped(ask, labels):
    with pytest.raises(ValueError, match=r"Pass the scores first .* scikit-learn's metrics"):
        ask(labels, SCORES)
    with pytest.raises(ValueError, match=r"Pass the scores first .* scikit-learn's metrics"):
        ef.headroom(labels, labels=SCORES, predictions=LABELS)


def test_scores_of_many_classes_in_the_place_of_labels_are_refused():
    with pytest.raises(ValueError, match="Pass the scores first"):
        ef.from_scores(RNG.integers(0, 3, 50), RNG.dirichlet([1, 1, 1], 50))
    # Whole numbers are scores like others, and 0 and 1 in both places cannot be told.
    assert ef.from_scores(RNG.integers(0, 9, 50), LABELS[:50]).n == 50
    assert ef.from_scores(LABELS[:50], LABELS[-50:]).n == 50


def test_features_in_a_dataframe_go_with_labels_next_to_it():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    points = RNG.normal(size=(120, 3)) + LABELS[:120, None]
    usual = ef.from_features(points, LABELS[:120])
    frame, labels = pd.DataFrame(points, columns=list("abc")), pd.Series(LABELS[:120])
    for x, y in (
        (frame, labels),
        (frame, LABELS[:120].tolist()),
        (pl.DataFrame(points), pl.Series(LABELS[:120])),
    ):
        assert ef.from_features(x, y).value == usual.value
    assert ef.from_features(frame, labels.map({0: "a", 1: "b"})).classes == ("a", "b")
    with pytest.raises(ValueError, match="same index in different orders"):
        ef.from_features(frame, labels.sort_values())
    with pytest.raises(ValueError, match="both say what the labels are"):
        ef.from_features(frame.assign(label=labels), labels, label="label")
    with pytest.raises(ValueError, match="goes with arrays, and with dataframes"):
        ef.from_features(pl.DataFrame(points).lazy(), labels)


class Dataset:
    """A Hugging Face dataset, as far as its rows go: shuffled ones keep their table."""

    def __init__(self, table, features, order=None):
        self.table, self.features, self.order = table, features, order

    @property
    def column_names(self):
        return self.table.column_names

    def __len__(self):
        return len(self.table)

    def with_format(self, kind):
        assert kind == "arrow"
        return self

    def __getitem__(self, rows):
        return self.table[rows] if self.order is None else self.table.take(self.order)


class Stream:
    column_names = ("score", "label")

    def __iter__(self):
        return iter(())


class Splits(dict):
    column_names = ()


def test_a_hugging_face_dataset_is_a_dataframe():
    pa = pytest.importorskip("pyarrow")
    labels = LABELS.copy()
    table = pa.table({"score": SCORES, "label": labels})
    plain = dict.fromkeys(("score", "label"), object())
    usual = ef.from_scores(SCORES, LABELS)
    for order in (None, np.arange(300)[::-1]):
        assert ef.from_scores(Dataset(table, plain, order)).value == usual.value
    labels[:5] = -1  # what such datasets have for a label that is missing
    named = plain | {"label": SimpleNamespace(names=["ham", "spam"])}
    partly = Dataset(pa.table({"score": SCORES, "label": labels}), named)
    with pytest.raises(ValueError, match="missing values: 5 of 300"):
        ef.from_scores(partly)
    assert ef.from_scores(partly, drop_missing=True).dropped == 5
    with pytest.raises(ValueError, match=r"several splits: train, test.*dataset\['train'\]"):
        ef.from_scores(Splits(train=table, test=table))
    with pytest.raises(ValueError, match="is streamed"):
        ef.from_scores(Stream())


@pytest.mark.parametrize(
    ("keyword", "hint"),
    [
        ({"seed": 1}, "Write rng=1."),
        ({"random_state": 42}, "Write rng=42."),
        ({"alpha": 0.05}, "Write level=0.95 for alpha=0.05."),
        ({"sample_weight": [1, 2]}, "It is called 'weight' here."),
        ({"pos_label": "spam"}, "Write positive='spam'."),
        ({"metrik": "f1"}, "Did you mean 'metric'?"),
        ({"zzz": 1}, "'zzz'."),
    ],
)
def test_keywords_of_other_libraries_are_told_what_they_are_called_here(keyword, hint):
    with pytest.raises(TypeError, match=r"from_scores\(\) got an unexpected") as raised:
        ef.from_scores(SCORES, LABELS, **keyword)
    assert str(raised.value).endswith(hint)


def test_every_function_with_a_seed_or_a_level_knows_what_else_these_are_called():
    for name in ef.__all__:
        value = getattr(ef, name)
        if inspect.isfunction(value) and {"rng", "level"} & {*inspect.signature(value).parameters}:
            keyword = "seed" if "rng" in inspect.signature(value).parameters else "confidence"
            with pytest.raises(TypeError, match=f"{keyword}.*Write (rng|level)=1"):
                value(SCORES, **{keyword: 1})
    assert ef.from_agreement(alpha=0.7, share=0.3, pairs=500).n  # which is Krippendorff's there


def annotated(module):
    """Yield the public functions and classes of a module, and the methods of the latter."""
    for name in module.__all__:
        value = getattr(module, name)
        if not callable(value):
            continue
        yield f"{module.__name__}.{name}", value
        for key, one in vars(value).items() if inspect.isclass(value) else ():
            method = one.fget if isinstance(one, property) else getattr(one, "__func__", one)
            # What dataclasses make themselves has the annotations of other modules.
            if inspect.isfunction(method) and key not in ("__init__", "__replace__"):
                yield f"{name}.{key}", method


@pytest.mark.parametrize(
    "module", [ef, ef.bounds, ef.datasets, ef.frames, ef.results], ids=lambda one: one.__name__
)
def test_type_hints_of_all_that_is_public_can_be_had(module):
    found = 0
    for name, value in annotated(module):
        try:
            typing.get_type_hints(value)
        except NameError as error:
            raise AssertionError(name) from error
        found += 1
    assert found > 5


def test_signatures_show_what_matters_first():
    last = ["interval", "level", "n_resamples", "clip", "model_error", "rng"]
    for ask in (ef.from_scores, ef.from_votes, ef.from_soft_labels, ef.compare):
        names = list(inspect.signature(ask).parameters)
        how = [one for one in names if one in last]
        assert names[-len(how) :] == how
        assert names[-1] == "rng"
        assert inspect.signature(ask).parameters["level"].default == 0.95


def test_what_was_nearly_right_is_answered_with_what_to_write():
    votes = [0, 1, 3, 2] * 30
    for call in (ef.from_votes, ef.from_scores):
        with pytest.raises(TypeError, match=r"'group' is the column .* 'cluster' is what says"):
            call(votes, 3, groups=["a", "b"] * 60)
    with pytest.raises(TypeError, match="called 'group' here"):
        ef.from_votes(votes, 3, by=["a", "b"] * 60)
    floor = ef.from_votes(votes, 3)
    with pytest.raises(ef.InputError, match="as `model_value`, not as `f1`"):
        ef.headroom(floor, f1=0.7, n=300)
    with pytest.raises(ef.InputError, match="is an answer, which has no single votes any more"):
        ef.people(floor, predictions={"mine": votes})
