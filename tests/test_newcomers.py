"""What people bring who have read nothing: tables with titles, marks in numbers, odd names."""

import json
import re
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data.files import check_output

RNG = np.random.default_rng(5)
N = 240
P = RNG.beta(0.6, 0.8, N)
Y = (RNG.random(N) < P).astype(int)
P3 = RNG.dirichlet([0.5] * 3, N)
Y3 = (RNG.random((N, 1)) > P3.cumsum(axis=1)).sum(axis=1).clip(0, 2)
READERS = pd.DataFrame(
    {
        "Patient": [f"P{k // 2}" for k in range(N)],
        **{f"Reader {name}": np.where(RNG.random(N) < P, "sick", "well") for name in "ABC"},
    }
)


def columns_of(found):
    return dict(found.source.columns)


# Files


@pytest.mark.parametrize("titles", [[["Reader study 2024"]], [["Readers"], [], ["as of", "May"]]])
def test_names_of_columns_in_excel_are_found_below_titles(tmp_path, titles):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [*titles, [*READERS], *READERS.to_numpy().tolist()]:
        book.active.append(row)
    book.save(tmp_path / "readers.xlsx")
    found = ef.frames.vote_table(tmp_path / "readers.xlsx", annotators=["Reader*"])
    assert found == ef.frames.vote_table(READERS, annotators=["Reader*"])


@pytest.mark.parametrize("rows", [[["votes", None], ["a;b", "x"]], [[1, 2, 3], ["a", "b", "c"]]])
def test_rows_that_are_no_titles_stay(tmp_path, rows):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "plain.xlsx")
    names = [one.name for one in ef.look(tmp_path / "plain.xlsx").columns]
    assert names == [str(one) for one in rows[0] if one is not None]


def test_a_file_of_probabilities_without_names_gets_names_that_can_be_read(tmp_path):
    path = tmp_path / "p.csv"
    numbers = np.column_stack([np.arange(N), P3.round(4), Y3])
    pd.DataFrame(numbers).to_csv(path, index=False, header=False)
    heads = "c1,proba_0,proba_1,proba_2,label"
    with pytest.raises(ef.InputError, match=f"echo {heads}; cat .*p.csv"):
        ef.from_scores(path)
    path.write_text(f"{heads}\n{path.read_text()}")
    found = ef.from_scores(path, interval=None)
    assert columns_of(found) == {"score": ("proba_0", "proba_1", "proba_2"), "label": "label"}


# Numbers


@pytest.mark.parametrize("mark", [".", ","])
def test_numbers_of_votes_may_have_marks_between_thousands(tmp_path, mark):
    votes = RNG.integers(1, 4000, (N, 2))
    plain = pd.DataFrame(votes, columns=["yes", "no"])
    marked = plain.map(lambda n: f"{n:,}".replace(",", mark))
    marked.to_csv(tmp_path / "votes.csv", sep=";", index=False)
    expected = ef.frames.vote_table(plain, counts=["no", "yes"])
    for data in (marked, tmp_path / "votes.csv"):
        assert ef.frames.vote_table(data, counts=["no", "yes"]) == expected
    given = marked.assign(all=[f"{n:,}".replace(",", mark) for n in votes.sum(axis=1).tolist()])
    assert ef.frames.vote_table(given, positives="yes", totals="all") == expected


@pytest.mark.parametrize("odd", ["0.500", "1.5", "1.2345", "x"])
def test_fractions_are_no_thousands(odd):
    frame = pd.DataFrame({"yes": ["1.569", "907", odd], "no": ["12", "400", "3"]})
    with pytest.raises(ef.InputError, match="must be whole numbers of at least 0"):
        ef.from_votes(frame, counts=["no", "yes"])
    few = pd.DataFrame({"yes": ["1.125", "2", "3.375"], "no": ["1", "2", "3"]})
    with pytest.raises(ef.InputError, match="It may be thousands or a fraction"):
        ef.from_votes(few, counts=["no", "yes"])


# Guesses


def test_numbers_that_add_up_to_1_are_the_scores_of_the_classes_that_are_their_places():
    frame = pd.DataFrame(P3.round(4), columns=["p0", "p1", "p2"]).assign(id=range(N), target=Y3)
    named = ef.from_scores(frame, score=["p0", "p1", "p2"], label="target", interval=None)
    found = ef.from_scores(frame, interval=None)
    assert found.value == named.value
    assert columns_of(found) == columns_of(named)
    for odd in (frame[["p2", "p1", "p0", "target"]], frame.assign(p0=frame.p0 / 2)):
        with pytest.raises(ef.InputError):
            ef.from_scores(odd)


@pytest.mark.parametrize("spelt", [lambda p: f"{100 * p:.0f}%", lambda p: f"{p:.1f}"])
def test_shares_in_few_steps_next_to_a_label_of_two_classes_are_scores(spelt):
    forecast = [spelt(one) for one in P.round(1)]
    day = [f"2024-01-{k % 28 + 1:02}" for k in range(N)]
    frame = pd.DataFrame({"day": day, "forecast": forecast, "rain": np.where(Y, "yes", "no")})
    assert columns_of(ef.from_scores(frame, interval=None)) == {
        "score": "forecast",
        "label": "rain",
    }


def test_a_judge_next_to_gold_is_no_annotator():
    gold = [one if k % 4 else None for k, one in enumerate(Y)]
    points = pd.DataFrame({"id": range(N), "judge": (10 * P).round().astype(int), "gold": gold})
    found = ef.from_scores(points, unlabelled=True, interval=None)
    assert columns_of(found) == {"score": "judge", "label": "gold"}
    words = np.where(Y, "good", "bad")
    verdicts = points.assign(judge=np.where(P > 0.5, "good", "bad"), gold=words)
    (told,) = ef.look(verdicts).problems
    assert told.startswith("Column 'judge' against column 'gold' gives the model's error")


def test_a_confusion_matrix_is_told_and_is_no_votes(tmp_path):
    names, path = ["cat", "dog"], tmp_path / "cm.csv"
    pd.DataFrame([[90, 10], [30, 70]], index=names, columns=names).to_csv(path)
    found = ef.look(path)
    assert found.problems[0].startswith("This is a confusion matrix: a row and a column for each")
    assert "80.0 % of 200" in found.problems[0]
    assert found.next == ("errorfloor headroom FLOOR --confusion '90,10;30,70'",)
    with pytest.raises(ef.InputError, match="`counts` is a confusion matrix"):
        ef.from_votes(path, counts=names)


def test_python_gets_the_guess_of_the_command_line():
    frame = pd.DataFrame({"patient": range(N), "prob": P, "disease": Y, "age": RNG.normal(size=N)})
    with pytest.raises(ef.InputError) as caught:
        ef.from_scores(frame)
    assert str(caught.value).endswith("You may mean\n  `score='prob'` `label='disease'`")


def test_respondents_are_raters():
    item = np.repeat(np.arange(60), 4)
    frame = pd.DataFrame({"item": item, "rating": RNG.integers(1, 8, 240)})
    frame["respondent"] = [f"r{k % 4}" for k in range(240)]
    assert columns_of(ef.from_ratings(frame, interval=None))["rater"] == "respondent"


# What is said


def test_votes_and_totals_in_each_others_place_are_told():
    frame = pd.DataFrame({"yes": [1, 2, 0, 3], "n": 3})
    with pytest.raises(ef.InputError, match="as if 'yes' held the votes for class 1 and 'n' the"):
        ef.from_votes(frame, positives="n", totals="yes")
    with pytest.raises(ef.InputError, match="If these are votes for the other class"):
        ef.from_votes(frame.assign(n=[0, 1, 3, 2]), positives="yes", totals="n")


def test_a_column_that_may_be_a_cluster_is_doubted_until_it_is_named():
    frame = pd.DataFrame({"score": P, "label": Y, "patient": np.arange(N) // 3})
    with pytest.warns(ef.DoubtWarning, match=r"^In 160 rows column 'patient' repeats the value"):
        found = ef.from_scores(frame)
    assert "cluster='patient', --cluster patient" in found.warnings[0]
    assert ef.from_scores(frame, cluster="patient").warnings == ()
    assert ef.from_scores(frame.assign(patient=range(N))).warnings == ()


@pytest.mark.parametrize("name", ["sample_weight", "Sample Weights", "survey_weight", "weight"])
def test_a_column_of_weights_is_doubted_until_it_is_named(name):
    weights = np.where(Y == 1, 1, 20)
    frame = pd.DataFrame({"score": P, "label": Y, name: weights})
    says = rf"^Column '{name}' has numbers from 1 to 20 and was not used.*weight='{name}', --weight"
    with pytest.warns(ef.DoubtWarning, match=says):
        ef.from_scores(frame)
    with pytest.warns(ef.DoubtWarning, match=says):
        assert "not for the population" in ef.headroom(frame, errors=20, n=100).to_markdown()
    models = frame.assign(a=Y, b=np.roll(Y, 1)).drop(columns="score")
    with pytest.warns(ef.DoubtWarning, match=says):
        ef.compare(models, label="label", prediction=["a", "b"])
    assert ef.from_scores(frame, weight=name).warnings == ()
    for other in (0, np.inf, np.nan, 20, "heavy"):  # which are no weights, or tell no items apart
        odd = frame.assign(**{name: [other if one else 20 for one in Y]})
        assert ef.from_scores(odd).warnings == ()


def test_what_somebody_weighs_is_no_weight_of_items():
    frame = pd.DataFrame({"score": P, "label": Y, "Weight": 50 + 40 * P, "Height": 150 + 30 * P})
    assert ef.from_scores(frame, score="score", label="label").warnings == ()
    with pytest.warns(ef.DoubtWarning, match="Column 'Weight' has numbers from"):
        ef.from_scores(frame.drop(columns="Height"), score="score", label="label")


def test_weights_next_to_rows_of_votes_are_those_of_items():
    item = np.repeat(np.arange(N), 3)
    vote = (RNG.random(3 * N) < P[item]).astype(int)
    frame = pd.DataFrame({"item": item, "vote": vote, "weight": item % 5 + 1})
    with pytest.warns(ef.DoubtWarning, match="Column 'weight' has numbers from 1 to 5"):
        ef.from_votes(frame, item="item", vote="vote", interval=None)
    frame["weight"] = np.arange(3 * N) % 5 + 1  # such as how sure a person was
    assert ef.from_votes(frame, item="item", vote="vote", interval=None).warnings == ()


def typed(*words):
    """Return what the command line answers, with its remarks."""
    cli = pytest.importorskip("errorfloor.apps.cli.commands").cli
    return pytest.importorskip("click.testing").CliRunner().invoke(cli, [str(one) for one in words])


def proposed(said):
    """Return the first command that is proposed, in words."""
    lines = [one.strip() for one in said.output.splitlines()]
    return shlex.split(next(one for one in lines if one.startswith("errorfloor ")))[1:]


@pytest.fixture
def competition(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    order = RNG.permutation(N)
    pd.DataFrame({"id": 5000 + np.arange(N), "target": P.round(4)}).to_csv("sub.csv", index=False)
    use = np.where(RNG.random(N) < 0.3, "Public", "Private")
    truth = pd.DataFrame({"id": 5000 + order, "target": Y[order], "Usage": use})
    truth.to_csv("truth.csv", index=False)
    frame = pd.DataFrame({"score": P.round(4), "label": Y})
    return ef.from_scores(frame, score="score", label="label").value


@pytest.mark.parametrize("files", [("sub.csv", "truth.csv"), ("truth.csv", "sub.csv")])
def test_files_of_scores_and_of_labels_are_joined_and_not_stacked(competition, files):
    said = typed(*files)
    assert said.exit_code == 1
    assert "hold the same items (column 'id'): scores in 'sub.csv', and labels in" in said.output
    assert "--soft" not in said.output
    line = proposed(said)
    assert line[:5] == ["sub.csv", "--labels", "truth.csv", "--on", "id"]
    assert shlex.join(["errorfloor", "estimate", *line]) in ef.look(files).next
    for words in (line, ["sub.csv", "--labels", "truth.csv", "--on", "id"]):
        found = json.loads(typed(*words, "--json", "-q").stdout)
        assert found["result"]["value"] == pytest.approx(competition)
        assert found["result"]["n"] == N
    refused = typed(*files, "--soft", "target")
    assert refused.exit_code == 1
    assert proposed(refused) == line


def test_files_of_scores_and_of_labels_with_other_names_are_joined(competition):
    pd.read_csv("sub.csv").rename(columns={"target": "score"}).to_csv("sub.csv", index=False)
    pd.read_csv("truth.csv").rename(columns={"target": "label"}).to_csv("truth.csv", index=False)
    said = typed("sub.csv", "truth.csv")
    assert said.exit_code == 1
    assert proposed(said) == proposed(typed("look", "sub.csv", "truth.csv"))[1:]
    found = json.loads(typed(*proposed(said), "--json", "-q").stdout)
    assert found["result"]["value"] == pytest.approx(competition)


def test_parts_of_one_table_stay_one_table(competition):
    frame = pd.DataFrame({"id": np.arange(N), "score": P, "label": Y})
    frame[: N // 2].to_csv("a.csv", index=False)
    frame[N // 2 :].to_csv("b.csv", index=False)
    assert ef.from_scores(["a.csv", "b.csv"]).n == N


@pytest.mark.parametrize("blank", [0, 3])
def test_files_of_one_person_each_are_votes(tmp_path, monkeypatch, blank):
    monkeypatch.chdir(tmp_path)
    for who in ("anna", "bob", "cem"):
        order = RNG.permutation(N)[: N - 9]
        rows = {"query": [f"q {k // 10}" for k in order], "url": [f"/p/{k}" for k in order]}
        grade = (RNG.random((order.size, 1)) > P3[order].cumsum(axis=1)).sum(axis=1)
        rows["seconds"] = RNG.integers(2, 9, order.size)
        grades = pd.Series(grade.clip(0, 2)).where(np.arange(order.size) >= blank).astype("Int64")
        pd.DataFrame({**rows, "relevance": grades}).to_csv(f"{who}.csv", index=False)
    files = ["anna.csv", "bob.csv", "cem.csv"]
    said = typed(*files)
    assert "One label per item" not in said.output
    assert "3 files hold the same items (columns 'query' and 'url')" in said.output
    named = ["--item", "query,url", "--annotator", "filename", "--vote", "relevance"]
    assert proposed(said) == [*files, *named, *(["--drop-missing"] if blank else [])]
    found = json.loads(typed(*proposed(said), "--json", "-q").stdout)["result"]
    assert (found["n"], found["metric"]) == (N, "error")
    how = {"item": "query,url", "annotator": "filename", "vote": "relevance"}
    with pytest.warns(ef.DoubtWarning, match="Only 3 annotators voted"):
        people = ef.annotators(files, **how, drop_missing=True)
    assert {people[who].votes for who in ("anna", "bob", "cem")} == {N - 9 - blank}


def test_a_column_that_a_file_has_is_not_replaced_by_its_name(tmp_path):
    paths = [tmp_path / name for name in ("old.csv", "new.csv")]
    own = pd.DataFrame({"score": P, "label": Y, "filename": np.where(P > 0.5, "a.wav", "b.wav")})
    own.to_csv(paths[0], index=False)
    own[["score", "label"]].head(50).to_csv(paths[1], index=False)
    how = {"score": "score", "label": "label", "group": "filename", "interval": None}
    assert [*ef.from_scores(paths[0], **how)] == ["a.wav", "b.wav"]
    assert [*ef.from_scores(paths[1], **how)] == ["new"]
    with pytest.raises(ef.InputError, match=r"'filename'\) has missing values: 50 of 290 rows"):
        ef.from_scores(paths, **how)


def book(path, **sheets):
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(path) as book:
        for name, rows in sheets.items():
            pd.DataFrame(rows).to_excel(book, sheet_name=name, index=False, header=False)
    return str(path)


README = [["About this study"]]
LEGEND = [["code", "meaning"], ["pos", "positive"]]
RATED = [
    ["score", "label"],
    *[[one, int(label)] for one, label in zip(P[:60], Y[:60], strict=True)],
]


@pytest.mark.parametrize(
    ("sheets", "behind", "note"),
    [
        ({"Rows": RATED}, "", None),
        ({"Rows": RATED, "Readme": README}, "", None),
        (
            {"Readme": README, "Rows": RATED},
            "",
            "using sheet 'Rows', because the first, 'Readme', has",
        ),
        ({"Rows": RATED, "Codes": LEGEND}, "", "using the first sheet, 'Rows'; name another as '"),
        ({"Codes": LEGEND, "Rows": RATED}, "#Rows", None),
        ({"Codes": LEGEND, "Rows": RATED}, "# rows", None),
    ],
)
def test_the_sheet_with_the_table_is_read_and_named(tmp_path, sheets, behind, note):
    path = book(tmp_path / "x.xlsx", **sheets) + behind
    found = ef.from_scores(path, interval=None)
    assert found.n == 60
    notes = found.source.facts.get("notes", [])
    assert [one.partition(": ")[2][: len(note)] for one in notes] == ([note] if note else [])
    said = typed(path)
    assert (said.exit_code, f"note: x.xlsx: {note}" in said.stderr) == (0, note is not None)


def test_sheets_that_are_unclear_or_not_there_are_listed(tmp_path):
    path = book(tmp_path / "x.xlsx", Readme=README, Codes=LEGEND, Rows=RATED)
    with pytest.raises(
        ef.InputError, match=r"none in the first, 'Readme'.*x\.xlsx#Codes' or '.*#R"
    ):
        ef.from_scores(path)
    with pytest.raises(
        ef.InputError, match=r"has no sheet 'Row'\. Its sheets are 'Readme', 'Codes'"
    ):
        ef.from_scores(f"{path}#Row")
    said = typed(f"{path}#Codes")
    assert (said.exit_code, "columns of" in said.output or "No columns" in said.output) == (1, True)
    with pytest.raises(ef.InputError, match="is one of the files that are read"):
        check_output(path, [f"{path}#Rows"])


def votes_in_rows(n=200, people="abcdef"):
    rows = [(i, who, "yes" if RNG.random() < P[i] else "no") for i in range(n) for who in people]
    return pd.DataFrame(rows, columns=["item", "annotator", "vote"])


def test_missing_votes_are_counted_as_votes_and_items_only_where_none_is_left():
    frame = votes_in_rows()
    frame.loc[frame.index % 40 == 7, "vote"] = None
    found = ef.from_votes(frame, drop_missing=True, interval=None)
    assert (found.n, found.dropped) == (200, 0)
    assert found.source.facts["missing_in_rows"] == {"what": "vote", "missing": 30, "rows": 1200}
    assert found.source.rows == 1200
    assert not any("items (" in one for one in found.warnings)
    assert "Left out: 30 of 1,200 votes with missing values.\n" in found.to_markdown()
    assert "30 rows left out because something is missing" in str(ef.look(frame))
    frame.loc[frame["item"] < 20, "vote"] = None
    with pytest.warns(ef.DoubtWarning) as doubts:
        found = ef.from_votes(frame, drop_missing=True, interval=None)
    assert (found.n, found.dropped) == (180, 20)
    assert "147 of 1,200 votes with missing values, and with them all votes on 20 items." in (
        found.to_markdown()
    )
    said = [str(one.message) for one in doubts]
    assert any(
        one.startswith("Something was missing in 147 of 1,200 votes (12.2 %)") for one in said
    )
    frame["site"] = np.where(frame["item"] < 100, "a", "b")
    with pytest.warns(ef.DoubtWarning, match="Something was missing in 20 items"):
        by_site = ef.from_votes(frame, drop_missing=True, interval=None, group="site")
    assert [(one.n, one.dropped) for one in by_site.values()] == [(80, 20), (100, 0)]


def test_the_columns_of_a_log_of_judges_keep_their_names(tmp_path):
    path = tmp_path / "log.jsonl"
    frame = votes_in_rows(people="abc").rename(columns={"annotator": "judge"})
    frame["prompt_id"], frame["model_a"], frame["model_b"] = frame["item"], "ours", "theirs"
    frame["winner"] = np.where(frame["vote"] == "yes", "model_a", "model_b")
    frame.drop(columns=["item", "vote"]).to_json(path, orient="records", lines=True)
    said = typed(path)
    named = (
        'using column "prompt_id" as the item, "judge" as the annotator and "winner" as the vote'
    )
    assert named in said.output
    assert [one.name for one in ef.look(path).columns] == [
        *("judge", "prompt_id", "model_a", "model_b", "winner")
    ]
    (line,) = ef.look(path).next
    assert line.endswith("--item prompt_id --annotator judge --vote winner")
    assert typed(*line.split()[1:]).stdout == said.stdout


def test_one_of_several_labels_of_an_entry_is_asked_about(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = votes_in_rows(people="abcdef").rename(columns={"item": "image", "annotator": "worker"})
    frame["tags"] = [["cat", "dog"] if one == "yes" else ["dog"] for one in frame.pop("vote")]
    frame.to_json("tags.jsonl", orient="records", lines=True)
    for words in (["tags.jsonl"], ["look", "tags.jsonl"]):
        said = typed(*words).output
        assert "several labels in one entry. A floor is about one class per item" in said
        assert "--vote worker" not in said
        assert "COL" not in said
    line = said.splitlines()[-1].strip()
    assert "'cat'" in line
    made, _, asked = line.partition(" | ")
    made = made.replace("python", shlex.quote(sys.executable), 1)
    content = subprocess.run(made, shell=True, check=True, capture_output=True, text=True).stdout
    (tmp_path / "cat.csv").write_text(content)
    words = [one if one != "-" else "cat.csv" for one in shlex.split(asked)[2:]]
    found = json.loads(typed(*words, "--json", "-q").stdout)["result"]
    once = frame.assign(vote=[int("cat" in one) for one in frame["tags"]])
    same = ef.from_votes(once, item="image", annotator="worker", vote="vote", interval=None)
    assert found["value"] == pytest.approx(same.value)
    (line,) = ef.look(frame).next
    made = eval(line, {"ef": ef, "df": frame})
    assert made.value == pytest.approx(same.value)


def test_copied_rows_of_votes_are_told_as_such(tmp_path):
    frame = votes_in_rows()
    pd.concat([frame, frame[:25]]).to_csv(tmp_path / "votes.csv", index=False)
    said = typed(tmp_path / "votes.csv")
    assert "in 25 cases an annotator voted more than once on an item, each time with the same" in (
        said.output
    )
    assert proposed(said)[1:] == ["--duplicates", "first"]
    other = frame[:25].assign(vote=["no" if one == "yes" else "yes" for one in frame["vote"][:25]])
    pd.concat([frame, other]).to_csv(tmp_path / "votes.csv", index=False)
    said = typed(tmp_path / "votes.csv")
    assert "the same vote" not in said.output
    assert proposed(said)[1:] == ["--duplicates", "last"]
    said = typed(tmp_path / "votes.csv", "--item", "item", "--vote", "vote", "--duplicates", "all")
    assert "Name --annotator as well, or leave out --duplicates." in said.output


def test_columns_called_after_coders_are_annotators():
    codes = (RNG.random((3, N, 1)) > P3.cumsum(axis=1)).sum(axis=2).clip(0, 2) + 1
    codes = np.where(RNG.random((3, N)) < 0.05, 99, codes + 2 * (RNG.random((3, N)) < 0.3))
    coders = dict(zip(("Coder_AB", "Coder_KL", "Coder_MS"), codes, strict=True))
    frame = pd.DataFrame({"resp_id": np.arange(N), "wave": np.arange(N) % 2 + 1, **coders})
    first = ef.look(frame).next[0]
    assert first == "ef.from_votes(df, annotators=['Coder_AB', 'Coder_KL', 'Coder_MS'])"


def test_a_prediction_is_no_label_where_there_is_another(tmp_path):
    q = (0.8 * P + 0.1).round(6)
    frame = pd.DataFrame({"Churn": np.where(Y == 1, "Yes", "No"), "proba_0": 1 - q, "proba_1": q})
    frame["pred"] = (q > 0.3).astype(int)
    frame.to_csv(tmp_path / "churn.csv")
    said = typed(tmp_path / "churn.csv")
    assert 'using columns "proba_0", "proba_1" as the score and "Churn" as the label' in said.output
    found = json.loads(typed(tmp_path / "churn.csv", "--json", "-q").stdout)["result"]
    plain = ef.from_scores(q, Y)
    assert found["value"] == pytest.approx(plain.value)
    own = frame.drop(columns="Churn").assign(pred=Y)
    with pytest.warns(ef.DoubtWarning, match="from a column called pred"):  # there is no other
        assert columns_of(ef.from_scores(own, interval=None))["label"] == "pred"


def test_spellings_of_a_class_are_no_classes_of_their_own(tmp_path):
    frame = votes_in_rows()
    frame.loc[3:40, "vote"] = frame.loc[3:40, "vote"].str.title()
    frame.to_csv(tmp_path / "votes.csv", index=False)
    assert "class 1 = Yes or yes, " in typed(tmp_path / "votes.csv").output


def test_of_labels_that_were_joined_only_what_is_there_is_told(competition):
    words = ["sub.csv", "--labels", "truth.csv", "--on", "id"]
    assert f"truth.csv has a row for all {N} rows\n" in typed(*words).output


def test_missing_ratings_are_counted_as_ratings():
    frame = votes_in_rows().rename(columns={"annotator": "rater", "vote": "rating"})
    frame["rating"] = np.round(3 + P[frame["item"]] + RNG.normal(0, 1, len(frame)))
    frame.loc[frame.index % 40 == 7, "rating"] = None
    found = ef.from_ratings(frame, drop_missing=True, interval=None)
    assert (found.n, found.dropped) == (200, 0)
    assert "Left out: 30 of 1,200 ratings with missing values.\n" in found.to_markdown()


def test_data_in_the_place_of_a_floor_are_named_and_not_written_out():
    floor = ef.from_votes([3, 0, 2, 1] * 20, 3)
    with pytest.raises(ef.InputError, match=r"with an interval, got a DataFrame\. Estimate each"):
        ef.difference(floor, READERS)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: ef.from_votes(pd.Series([["a", "b"], ["a"]])), "`votes` holds lists of votes."),
        (lambda: ef.from_votes([["a", "b"], ["a"]]), "name that with `annotations`."),
        (lambda: ef.from_votes(pd.Series(["a;b", "a"])), "name that with `annotations`."),
        (
            lambda: ef.from_votes(READERS, positives=["Reader A", "Reader B"], totals=3),
            "Ask about one column at a time.",
        ),
        (
            lambda: ef.from_scores(pd.DataFrame(P3).assign(y=Y3), score=[0, 1, 2], label="y"),
            "Give the columns names that are text first",
        ),
    ],
)
def test_what_to_do_instead(ask, says):
    with pytest.raises(ef.InputError, match=re.escape(says)):
        ask()
