"""Files of evaluation harnesses and crowd tools, and labels in a second file."""

import io
import json
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import errorfloor as ef
from errorfloor.apps.cli.commands import cli
from errorfloor.data.exports import EXPORTS, chosen, export_of
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read
from errorfloor.data.tables import ScoreTable, VoteTable
from errorfloor.show.recipe import command_line, python_code
from tests import tool_files as made


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder, so that commands name files as people do."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    """Return the exit code of a command, and what it said."""
    found = CliRunner().invoke(cli, [*map(str, words)])
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return found.exit_code, found.output


def table_of(path, **how):
    return read(path, LAYOUTS, ReadOptions.of(**how)).table


# Logs of harnesses


def judged_table():
    _, scores, labels = zip(*made.judged(), strict=True)
    return ScoreTable.from_arrays(scores, labels)


@pytest.mark.parametrize("name", made.SCORES)
def test_likelihoods_of_choices_are_scores_with_one_label(here, name):
    (here / name).write_bytes(made.SCORES[name])
    likely = [made.shares(one) for _, one, _ in made.choices()]
    right = [place for _, _, place in made.choices()]
    found = table_of(name)
    expected = ScoreTable.from_arrays(np.array(likely), right)
    assert found.n == expected.n == 60
    assert np.allclose(np.sort(found.scores, axis=0), np.sort(expected.scores, axis=0))
    assert found.classes == ("0", "1", "2", "3")
    code, said = run(name)
    assert code == 0
    assert "the best weighting of these scores" in said  # which is no limit of any model
    assert "a class is the place of a choice" in said
    assert ef.look(name).next == (f"errorfloor estimate {name} --score probs --label label",)


def test_two_choices_are_two_classes_and_missing_choices_have_no_share(here):
    (here / "two.jsonl").write_bytes(made.lines(made.lm_eval_new(2)))
    assert table_of("two.jsonl").classes == ("0", "1")
    some = [*made.lm_eval_new(4)]
    for record in some[::3]:
        if int(record["target"]) < 3:
            record["filtered_resps"] = record["filtered_resps"][:3]
    (here / "some.jsonl").write_bytes(made.lines(some))
    found = table_of("some.jsonl")
    assert found.n == 60
    assert (found.scores == 0).any(axis=0).tolist() == [False, False, False, True]
    assert "fewer than 4 choices" in run("some.jsonl")[1]


def test_targets_that_are_words_or_letters_are_found_among_the_choices(here):
    plain = table_of_records(here, made.lm_eval_new())
    words = [one | {"target": f"choice {one['target']}"} for one in made.lm_eval_new()]
    letters = [one | {"target": "ABCD"[int(one["target"])]} for one in made.lm_eval_new()]
    assert table_of_records(here, words) == table_of_records(here, letters) == plain
    halves = [
        one | {"filtered_resps": one["filtered_resps"] * 2, "acc_mutual_info": 1.0}
        for one in made.lm_eval_new()
    ]
    assert table_of_records(here, halves) == plain
    filters = [one | {"filter": name} for one in made.lm_eval_new() for name in ("none", "other")]
    assert table_of_records(here, filters) == plain


def table_of_records(here, records):
    (here / "x.jsonl").write_bytes(made.lines(records))
    return table_of("x.jsonl")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"target": "9"}, "whose target is none of the choices in 60 of 60 samples"),
        ({"target": "unheard of"}, "whose target is none of the choices in 60 of 60 samples"),
        ({"target": "2"}, "the right choice is always in the same place, 2 of 0 to 3"),
    ],
)
def test_targets_that_say_nothing_are_refused(here, change, said):
    (here / "x.jsonl").write_bytes(made.lines(one | change for one in made.lm_eval_new()))
    assert run("x.jsonl")[0] == 1
    assert said in run("x.jsonl")[1]
    assert said in run("look", "x.jsonl")[1]


@pytest.mark.parametrize("name", [*made.VERDICTS, "generated.jsonl"])
def test_verdicts_alone_say_what_is_missing_and_one_line_brings_it(here, name):
    content = {**made.VERDICTS, "generated.jsonl": made.lines(made.lm_eval_generated())}[name]
    (here / name).write_bytes(content)
    key = "doc_id" if name == "generated.jsonl" else "id"
    code, said = run(name)
    assert code == 1
    assert "has no label of a person" in said
    assert said.endswith(f"\n  errorfloor {name} --labels human.csv --on {key}\n")
    found = ef.look(name)
    assert found.layouts == ()
    assert found.next == (f"errorfloor estimate {name} --labels human.csv --on {key}",)
    assert any("has no label of a person" in one for one in found.problems)
    if key == "id":
        (here / "human.csv").write_bytes(made.human())
        table = table_of(name, labels="human.csv", on="id")
        assert table == judged_table()
        assert run(*found.next[0].split()[1:])[0] == 0


def test_letters_of_inspect_are_numbers_and_other_verdicts_words(here):
    letters = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
    samples = [
        {"id": letter, "epoch": 1, "target": ["t"], "scores": {"s": {"value": letter}}}
        for letter in letters
    ]
    (here / "x.json").write_text(json.dumps(made.inspect_log(samples=samples)))
    (here / "l.csv").write_text("id,label\nC,1\nI,0\nP,1\nN,0\n")
    found = table_of("x.json", labels="l.csv", on="id")
    assert found.scores.tolist() == [0, 0.5, 1]
    for sample in samples:
        sample["scores"] = {"s": {"value": "rude"}, "t": {"value": 3}}
    (here / "x.json").write_text(json.dumps(made.inspect_log(samples=samples, status="cancelled")))
    columns = [one.name for one in ef.look("x.json").columns]
    assert columns == ["id", "answer", "expected", "s", "t"]
    assert "ends with 'cancelled'" in ef.look("x.json").problems[0]


def test_answers_of_several_providers_have_names_of_their_own(here):
    (here / "x.json").write_text(json.dumps(made.promptfoo(providers=("a", "b"))))
    (here / "human.csv").write_bytes(made.human())
    code, said = run("x.json", "--labels", "human.csv", "--on", "id")
    assert code == 1  # a label of a question is no label of two answers to it
    assert "id is such as 'case-0/0/a' in the first, and id such as 'case-0' in the second" in said
    assert table_of("x.json", labels="human.csv", on="test=id").n == 120


def test_several_metrics_of_deepeval_are_columns_of_their_own(here):
    (here / "x.json").write_text(json.dumps(made.deepeval(metrics=("A", "B"))))
    (here / "human.csv").write_bytes(made.human())
    assert run("x.json", "--labels", "human.csv", "--on", "id")[0] == 1
    assert table_of("x.json", score="A", labels="human.csv", on="id") == judged_table()


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (
            made.inspect_log(9),
            "This log of Inspect is of version 9, and versions 1 and 2 are known",
        ),
        (made.inspect_log(samples=[]), "a log of Inspect without a sample"),
        (
            made.promptfoo(7),
            "This log of promptfoo is of version 7, and versions 2 and 3 are known",
        ),
        (made.promptfoo(3, ()), "a log of promptfoo without a sample"),
        ({"testCases": []}, "a log of DeepEval without a sample"),
        ({"testCases": [{"name": "a", "scores": 1}]}, "its version is not known"),
    ],
)
def test_unknown_versions_and_empty_logs_are_refused_with_a_way_out(here, log, said):
    (here / "x.json").write_text(json.dumps(log))
    for words in (("x.json",), ("look", "x.json")):
        code, output = run(*words)
        assert code == 1
        assert said in output


@pytest.mark.parametrize("name", [*made.VERDICTS, *made.SCORES, *made.VOTES])
def test_files_that_were_cut_off_are_never_read_as_whole(here, name):
    whole = {**made.VERDICTS, **made.SCORES, **made.VOTES}[name]
    if name.endswith(("csv", "tsv")):
        return  # of which each line is a whole row
    for share in (0.3, 0.7, 0.99):
        (here / name).write_bytes(whole[: int(len(whole) * share)])
        code, said = run(name, "--labels", "human.csv", "--on", "id")
        assert code == 1
        assert "Could not read" in said or "There is no file" in said
        assert run(name)[0] == 1


def test_hostile_archives_are_refused(here, monkeypatch):
    monkeypatch.setattr("errorfloor.data.documents._MOST", 2**20)
    start = json.dumps({"version": 2, "eval": {"task": "t"}}).encode()
    bomb = b"[" + b" " * 2**21 + b"]"
    link = made.archive({"header.json": start, "../../etc/passwd": b"{}"})
    root = made.archive({"header.json": start, "/etc/passwd": b"{}"})
    twice = io.BytesIO()
    with zipfile.ZipFile(twice, "w") as packed:
        packed.writestr("header.json", start)
        with pytest.warns(UserWarning, match="Duplicate name"):
            packed.writestr("header.json", start)
    for content, said in (
        (made.archive({"header.json": start, "summaries.json": bomb}), "which no log does"),
        (link, "is outside of any folder"),
        (root, "is outside of any folder"),
        (twice.getvalue(), "two of its parts have one name"),
        (made.archive({"a.txt": b"a"}), "no log of Inspect"),
        (made.archive({"header.json": b"{"}), "it is damaged or not all there"),
        (made.archive({"header.json": {"version": 3}}), "is of version 3"),
        (made.archive({"header.json": start}), "without a sample"),
        (made.archive({"header.json": start, "summaries.json": [1, "a"]}), "without a sample"),
        (made.inspect_archive()[:-30], "it is damaged or not all there"),
        (b"PK\x03\x04", "it is damaged or not all there"),
    ):
        (here / "x.eval").write_bytes(content)
        for words in (("x.eval",), ("look", "x.eval")):
            code, output = run(*words)
            assert (code, said in output) == (1, True), output


# Labels in a second file


def test_labels_of_a_second_file_are_those_of_one_file(here):
    names, scores, labels = zip(*made.judged(), strict=True)
    frame = pd.DataFrame({"id": names, "score": scores})
    frame.to_csv("scores.csv", index=False)
    human = pd.DataFrame({"id": names, "label": labels}).sample(frac=1, random_state=0)
    human.to_parquet("human.parquet")
    human.to_json("human.jsonl", orient="records", lines=True)
    frame.assign(label=labels).to_csv("both.csv", index=False)
    expected = ef.from_scores("both.csv")
    for file in ("human.parquet", "human.jsonl"):
        found = ef.from_scores("scores.csv", file, on="id")
        assert (found.value, found.interval) == (expected.value, expected.interval)
        assert found.source.facts["joined"] == {
            "rows": 60, "matched": 60, "labels": 60, "unused": 0,
        }  # fmt: skip
        scope = {}
        exec(python_code(found), scope)
        assert scope["floor"].interval == found.interval
        assert f"--labels {file} --on id" in command_line(found)
        code, said = run(*command_line(found).split()[1:], "--json")
        assert code == 0
        assert json.loads(said.splitlines()[-1])["result"]["value"] == found.value


def test_keys_are_numbers_in_one_file_and_text_in_the_other(here):
    pd.DataFrame({"k": np.arange(40) * 1.0, "score": np.linspace(0, 1, 40)}).to_parquet("a.parquet")
    rows = "".join(f" {i} ,{i // 20}\n" for i in range(40))
    (here / "b.csv").write_text(f"\ufeffkey,gold\n{rows}", encoding="utf-8")
    found = ef.from_scores("a.parquet", labels="b.csv", on="k=key")
    assert found.source.facts["joined"]["matched"] == 40
    (here / "c.csv").write_bytes(f"key;gold\n{rows.replace(',', ';')}é;1\n".encode("latin-1"))
    assert ef.from_scores("a.parquet", labels="c.csv", on="k=key").value == found.value


def test_what_did_not_match_is_counted_and_refused_or_left_out_as_asked(here):
    (here / "a.csv").write_text("id,score\n" + "".join(f"{i},0.{i:02}\n" for i in range(60)))
    (here / "b.csv").write_text(
        "id,label\n" + "".join(f"{i},{i % 2}\n" for i in range(90) if i % 3)
    )
    code, said = run("a.csv", "--labels", "b.csv", "--on", "id")
    assert code == 1
    assert "b.csv has no row for 20 of the 60 rows of a.csv" in said
    lines = [line.split()[1:] for line in said.splitlines() if line.startswith("  ")]
    assert [line[-1] for line in lines] == ["--drop-missing", "--unlabelled"]
    for line in lines:
        code, said = run(*line)
        assert code in (0, 4)
        assert "b.csv has a row for 40 of 60 rows, and 20 of its 60 rows match none" in said


def test_keys_that_repeat_among_labels_are_refused_and_among_rows_allowed(here):
    votes = "".join(f"{i},{who},{i % 2}\n" for i in range(30) for who in "ab")
    (here / "votes.csv").write_text(f"item,annotator,vote\n{votes}")
    (here / "gold.csv").write_text("item,gold\n" + "".join(f"{i},{i % 2}\n" for i in range(30)))
    found = ef.from_votes("votes.csv", labels="gold.csv", on="item", interval=None)
    assert found.n == 30
    assert found.source.layout == "annotations and labels"
    with pytest.raises(ef.InputError, match="several different rows for 30 of its keys"):
        ef.from_scores("gold.csv", labels="votes.csv", on="item")
    rows = (here / "gold.csv").read_text()
    (here / "again.csv").write_text(rows + rows.partition("\n")[2])  # each row twice, and the same
    again = ef.from_votes("votes.csv", labels="again.csv", on="item", interval=None)
    assert again.value == found.value


def test_labels_win_over_columns_of_the_same_name(here):
    (here / "judge.csv").write_text(
        "id,score,label,text\n" + "".join(f"{i},0.{i:02},0,t\n" for i in range(50))
    )
    rows = "".join(f"{i},{int(i > 25)},u\n" for i in range(50))
    (here / "human.csv").write_text(f"id,Label,text\n{rows}")
    found = ef.from_scores("judge.csv", labels="human.csv", on="id")
    assert found.table.positives.sum() == 24
    assert found.source.columns == {"score": "score", "label": "Label"}
    columns = [one.name for one in ef.look("judge.csv").columns]
    assert "label" in columns
    code, said = run("look", "judge.csv", "--labels", "human.csv", "--on", "id")
    assert code == 0
    assert "label (judge.csv)" in said
    assert "text (judge.csv)" in said
    assert "--score score --label Label --labels human.csv --on id" in said


def test_a_judge_stands_next_to_votes_of_people_in_a_second_file(here):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    flip = lambda rate: np.where(rng.random(200) < rate, 1 - truth, truth)  # noqa: E731
    pd.DataFrame({"id": range(200), "judge": flip(0.2)}).to_csv("judge.csv", index=False)
    people = {f"rater{k}": flip(0.1) for k in range(3)}
    pd.DataFrame({"id": range(200), **people}).to_csv("human.csv", index=False)
    words = ("--labels", "human.csv", "--on", "id", "--prediction", "judge")
    for command in ("people", "headroom"):
        code, said = run(command, "judge.csv", *words, "--annotators", "rater0,rater1,rater2")
        assert code in (0, 3, 4), said
        assert "human.csv has a row for all 200 rows" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--labels", "b.csv"), "Name that with --on, such as --on id"),
        (("--on", "id"), "--on names the column by which the file of --labels is joined"),
        (("--labels", "b.csv", "--on", "="), "must be the name of one column of both files"),
        (("--labels", "b.csv", "--on", "key"), "No column of a.csv is called 'key' (--on)"),
        (("--labels", "b.csv", "--on", "id=key"), "No column of b.csv is called 'key' (--on)"),
        (("--labels", "none.csv", "--on", "id"), "There is no file 'none.csv'"),
        (("--labels", "empty.csv", "--on", "id"), "it is empty"),
        (("--labels", "head.csv", "--on", "id"), "No row of a.csv has a key of head.csv"),
        (("--labels", "two.csv", "--on", "id"), "two.csv has several columns: u, v. Say which"),
    ],
)
def test_labels_that_cannot_be_joined_are_refused_by_name(here, words, said):
    (here / "a.csv").write_text("id,score\n1,0.5\n2,0.6\n")
    (here / "b.csv").write_text("id,label\n1,0\n2,1\n")
    (here / "two.csv").write_text("id,u,v\n1,0,1\n2,1,1\n")
    (here / "empty.csv").write_text("")
    (here / "head.csv").write_text("id,label\n")
    code, output = run("a.csv", *words)
    assert code in (1, 2)
    assert said in output


def test_only_files_are_joined(here):
    (here / "a.csv").write_text("id,score\n1,0.5\n")
    with pytest.raises(ef.InputError, match=r"Pass its path, or leave out `on`"):
        ef.from_scores([0.1, 0.2], [0, 1], on="id")
    frame = pd.DataFrame({"id": [1], "score": [0.5]})
    with pytest.raises(ef.InputError, match="`on` joins files, and the data are a dataframe"):
        ef.from_scores(frame, "human.csv", on="id")
    with pytest.raises(ef.InputError, match="Name the column that both have with `on`"):
        ef.from_scores("a.csv", "b.csv")


# Votes of crowds


def same_votes(found):
    """Tell that a table has the votes that were made, whatever items and workers are called."""
    assert isinstance(found, VoteTable)
    rows = pd.DataFrame(made.votes(), columns=["item", "annotator", "vote"])
    expected = read(rows, LAYOUTS, ReadOptions.of()).table
    assert found.n == 40
    for name in ("positives", "totals", "counts"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


def test_each_tool_is_told_by_its_records_and_no_other():
    for name, content in {**made.VERDICTS, **made.SCORES, **made.VOTES}.items():
        if name.endswith(("csv", "tsv", "eval")):
            continue
        text = content.decode()
        record = json.loads(text.splitlines()[0] if name.endswith("l") and text[0] == "{" else text)
        record = record[0] if isinstance(record, list) else record
        assert len([one for one in EXPORTS if one.fits(record)]) == 1, name
    assert export_of({"id": 1, "score": 0.5, "label": 1}) is None


def test_workers_of_ground_truth_have_a_file_for_each_item(here):
    for i, one in enumerate(made.ground_truth(new=False)):
        folder = here / "worker-response" / "iteration-1" / str(i)
        folder.mkdir(parents=True)
        (folder / "2020.json").write_text(json.dumps(one))
    same_votes(table_of("worker-response"))
    assert run("worker-response")[0] == 0


def test_labels_that_were_put_together_are_no_votes(here):
    (here / "output.manifest").write_bytes(made.lines(made.manifest()))
    for words in (("output.manifest",), ("look", "output.manifest")):
        code, said = run(*words)
        assert "the votes themselves are not in it" in said
        assert "errorfloor annotations/worker-response" in said
    assert code == 0


def test_answers_of_forms_are_told():
    assert chosen('[{"a": {"label": "x"}}]') == "x"
    assert chosen({"a": {"yes": True, "no": False}}) == "yes"
    assert chosen({"yes": {"on": False}, "no": {"on": True}}) == "no"
    assert chosen({"yes": True, "no": True}) is None
    assert chosen({"labels": ["x"]}) == "x"
    assert chosen({"labels": ["x", "y"]}) is None
    assert chosen({"a": 1, "b": 2}) is None
    assert chosen("[") is None
    assert chosen(" ") is None
    assert chosen("x") == "x"
    assert chosen([]) is None
    assert chosen({}) is None


@pytest.mark.parametrize("name", made.VOTES)
def test_votes_of_tools_are_read_as_they_come(here, name):
    (here / name).write_bytes(made.VOTES[name])
    same_votes(table_of(name))
    code, said = run(name)
    assert code == 0
    assert re.search(r"one more annotator's vote|one more vote by one of these \d+", said)
    (line,) = ef.look(name).next
    assert run(*line.split()[1:])[0] == 0


@pytest.mark.parametrize("new", [True, False])
def test_rejected_and_control_answers_are_left_out_and_counted(here, new):
    votes = list(made.votes())
    (here / "m.csv").write_bytes(made.mturk(new, rejected=6))
    (here / "t.tsv").write_bytes(made.toloka(new, rejected=6, golden=9))
    said = run("m.csv")[1]
    assert "Mechanical Turk: 6 rejected assignments are left out" in said
    assert int(table_of("m.csv").totals @ table_of("m.csv").counts) == len(votes) - 6
    said = run("t.tsv")[1]
    assert "Toloka: 6 rejected answers are left out" in said
    assert "Toloka: 9 answers to control and training tasks are left out" in said
    assert int(table_of("t.tsv").totals @ table_of("t.tsv").counts) == len(votes) - 15


def test_which_of_several_answers_is_the_vote_is_asked(here):
    (here / "m.csv").write_bytes(made.mturk(answers=("a", "b")))
    code, said = run("m.csv")
    assert code == 1
    assert "has answers to 2 questions, such as Answer.a, Answer.b" in said
    assert ef.look("m.csv").next == (
        "errorfloor estimate m.csv --vote Answer.a",
        "errorfloor estimate m.csv --vote Answer.b",
    )
    assert said.splitlines()[1].strip() == "errorfloor m.csv --vote Answer.a"
    same_votes(table_of("m.csv", vote="Answer.a"))
    assert run(*said.splitlines()[1].split()[1:])[0] == 0


def test_buttons_and_objects_with_several_answers_are_told(here):
    head = ["HITId", "WorkerId", "Answer.nice.yes", "Answer.nice.no", "Answer.why"]
    rows = [
        [item, worker, str(vote == "yes").lower(), str(vote == "no").lower(), f"text {i}"]
        for i, (item, worker, vote) in enumerate(made.votes())
    ]
    (here / "m.csv").write_bytes(made.table(head, rows))
    same_votes(table_of("m.csv"))
    sent = [
        [item, worker, json.dumps([{"nice": {"label": vote}, "why": f"text {i}"}])]
        for i, (item, worker, vote) in enumerate(made.votes())
    ]
    (here / "m.csv").write_bytes(made.table(["HITId", "WorkerId", "Answer.taskAnswers"], sent))
    same_votes(table_of("m.csv"))
    plain = [[*row[:2], "no form"] for row in sent]
    (here / "m.csv").write_bytes(made.table(["HITId", "WorkerId", "Answer.taskAnswers"], plain))
    assert "has no answer that is one of some classes" in run("m.csv")[1]


def test_answers_that_toloka_put_together_are_no_votes(here):
    rows = [[f"img{i}", "yes", "97.5%"] for i in range(9)]
    head = ["INPUT:image", "OUTPUT:result", "CONFIDENCE:result"]
    (here / "t.tsv").write_bytes(made.table(head, rows, "\t"))
    for words in (("t.tsv",), ("look", "t.tsv")):
        said = run(*words)[1]
        assert "their votes are not in it" in said
        assert "errorfloor assignments.tsv" in said


@pytest.mark.parametrize("new", [True, False])
def test_questions_of_a_survey_are_items_below_their_rows_of_names(here, new):
    (here / "q.csv").write_bytes(made.qualtrics(new))
    found = table_of("q.csv")
    rows = pd.DataFrame(made.votes(items=20, workers=5), columns=["item", "annotator", "vote"])
    expected = read(rows, LAYOUTS, ReadOptions.of()).table
    for name in ("positives", "totals", "counts"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    assert (
        "Qualtrics: questions are items, and respondents annotators: Q1 to Q20 (20)"
        in (run("q.csv")[1])
    )
    (line,) = ef.look("q.csv").next
    assert run(*line.split()[1:])[0] == 0


def test_other_questions_of_a_survey_are_no_votes(here):
    text = [("age", "40"), ("why", "text")]
    (here / "q.csv").write_bytes(made.qualtrics(extra=text))
    assert "Q1 to Q20 (20)" in run("q.csv")[1]
    two = [("Q90", "often"), ("Q91", "often")]
    (here / "q.csv").write_bytes(made.qualtrics(extra=two))
    code, said = run("q.csv")
    assert code == 1
    assert "has 2 kinds of questions" in said
    line = said.splitlines()[1].strip()
    assert line == "errorfloor q.csv --vote Q1 --drop-missing"
    assert table_of("q.csv", vote="Q1", drop_missing=True).n == 20
    assert run(*line.split()[1:])[0] == 0
    content = made.qualtrics().replace(b",IP Address,", b",Survey Preview,", 2)
    (here / "q.csv").write_bytes(content)
    assert "Qualtrics: 2 trial responses are left out" in run("q.csv")[1]


def test_pairwise_votes_are_told_as_such(here):
    (here / "a.csv").write_bytes(made.arena())
    found = table_of("a.csv")
    assert (found.n, found.classes) == (60, ("first", "second", "tie"))
    code, said = run("a.csv")
    assert code in (0, 4)
    assert "arena: each vote is for the first or the second model" in said
    assert "None of the 3 annotators" in run("annotators", "a.csv")[1]
    swapped = made.arena().replace(b"model_a,model_b", b"model_b,model_a", 1)
    swapped = swapped.replace(b",model_a,", b",x,").replace(b",model_b,", b",model_a,")
    head, _, rest = swapped.partition(b"\n")
    head = made.arena().partition(b"\n")[0].replace(b"model_a,model_b", b"model_b,model_a")
    (here / "b.csv").write_bytes(head + b"\n" + rest.replace(b",x,", b",model_b,"))
    assert table_of("b.csv") == found  # whose answer stood first does not matter
    for content in (made.arena(several=False), made.arena_one_hot()):
        (here / "a.csv").write_bytes(content)
        for words in (("a.csv",), ("look", "a.csv")):
            said = run(*words)[1]
            assert "This is a table of pairwise votes" in said
            assert "no floor follows" in said


# Text files as people write them


PLAIN = "score,label\n0.1,0\n0.9,1\n0.4,0\n0.6,1\n"


@pytest.mark.parametrize(
    "text",
    [
        f"# made by us\n# 2024\n{PLAIN}",
        f"# a, comment, with commas\n{PLAIN}",
        PLAIN.replace("score", "# score"),
        PLAIN.replace("0.9,1", "# between rows\n0.9,1"),
        f"# made by us, today\n{PLAIN.replace('score', '#score')}",
        "# x\n" + PLAIN.replace(",", ";").replace("0.", "0,"),
        PLAIN.replace("score,label", "Score [0-1],label (1 = toxic)"),
        PLAIN.replace("score,label", "Score (probability),label {0/1}"),
        f"\ufeff{PLAIN}",
    ],
)
def test_comments_and_units_are_no_rows_and_no_names(here, text):
    (here / "x.csv").write_text(text, encoding="utf-8")
    assert table_of("x.csv") == ScoreTable.from_arrays([0.1, 0.9, 0.4, 0.6], [0, 1, 0, 1])
    assert run("x.csv")[0] == 0


@pytest.mark.parametrize("names", ["item,annotator,vote", "#item,annotator,vote"])
def test_items_with_a_mark_are_no_comments(here, names):
    rows = "1,a,yes\n#1,b,no\n2,a,yes\n2,b,yes\n#3,a,no\n3,b,no\n"
    (here / "x.csv").write_text(f"{names}\n{rows}")
    found = table_of("x.csv")
    assert int(found.totals @ found.counts) == 6


def test_marks_between_thousands_are_read_where_they_can_be_nothing_else(here):
    scores = [1234.5, 9876, 1240000, 12]
    (here / "x.csv").write_text('score,label\n"1,234.5",0\n"9,876.0",1\n"1,240,000",0\n12,1\n')
    assert table_of("x.csv") == ScoreTable.from_arrays(scores, [0, 1, 0, 1])
    (here / "x.csv").write_text("score;label\n1.234,5;0\n9.876,0;1\n1.240.000;0\n12;1\n")
    assert table_of("x.csv") == ScoreTable.from_arrays(scores, [0, 1, 0, 1])
    (here / "x.csv").write_text('score,label\n"1,234",0\n0.5,1\n')
    code, said = run("x.csv")
    assert code == 1
    assert "for example '1,234'. It may be thousands or a fraction" in said
    (here / "x.csv").write_text('item,annotations\n1,"100,200"\n2,"85,100,100"\n')
    assert int(table_of("x.csv", annotations="annotations", positive=100).counts.sum()) == 2


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0.9,spam\n0.2,ham\n0.7,spam\n", "score,label"),
        ("5,maybe\n3,no\n4,yes\n1,no\n", None),
        ("0.9,1\n0.2,0\n", "score,label"),
        ("a1,bob,yes\na1,eve,no\na2,bob,yes\na2,eve,yes\n", "item,annotator,vote"),
        ("yes,no,yes\nyes,yes,yes\nno,no,yes\n", "rater1,rater2,rater3"),
        ("1,0.9,1\n2,0.2,0\n3,0.3,0\n", "c1,c2,c3"),
    ],
)
def test_a_row_is_never_taken_for_names(here, text, names):
    (here / "x.csv").write_text(text)
    code, said = run("x.csv")
    assert code == 1
    if names is None:
        assert "--score COL --label COL" in said  # which is asked
        return
    assert "The first row holds values, not names" in said
    command = "look" if names == "c1,c2,c3" else "estimate"
    line = f"(echo {names}; cat x.csv) | errorfloor {command} -"
    assert said.splitlines()[1].strip() == line
    assert line in run("look", "x.csv")[1]
    (here / "x.csv").write_text(f"{names}\n{text}")
    assert run(command, "x.csv")[0] in (0, 4)


@pytest.mark.parametrize(
    "text",
    ["toxic,score\ntoxic,0.9\nclean,0.2\ntoxic,0.8\n", "a,b\n0.5,x\n0.1,y\n0.2,x\n"],
)
def test_names_that_are_also_values_are_names(here, text):
    (here / "x.csv").write_text(text)
    assert not any("first row holds" in one for one in ef.look("x.csv").problems)
    assert ef.look("x.csv").rows == 3
