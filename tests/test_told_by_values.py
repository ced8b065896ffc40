"""Columns that values tell where names do not, and messages that have what to type next."""

import json
import shlex

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import errorfloor as ef
from errorfloor.apps.cli.commands import cli
from errorfloor.data.naming import positive_of

pytestmark = pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")


def shown(typed, tmp_path, monkeypatch, **files):
    """Return what a command shows in a folder with these tables as CSV files."""
    monkeypatch.chdir(tmp_path)
    for name, columns in files.items():
        pd.DataFrame(columns).to_csv(f"{name}.csv", index=False)
    return CliRunner().invoke(cli, typed.split()[1:]).output


def rows_of_votes(who="inspector", n=200, m=4, seed=0):
    """Return a row for each vote, with what is known of items and people next to."""
    rng = np.random.default_rng(seed)
    share = rng.beta(0.6, 0.6, n)
    item, person = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
    vote = np.where(rng.random(n * m) < share[item], "defect", "fine")
    return pd.DataFrame(
        {
            "part": [f"P{i}" for i in item],
            who: [f"i{j}" for j in person],
            "verdict": vote,
            "plant": np.where(item % 3 == 0, "north", "south"),
            "shift": np.where(person % 2 == 0, "day", "night"),
            "seen_at": [f"2026-03-{1 + k % 28:02d} 10:00" for k in item + person],
        }
    )


def test_votes_in_rows_are_told_by_people_and_by_what_changes_within_an_item():
    frame = rows_of_votes()
    told = ef.from_votes(frame)
    named = ef.from_votes(frame, item="part", annotator="inspector", vote="verdict")
    assert told.source.columns == named.source.columns
    assert told.value == named.value


def test_votes_in_rows_are_a_guess_where_no_name_tells_who_votes():
    frame = rows_of_votes(who="initials")
    with pytest.raises(ef.InputError):
        ef.from_votes(frame)
    found = ef.look(frame)
    assert found.next == ("ef.from_votes(df, item='part', annotator='initials', vote='verdict')",)
    # Two columns of which some pairs come twice are no item and annotator.
    again = pd.concat([frame, frame.head(100)])
    assert not any(one.layout == "annotations" for one in ef.look(again).layouts)


def test_two_columns_may_name_an_item_together():
    rng = np.random.default_rng(9)
    rows = [
        (f"q{k}", f"d{j}", f"a{a}", rng.choice(["yes", "no"]))
        for k in range(20)
        for j in range(5)
        for a in rng.choice(9, 3, replace=False)
    ]
    frame = pd.DataFrame(rows, columns=["query", "doc", "assessor", "judgment"])
    assert ef.look(frame).next == (
        "ef.from_votes(df, item='query,doc', annotator='assessor', vote='judgment')",
    )
    one = frame.assign(item=frame["query"] + frame["doc"])
    named = {"annotator": "assessor", "vote": "judgment"}
    alone = ef.from_votes(one, item="item", **named)
    both = ef.from_votes(frame, item="query,doc", **named)
    assert (both.value, both.n) == (alone.value, 100)


def test_grades_next_to_who_gave_them_are_ratings_and_no_scores(tmp_path, monkeypatch):
    rng = np.random.default_rng(10)
    rows = [(f"E{i}", f"G{j}", rng.integers(1, 7)) for i in range(60) for j in range(3)]
    essays = pd.DataFrame(rows, columns=["essay_id", "grader", "grade"])
    text = shown("errorfloor essays.csv", tmp_path, monkeypatch, essays=essays)
    assert 'using column "essay_id" as the item, "grade" as the rating and "grader"' in text


def test_ratings_in_rows_are_told_by_people_and_the_only_number_that_changes():
    rng = np.random.default_rng(13)
    rows = [
        (f"u{i}", f"s{i % 4}", f"L{j}", rng.integers(1, 6)) for i in range(50) for j in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["utterance", "system", "listener", "mos"])
    named = ef.from_ratings(frame, item="utterance", rating="mos", rater="listener")
    assert ef.from_ratings(frame).value == named.value
    other = frame.rename(columns={"mos": "x"})
    assert ef.from_ratings(other).value == named.value
    with pytest.raises(ef.InputError):  # either of two numbers may be meant
        ef.from_ratings(other.assign(seconds=rng.integers(1, 9, len(frame))))


def test_ratings_that_no_name_tells_get_the_command_to_paste(tmp_path, monkeypatch):
    rng = np.random.default_rng(17)
    columns = {name: rng.normal(size=60) for name in ("north", "south")}
    text = shown("errorfloor ratings r.csv", tmp_path, monkeypatch, r=columns)
    assert text.splitlines()[-1] == "  errorfloor ratings r.csv --ratings north,south"


def test_scores_alone_are_told_where_no_label_is_asked_for(tmp_path, monkeypatch):
    share = np.random.default_rng(14).random(300)
    columns = {"account": [f"A{i}" for i in range(300)], "churn_probability": share}
    columns["churned"] = np.where(share > 0.4, "yes", "no")
    typed = "errorfloor label churn.csv --budget 50 -o todo.csv"
    assert "Wrote todo.csv." in shown(typed, tmp_path, monkeypatch, churn=columns)


@pytest.mark.parametrize("name", ["api.json", "rows.json", "rows.jsonl"])
def test_parts_of_objects_are_columns(name, tmp_path):
    rng = np.random.default_rng(11)
    yes = rng.integers(0, 5, 50)
    rows = [{"id": i, "votes": {"yes": int(k), "no": int(4 - k)}} for i, k in enumerate(yes)]
    whole = {"api.json": {"project": "x", "results": rows}, "rows.json": rows}
    lines = "\n".join(map(json.dumps, rows))
    (tmp_path / name).write_text(json.dumps(whole[name]) if name in whole else lines)
    found = ef.from_votes(str(tmp_path / name))
    assert found.value == ef.from_votes(yes, 4).value
    assert found.source.columns["counts"] == ("votes.yes", "votes.no")


def test_votes_for_yes_and_no_share_a_word_of_their_names():
    yes = [0, 5, 3, 2, 4, 1] * 10
    frame = pd.DataFrame({"Bewertung ja": yes, "Bewertung nein": [5 - k for k in yes]})
    found = ef.from_votes(frame)
    assert found.source.columns["counts"] == ("Bewertung nein", "Bewertung ja")
    assert found.value == ef.from_votes(yes, 5).value
    # What falls where the other rises is no rating of the same.
    with pytest.raises(ef.InputError):
        ef.from_ratings(frame)


def test_per_cent_are_shares(tmp_path, monkeypatch):
    rng = np.random.default_rng(12)
    share = rng.random(200)
    columns = {
        "email": [f"m{i}" for i in range(200)],
        "Spam likelihood": [f"{100 * one:.1f}%" for one in share],
        "Is spam": rng.random(200) < share,
    }
    text = shown("errorfloor pct.csv", tmp_path, monkeypatch, pct=columns)
    assert 'using column "Spam likelihood" as the score and "Is spam" as the label' in text


def test_what_models_predict_is_no_person(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    share = rng.beta(0.5, 1, 300)
    people = {f"dr_{one}": (rng.random(300) < share).astype(int) for one in "xyz"}
    columns = {"scan": [f"S{i}" for i in range(300)], **people, "cnn": (share > 0.5).astype(int)}
    text = shown("errorfloor people xray.csv --prediction cnn", tmp_path, monkeypatch, xray=columns)
    assert 'using columns "dr_x", "dr_y", "dr_z" as the annotators' in text
    # Without the prediction being named it stays a guess, which leaves out the odd one.
    text = shown("errorfloor xray.csv", tmp_path, monkeypatch)
    assert text.splitlines()[-3:] == [
        "  errorfloor xray.csv --annotators dr_x,dr_y,dr_z",
        'or, if column "cnn" holds what a model predicts:',
        "  errorfloor headroom xray.csv --annotators dr_x,dr_y,dr_z --prediction cnn",
    ]


MODELS_NAMES = ["cnn", "AI suggestion", "bot", "gpt4", "Net", "auto_label", "algorithm", "machine"]


@pytest.mark.parametrize("model", MODELS_NAMES)
def test_a_model_next_to_first_names_is_no_annotator(model, tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    share = rng.beta(0.5, 1, 200)
    word = lambda: np.where(rng.random(200) < share, "defect", "fine")  # noqa: E731
    names = ["anna", "ben", "chloe", "dmitri"]
    frame = pd.DataFrame(
        {"image": [f"img{i}" for i in range(200)]} | {one: word() for one in names}
    )
    frame[model] = word()
    listed = ",".join(names)
    text = shown("errorfloor parts.csv", tmp_path, monkeypatch, parts=frame)
    *_, guess, lead, other = text.splitlines()
    assert guess == f"  errorfloor parts.csv --annotators {listed}"
    assert lead == f'or, if column "{model}" holds what a model predicts:'
    typed = shlex.split(other)[1:]
    assert typed == ["headroom", "parts.csv", "--annotators", listed, "--prediction", model]
    found = CliRunner().invoke(cli, [*typed, "--json"])
    assert found.exit_code == 0, found.output
    first, second = ef.look(frame).next
    assert first == f"ef.from_votes(df, annotators={names})"
    assert second == f"ef.headroom(df, annotators={names}, prediction={model!r})"
    by_name = shown(
        "errorfloor estimate parts.csv --annotators anna,ben,chloe", tmp_path, monkeypatch
    )
    assert "error" not in by_name
    every = ef.from_votes(frame, annotators=[*names, model])
    assert every.table.totals.max() == 5
    # The note about columns that nobody named is there when they are used.
    used = CliRunner().invoke(cli, ["headroom", "parts.csv", "--prediction", model])
    assert 'using columns "anna", "ben", "chloe", "dmitri" as the annotators' in used.stderr


@pytest.mark.parametrize(
    ("people", "other", "option", "command"),
    [
        ("reader", "dermnet", "prediction", "people"),
        ("crowd", "expert", "label", "estimate"),
        ("crowd", "gold", "label", "estimate"),
    ],
)
def test_a_column_next_to_people_is_named_in_what_to_type(people, other, option, command, tmp_path):
    rng = np.random.default_rng(3)
    share = rng.beta(0.5, 1, 300)
    word = lambda: np.where(rng.random(300) < share, "yes", "no")  # noqa: E731
    names = [f"{people}_{k}" for k in range(5)]
    frame = pd.DataFrame({"item": range(300)} | {one: word() for one in names} | {other: word()})
    frame.to_csv(tmp_path / "x.csv", index=False)
    _, line = ef.look(tmp_path / "x.csv").next
    words = shlex.split(line)
    assert words[1] == command
    assert words[-2:] == [f"--{option}", other]
    assert CliRunner().invoke(cli, words[1:]).exit_code == 0
    _, code = ef.look(frame).next
    assert code.endswith(f"{option}={other!r})")
    eval(code, {"ef": ef, "df": frame})
    # Of two such columns it is not known which is what.
    frame["third"] = word()
    assert len(ef.look(frame).next) == 1


def test_a_true_label_next_to_readers_is_no_reader():
    rng = np.random.default_rng(2)
    share = rng.beta(0.6, 1.4, 300)
    word = lambda: np.where(rng.random(300) < share, "malignant", "benign")  # noqa: E731
    frame = pd.DataFrame({f"reader_{k}": word() for k in range(3)} | {"biopsy": word()})
    found = ef.from_votes(frame)
    assert found.source.columns["annotators"] == ("reader_0", "reader_1", "reader_2")
    assert any("biopsy" in one.sentence for one in found.findings if one.level == "warn")


@pytest.mark.parametrize("digits", [2, 3, 6])
def test_shares_of_votes_next_to_their_numbers_are_votes(digits):
    rng = np.random.default_rng(3)
    totals = rng.integers(3, 11, 500)
    votes = rng.binomial(totals, rng.beta(0.3, 1.5, 500))
    shares = pd.DataFrame({"toxicity": np.round(votes / totals, digits), "raters": totals})
    exact = ef.from_votes(votes, totals)
    for told in (
        ef.from_votes(shares),
        ef.from_votes(shares, positives="toxicity", totals="raters"),
    ):
        assert (told.value, told.interval) == (exact.value, exact.interval)


@pytest.mark.parametrize("with_total", [False, True])
def test_numbers_that_add_up_are_votes_for_classes(with_total):
    rng = np.random.default_rng(15)
    totals = rng.integers(4, 9, 80) if with_total else np.full(80, 7)
    counts = np.array([rng.multinomial(m, [0.5, 0.3, 0.2]) for m in totals])
    frame = pd.DataFrame(counts, columns=["entailment", "neutral", "contradiction"])
    names = tuple(frame.columns)
    if with_total:
        frame["raters"] = totals
    found = ef.from_votes(frame.assign(sentence=[f"s{i}" for i in range(80)]))
    assert found.source.columns["counts"] == names
    assert found.value == ef.from_votes(counts=counts).value
    frame.loc[3, "neutral"] += 1  # by one vote it does not add up
    with pytest.raises(ef.InputError):
        ef.from_votes(frame)


def test_votes_and_the_number_of_all_votes_are_told_by_name_and_size():
    rng = np.random.default_rng(16)
    votes = rng.binomial(10, rng.beta(0.2, 1.8, 200))
    frame = pd.DataFrame({"galaxy": np.arange(200), "votes_merger": votes, "votes_total": 10})
    found = ef.from_votes(frame)
    assert found.value == ef.from_votes(votes, 10).value
    with pytest.raises(ef.InputError):  # more votes than all
        ef.from_votes(frame.assign(votes_total=votes.max() - 1))


def test_numbers_that_are_no_shares_of_votes_are_refused():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"a": rng.random(200), "b": rng.integers(3, 9, 200)})
    with pytest.raises(ef.InputError, match="whole numbers of at least 0"):
        ef.from_votes(frame, positives="a", totals="b")


def test_votes_for_the_other_class_in_place_of_all_votes(tmp_path, monkeypatch):
    columns = {"yes": [3, 0, 5, 2] * 10, "no": [2, 5, 0, 3] * 10}
    typed = "errorfloor estimate v.csv --votes yes --total no"
    text = shown(typed, tmp_path, monkeypatch, v=columns)
    assert text.splitlines()[-1] == "  errorfloor estimate v.csv --counts no,yes"


def test_a_score_and_a_label_that_are_called_so_are_read_next_to_features():
    rng = np.random.default_rng(5)
    score = rng.random(400)
    frame = pd.DataFrame(
        {
            "amount": rng.exponential(20, 400),
            "fraud_score": score,
            "is_fraud": (rng.random(400) < score).astype(int),
            "weekend": rng.integers(0, 2, 400),
        }
    )
    assert ef.from_scores(frame).source.columns == {"score": "fraud_score", "label": "is_fraud"}
    # A model's own answer is no label.
    with pytest.raises(ef.InputError):
        ef.from_scores(frame.rename(columns={"is_fraud": "predicted"}))


def test_yes_and_no_are_two_answers_in_any_spelling(tmp_path):
    rng = np.random.default_rng(12)
    words = rng.choice(["Yes", "yes ", "YES", "No", "no"], (150, 3))
    columns = ["dr_a", "dr_b", "dr_c"]
    frame, path = pd.DataFrame(words, columns=columns), tmp_path / "votes.csv"
    frame.to_csv(path, index=False)
    alike = pd.DataFrame(np.where(np.char.lower(words) < "o", "no", "yes"), columns=columns)
    expected = ef.from_votes(alike, annotators=columns).table
    arrays = [ef.from_votes(annotators=one).table for one in (words, alike.to_numpy())]
    assert arrays[0] == arrays[1]
    for data in (frame, pl.from_pandas(frame), path):
        assert ef.from_votes(data, annotators=columns).table == expected
        assert ef.from_votes(data, annotators=columns, positive="yES").table == expected
    ran = CliRunner().invoke(cli, ["estimate", str(path), "--annotators", ",".join(columns)])
    assert "class 1 = YES, Yes or yes, " in ran.stderr
    assert "against the rest" not in ran.stderr


def test_letters_and_classes_of_other_words_keep_their_capitals():
    rng = np.random.default_rng(13)
    letters = ef.from_votes(annotators=rng.choice(["A", "a"], (60, 3)), positive="A")
    assert 0.3 < letters.table.positives @ letters.table.counts / 180 < 0.7
    animals = ef.from_votes(annotators=rng.choice(["Cat", "cat", "dog"], (60, 3)))
    assert animals.refuted


def test_columns_of_classes_may_have_other_capitals_than_labels():
    rng = np.random.default_rng(14)
    p = rng.dirichlet([0.6, 0.6, 0.6], 200)
    names = np.array(["cat", "dog", "bird"])
    labels = names[[rng.choice(3, p=one) for one in p]]
    frame = pd.DataFrame(p, columns=[f"prob_{name}" for name in names]).assign(actual=labels)
    other = frame.assign(actual=np.char.title(labels.astype(str)))
    assert str(ef.from_scores(other)) == str(ef.from_scores(frame))


def test_what_is_measured_is_no_score_and_a_judges_score_is_no_annotator():
    rng = np.random.default_rng(7)
    judge = rng.integers(1, 11, 300)
    frame = pd.DataFrame(
        {
            "id": [f"run-{i}" for i in range(300)],
            "judge_score": judge,
            "human_label": np.where(rng.random(300) < judge / 11, "pass", "fail"),
            "latency_ms": rng.normal(900, 200, 300),
        }
    )
    read = ef.from_scores(frame).source
    assert read.columns == {"score": "judge_score", "label": "human_label"}
    for name in ("latency_ms", "age", "essay length", "Bytes"):
        seconds = frame[["human_label", "latency_ms"]].rename(columns={"latency_ms": name})
        found = ef.look(seconds.assign(city=rng.choice(["x", "y", "z"], 300)))
        assert not any(one.layout == "scores" for one in found.layouts)


def votes_by_moderators(copies):
    rng = np.random.default_rng(8)
    rows = [(f"c{i}", f"mod_{k}") for i in range(200) for k in rng.choice(12, 4, replace=False)]
    frame = pd.DataFrame(rows, columns=["comment_id", "moderator"])
    hard = np.repeat(rng.random(200), 4)
    frame["decision"] = np.where(rng.random(800) < hard, "keep", "remove")
    frame["seconds_spent"] = rng.integers(3, 90, 800)
    return pd.concat([frame, frame.head(copies)]).sample(frac=1, random_state=0)


def test_votes_in_rows_are_found_although_some_rows_are_copies():
    votes = ef.from_votes(votes_by_moderators(0), positive="remove")
    assert votes.source.columns["vote"] == "decision"
    with pytest.raises(ef.InputError, match="in 20 cases an annotator voted more than once"):
        ef.from_votes(votes_by_moderators(20), positive="remove")


def test_numbers_of_votes_for_classes_are_offered_where_their_sums_differ(tmp_path, monkeypatch):
    rng = np.random.default_rng(9)
    chance = rng.dirichlet([0.2] * 4, 100)
    votes = np.array(
        [rng.multinomial(n, p) for n, p in zip(rng.integers(8, 13, 100), chance, strict=True)]
    )
    columns = {"image": [f"i{k}.jpg" for k in range(100)], "height": [600, 480] * 50}
    columns |= dict(zip(("cat", "dog", "deer", "bird"), votes.T.tolist(), strict=True))
    text = shown("errorfloor i.csv", tmp_path, monkeypatch, i=columns)
    assert "\n  errorfloor i.csv --counts cat,dog,deer,bird\n" in text


def test_what_cannot_be_read_is_not_proposed(tmp_path, monkeypatch):
    rng = np.random.default_rng(10)
    columns = {"weight_g": rng.normal(30, 5, 60).tolist(), "site": rng.integers(3, 9, 60).tolist()}
    text = shown("errorfloor i.csv", tmp_path, monkeypatch, i={**columns, "u": rng.random(60)})
    assert "Our guess" not in text


def test_text_that_is_not_utf_8_gets_the_same_guess(tmp_path, monkeypatch):
    rng = np.random.default_rng(11)
    words = np.where(rng.random(80) < 0.4, "ja", "nein")
    table = pd.DataFrame(
        {"Score": rng.random(80), "gekündigt": words, "Umsatz": rng.random(80) * 99}
    )
    monkeypatch.chdir(tmp_path)
    table.to_csv("churn.csv", index=False, encoding="cp1252")
    ran = CliRunner().invoke(cli, ["estimate", "churn.csv"])
    assert "--score Score --label 'gekündigt'" in ran.output


def test_numbers_on_one_scale_of_few_steps_are_ratings(tmp_path, monkeypatch):
    rng = np.random.default_rng(6)
    true = rng.normal(3.4, 0.9, 120)
    stars = {n: np.clip(np.round(true + rng.normal(0, 0.8, 120)), 1, 5) for n in ("Al", "Bo", "Cy")}
    named = ef.from_ratings(pd.DataFrame(stars), ratings=["Al", "Bo", "Cy"])
    told = ef.from_ratings(pd.DataFrame({"product": [f"p{i}" for i in range(120)], **stars}))
    assert told.value == named.value
    # Unless ratings are asked for, or columns are called so, other numbers may be on one scale.
    text = shown("errorfloor stars.csv", tmp_path, monkeypatch, stars=stars)
    assert "Our guess:\n  errorfloor ratings stars.csv --ratings Al,Bo,Cy" in text
    raters = {f"rater_{name}": values for name, values in stars.items()}
    text = shown("errorfloor stars.csv", tmp_path, monkeypatch, stars=raters)
    assert 'using columns "rater_Al", "rater_Bo", "rater_Cy" as ratings' in text
    # Next to other numbers it is not plain which ones are ratings.
    with pytest.raises(ef.InputError):
        ef.from_ratings(pd.DataFrame({**stars, "price": rng.random(120)}))


def essays(n=200):
    rng = np.random.default_rng(23)
    true = rng.normal(3.5, 1, n)
    first, second, model = (np.clip(np.round(true + rng.normal(0, 0.6, n)), 1, 6) for _ in range(3))
    names = ("rater1_domain1", "rater2_domain1", "domain1_score", "model_score")
    return dict(zip(names, (first, second, first + second, model), strict=True))


@pytest.mark.parametrize("typed", ["", " --prediction model_score"])
def test_what_is_made_of_ratings_or_predicted_is_no_rater(typed, tmp_path, monkeypatch):
    text = shown(f"errorfloor ratings e.csv --metric qwk{typed}", tmp_path, monkeypatch, e=essays())
    guess = text.splitlines()[-1]
    assert guess.endswith("--ratings rater1_domain1,rater2_domain1"), text
    text = shown("errorfloor e.csv", tmp_path, monkeypatch, e=essays())
    assert "errorfloor ratings e.csv --ratings rater1_domain1,rater2_domain1" in text
    # Names do not tell here: only that one is the sum, or the mean, of the others.
    first, second, whole, _ = essays().values()
    for one in (whole, whole / 2):
        columns = {"north": first, "south": second, "both": one, "id": np.arange(200)}
        text = shown("errorfloor ratings r.csv", tmp_path, monkeypatch, r=columns)
        assert text.splitlines()[-1] == "  errorfloor ratings r.csv --ratings north,south"


@pytest.mark.parametrize("share", [1, 0.5])
def test_ratings_that_are_the_sum_or_mean_of_others_are_refused(share):
    first, second, whole, model = essays().values()
    frame = pd.DataFrame({"Ana": first, "Ben": second, "all": share * whole})
    with pytest.raises(ef.InputError, match=r"'all' is the (sum|mean) of columns 'Ana', 'Ben'"):
        ef.from_ratings(frame, ratings=[*frame])
    with pytest.raises(ef.InputError, match=r"column 2 is the (sum|mean) of columns 0, 1"):
        ef.from_ratings(frame.to_numpy())
    # People who nearly always agree are all the mean of each other, and still people.
    same = np.column_stack([first, first, first])
    same[:30, 2] = model[:30]
    assert ef.from_ratings(same).n == 200


def test_votes_in_rows_are_guessed_in_any_order_of_rows(tmp_path, monkeypatch):
    rng = np.random.default_rng(26)
    case = np.repeat(np.arange(1500), 3)
    who = np.array([rng.permutation(7)[:3] for _ in range(1500)]).ravel()
    seen = rng.choice(["auffällig", "unauffällig", "nicht beurteilbar"], 4500, p=[0.4, 0.5, 0.1])
    frame = pd.DataFrame(
        {
            "Fall": [f"F{k}" for k in case],
            "Radiologe": [f"Dr. {'ABCDEFG'[k]}" for k in who],
            "Befund": seen,
            "Datum": [f"{k % 28 + 1:02}.11.2023" for k in rng.integers(0, 28, 4500)],
        }
    ).sample(frac=1, random_state=0)
    frame.iloc[::100, 2] = None
    text = shown("errorfloor befunde.csv", tmp_path, monkeypatch, befunde=frame)
    assert "--item Fall --annotator Radiologe --vote Befund --drop-missing" in text
    columns = {"item": "Fall", "annotator": "Radiologe", "vote": "Befund", "drop_missing": True}
    found = ef.from_votes(frame, **columns)
    (told,) = (one for one in found.findings if one.name == "Answers that are no class")
    assert "missing='nicht beurteilbar'" in str(told.remedy)


@pytest.mark.parametrize("names", [
    ("task_id", "image", "worker_id", "result"),
    ("ASSIGNMENT:task_id", "INPUT:image", "ASSIGNMENT:worker_id", "OUTPUT:result"),
])  # fmt: skip
def test_what_has_one_vote_each_is_no_item_where_another_column_has_several(
    names, tmp_path, monkeypatch
):
    rng = np.random.default_rng(28)
    task = [f"t{k}" for k in range(300)]
    image = [f"{k // 3:05}.jpg" for k in range(300)]
    who = np.array([rng.permutation(20)[:3] for _ in range(100)]).ravel()
    columns = (task, image, [f"w{k:03}" for k in who], rng.choice(["cat", "dog"], 300))
    pool = dict(zip(names, columns, strict=True))
    text = shown("errorfloor plan pool.csv", tmp_path, monkeypatch, pool=pool)
    assert f'using column "{names[1]}" as the item, "{names[2]}" as the annotator' in text
    assert "each of your 100 items" in text


@pytest.mark.parametrize("agree", [True, False])
def test_columns_of_many_words_are_people_where_they_mostly_agree(agree, tmp_path, monkeypatch):
    rng = np.random.default_rng(27)
    words = np.array([f"palavra {letter}" for letter in "abcdefgh"])
    true = rng.integers(0, 8, 300)
    columns = {"id_chamada": np.arange(300)}
    for name in ("Ana", "Bruno", "Carla"):
        own = rng.integers(0, 8, 300)
        columns[name] = words[np.where(rng.random(300) < 0.8 * agree, true, own)]
    text = shown("errorfloor c.csv", tmp_path, monkeypatch, c=columns)
    assert ("--annotators Ana,Bruno,Carla" in text) == agree
    assert "id_chamada (number), Ana (text), Bruno (text), Carla (text)" in text


def test_a_target_of_numbers_next_to_its_forecast_is_no_rating(tmp_path, monkeypatch):
    load = np.random.default_rng(24).normal(50, 5, 300).round(2)
    columns = {"timestamp": [f"h{k}" for k in range(300)], "load_mw": load}
    columns["forecast_mw"] = (load + np.random.default_rng(25).normal(0, 2, 300)).round(2)
    text = shown("errorfloor load.csv", tmp_path, monkeypatch, load=columns)
    assert "A target of numbers (regression) has no floor here" in text
    assert "load_mw,forecast_mw" not in text
    text = shown("errorfloor ratings load.csv --metric mae", tmp_path, monkeypatch, load=columns)
    assert "forecast_mw (number)" in text
    assert "load_mw,forecast_mw" not in text


def test_a_dataframe_may_stand_in_place_of_an_array_of_votes():
    rng = np.random.default_rng(7)
    share = rng.beta(0.6, 0.9, 200)
    words = np.where(rng.random((200, 4)) < share[:, None], "toxic", "ok").astype(object)
    words[::7, 1] = None
    frame = pd.DataFrame(words, columns=[*"abcd"])
    assert ef.from_votes(annotators=frame).value == ef.from_votes(annotators=words).value
    counts = rng.multinomial(5, [0.2, 0.3, 0.5], 100)
    named = pd.DataFrame(counts, columns=["n_cat", "n_dog", "n_cow"])
    found = ef.from_votes(counts=named)
    assert found.value == ef.from_votes(counts=counts).value
    assert found.table.classes == ("cat", "dog", "cow")


def test_lists_of_votes_have_no_label_beside_them():
    rng = np.random.default_rng(8)
    rows = [list(rng.choice(["neg", "neu", "pos"], rng.integers(3, 6))) for _ in range(60)]
    found = ef.from_votes(pd.DataFrame({"text": [f"t{i}" for i in range(60)], "labels": rows}))
    assert "labels_beside_votes" not in found.source.facts


def test_a_word_next_to_no_means_yes():
    assert positive_of(["no", "Readmitted"]) == "Readmitted"
    assert positive_of(["none", "no"]) is None
    assert positive_of(["stayed", "left"]) is None


MODELS = {"y": [0, 1, 1, 0] * 30, "a": [0, 1, 0, 0] * 30, "b": [1, 1, 1, 0] * 30}


@pytest.mark.parametrize("command", ["headroom", "people"])
def test_several_models_without_votes_are_to_be_compared(command, tmp_path, monkeypatch):
    typed = f"errorfloor {command} m.csv --prediction a,b"
    for more in ("", " --label y") if command != "people" else ("",):
        text = shown(f"{typed}{more}", tmp_path, monkeypatch, m=MODELS)
        assert text.splitlines()[-1] == "  errorfloor compare m.csv --label y --prediction a,b"


def test_one_model_without_votes_or_scores_has_its_error(tmp_path, monkeypatch):
    text = shown("errorfloor headroom m.csv --prediction a", tmp_path, monkeypatch, m=MODELS)
    assert text.startswith("error: Column 'a' against column 'y' gives the model's error, 25.0 %")


def test_commands_after_an_error_are_of_the_command_that_was_typed(tmp_path, monkeypatch):
    columns = {"u": [1, 2, 3], "v": ["x", "y", "z"]}
    typed = "errorfloor people one.csv"
    lines = shown(typed, tmp_path, monkeypatch, one=columns).splitlines()[1:]
    assert lines == [
        "  errorfloor people one.csv --item COL --annotator COL --vote COL",
        "  errorfloor people one.csv --annotators COL,COL,COL",
        "  errorfloor people one.csv --votes COL --total COL",
        "  errorfloor people one.csv --counts COL,COL,COL",
        "  errorfloor ratings one.csv --ratings COL,COL",
    ]


@pytest.mark.parametrize(
    ("metric", "instead"),
    [
        ("recall", "f1"),
        ("recall_at_precision", "average-precision"),
        ("f1_macro", "f1"),
        ("cohen-kappa", "mcc"),
        ("ece", "brier"),
    ],
)
def test_metrics_without_a_limit_get_the_one_that_comes_close(
    metric, instead, tmp_path, monkeypatch
):
    columns = {"score": [0.1, 0.7, 0.4], "label": [0, 1, 1]}
    text = shown(f"errorfloor s.csv --metric {metric}", tmp_path, monkeypatch, s=columns)
    assert f"\n  errorfloor s.csv --metric {instead}\n" in text
    assert "Did you mean" not in text


def test_metrics_of_ratings_are_elsewhere():
    with pytest.raises(ef.InputError, match="Use from_ratings"):
        ef.from_scores([0.1, 0.9], [0, 1], metric="rmse")


def test_what_is_called_a_prediction_is_no_label(tmp_path, monkeypatch):
    rng = np.random.default_rng(18)
    share = rng.random(400)
    columns = {
        "site": np.array([*"AB"])[rng.integers(0, 2, 400)],
        "prob": share,
        "event": (rng.random(400) < share).astype(int),
        "pred": (share > 0.5).astype(int),
    }
    typed = "errorfloor headroom m.csv --prediction pred --group site"
    text = shown(typed, tmp_path, monkeypatch, m=columns)
    assert 'using column "prob" as the score and "event" as the label' in text


def test_a_file_that_is_not_there_is_no_command(tmp_path, monkeypatch):
    text = shown("errorfloor votes_2026.csv", tmp_path, monkeypatch)
    assert "There is no file 'votes_2026.csv' here." in text
    text = shown("errorfloor estimat", tmp_path, monkeypatch)
    assert "There is no command and no file 'estimat'. Did you mean estimate?" in text


HOURS = np.random.default_rng(0).multinomial(24, [0.35, 0.4, 0.25], 300)
ROOMS = np.random.default_rng(1).integers(1, 5, 300)
SHOWN = np.random.default_rng(2).integers(20, 200, 300)
SHIFTS = np.random.default_rng(3).choice(["day", "night"], 300)


@pytest.mark.parametrize(("columns", "guess"), [
    (dict(zip(["sleep", "work", "leisure"], HOURS.T, strict=True)), "--counts sleep,work,leisure"),
    ({"bedrooms": ROOMS, "total_rooms": ROOMS + HOURS[:, 0] % 3 + 1},
     "--ratings bedrooms,total_rooms"),
    ({"rate": np.random.default_rng(4).binomial(SHOWN, 0.1) / SHOWN, "impressions": SHOWN},
     "--votes rate --total impressions"),
    ({"nurse": np.arange(300) % 10, "patient": np.arange(300) // 3, "shift": SHIFTS},
     "--item patient --annotator nurse --vote shift"),
    ({"user": np.arange(300) % 30, "product": np.arange(300) // 5, "device": SHIFTS},
     "--item product --annotator user --vote device"),
])  # fmt: skip
def test_what_only_looks_like_votes_is_asked_and_not_answered(
    columns, guess, tmp_path, monkeypatch
):
    words = {name: [f"{name}{one}" for one in columns[name]]
             for name in ("nurse", "patient", "user", "product") if name in columns}  # fmt: skip
    text = shown("errorfloor day.csv", tmp_path, monkeypatch, day={**columns, **words})
    assert text.startswith("error: Which columns should be used?")
    assert guess in text


def test_the_number_of_people_who_were_asked_is_no_class(tmp_path, monkeypatch):
    asked = np.random.default_rng(5).choice([3, 5], 300)
    columns = {"n_inspectors": asked, "n_reject": np.random.default_rng(6).binomial(asked, 0.3)}
    text = shown("errorfloor parts.csv", tmp_path, monkeypatch, parts=columns)
    assert '"n_reject" as the votes for class 1 and "n_inspectors" as the number of votes' in text


def test_how_many_agree_on_the_leading_answer_is_no_share_of_votes(tmp_path, monkeypatch):
    rng = np.random.default_rng(7)
    votes = rng.multinomial(5, [0.5, 0.3, 0.2], 300)
    columns = {
        "judgments": np.full(300, 5),
        "mood": np.array(["sad", "fine", "glad"])[votes.argmax(axis=1)],
        "mood:confidence": votes.max(axis=1) / 5,
    }
    text = shown("errorfloor tweets.csv", tmp_path, monkeypatch, tweets=columns)
    assert (
        "'mood:confidence' seems to say how many people agree on the answer in column 'mood'"
        in text
    )
    found = ef.from_votes(votes.max(axis=1), np.full(300, 5))
    (leading,) = (one for one in found.findings if one.name == "Votes for the leading answer")
    assert leading.level == "note"


def test_people_with_numbers_are_annotators_next_to_models(tmp_path, monkeypatch):
    votes = np.random.default_rng(8).choice(["A", "B"], (300, 4))
    columns = {f"human_{i}": votes[:, i] for i in range(3)} | {"gpt_judge": votes[:, 3]}
    text = shown(
        "errorfloor people eval.csv --prediction gpt_judge", tmp_path, monkeypatch, eval=columns
    )
    assert 'using columns "human_0", "human_1", "human_2" as the annotators' in text


def test_blanks_in_lists_are_missing_votes():
    lists = [["yes", "", "no"], ["no", " ", "no"]] * 40
    rows = pd.DataFrame({"votes": lists})
    for frame in (rows, duckdb.from_df(rows)):
        found = ef.from_votes(frame, annotations="votes")
        assert found.table.totals.tolist() == [2, 2]


def test_votes_that_agree_everywhere_are_doubted():
    with pytest.warns(ef.DoubtWarning, match="was one label copied for each person"):
        ef.from_votes(np.tile([0, 3], 75), np.full(150, 3))
    ef.from_votes(np.tile([0, 3], 50), np.full(100, 3))  # which may be chance


def scored(vote="clicked", n=1200, **columns):
    """Return what a model scored, votes that are drawn by the scores, and other columns."""
    rng = np.random.default_rng(31)
    score = rng.random(n).round(4)
    return pd.DataFrame({**columns, "net": score, vote: (rng.random(n) < score).astype(int)})


def test_a_target_of_numbers_is_no_score(tmp_path, monkeypatch):
    rng = np.random.default_rng(19)
    days = pd.date_range("2023-01-01", periods=730)
    frame = pd.DataFrame({"date": days, "sales": rng.normal(100, 9, 730).round(1)})
    frame["promo"], frame["price"] = rng.integers(0, 2, 730), rng.normal(5, 1, 730).round(2)
    for data in (frame, frame.drop(columns="price")):
        text = shown("errorfloor sales.csv", tmp_path, monkeypatch, sales=data)
        assert text.startswith("error: ")
        assert "--score sales" not in text
        assert "--score COL --label COL" in text
        assert all("--score sales" not in one for one in ef.look("sales.csv").next)
    for name in ("mape", "rmse"):
        text = shown(f"errorfloor sales.csv --metric {name}", tmp_path, monkeypatch)
        assert f"--metric {name} is of numbers, and floors are of classes: a target such as" in text
        assert "Use errorfloor ratings." in text
    text = shown("errorfloor features sales.csv --label sales", tmp_path, monkeypatch)
    assert "A target of numbers (regression) has no floor here" in text
    for name in ("churn_logit", "similarity", "model_a", "Score", "margin"):  # of any size
        named = frame.drop(columns="price").rename(columns={"sales": name})
        assert any(f"score='{name}', label='promo'" in one for one in ef.look(named).next)


def test_one_person_next_to_a_judge_is_asked_for_a_second_one(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    human = rng.choice(["pass", "fail"], 300)
    judge = np.where(rng.random(300) < 0.8, human, "pass")
    one = {"prompt_id": [f"p{k}" for k in range(300)], "human_label": human, "judge_label": judge}
    needs = "Votes of at least two people on the same items are needed."
    assert needs in shown("errorfloor people one.csv", tmp_path, monkeypatch, one=one)
    assert needs in shown("errorfloor items one.csv", tmp_path, monkeypatch)
    assert needs not in shown("errorfloor one.csv", tmp_path, monkeypatch)


SCORED = {
    "patients": {"patient_id": [f"P{k % 60}" for k in range(1200)], "slide": np.arange(1200) // 60},
    "users": {"user_id": [f"u{k % 40}" for k in range(1200)], "item_id": np.arange(1200) // 40},
    "leads": {"patient": np.arange(1200) // 5, "lead": np.arange(1200) % 5},
}


@pytest.mark.parametrize("vote", ["clicked", "label"])
@pytest.mark.parametrize("who", SCORED)
def test_a_guess_that_leaves_out_a_score_is_not_the_first(who, vote, tmp_path, monkeypatch):
    files = {"data": scored(vote, **SCORED[who])}
    text = shown("errorfloor data.csv", tmp_path, monkeypatch, **files)
    assert text.startswith("error: ")
    lines = [one for one in text.splitlines() if one.startswith("  errorfloor ")]
    assert lines[0] == f"  errorfloor data.csv --score net --label {vote}"
    assert not any("--annotator patient" in one for one in lines)
    for line in lines:  # each can be pasted
        assert "error: " not in shown(line.strip(), tmp_path, monkeypatch)


def answers_of(*names, spread=0.1, n=300):
    """Return columns of the same two answers, each the truth but for a share of rows."""
    rng = np.random.default_rng(7)
    truth = rng.random(n) < 0.4
    answers = {name: ((rng.random(n) < spread) ^ truth).astype(int) for name in names}
    return pd.DataFrame({"image": np.arange(n), "site": rng.choice(["a", "b"], n), **answers})


@pytest.mark.parametrize("stem", ["rad", "RDR_", "Dr. ", "annot"])
def test_columns_that_are_short_for_people_are_people_where_they_agree(stem):
    names = [f"{stem}{k}" for k in range(1, 6)]
    frame = answers_of(*names)
    found = ef.from_votes(frame, interval=None)
    assert found.source.columns == {"annotators": tuple(names)}
    assert found.source.guessed == ("annotators",)
    assert [*ef.from_votes(frame, group="site", interval=None)] == ["a", "b"]
    words = frame.replace({name: {0: "no", 1: "yes"} for name in names})
    assert ef.from_votes(words, interval=None).value == found.value


@pytest.mark.parametrize(
    "stem", ["model", "x", "pred", "q", "class_", "tag", "feature_", "label_x", "obs", "md"]
)
def test_columns_that_are_short_for_anything_are_asked_about(stem):
    frame = answers_of(*(f"{stem}{k}" for k in range(1, 6)))
    with pytest.raises(ef.InputError, match="Cannot tell which columns to take") as raised:
        ef.from_votes(frame, group="site")
    assert "leaves too few columns" not in str(raised.value)


def test_observations_next_to_an_outcome_are_proposed_and_not_taken(tmp_path, monkeypatch):
    frame = answers_of(*(f"obs{k}" for k in range(1, 6)), "outcome")
    text = shown("errorfloor data.csv", tmp_path, monkeypatch, data=frame)
    assert text.startswith("error: Which columns should be used?")
    assert "  errorfloor data.csv --annotators obs1,obs2,obs3,obs4,obs5\n" in text


def test_columns_short_for_people_that_do_not_agree_are_asked_about():
    names = [f"rad{k}" for k in range(1, 6)]
    with pytest.raises(ef.InputError, match="Cannot tell which columns to take"):
        ef.from_votes(answers_of(*names, spread=0.5))
    numbers = answers_of(*names)
    numbers[names] += np.random.default_rng(0).normal(size=(len(numbers), 5)).round(2)
    with pytest.raises(ef.InputError, match="Cannot tell which columns to take"):
        ef.from_votes(numbers)


def test_people_who_vote_may_have_scores_next_to_their_votes():
    frame = scored("answer", item=np.arange(1200) // 5, worker=np.arange(1200) % 5)
    assert ef.from_votes(frame).value == ef.from_votes(frame.drop(columns="net")).value
    # Where votes are asked for, users vote.
    users = frame.rename(columns={"worker": "user_id"})
    assert ef.from_votes(users).value == ef.from_votes(frame).value


def test_what_has_the_values_of_the_votes_is_no_annotator(tmp_path, monkeypatch):
    rng = np.random.default_rng(32)
    score = rng.random(300)
    preferred = np.where(rng.random(300) < score, "A", "B").astype(object)
    preferred[::9] = "tie"
    preferred[::40] = None
    columns = {
        "prompt_id": [f"p{k}" for k in range(300)],
        "judge_verdict": np.where(score > 0.5, "A", "B"),
        "judge_score": score,
        "human_pref": preferred,
    }
    text = shown("errorfloor judged.csv", tmp_path, monkeypatch, judged=columns)
    (line,) = (one for one in text.splitlines() if one.startswith("  errorfloor "))
    own = "--score judge_score --label human_pref --positive A --drop-missing"
    assert line == f"  errorfloor judged.csv {own}"
    assert "class 1 = A" in shown(line.strip(), tmp_path, monkeypatch)


def test_columns_with_points_in_their_names_are_columns(tmp_path):
    rng = np.random.default_rng(33)
    score = rng.random(200)
    label = [None if k % 3 == 0 else int(p > rng.random()) for k, p in enumerate(score)]
    rows = [
        {"prediction": {"prob": p}, "outcome": {"label": y}}
        for p, y in zip(score, label, strict=True)
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    named = {"score": "prediction.prob", "label": "outcome.label"}
    found = ef.from_scores(str(path), unlabelled=True, **named)
    frame = pd.DataFrame({"score": score, "label": label})
    plain = ef.from_scores(frame, unlabelled=True)
    assert (found.value, found.interval) == (plain.value, plain.interval)
    votes = [
        {"at": {"query": k // 9, "doc": k // 3}, "by": {"who": k % 3}, "vote": k % 2}
        for k in range(90)
    ]
    path.write_text("\n".join(map(json.dumps, votes)))
    both = ef.from_votes(str(path), item="at.query,at.doc", annotator="by.who", vote="vote")
    assert both.n == 30


def test_raters_that_are_not_to_be_used_are_not_where_columns_are_guessed():
    rng = np.random.default_rng(34)
    rows = [(f"u{i}", f"L{j}", rng.integers(1, 6)) for i in range(50) for j in range(3)]
    frame = pd.DataFrame(rows, columns=["utterance", "listener", "mos"])
    named = ef.from_ratings(frame, item="utterance", rating="mos", rater=False)
    found = ef.from_ratings(frame, rater=False)
    assert (found.value, found.interval) == (named.value, named.interval)
    assert "rater" not in found.source.columns
    assert found.interval != ef.from_ratings(frame).interval


def counted_votes(n=300, seed=35):
    """Return votes for class 1 and the number of all votes on each item."""
    rng = np.random.default_rng(seed)
    totals = rng.integers(2, 6, n)
    return rng.binomial(totals, rng.beta(0.4, 0.8, n)), totals


def test_votes_and_their_numbers_are_offered_where_one_never_exceeds_the_other(
    tmp_path, monkeypatch
):
    votes, totals = counted_votes()
    columns = {"case": [f"F{k}" for k in range(300)], "all of them": totals, "harmful": votes}
    text = shown("errorfloor cases.csv", tmp_path, monkeypatch, cases=columns)
    line = "  errorfloor cases.csv --votes harmful --total 'all of them'"
    assert text.splitlines()[-1] == line
    columns["all of them"] = np.where(np.arange(300) == 7, votes - 1, totals)  # once too few
    assert "--total 'all" not in shown("errorfloor cases.csv", tmp_path, monkeypatch, cases=columns)


@pytest.mark.parametrize("own", ["--votes spam --total seen", "--counts ham,spam"])
def test_items_without_any_vote_are_left_out_by_one_option(own, tmp_path, monkeypatch):
    votes, totals = counted_votes()
    none = np.arange(300) % 10 == 0
    votes, totals = np.where(none, 0, votes), np.where(none, 0, totals)
    columns = {"spam": votes, "seen": totals, "ham": totals - votes}
    text = shown(f"errorfloor qa.csv {own}", tmp_path, monkeypatch, qa=columns)
    assert text == (
        "error: 30 of 300 rows are items without any vote. Pass --drop-missing to leave these rows "
        f"out.\n  errorfloor qa.csv {own} --drop-missing\n"
    )
    text = shown(f"errorfloor qa.csv {own} --drop-missing --json -q", tmp_path, monkeypatch)
    found = json.loads(text)["result"]
    rest = ef.from_votes(votes[~none], totals[~none])
    assert (found["n"], found["dropped"]) == (270, 30)
    assert found["value"] == pytest.approx(rest.value)


def test_a_single_rater_is_one_label_per_item_also_in_a_short_file(tmp_path, monkeypatch):
    columns = {"image": [f"img_{k}.png" for k in range(15)], "rater1": ["cat", "cat", "dog"] * 5}
    text = shown("errorfloor one.csv", tmp_path, monkeypatch, one=columns)
    assert text.startswith("error: One label per item (column 'rater1')")


def test_numbers_without_labels_are_offered_as_what_they_may_be(tmp_path, monkeypatch):
    rng = np.random.default_rng(36)
    share = rng.random(60)
    text = shown("errorfloor a.csv", tmp_path, monkeypatch, a={"item": range(60), "true_p": share})
    assert text.splitlines()[-1] == "  errorfloor a.csv --soft true_p"
    marks = {name: np.round(50 + 30 * share + 5 * rng.normal(size=60)) for name in ("Ito", "Ruiz")}
    text = shown("errorfloor b.csv", tmp_path, monkeypatch, b={"essay_id": range(60), **marks})
    assert text.splitlines()[-1] == "  errorfloor ratings b.csv --ratings Ito,Ruiz"


def test_every_form_is_named_where_nothing_tells_any(tmp_path, monkeypatch):
    columns = {"a": ["x"] * 30, "b": ["y"] * 30}
    text = shown("errorfloor c.csv", tmp_path, monkeypatch, c=columns)
    for own in ("--votes COL --total COL", "--soft COL", "--score COL --label COL"):
        assert f"\n  errorfloor c.csv {own}\n" in text
    assert text.endswith("\n  errorfloor ratings c.csv --ratings COL,COL\n")


def test_probabilities_that_are_called_like_classes_behind_a_prefix_are_theirs():
    rng = np.random.default_rng(37)
    share = rng.dirichlet([1, 1, 1], 300)
    classes = np.array(["cat", "dog", "bird"])
    label = classes[[rng.choice(3, p=one) for one in share]]
    frame = pd.DataFrame(share, columns=[f"p_{one}" for one in classes]).assign(species=label)
    told = ef.from_scores(frame)
    named = ef.from_scores(frame, score=["p_cat", "p_dog", "p_bird"], label="species")
    assert (told.value, told.classes) == (named.value, ("cat", "dog", "bird"))


def test_columns_that_are_numbered_further_than_the_classes_are_features(tmp_path, monkeypatch):
    # `feature_0` and `feature_1` of twenty were taken for the scores of classes 0 and 1.
    rng = np.random.default_rng(41)
    label = rng.integers(0, 2, 60)
    columns = {f"feature_{one}": label + rng.normal(size=60) for one in range(20)}
    text = shown("errorfloor f.csv", tmp_path, monkeypatch, f={**columns, "label": label})
    assert "look like features, not like scores of a model. From features:" in text
    assert text.splitlines()[-1] == "  errorfloor features f.csv --label label"


def test_labels_of_two_numbers_are_asked_about_with_what_to_type(tmp_path, monkeypatch):
    rng = np.random.default_rng(38)
    score = rng.random(200)
    columns = {"score": score, "label": 1 + (rng.random(200) < score)}
    text = shown("errorfloor v.csv", tmp_path, monkeypatch, v=columns)
    lines = text.splitlines()[1:]
    assert lines == ["  errorfloor v.csv --positive 2", "  errorfloor v.csv --positive 1"]
    assert "look" not in text
    assert "class 1 = 2" in shown(lines[0].strip(), tmp_path, monkeypatch)


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("code", [99, "unsure", "-"])
def test_answers_that_mean_none_are_told_and_left_out(code, engine, tmp_path):
    rng = np.random.default_rng(39)
    words = not str(code).isdigit()
    names = ["low", "middle", "high"] if words else [1, 2, 3]
    share = rng.dirichlet([0.4] * 3, 300)
    votes = np.array([rng.choice(3, 4, p=one) for one in share])
    answers = np.array(names, dtype=object)[votes]
    none = rng.random(votes.shape) < 0.1
    blank, coded = np.where(none, None, answers), np.where(none, code, answers)
    columns = [f"coder_{one}" for one in "abcd"]

    def estimate(table, **how):
        return ef.from_votes(
            engine({one: table[:, k].tolist() for k, one in enumerate(columns)}), **how
        )

    plain = estimate(blank)
    found = estimate(coded)
    assert any(str(code) in one.value and one.level == "warn" for one in found.findings)
    left_out = estimate(coded, missing=code)
    assert (left_out.value, left_out.classes) == (plain.value, plain.classes)
    rows = [(i, j, coded[i, j]) for i in range(300) for j in range(4)]
    in_rows = pd.DataFrame(rows, columns=["item", "annotator", "vote"])
    in_rows.to_csv(tmp_path / "rows.csv", index=False)
    for data in (in_rows, str(tmp_path / "rows.csv")):
        told = ef.from_votes(data, missing=[code], drop_missing=code == "-")  # blank in text files
        assert told.value == pytest.approx(plain.value)


def test_ordinary_numbers_and_marks_are_classes():
    for values in ([97, 98, 99], [-1, 0, 1], ["+", "-", "o"], [1, 2, 9]):
        table = np.random.default_rng(40).choice(np.array(values, dtype=object), (200, 3))
        found = ef.from_votes(
            pd.DataFrame(table, columns=["r_1", "r_2", "r_3"]), annotators=["r_*"]
        )
        assert not any("no class" in one.name for one in found.findings)


def test_one_answer_in_two_forms_is_no_class_of_its_own(tmp_path, monkeypatch):
    rng = np.random.default_rng(41)
    score = rng.random(400)
    yes = rng.random(400) < score
    short = rng.random(400) < 0.5
    words = np.where(yes, np.where(short, "Y", "Yes"), np.where(short, "N", "no"))
    columns = {"score": score, "label": words}
    text = shown("errorfloor m.csv", tmp_path, monkeypatch, m=columns)
    assert "has N and no, Y and Yes, which look like one answer in two forms" in text
    assert "--positive" not in text
    text = shown("errorfloor m.csv --positive Y", tmp_path, monkeypatch)
    assert "No floor can be stated. Y and Yes are treated as different classes" in text
