"""Outputs: none takes the place of an input, and spreadsheets run none of them."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import errorfloor as ef
from errorfloor import InputError
from errorfloor.apps.cli.commands import cli

ROOT = Path(__file__).parent.parent


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with votes, scores and two tables."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    votes = pd.DataFrame({"item": np.repeat(np.arange(40), 3), "annotator": [*"abc"] * 40})
    votes["vote"] = rng.integers(0, 2, 120)
    votes.to_csv("votes.csv", index=False)
    votes.to_json("votes.json", orient="records", lines=True)
    pairs = pd.DataFrame({"k": rng.integers(0, 6, 60), "n": 5, "g": [*"ab"] * 30})
    pairs.to_json("pairs.json", orient="records", lines=True)
    scores = rng.random(50).round(3)
    pd.DataFrame({"score": scores, "label": (rng.random(50) < scores).astype(int)}).to_csv(
        "scores.csv", index=False
    )
    table = ef.ScoreTable.from_arrays(scores, rng.random(50) < scores)
    for name in ("a.npz", "b.npz"):
        table.save(name)
    os.symlink("votes.csv", "link.csv")
    os.link("votes.csv", "twin.csv")
    os.mkdir("tables")
    table.save("tables/a.npz")
    return tmp_path


def content(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ("items votes.csv -o votes.csv", "votes.csv"),
        ("items votes.csv -o tables/../votes.csv", "tables/../votes.csv"),
        ("items votes.csv -o link.csv", "link.csv"),
        ("items link.csv -o votes.csv", "votes.csv"),
        ("items twin.csv -o votes.csv", "votes.csv"),
        ("items vot*.csv -o votes.csv", "votes.csv"),
        ("annotators votes.csv -o votes.csv", "votes.csv"),
        ("confusion votes.csv -o votes.csv", "votes.csv"),
        ("label scores.csv --score score --budget 5 -o scores.csv", "scores.csv"),
        ("report votes.json -o votes.json", "votes.json"),
        ("count a.npz -o a.npz", "a.npz"),
        ("merge a.npz b.npz -o a.npz", "a.npz"),
        ("merge a.npz b.npz -o b.npz", "b.npz"),
        ("merge tables -o tables/a.npz", "tables/a.npz"),
        ("features votes.json --label vote -o votes.json", "votes.json"),
    ],
)
def test_an_output_that_is_an_input_is_refused_before_anything_is_read(folder, typed, named):
    before = content(folder)
    done = CliRunner().invoke(cli, typed.split())
    assert done.exit_code == 1, done.output
    assert f"--output '{named}' is one of the files that are read" in done.stderr
    assert "Name another file." in done.stderr
    assert done.stdout == ""
    assert content(folder) == before


def test_standard_input_from_a_file_is_an_input(folder):
    before = content(folder)
    command = [sys.executable, "-m", "errorfloor", "items", "-", "-o", "votes.csv"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with open("votes.csv", "rb") as file:
        done = subprocess.run(
            command, stdin=file, capture_output=True, text=True, env=environment, check=False
        )
    assert done.returncode == 1
    assert "--output 'votes.csv' is one of the files that are read" in done.stderr
    assert content(folder) == before


def test_outputs_beside_the_inputs_are_replaced_as_ever(folder):
    for _ in range(2):
        for typed in (
            "items votes.csv -o items.csv",
            "merge a.npz b.npz -o both.npz",
            "report scores.csv -o report.md",
        ):
            done = CliRunner().invoke(cli, typed.split())
            assert done.exit_code == 0, done.output
    assert ef.ScoreTable.load("both.npz").n == 100


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_python_refuses_to_write_over_the_data_too(folder):
    before = content(folder)
    votes = {"item": "item", "annotator": "annotator", "vote": "vote"}
    floor = ef.from_votes("votes.json", item="item", vote="vote")
    verdict = ef.headroom(floor, errors=30, n=100, same_labelling=True)
    compared = ef.compare("scores.csv", score="score", label="label")
    groups = ef.from_votes("pairs.json", positives="k", totals="n", group="g")
    os.symlink("scores.csv", "scores.md")
    asked = [
        lambda: ef.report(floor, "votes.json"),
        lambda: ef.report(verdict, folder / "votes.json"),
        lambda: ef.report(groups, "pairs.json"),
        lambda: ef.report("votes.json", "votes.json"),
        lambda: ef.report(compared, "scores.md"),
        lambda: ef.items("votes.csv", **votes).to_csv("link.csv"),
        lambda: ef.plan_labels("scores.csv", score="score", budget=5).to_csv("scores.csv"),
    ]
    for question in asked:
        with pytest.raises(InputError, match=r"`path` '.*' is one of the files that are read"):
            question()
    os.unlink("scores.md")
    assert content(folder) == before


def blocks(text):
    """Return how the lines of Markdown begin that are no code, and how many of code there are."""
    fence, kinds = None, []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        marks = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if fence is None and marks:
            fence = marks[1]
            kinds.append("code")
        elif fence is not None:
            ends = marks and marks[1].startswith(fence) and not line.strip(" `~")
            fence = None if ends else fence
        else:
            kinds.append(re.match(r"#+ |\||- |\d+\. |> |<|    |.?", line)[0][:1])
    assert fence is None
    return kinds


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("fence", ["```", "~~~", "`````", "---", "\r```\r"])
def test_no_name_breaks_out_of_its_place_in_a_markdown_report(tmp_path, fence):
    found = []
    for more in ("", f"\n{fence}\n\n# Heading <b>bold</b>\n1. [link](x)\n{fence}\n"):
        rng, path = np.random.default_rng(0), tmp_path / "data.parquet"
        scores = rng.random(200)
        labels = np.where(rng.random(200) < scores, f"yes{more}", f"no{more}")
        groups = np.where(rng.random(200) < 0.5, f"a{more}", f"b{more}")
        names = {"score": f"p{more}", "label": f"y{more}", "positive": f"yes{more}"}
        pd.DataFrame({f"p{more}": scores, f"y{more}": labels, f"g{more}": groups}).to_parquet(path)
        one = ef.from_scores(path, **names, rng=0)
        several = ef.from_scores(path, **names, group=f"g{more}", rng=0)
        verdict = ef.headroom(one, errors=30, n=100)
        titled = {"title": f"About{more}", "source": {f"file{more}": f"x{more}"}}
        reports = [(one, {}), (several, {}), (verdict, titled)]
        texts = [ef.report(one, tmp_path / "r.md", **how).read_text() for one, how in reports]
        found.append([blocks(text) for text in texts])
    assert found[0] == found[1]


EVIL = ["=HYPERLINK(0)", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1"]  # noqa: RUF001
HARMLESS = ["-1.5", "+3", "-", "a=b", "1-2", "plain"]


def test_no_cell_of_the_items_is_a_formula(tmp_path):
    names = [*EVIL, *HARMLESS]
    found = ef.items(np.arange(len(names)) % 4, 3)
    found = type(found)(**{
        **{name: getattr(found, name) for name in found.__dataclass_fields__},
        "item": np.array(names),
    })  # fmt: skip
    found.to_csv(tmp_path / "items.csv")
    with open(tmp_path / "items.csv", newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    cells = [row[0] for row in rows]
    expected = [*(f"'{one}" for one in EVIL), "-1.5", "+3", "'-", "a=b", "1-2", "plain"]
    order = np.argsort(found.rank, kind="stable")  # the hardest items first
    assert cells == [expected[i] for i in order]
    assert head[0] == "item"
    assert [float(row[1]) for row in rows] == found.positives[order].tolist()


def test_no_cell_of_annotators_and_classes_is_a_formula(tmp_path):
    rng = np.random.default_rng(0)
    votes = pd.DataFrame({"item": np.repeat(np.arange(40), 3), "annotator": EVIL[:3] * 40})
    votes["vote"] = np.array(EVIL[:3])[rng.integers(0, 3, 120)]
    votes.to_csv(tmp_path / "votes.csv", index=False)
    for command in ("annotators", "confusion", "items"):
        output = tmp_path / f"{command}.csv"
        done = CliRunner().invoke(cli, [command, str(tmp_path / "votes.csv"), "-o", str(output)])
        assert done.exit_code == 0, done.output
        with open(output, newline="", encoding="utf-8") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert any(cell.startswith("'") for cell in cells)
        bad = [cell for cell in cells if cell[:1] in "=+-@\t\r" and cell and not is_number(cell)]
        assert bad == []


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True
