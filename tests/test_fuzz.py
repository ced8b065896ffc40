"""Every public function and command with bad values: a right answer, or an error that says why.

Calls that work and bad values are those of `fuzzing.py`. What comes back of odd data has to obey
laws that hold for all data: rows in any order, copies, units of weights, names of classes, shards.
"""

import inspect
import re
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from fuzzing import (
    BAD,
    FEW,
    LONG,
    NONSENSE,
    RATED,
    SCORES,
    WIDE,
    N,
    P,
    Y,
    calls,
    is_of_rows,
)

import errorfloor as ef
from errorfloor.apps.cli.commands import cli

CALLS = dict.fromkeys(calls(None))
MOST_SECONDS = 10  # of CPU for any one call


@pytest.fixture(scope="module")
def working(tmp_path_factory):
    """Return the calls, with files to read and a folder to write to."""
    return calls(tmp_path_factory.mktemp("fuzz"))


def outcome(ask, given):
    """Return the answer, or the text of the error that says what is wrong."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        warnings.filterwarnings("ignore", "Warning: converting a masked element to nan")
        try:
            found = ask(**given)
        except ef.InputError as error:
            found = str(error)
        except FileNotFoundError as error:  # text is the path of a file
            found = f"`path` {error}"
    assert time.process_time() - start < MOST_SECONDS
    return found


def says_what(text, ask, given):
    """Tell whether an error names an argument, or the data that it is about."""
    known = {*inspect.signature(ask).parameters, *given, "positives", "path", "label", "score"}
    known |= {"votes", "totals", "method", "unlabelled", "pilot", "scores"}
    named = re.findall(r"`([A-Za-z_]+)", text)
    return bool(known & set(named)) or re.search(r"data|file|item|column|row", text) is not None


@pytest.mark.parametrize("name", CALLS)
def test_bad_values_are_refused_by_name(working, name):
    ask, given = working[name]
    assert not isinstance(outcome(ask, given), str)
    # What does not depend on how data are given is tried where the function is called first.
    anywhere = {"interval", "rng", "level", "method"} if ", " in name else set()
    for argument in (one for one in given if one not in anywhere):
        for kind, make in (FEW if is_of_rows(name) else BAD).items():
            value = make()
            found = outcome(ask, {**given, argument: value})
            about = f"{name}({argument}={kind})"
            if isinstance(found, str):
                assert says_what(found, ask, given), f"{about}: {found}"
            else:
                assert kind not in NONSENSE, f"{about} was taken, and ignored"


def test_every_public_function_is_tried(working):
    asked = {name.split(",")[0] for name in working}
    functions = {name for name in ef.__all__ if inspect.isfunction(getattr(ef, name))}
    of_models = {"from_estimator", "headroom_scorer"}  # which tests/test_estimator.py tries
    assert functions - of_models <= asked
    tables = {name for name in ef.frames.__all__ if name not in ("scan", "merge")}
    assert tables <= asked


# Laws


def answers(table, **how):
    """Return the floor of a table."""
    ask = {"scores": ef.from_scores, "votes": ef.from_votes, "soft labels": ef.from_soft_labels}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        return ask[table.kind](table, interval=None, rng=0, **how).value


def drawn(seed, kind, classes):
    """Return the class of table and arrays of odd items: ties, few values, unequal totals."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    p = rng.dirichlet(np.full(classes, rng.choice([0.1, 1.0, 5.0])), size=n)
    p = p if rng.random() < 0.5 else np.round(p * 4 + 0.5) / np.round(p * 4 + 0.5).sum(1)[:, None]
    if kind == "soft labels":
        return ef.SoftTable, (p,)
    if kind == "votes":
        return ef.VoteTable, (np.array([rng.multinomial(rng.integers(2, 6), one) for one in p]),)
    labels = (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    return ef.ScoreTable, ((p[:, 1] if classes == 2 else p), labels)


KINDS = [(kind, classes) for kind in ("scores", "votes", "soft labels") for classes in (2, 4)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("kind", "classes"), KINDS)
def test_answers_obey_laws(kind, classes, seed):
    make, arrays = drawn(seed, kind, classes)
    rng = np.random.default_rng(seed)
    n = len(arrays[0])
    whole = make.from_arrays(*arrays)
    value = answers(whole)
    assert 0 <= value <= 1 - 1 / classes + 1e-12

    order = rng.permutation(n)
    assert answers(make.from_arrays(*(one[order] for one in arrays))) == value
    half = n // 2
    parts = [make.from_arrays(*(one[at] for one in arrays)) for at in (order[:half], order[half:])]
    assert answers(parts[0] + parts[1]) == value
    copies = make.from_arrays(*(np.repeat(one, 3, axis=0) for one in arrays))
    if kind != "scores" or classes == 2:  # of many classes, copies of held-out items are seen
        # The mixture is smoothed by n, and folds of copies are others.
        how = {"votes": {"method": "plugin"}, "scores": {"method": "isotonic"}}.get(kind, {})
        assert answers(copies, **how) == pytest.approx(answers(whole, **how), abs=1e-9)
    if classes > 2:  # of two, the second is class 1
        turned = rng.permutation(classes)
        others = [arrays[0][:, turned], *(np.argsort(turned)[one] for one in arrays[1:])]
        how = {"method": "top1"} if kind == "scores" else {}  # others draw folds of the rows
        found = answers(make.from_arrays(*others), **how)
        assert found == pytest.approx(answers(whole, **how), abs=1e-6)


# Commands


WORDS = ["no such thing", "", "-1", "nan", "1e999", "9" * 400, "5%", "0.5,x", "a\nb", ";", "*"]
COMMANDS = {
    "look": ["scores.csv"],
    "estimate": ["scores.csv", "--score", "p", "--label", "y"],
    "compare": ["scores.csv", "--score", "p", "--label", "y", "--method", "isotonic"],
    "headroom": ["scores.csv", "--score=p", "--label=y", "--model-errors=9", "--test-items=30"],
    "annotators": ["long.csv", "--item", "item", "--vote", "vote", "--annotator", "who"],
    "items": ["wide.csv", "--votes", "k", "--total", "m", "--output", "items.csv"],
    "plan": ["wide.csv", "--votes=k", "--total=m", "--try-votes=2", "--try-items=50"],
    "report": ["scores.csv", "--score", "p", "--label", "y", "--output", "report.json"],
    "label": ["scores.csv", "--score", "p", "--budget", "10", "--output", "labels.csv"],
    "confusion": ["scores.csv", "--score", "p", "--label", "y"],
    "agreement": ["--agree", "80", "--pairs", "100"],
    "features": ["scores.csv", "--label", "y", "--features", "p,w"],
    "feebee": ["scores.csv", "--score=p", "--label=y", "--model-error=0.4", "--levels=2",
               "--repeats=1", "--method=isotonic"],
    "count": ["scores.csv", "--score", "p", "--label", "y", "--output", "counts.npz"],
    "merge": ["table.npz", "--output", "merged.npz"],
    "people": ["wide.csv", "--votes", "k", "--total", "m", "--prediction", "r0", "--panels", "1"],
    "difference": ["wide.csv", "other.csv", "--votes", "k", "--total", "m"],
    "ratings": ["rated.csv", "--ratings", "a,b,c"],
    "card": ["wide.csv", "--votes", "k", "--total", "m", "--output", "card.svg"],
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder with small files that can be read."""
    folder = tmp_path_factory.mktemp("files")
    for name, frame in (
        *(("scores", SCORES), ("long", LONG), ("wide", WIDE)),
        *(("other", WIDE[: N // 2]), ("rated", RATED)),
    ):
        frame.to_csv(folder / f"{name}.csv", index=False)
    ef.ScoreTable.from_arrays(P, Y).save(folder / "table.npz")
    return folder


def run(arguments):
    """Return the exit code of a command, which must not fail in any other way."""
    ran = CliRunner().invoke(cli, arguments)
    assert ran.exception is None or isinstance(ran.exception, SystemExit), (arguments, ran)
    assert ran.exit_code in (0, 1, 2, 3, 4), (arguments, ran.output)
    assert "Traceback" not in ran.output
    return ran.exit_code


@pytest.mark.parametrize("name", COMMANDS)
def test_options_with_bad_values_end_in_a_clear_word(files, monkeypatch, name):
    monkeypatch.chdir(files)
    base = [name, *COMMANDS[name]]
    assert run(base) in (0, 4)
    options = [one for one in cli.commands[name].params if one.opts[-1].startswith("-")]
    for i, option in enumerate(options):
        if getattr(option, "is_flag", False):
            run([*base, option.opts[-1]])
        else:
            run([*base, option.opts[-1], WORDS[i % len(WORDS)]])


FILES = {
    "empty.csv": b"",
    "blank.csv": b"\n\n\n",
    "header.csv": b"score,label\n",
    "zeros.csv": b"\0" * 100,
    "ragged.csv": b"score,label\n0.1\n0.2,1,3\n",
    "quotes.csv": b'score,label\n"0.1,0\n0.9,1\n',
    "twice.csv": b"score,score,label\n0.1,0.2,1\n",
    "words.csv": b"score,label\nx,y\nz,w\n",
    "infinite.csv": b"score,label\ninf,0\n0.2,1\n",
    "digits.csv": b"score,label\n" + b"9" * 5000 + b",1\n0.1,0\n",
    "one.csv": b"score\n0.1\n",
    "array.json": b"[1,2,3]",
    "object.json": b"{}",
    "null.json": b"null",
    "cut.json": b'[{"score":0.1,"label":0},{"sc',
    "deep.json": b"[" * 9000 + b"]" * 9000,
    "mixed.jsonl": b'{"score":0.1,"label":0}\n[1]\n3\n',
    "zip.npz": b"PK\x03\x04 and no more",
    "rows.parquet": b"PAR1 and no more PAR1",
    "gzip.csv.gz": b"\x1f\x8b and no more",
    "book.xlsx": b"PK\x03\x04xl/ and no more",
    "bytes.bin": bytes(range(256)),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_files_end_in_a_clear_word(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(FILES[name])
    run(["look", name])
    for command in (["estimate"], ["estimate", "--score", "score", "--label", "label"]):
        assert run([*command, name]) != 0
    for command in ("items", "merge"):
        assert run([command, name, "--output", "out.csv" if command == "items" else "out.npz"]) != 0
    assert not list(tmp_path.glob("out.*"))


def test_arrays_of_one_file_must_fit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, arrays in (
        ("objects.npz", {"score": np.array([{}], dtype=object)}),
        ("lengths.npz", {"score": np.ones(3), "label": np.ones(2)}),
        ("cube.npz", {"score": np.ones((2, 2, 2)), "label": np.ones(2)}),
        ("none.npz", {}),
    ):
        np.savez(tmp_path / name, **arrays)
        assert run(["estimate", name]) == 1
    pd.DataFrame({"score": [0.1, 0.2], "label": [[1], [0]]}).to_parquet("lists.parquet")
    assert run(["estimate", "lists.parquet"]) == 1
