"""Labels that are words or ratings: which of them is class 1, in engines and in commands."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from engines import ENGINES

import errorfloor as ef
from errorfloor.apps.cli.commands import cli
from errorfloor.data.columns import names_an_id
from errorfloor.data.naming import divided, positive_of

LOCAL = ["pandas", "pandas-arrow", "polars", "polars-lazy", "pyarrow", "duckdb", "dask", "ibis"]
RNG = np.random.default_rng(0)
P = RNG.uniform(size=300).round(3)
Y = RNG.uniform(size=300) < P
TRUTH = ef.from_scores(P, Y, rng=0).value


def words(yes, no, labels=Y):
    return [yes if one else no for one in labels]


def frame(labels, kind="text", name="pandas"):
    values = list(labels)
    return ENGINES[name]({"score": ("float64", P.tolist()), "label": (kind, values)})


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("yes", "no"),
        ("TRUE", "false"),
        ("spam", "ham"),
        ("Positive", "Negative"),
        ("pass", "fail"),
        ("toxic", "non-toxic"),
        ("Toxic", "not toxic"),
        ("hate", "no hate"),
        ("y", "n"),
        ("accept", "reject"),
    ],
)
def test_the_word_that_means_yes_is_class_1(yes, no):
    assert positive_of(sorted([yes, no])) == positive_of(sorted([no, yes])[::-1]) == yes
    floor = ef.from_scores(frame(words(yes, no)), rng=0)
    assert floor.value == TRUTH


@pytest.mark.parametrize(
    "values", [["a", "b"], ["yes"], ["yes", "no", "maybe"], ["safe", "unsafe"]]
)
def test_other_words_are_not_guessed(values):
    assert positive_of(values) is None


@pytest.mark.parametrize(
    ("positive", "ones", "zeros"),
    [("a", ["a"], ["1.0", "b"]), (1, ["1.0"], ["a", "b"]), ("c", ["c"], ["1.0", "a", "b"])],
)
def test_classes_are_told_as_they_are_written_even_where_nobody_has_the_positive_one(
    positive, ones, zeros
):
    assert divided(["1.0", "a", "b"], positive) == {"1": ones, "0": zeros}


@pytest.mark.parametrize("name", LOCAL)
def test_words_and_ratings_are_read_alike_by_every_engine(name):
    floor = ef.from_scores(frame(words("spam", "ham"), name=name), rng=0)
    assert floor.value == TRUTH
    assert floor.source.options.positive == "spam"
    assert floor.source.facts["classes"] == {"1": ["spam"], "0": ["ham"]}
    ratings = np.where(Y, 4, 2).tolist()
    for kind, values in (("int64", ratings), ("float64", ratings), ("text", map(str, ratings))):
        rated = ef.from_scores(frame(values, kind, name), positive_from=3, rng=0)
        assert rated.value == TRUTH
        assert rated.source.options.positive_from == 3
    with pytest.raises(ef.InputError, match=r"holds words: cat, dog.* highest for dog"):
        ef.from_scores(frame(words("dog", "cat"), name=name))
    missing = [*words("spam", "ham")[:-1], None]
    some = ef.from_scores(frame(missing, name=name), drop_missing=True, rng=0)
    assert (some.n, some.dropped) == (299, 1)


@pytest.mark.parametrize("name", LOCAL)
def test_numbers_of_rows_are_found_by_every_engine(name):
    columns = {"foo": ("int64", list(range(300))), "kind": ("text", words("yes", "no"))}
    data = ENGINES[name](columns)
    with pytest.raises(ef.InputError, match="'foo' numbers the rows"):
        ef.from_scores(data)
    with pytest.warns(ef.RefutedWarning, match="an id or a row number"):
        found = ef.from_scores(data, score="foo", label="kind", rng=0)
    assert found.source.facts["id_as_score"] == "foo"


def test_numbers_with_a_per_cent_sign_do_not_number_rows(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("foo,kind\n" + "".join(f"{i}%,{'yes' if i > 4 else 'no'}\n" for i in range(9)))
    found = ef.from_scores(path, method="isotonic", interval=None)
    assert found.table.scores.tolist() == [i / 100 for i in range(9)]
    assert found.value == 0


@pytest.mark.filterwarnings("ignore::errorfloor.RefutedWarning")  # in reverse
@pytest.mark.parametrize(("classes", "ones"), [(("nay", "yup"), "yup"), (("yup", "nay"), "nay")])
def test_the_second_of_two_classes_is_class_1(classes, ones):
    kinds = words("yup", "nay")
    found = ef.from_scores(
        frame(kinds), score="score", label="label", classes=classes, interval=None
    )
    scores = frame(kinds)["score"]
    assert found.table == ef.ScoreTable.from_arrays(scores, [one == ones for one in kinds])
    assert found.source.facts["classes"] == {"1": [classes[1]], "0": [classes[0]]}
    with pytest.raises(
        ef.InputError, match=r"`label` \(column 'label'\) has 'yup', which is not one"
    ):
        ef.from_scores(frame(kinds), score="score", label="label", classes=["nay", "no"])
    with pytest.raises(ef.InputError, match="`classes` has 3 names, and `score` has numbers of"):
        ef.from_scores(frame(kinds), score="score", label="label", classes=[*classes, "may"])


def test_a_column_of_scores_that_is_not_there_is_said_before_words_are_asked_about():
    with pytest.raises(ef.InputError, match=r"`score` must be one of .*; got 'nope'"):
        ef.from_scores(frame(words("dog", "cat")), score="nope", label="label")
    with pytest.raises(ef.InputError) as error:
        ef.from_scores(frame(words("dog", "cat")), score=[], label="label")
    assert str(error.value) == (
        "`score` must be a column, or a list of columns, one for each class."
    )


def test_digits_that_no_engine_reads_are_refused_with_the_value():
    one = "\uff11"  # of full width, which Python reads
    votes = pd.DataFrame({"item": [0, 0, 1, 1], "annotator": [0, 1] * 2, "vote": ["0", one] * 2})
    for ask in (ef.from_votes, ef.annotators):
        with pytest.raises(ef.InputError) as error:
            ask(votes, item="item", annotator="annotator", vote="vote")
        assert "`vote` (column 'vote') must be 0 or 1 (or False or True): 2 of 4 are bad, for " in (
            str(error.value)
        )
        assert f"for example {one!r}." in str(error.value)


@pytest.mark.filterwarnings("ignore:.*too few to speak for other people")
def test_a_third_class_far_down_is_one_of_the_annotators_votes():
    item, people = np.repeat(np.arange(400), 3), np.tile(["ann", "bob", "cy"], 400)
    vote = np.where(item % 2, 1, 0)
    vote[(item >= 350) & (people == "ann")] = 2  # beyond the first rows, which are looked at first
    rows = pd.DataFrame({"item": item, "annotator": people, "vote": vote})
    found = ef.annotators(rows, item="item", annotator="annotator", vote="vote")
    assert {one.annotator: one.votes for one in found.rows} == {"ann": 400, "bob": 400, "cy": 400}
    # Bob and Cy differ from Ann alone, on 50 items of 400; she differs from both.
    agreement = {one.annotator: one.agreement for one in found.rows}
    assert agreement == pytest.approx({"ann": 7 / 8, "bob": 15 / 16, "cy": 15 / 16})


def test_groups_of_numbers_and_words_come_in_order_of_their_text():
    data = frame(words("yes", "no"))
    data = pd.DataFrame({name: data[name].to_numpy() for name in ("score", "label")})
    found = ef.from_scores(data.assign(g=[10, "a", 9] * 100), group="g", interval=None)
    assert [*found] == [10, 9, "a"]
    assert found["a"].table.n == 100


def test_the_class_with_the_higher_scores_is_suggested_first():
    with pytest.raises(ef.InputError) as error:
        ef.from_scores(frame(words("b", "a")))
    text = str(error.value)
    assert text.index("positive='b'") < text.index("positive='a'")
    with pytest.raises(ef.InputError, match="for that one against the rest"):
        ef.from_scores(frame([*words("b", "a")[:-1], "c"]))


def test_one_class_against_the_rest_names_the_others():
    labels = [("b" if i % 2 else "c") if not one else "a" for i, one in enumerate(Y)]
    floor = ef.from_scores(frame(labels), positive="a", rng=0)
    assert floor.value == TRUTH
    assert floor.source.facts["classes"] == {"1": ["a"], "0": ["b", "c"]}
    (found,) = (one for one in floor.findings if one.name == "Classes")
    assert "for a against the rest: b, c" in found.sentence


@pytest.mark.filterwarnings("ignore:.*too few to speak for other people")
def test_votes_may_be_words_or_ratings():
    votes = RNG.binomial(1, P[:, None], size=(300, 3))
    plain = pd.DataFrame(votes, columns=["rater1", "rater2", "rater3"])
    truth = ef.from_votes(plain).value
    assert ef.from_votes(plain.replace({0: "ham", 1: "spam"})).value == truth
    assert ef.from_votes(plain.replace({0: 2, 1: 5}), positive_from=4).value == truth
    long = plain.melt(ignore_index=False, var_name="annotator", value_name="vote")
    long = long.rename_axis("item").reset_index()
    worded = long.assign(vote=np.where(long.vote == 1, "yes", "no"))
    assert ef.from_votes(worded).value == truth
    assert ef.from_votes(long.assign(vote=long.vote + 1), positive_from=2).value == truth
    table = ef.frames.vote_table(worded, item="item", vote="vote")
    assert table == ef.frames.vote_table(long, item="item", vote="vote")


def test_what_cannot_go_together_is_refused():
    data = frame(np.where(Y, 4, 2).tolist(), "int64")
    with pytest.raises(ef.InputError, match="`positive` and `positive_from` both"):
        ef.from_scores(data, positive=4, positive_from=3)
    for value in ("3", float("nan"), True):
        with pytest.raises(ef.InputError, match="`positive_from` must be a finite number"):
            ef.from_scores(data, positive_from=value)
    with pytest.raises(ef.InputError, match="`score` and `label` name the same column, 'label'"):
        ef.from_scores(data, score="label", label="label")
    with pytest.raises(ef.InputError, match="`positive_from` goes with single votes"):
        ef.report(pd.DataFrame({"soft": P}), "x.md", positive_from=3)
    with pytest.raises(ef.InputError, match="go with a dataframe or file"):
        ef.headroom(ef.SoftTable.from_arrays(P), 1, 9, positive_from=3)
    with pytest.raises(ef.InputError, match="must be finite numbers"):
        ef.from_scores(frame(words("spam", "ham")), positive_from=3)
    with pytest.raises(ef.InputError, match="positive` and `positive_from` both"):
        ef.frames.score_table(data, score="score", label="label", positive=4, positive_from=3)


def test_arrays_of_words_are_labels():
    for positive in (None, "spam"):
        assert ef.from_scores(P, words("spam", "ham"), positive=positive, rng=0).value == TRUTH
    assert ef.from_scores(P, np.array(words("1", "0")), rng=0).value == TRUTH


@pytest.mark.parametrize("name", ["id", "Index", "Unnamed: 0", "", "row_number", "user_id", "idx"])
def test_ids_are_known_by_their_names(name):
    assert names_an_id(name)
    data = pd.DataFrame({name: np.arange(300) / 300, "kind": words("yes", "no")})
    with pytest.raises(ef.InputError, match="Cannot tell which columns"):
        ef.from_scores(data)
    found = ef.from_scores(data.assign(quality=P), rng=0)
    assert found.source.columns == {"score": "quality", "label": "kind"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = pd.DataFrame({"p": P, "kind": words("spam", "ham")})
    data.to_csv("spam.csv", index=False)
    data.replace({"spam": "big dog", "ham": "cat"}).to_csv("pets.csv", index=False)
    pd.DataFrame({"score": P, "label": np.where(Y, 5, 1)}).to_csv("ratings.csv", index=False)
    return tmp_path


def run(*typed):
    return CliRunner().invoke(cli, typed)


def test_the_choice_is_echoed_with_counts(folder):
    done = run("estimate", "spam.csv")
    assert done.exit_code == 0
    ones = Y.sum()
    assert f"note: class 1 = spam, {ones} items; class 0 = ham, {300 - ones}" in done.stderr
    done = run("estimate", "ratings.csv", "--positive-from", "3", "--json")
    assert json.loads(done.stdout)["result"]["value"] == TRUTH
    assert f"class 1 = 3 and more, {ones} items; class 0 = less than 3" in done.stderr


def test_both_commands_are_printed_and_the_first_is_right(folder):
    done = run("estimate", "pets.csv", "--level", "0.9")
    assert done.exit_code == 1
    first, second = [line.strip() for line in done.stderr.splitlines()[-2:]]
    assert first == "errorfloor estimate pets.csv --level 0.9 --positive 'big dog'"
    assert second == "errorfloor estimate pets.csv --level 0.9 --positive cat"
    right = run("estimate", "pets.csv", "--positive", "big dog", "--json")
    assert json.loads(right.stdout)["result"]["value"] == TRUTH
    wrong = run("estimate", "pets.csv", "--positive", "cat")
    assert wrong.exit_code == 4
    assert "--positive 'big dog'" in wrong.stdout


def test_usage_is_refused_before_anything_is_read(folder):
    done = run("estimate", "missing.csv", "--positive", "a", "--positive-from", "3")
    assert done.exit_code == 2
    done = run("estimate", "ratings.csv")
    assert done.exit_code == 1
    assert "estimate ratings.csv --positive 5" in done.stderr


def test_the_recipe_has_what_was_chosen(folder):
    from errorfloor.show.recipe import command_line, python_code

    floor = ef.from_scores("spam.csv", rng=0)
    assert "positive='spam'" in python_code(floor)
    assert "--positive spam" in command_line(floor)
    rated = ef.from_scores("ratings.csv", positive_from=3, rng=0)
    assert "positive_from=3" in python_code(rated)
    assert "--positive-from 3" in command_line(rated)
    scope = {}
    exec(python_code(rated), scope)
    assert scope["floor"].value == rated.value
