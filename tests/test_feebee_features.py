"""FeeBee with features: neighbours and trees once, and the slow way to the same numbers."""

import json

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

import errorfloor as ef
from errorfloor.data.features import read_items
from errorfloor.data.options import ReadOptions
from errorfloor.datasets.synthetic import gaussian_cloud
from errorfloor.features import classics
from errorfloor.questions.feebee import bind, every_part, part_named, redraw_items
from errorfloor.show.text import text_of

CLASSICS = ["1nn", "1nn-low", "1nn-high", "knn-15", "knn-15-low", "knn-15-high"]
CLASSICS += ["ghp", "ghp-low", "ghp-high", "noshad"]
SHORT = {"model_error": 0.3, "levels": 5, "repeats": 3, "rng": 0}


def cloud(classes=2, n=300, dimensions=3, seed=0):
    return gaussian_cloud(n, dimensions=dimensions, classes=classes, floor=0.2, rng=seed)


def scores_of(data):
    soft = np.round(data.soft_labels, 2)
    return soft[:, 1] if soft.shape[1] == 2 else soft / soft.sum(axis=1, keepdims=True)


def items_of(data, scores=None):
    return read_items(scores, data.labels, data.features, ReadOptions.of())


# Against slow code.


@pytest.mark.parametrize("kind", ["plain", "tied", "many dimensions"])
@pytest.mark.parametrize("classes", [2, 4])
def test_every_set_of_labels_has_the_ends_that_a_new_start_finds(classes, kind):
    data = cloud(classes, dimensions=30 if kind == "many dimensions" else 3)
    x = np.round(data.features) if kind == "tied" else data.features
    items = read_items(None, data.labels, x, ReadOptions.of())
    noise = np.array([0.0, 0.1, 0.5, 0.5, 1.0])
    sets = redraw_items(items.codes, classes, noise, np.random.default_rng(0))
    bound, _ = bind(every_part(), items)
    found = {name: one.values(sets, np.random.default_rng(0)) for name, one in bound.items()}
    assert list(found) == CLASSICS
    for i, codes in enumerate(sets):
        for name in classics.NAMES:
            record = classics.find(name)
            ends = record.ends(x, codes, classes)
            assert found[record.name][i] == pytest.approx(ends.value, abs=1e-12)
            if record.has_ends:
                assert found[f"{record.name}-low"][i] == pytest.approx(ends.low, abs=1e-12)
                assert found[f"{record.name}-high"][i] == pytest.approx(ends.high, abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_curves_are_those_of_distances_taken_anew_for_every_level(classes):
    data = cloud(classes, n=150)
    found = ef.feebee(labels=data.labels, features=data.features, **SHORT)
    # The same draws, and all distances again for each of them.
    seeds = np.random.default_rng(0).integers(2**63, size=2)
    source = np.random.default_rng(seeds[0])
    most = (classes - 1) / classes
    levels = [np.repeat(found.noise[:1], 3), *(np.repeat(one, 3) for one in found.noise[1:])]
    for level, noise in enumerate(levels):
        for repeat, y in enumerate(redraw_items(data.labels, classes, noise, source)):
            apart = cdist(data.features, data.features)
            tree = minimum_spanning_tree(apart).tocoo()
            edges = (y[tree.row] != y[tree.col]).sum() / 150
            np.fill_diagonal(apart, np.inf)
            error = (y[apart.argmin(axis=1)] != y).mean()
            for name, pairs in (("1nn", error), ("ghp", edges)):
                high = min(pairs, most)
                low = most * (1 - np.sqrt(max(1 - pairs / most, 0)))
                for end, value in (("-low", low), ("-high", high), ("", (low + high) / 2)):
                    got = found.estimates[name + end][repeat, level]
                    assert got == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_methods_of_scores_see_the_same_labels(classes):
    data = cloud(classes)
    scores = scores_of(data)
    items = items_of(data, scores)
    sets = redraw_items(items.codes, classes, np.array([0.0, 0.4]), np.random.default_rng(1))
    cells = items.table.cells(complete=True)
    for codes, counts in zip(sets, items.counts(sets), strict=True):
        again = ef.ScoreTable.from_arrays(scores, codes)
        assert ef.ScoreTable.from_cells(cells, counts) == again


# Laws.


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_redrawn_labels_have_the_shares_that_noise_gives(classes):
    codes = np.zeros(20_000, dtype=np.int64)
    noise = np.array([0.0, 0.3, 1.0])
    found = redraw_items(codes, classes, noise, np.random.default_rng(0))
    other = noise * (1 - 1 / classes)
    spread = np.sqrt(other * (1 - other) / codes.size)
    assert (np.abs((found != 0).mean(axis=1) - other) <= 4.5 * spread).all()
    assert found.max() == classes - 1


@pytest.mark.parametrize("classes", [2, 3])
def test_one_table_has_methods_of_scores_and_of_features(classes):
    data = cloud(classes)
    found = ef.feebee(scores_of(data), data.labels, features=data.features, **SHORT)
    assert found.methods[-len(CLASSICS) :] == tuple(CLASSICS)
    assert len(found.methods) > len(CLASSICS)
    assert found.dimensions == 3
    assert found.classes == classes
    assert "n = 300, 3 features, model error 30 %" in text_of(found)
    assert json.loads(json.dumps(found.to_dict()))["dimensions"] == 3
    # Without noise each is what it says of the labels themselves.
    alone = classics.find("1nn").ends(data.features, data.labels, classes)
    assert found.estimates["1nn"][:, 0] == pytest.approx(alone.value)
    method = "isotonic" if classes == 2 else "temperature"
    value = ef.from_scores(scores_of(data), data.labels, method=method, interval=None).value
    assert found.estimates[method][:, 0] == pytest.approx(value, abs=1e-9)
    # What runs along changes no number, nor does a second run.
    few = ["knn-15", method]
    some = ef.feebee(scores_of(data), data.labels, features=data.features, methods=few, **SHORT)
    for name in few:
        np.testing.assert_array_equal(some.estimates[name], found.estimates[name])


def test_the_oracle_is_a_rule_that_noise_does_not_move():
    data = cloud(3, n=400)
    asked = {"labels": data.labels, "features": data.features, "methods": ["1nn"]}
    found = ef.feebee(**asked, model_error=0.6, levels=5, repeats=400, rng=1)
    oracle = found.estimates["oracle"]
    share = oracle[0, 0]
    np.testing.assert_array_equal(oracle[:, 0], share)
    target = found.noise * 2 / 3 + (1 - found.noise) * share
    changed = found.noise * 2 / 3
    # Of those it is wrong about, a redrawn label makes one in three right.
    spread = np.sqrt(
        (1 - share) * changed * (1 - changed) + share * found.noise / 3 * (1 - found.noise / 3)
    ) / np.sqrt(400)
    z = (oracle.mean(axis=0) - target)[1:] / spread[1:] * np.sqrt(400)
    assert np.abs(z).max() < 4.5
    np.testing.assert_allclose(oracle.std(axis=0)[1:], spread[1:], rtol=4.5 / np.sqrt(800))
    strict = ef.feebee(**asked, model_error=0.05, levels=5, repeats=4, rng=1)
    np.testing.assert_allclose(strict.estimates["oracle"][:, 0], 0.05)


def test_estimates_follow_noise_in_few_dimensions_and_lag_in_many():
    few, many = cloud(n=600, dimensions=2), cloud(n=600, dimensions=200)
    for method in ("ghp-low", "1nn-low"):
        scores = [
            ef.feebee(labels=one.labels, features=one.features, methods=[method], **asked)[method]
            for one in (few, many)
            for asked in ({**SHORT, "model_error": 0.2},)
        ]
        assert scores[0].score < 0.03
        assert scores[1].upper > scores[0].upper + 0.05


# Asking.


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    pandas = pytest.importorskip("pandas")
    folder = tmp_path_factory.mktemp("items")
    data = cloud()
    frame = pandas.DataFrame(data.features, columns=list("abc"))
    frame = frame.assign(score=scores_of(data), label=data.labels)
    frame.to_parquet(folder / "wide.parquet")
    frame.to_csv(folder / "wide.csv", index=False)
    lists = pandas.DataFrame({"x": list(data.features), "s": scores_of(data), "y": data.labels})
    lists.to_parquet(folder / "lists.parquet")
    np.savez(folder / "all.npz", X=data.features, y=data.labels, s=scores_of(data))
    np.save(folder / "x.npy", data.features)
    return folder, frame, data


def test_arrays_frames_and_files_give_the_same(files):
    folder, frame, data = files
    few = {**SHORT, "methods": ["isotonic", "ghp"]}
    expected = ef.feebee(scores_of(data), data.labels, features=data.features, **few).to_dict()
    wide = {"score": "score", "label": "label", "features": ["a", "b", "c"]}
    for source in (frame, folder / "wide.parquet", str(folder / "wide.csv")):
        assert ef.feebee(source, **wide, **few).to_dict() == expected
    own = {"score": "s", "label": "y"}
    assert ef.feebee(folder / "lists.parquet", features="x", **own, **few).to_dict() == expected
    assert ef.feebee(folder / "all.npz", features="X", **own, **few).to_dict() == expected
    beside = {**wide, "features": folder / "x.npy"}
    assert ef.feebee(folder / "wide.csv", **beside, **few).to_dict() == expected
    array = ef.feebee(scores_of(data), data.labels, features=str(folder / "x.npy"), **few)
    assert array.to_dict() == expected
    alone = ef.feebee(frame, label="label", features=["a", "b", "c"], **SHORT)
    assert alone.methods == tuple(CLASSICS)


def test_words_are_labels(files):
    _, frame, data = files
    words = np.array(["no", "yes"])[data.labels]
    few = {**SHORT, "methods": ["isotonic", "1nn"]}
    expected = ef.feebee(scores_of(data), data.labels, features=data.features, **few)
    for said in ({"positive": "yes"}, {"classes": ["no", "yes"]}):
        found = ef.feebee(scores_of(data), words, features=data.features, **said, **few)
        np.testing.assert_array_equal(found.estimates["1nn"], expected.estimates["1nn"])
        np.testing.assert_array_equal(found.estimates["isotonic"], expected.estimates["isotonic"])
    named = frame.assign(label=words)
    columns = {"label": "label", "features": ["a", "b"]}
    assert ef.feebee(named, **columns, **SHORT).dimensions == 2
    by_number = ef.feebee(labels=data.labels + 4, features=data.features, positive_from=5, **SHORT)
    np.testing.assert_array_equal(by_number.estimates["1nn"], expected.estimates["1nn"])


def test_the_command_scores_classics_and_methods_of_scores(files, capsys):
    from errorfloor.apps.cli.commands import run

    folder, _, data = files
    asked = ["feebee", str(folder / "wide.csv"), "--label", "label", "--features", "a,b,c"]
    asked += ["--model-error", "0.3", "--levels", "5", "--repeats", "3", "--seed", "0"]
    assert run(asked) == 0
    said = capsys.readouterr().out
    assert "knn-15-low" in said
    assert "isotonic" not in said
    both = [*asked, "--score", "score", "--method", "isotonic", "--method", "1nn-low", "--json"]
    assert run(both) == 0
    rows = json.loads(capsys.readouterr().out)["result"]["rows"]
    expected = ef.feebee(
        scores_of(data),
        data.labels,
        features=data.features,
        methods=["isotonic", "1nn-low"],
        **SHORT,
    )
    assert rows == [row.to_dict() for row in expected]
    assert run([*asked, "--group", "a"]) == 1
    assert "--group does not go with --features" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"features": [[np.nan]] * 4}, r"`features` must be finite: row 0, column 0 is nan"),
        ({"features": [1, 2, 3, 4]}, "`features` must be 2-d"),
        ({"features": [[1], [2], [3]]}, "`features` and `labels` must have the same length"),
        ({"labels": None}, "`labels` is missing"),
        ({"labels": [1, 1, 1, 1]}, "`labels` has one class only"),
        ({"labels": [0, 1, None, 1]}, "`labels` has missing entries"),
        ({"scores": [0.1, 0.2, 0.3]}, "must have the same length"),
        ({"scores": ef.ScoreTable.from_counts([0.5], [2], [2])}, "a table has counted them"),
        ({"metric": "auc", "model_value": 0.7, "model_error": None}, "`features` goes with error"),
        ({"methods": ["sequential"]}, "'sequential' fits its models again"),
        ({"methods": ["noshad-low"]}, "'noshad' has no ends"),
        ({"methods": ["knn-0"]}, "knn-K needs a whole number"),
        ({"methods": ["2nn"]}, "`method` must be one of"),
        ({"methods": ["isotonic"]}, "'isotonic' reads scores, and there are features only"),
        ({"methods": {"mine": lambda table: 0.1}}, "reads scores, and there are features only"),
        ({"methods": ["knn-K", "knn-15"]}, "`methods` has 'knn-15' twice"),
        (
            {"features": None, "scores": [1, 2, 3, 4], "device": "cuda"},
            "`device` is for neighbours",
        ),
        ({"device": "nothing"}, "`device='nothing'`"),
        ({"group": "g"}, "`group` does not go with `features`"),
        ({"drop_missing": True}, "`drop_missing` does not go with `features`"),
        ({"positive": "yes"}, "`positive` 'yes' is no label"),
        ({"label": "y"}, "`label` names a column"),
        ({"model_error": 0.7}, "`model_error` must lie in"),
    ],
)
def test_bad_input_is_refused(given, message):
    features = [[1.0], [2.0], [3.0], [4.0]]
    asked = {"labels": [0, 1, 0, 1], "features": features, "model_error": 0.3, **given}
    with pytest.raises(ef.InputError, match=message):
        ef.feebee(**asked)


def test_an_array_for_each_class_is_a_column_of_scores(tmp_path):
    data = cloud(3)
    scores, file = scores_of(data), tmp_path / "three.npz"
    few = {**SHORT, "methods": ["top1"]}
    expected = ef.feebee(scores, data.labels, features=data.features, **few).to_dict()
    columns = dict(zip("abc", scores.T, strict=True))
    np.savez(file, X=data.features, y=data.labels, **columns)
    named = {"score": ["a", "b", "c"], "label": "y", "features": "X"}
    assert ef.feebee(file, **named, **few).to_dict() == expected
    np.savez(file, X=data.features, y=data.labels, **{**columns, "b": columns["b"][1:]})
    with pytest.raises(ef.InputError) as caught:
        ef.feebee(file, **named, **few)
    assert str(caught.value) == (
        "`score` must have one entry per item in each of its arrays, and there are: a 300, b 299, "
        "c 300."
    )


def test_columns_that_are_not_there_are_named(files):
    folder, frame, _ = files
    asked = {"features": ["a"], **SHORT}
    with pytest.raises(ef.InputError, match=r"`score` 'z' is not there\. There are: a, b, c"):
        ef.feebee(frame, score="z", label="label", **asked)
    with pytest.raises(ef.InputError, match="`features` 'z' is not there"):
        ef.feebee(frame, label="label", **{**asked, "features": ["z"]})
    with pytest.raises(ef.InputError, match="`features` must be 2-d, a row of features"):
        ef.feebee(frame, [0, 1], **asked)
    with pytest.raises(ef.InputError, match="`score` 'z' is not there"):
        ef.feebee(folder / "all.npz", score="z", label="y", **{**asked, "features": "X"})


@pytest.mark.parametrize("kind", ["three items", "constant", "copies", "one rare"])
def test_odd_data_have_an_answer(kind):
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(60, 2)), generator.integers(2, size=60)
    if kind == "three items":
        x, y = x[:3], np.array([0, 1, 1])
    if kind == "constant":
        x = np.ones((60, 12))
    if kind == "copies":
        x = np.repeat(x[:20], 3, axis=0)
    if kind == "one rare":
        y = np.r_[1, np.zeros(59, dtype=np.int64)]
    found = ef.feebee(labels=y, features=x, **SHORT)
    assert all(np.isfinite(one).all() for one in found.estimates.values())


def test_names_of_parts_are_those_of_their_classics():
    assert [part_named(name).name for name in CLASSICS] == CLASSICS
    assert part_named("knn-7-high").classic.k == 7
    assert part_named("isotonic") is None
    assert part_named("hist-low") is None


def test_without_classics_features_beside_scores_are_not_looked_at():
    data = cloud(n=60)
    assert bind({}, items_of(data, scores_of(data))) == ({}, None)
    plain = ef.feebee(scores_of(data), data.labels, methods=["isotonic"], **SHORT)
    beside = ef.feebee(
        scores_of(data), data.labels, features=data.features, methods=["isotonic"], **SHORT
    )
    assert [row.method for row in beside] == [row.method for row in plain] == ["isotonic"]
