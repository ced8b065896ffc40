"""Models of scikit-learn: floors from their held-out scores, and a scorer by headroom."""

import pickle

import numpy as np
import pytest
from scipy.special import expit

import errorfloor as ef

pytest.importorskip("sklearn")

from sklearn.calibration import LinearSVC
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneGroupOut,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

pytestmark = [pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")]


def drawn(n, seed=0, slope=1.5):
    """Draw points, labels and the true floor of a logistic model."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    p = expit(slope * points.sum(axis=1))
    return points, (rng.random(n) < p).astype(int), np.minimum(p, 1 - p).mean()


X, Y, _ = drawn(300)
WORDS = np.where(Y, "yes", "no")


def test_scores_are_those_of_models_that_have_not_seen_the_item():
    folds = StratifiedKFold(4)
    model = LogisticRegression()
    scores = cross_val_predict(model, X, Y, cv=folds, method="predict_proba")[:, 1]
    found = ef.from_estimator(model, X, Y, cv=folds)
    usual = ef.from_scores(scores, Y)
    assert (found.value, found.low, found.high) == (usual.value, usual.low, usual.high)
    assert found.claim == usual.claim
    assert not hasattr(model, "coef_")
    assert found.assumptions.startswith("Each item was scored by a copy of LogisticRegression")


def test_a_model_that_knows_its_labels_by_heart_is_held_out():
    # Labels that have nothing to do with what the model sees: the floor is that of guessing.
    rng = np.random.default_rng(1)
    points, labels = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    for model in (RandomForestClassifier(20, random_state=0), KNeighborsClassifier(1)):
        own = model.fit(points, labels).predict_proba(points)[:, 1]
        assert ef.from_scores(own, labels).value < 0.05
        assert ef.from_estimator(model, points, labels).value > 0.4


def test_limits_hold_where_the_truth_is_known():
    # The model is of the right kind, so that its best cut is nearly the best rule there is.
    missed = 0
    _, _, floor = drawn(100_000, 1000)
    for seed in range(60):
        points, labels, _ = drawn(200, seed)
        found = ef.from_estimator(LogisticRegression(), points, labels)
        missed += found.high < floor
    assert missed <= 4  # 1.5 are expected at a level of 95 %


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        LinearSVC(),
        RidgeClassifier(),
        SVC(),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_pipelines_and_models_without_probabilities_are_scored(model):
    found = ef.from_estimator(model, X, Y)
    assert found.n == 300
    assert 0.1 < found.value < 0.35


def test_data_may_be_frames_sparse_matrices_and_lists():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    sparse = pytest.importorskip("scipy.sparse")
    usual = ef.from_estimator(LogisticRegression(), X, Y).value
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(300)[::-1])
    for points, labels in (
        (frame, pd.Series(Y, index=frame.index)),
        (pl.DataFrame(X).to_numpy(), pl.Series(Y)),
        (sparse.csr_matrix(X), Y),
        (X.tolist(), Y.tolist()),
    ):
        found = ef.from_estimator(LogisticRegression(), points, labels).value
        assert found == pytest.approx(usual, abs=0.02)


def test_labels_may_be_words_and_the_positive_one_may_be_named():
    usual = ef.from_estimator(LogisticRegression(), X, Y, metric="f1")
    words = ef.from_estimator(LogisticRegression(), X, WORDS, metric="f1")
    assert words.value == usual.value
    assert words.source.facts["classes"] == {"1": ["yes"], "0": ["no"]}
    other = ef.from_estimator(LogisticRegression(), X, WORDS, metric="f1", positive="no")
    flipped = ef.from_estimator(LogisticRegression(), X, 1 - Y, metric="f1")
    assert other.value == pytest.approx(flipped.value, abs=0.01)
    errors = [
        ef.from_estimator(RidgeClassifier(), X, WORDS, positive=one).value for one in ("yes", "no")
    ]
    assert errors[0] == pytest.approx(errors[1], abs=0.01)


@pytest.mark.parametrize("model", [LogisticRegression(), RidgeClassifier()], ids=["shares", "far"])
def test_many_classes_have_a_score_each(model):
    rng = np.random.default_rng(3)
    labels = rng.choice(["cat", "cow", "dog"], 400)
    places = {"cat": (0, 0), "cow": (2, 0), "dog": (0, 2)}
    points = np.array([places[one] for one in labels]) + rng.normal(size=(400, 2))
    found = ef.from_estimator(model, points, labels)
    assert found.classes == ("cat", "cow", "dog")
    assert 0.1 < found.value < 0.35
    with pytest.raises(ValueError, match="goes with two classes, and there are 3"):
        ef.from_estimator(model, points, labels, positive="cat")


def test_groups_stay_together_and_widen_the_limits():
    groups = np.repeat(np.arange(60), 5)
    seen = []

    class Spy(LogisticRegression):
        def fit(self, points, labels):
            seen.append({tuple(one) for one in points.tolist()})
            return super().fit(points, labels)

    found = ef.from_estimator(Spy(), X, Y, groups=groups)
    assert found.clusters == 60
    for fitted in seen:
        there = np.array([tuple(one) in fitted for one in X.tolist()]).reshape(60, 5)
        assert (there.all(axis=1) | ~there.any(axis=1)).all()
    by_group = ef.from_estimator(
        LogisticRegression(), X, Y, groups=np.repeat(np.arange(60), 5), cv=LeaveOneGroupOut()
    )
    assert by_group.clusters == 60


def test_weights_are_used_in_fitting_and_in_the_answer():
    weight = np.where(X[:, 0] > 0, 3.0, 1.0)
    got = []

    class Spy(LogisticRegression):
        def fit(self, points, labels, sample_weight=None):
            got.append(sample_weight)
            return super().fit(points, labels, sample_weight)

    for model in (Spy(), make_pipeline(StandardScaler(), Spy())):
        found = ef.from_estimator(model, X, Y, sample_weight=weight)
        assert found.n_effective == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    assert len(got) == 10
    assert all(set(one) == {1.0, 3.0} for one in got)
    assert ef.from_estimator(KNeighborsClassifier(), X, Y, sample_weight=weight).n_effective


def test_one_seed_gives_one_answer():
    first, again, other = (
        ef.from_estimator(LogisticRegression(), X, Y, rng=rng) for rng in (0, 0, 1)
    )
    assert first == again
    assert first.value != other.value


class NoScores(LogisticRegression):
    predict_proba = property()
    decision_function = property()


@pytest.mark.parametrize(
    ("model", "labels", "more", "why"),
    [
        (LogisticRegression(), Y, {"cv": 1}, "`cv` must be from 2 to"),
        (LogisticRegression(), Y, {"cv": ShuffleSplit(3)}, "each item in one test part"),
        (LogisticRegression(), np.zeros(300), {}, "`y` has one class only"),
        (LogisticRegression(), np.where(Y, np.nan, 1.0), {}, "`y` has missing labels"),
        (LogisticRegression(), X, {}, "`y` must be 1-d"),
        (NoScores(), Y, {}, "neither predict_proba nor decision_function"),
        (LogisticRegression(), np.sort(Y), {"cv": KFold(2)}, "`cv` leaves no item of the class"),
        (LogisticRegression(), WORDS, {"positive": "maybe"}, "`positive` is 'maybe'"),
    ],
)
def test_what_cannot_be_used_is_refused(model, labels, more, why):
    with pytest.raises(ValueError, match=why):
        ef.from_estimator(model, X, labels, **more)


def test_scores_of_pairs_of_classes_are_refused():
    labels = np.arange(300) % 4
    with pytest.raises(ValueError, match="decision_function_shape='ovr'"):
        ef.from_estimator(SVC(decision_function_shape="ovo"), X, labels)


# The scorer.


def test_the_scorer_is_the_gap_to_the_floor():
    floor = ef.from_votes([0] * 100 + [1] * 30 + [2] * 30 + [3] * 100, 3)
    model = LogisticRegression().fit(X, Y)
    scorer = ef.headroom_scorer(floor)
    error = (model.predict(X) != Y).mean()
    assert scorer(model, X, Y) == pytest.approx(floor.value - error)
    assert pickle.loads(pickle.dumps(scorer))(model, X, Y) == scorer(model, X, Y)
    named = LogisticRegression().fit(X, WORDS)
    assert scorer(named, X, WORDS) == scorer(model, X, Y)
    assert len(cross_val_score(LogisticRegression(), X, Y, scoring=scorer, cv=3)) == 3
    grid = GridSearchCV(LogisticRegression(), {"C": [1e-6, 1.0]}, scoring=scorer, cv=3)
    assert grid.fit(X, Y).best_params_ == {"C": 1.0}


@pytest.mark.parametrize("metric", ["auc", "brier", "f1", "mcc", "balanced-error"])
def test_the_scorer_goes_by_the_metric_of_the_floor(metric):
    from sklearn import metrics

    floor = ef.from_soft_labels(np.linspace(0.02, 0.99, 200), metric=metric)
    model = LogisticRegression().fit(X, Y)
    scores, answers = model.predict_proba(X)[:, 1], model.predict(X)
    own = {
        "auc": lambda: metrics.roc_auc_score(Y, scores) - floor.value,
        "brier": lambda: floor.value - metrics.brier_score_loss(Y, scores),
        "f1": lambda: metrics.f1_score(Y, answers) - floor.value,
        "mcc": lambda: metrics.matthews_corrcoef(Y, answers) - floor.value,
        "balanced-error": lambda: floor.value - 1 + metrics.balanced_accuracy_score(Y, answers),
    }
    found = ef.headroom_scorer(floor)(model, X, Y)
    assert found == pytest.approx(own[metric](), abs=2e-3)


def test_a_scorer_needs_a_floor_of_the_same_classes():
    with pytest.raises(ValueError, match="`floor` must be what from_votes"):
        ef.headroom_scorer(0.1)
    with pytest.raises(ValueError, match="has no interval"):
        ef.headroom_scorer(ef.from_votes([0, 3, 3], 3, interval=None))
    floor = ef.from_votes([0, 3, 3, 1, 0], 3)
    model = LogisticRegression().fit(X, np.arange(300) % 3)
    with pytest.raises(ValueError, match="The model knows 3 classes, and the floor is of 2"):
        ef.headroom_scorer(floor)(model, X, Y)
