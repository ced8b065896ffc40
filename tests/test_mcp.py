"""The server for agents: the answers of the command line, and no file outside its folders."""

import gzip
import json
import os
import subprocess
import sys

import click
import numpy as np
import pytest

import errorfloor as ef
from errorfloor.apps.cli import mcp as served
from errorfloor.apps.cli.mcp import TOOLS, RefusedError, described, file_in, words_of
from errorfloor.data import storage
from errorfloor.data.files import connect

SECRET = "sesame-4711"


@pytest.fixture
def folders(tmp_path):
    """Make a folder that is served, and one outside that holds a secret."""
    inside, outside = tmp_path / "served", tmp_path / "served-not"
    inside.mkdir()
    outside.mkdir()
    rng = np.random.default_rng(0)
    votes = rng.binomial(5, rng.beta(1, 2, 200))
    rows = "votes,total\n" + "".join(f"{one},5\n" for one in votes)
    (inside / "votes.csv").write_text(rows)
    (outside / "secret.csv").write_text(f"{SECRET},label\n0.1,0\n0.9,1\n0.2,0\n0.7,1\n")
    (inside / "link.csv").symlink_to(outside / "secret.csv")
    (inside / "folder").symlink_to(outside)
    (inside / "a[1].csv").write_text(rows)
    (inside / "a1.csv").symlink_to(outside / "secret.csv")
    return inside, outside


def typed(*words, **environment):
    """Run the command line, and return its exit code, stdout and stderr."""
    ran = subprocess.run(
        [sys.executable, "-m", "errorfloor", *words],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return ran.returncode, ran.stdout.strip(), ran.stderr.strip()


def outside_names(inside, outside):
    """Return names by which a client may try to get at the secret."""
    secret = outside / "secret.csv"
    return [
        str(secret),
        f"../{outside.name}/secret.csv",
        f"{inside}/../{outside.name}/secret.csv",
        "link.csv",
        "folder/secret.csv",
        "folder",
        "a1.csv",
        f"../{outside.name}/*.csv",
        f"{outside}/s?cret.csv",
        f"{outside}/secre[t].csv",
        f"file://{secret}",
        "https://example.org/secret.csv",
        "s3://bucket/secret.csv",
        r"\\server\share\secret.csv",
        "//server/share/secret.csv",
        f"votes.csv\0{secret}",
        "~/secret.csv/../../..",
        "/dev/stdin",
        "/proc/self/environ",
        "/etc/passwd",
        "..",
        "/",
    ]


# What needs no server.


def test_tools_are_the_commands_with_all_their_options_but_those_that_write():
    for name in TOOLS:
        tool = described(name)
        properties = tool["input_schema"]["properties"]
        assert tool["description"].startswith(tool["title"])
        assert not {"output", "as_json", "quiet"} & properties.keys()
        assert all(one["description"] for one in properties.values())
        json.dumps(tool)
        options = served._options(served._command(name)).values()
        flags = [one.opts[-1] for one in options if one.param_type_name == "option"]
        assert all(one.startswith("--") for one in flags)
    assert described("estimate")["input_schema"]["required"] == ["files"]
    assert "metric" in described("headroom")["input_schema"]["properties"]


def test_calls_become_what_would_be_typed(folders):
    inside, _ = folders
    path = str(inside / "votes.csv")
    words = words_of(
        "estimate",
        {"files": ["votes.csv"], "level": 0.9, "complete": False, "totals": "-o", "group": None},
        [str(inside)],
    )
    assert words == ["estimate", "--json", "--level=0.9", "--total=-o", "--", path]
    assert words_of("headroom", {"files": ["5%"], "errors": 3}, [str(inside)])[-1] == "5%"
    several = words_of("people", {"files": path, "prediction": ["a", "b"]}, [str(inside)])
    assert several[2:4] == ["--prediction=a", "--prediction=b"]


@pytest.mark.parametrize(
    ("tool", "said", "why"),
    [
        ("report", {"files": ["votes.csv"]}, "no tool 'report'"),
        ("estimate", {"files": ["votes.csv"], "output": "x.html"}, "no argument 'output'"),
        ("estimate", {"files": ["votes.csv"], "complete": "yes"}, "must be true or false"),
        ("estimate", {"files": [{"path": "votes.csv"}]}, "must be text or a number"),
        ("estimate", {"files": ["votes.csv"], "score": "a\0b"}, "characters of the code 0"),
        ("estimate", {"files": ["missing.csv"]}, "no file 'missing.csv'"),
        ("estimate", {"files": ["*.csv"]}, r"no file '\*.csv'"),
        ("estimate", {"files": ["."]}, "Name files, not folders"),
        ("estimate", {"files": ["-"]}, "no file '-'"),
        ("estimate", {"files": [""]}, "outside the folders"),
    ],
)
def test_calls_that_make_no_sense_are_refused(folders, tool, said, why):
    with pytest.raises(RefusedError, match=why):
        words_of(tool, said, [str(folders[0])])


def test_no_name_leads_out_of_the_folders(folders):
    inside, outside = folders
    for name in outside_names(inside, outside):
        with pytest.raises(RefusedError, match="outside the folders"):
            file_in(name, [str(inside)])
    # What is there and what is not cannot be told apart.
    there, missing = (outside / one for one in ("secret.csv", "nothing.csv"))
    told = []
    for path in (there, missing):
        with pytest.raises(RefusedError) as raised:
            file_in(str(path), [str(inside)])
        told.append(str(raised.value).replace(path.name, "NAME"))
    assert told[0] == told[1]


def test_options_that_name_files_lead_out_no_more_than_files_do(folders):
    inside, outside = folders
    found = 0
    for tool in TOOLS:
        for name, option in served._options(served._command(tool)).items():
            if isinstance(option.type, click.Path) and isinstance(option, click.Option):
                found += 1
                for one in outside_names(inside, outside):
                    with pytest.raises(RefusedError):
                        words_of(tool, {"files": ["votes.csv"], name: one}, [str(inside)])
    assert found  # --labels


def test_links_within_the_folders_are_followed(folders):
    inside, _ = folders
    (inside / "again.csv").symlink_to(inside / "votes.csv")
    assert file_in("again.csv", [str(inside)]) == str(inside / "votes.csv")
    assert file_in("a[1].csv", [str(inside)]) == str(inside / "a[1].csv")


def test_folders_whose_names_begin_alike_are_others(folders):
    inside, outside = folders
    assert not storage.is_inside(str(outside / "x"), [str(inside)])
    assert storage.is_inside(str(inside / "x"), [str(inside)])
    assert storage.is_inside("/x", ["/"])


# The process that reads, which does not rely on the server.


def test_a_confined_process_reads_nothing_outside_whoever_asks(folders):
    inside, outside = folders
    only = {storage.FOLDERS: json.dumps([str(inside)])}
    for name in (outside / "secret.csv", inside / "link.csv", outside / "*.csv", outside):
        code, out, err = typed("look", "--json", "--", str(name), **only)
        assert (code, out) == (1, "")
        assert "outside the folders that may be read" in err
        assert SECRET not in err
    beside = ("--labels", str(outside / "secret.csv"), "--on", "votes=label")
    code, out, err = typed("estimate", "--json", *beside, str(inside / "votes.csv"), **only)
    assert (code, out) == (1, "")
    assert "outside the folders that may be read" in err


def test_the_database_of_a_confined_process_opens_nothing_else(folders, monkeypatch, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    inside, outside = folders
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv(storage.FOLDERS, json.dumps([str(inside), str(scratch)]))
    connection = connect(str(scratch))
    assert connection.sql(f"from read_csv('{inside}/votes.csv')").fetchone()
    for query in (
        f"from read_csv('{outside}/secret.csv')",
        f"from '{outside}/secret.csv'",
        f"from read_text('{outside}/*')",
        f"from glob('{outside}/*')",
        "from read_csv('https://example.org/a.csv')",
        f"copy (select 1) to '{outside}/written.csv'",
        f"attach '{outside}/new.db'",
        "set enable_external_access = true",
        "install httpfs",
    ):
        with pytest.raises(duckdb.Error):
            connection.sql(query).fetchall()
    assert [one.name for one in outside.iterdir()] == ["secret.csv"]


def written(folder):
    """Write the same scores in several formats, and return the files."""
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(1)
    scores = rng.random(150).round(3)
    labels = (rng.random(150) < scores).astype(int)
    frame = pl.DataFrame({"score": scores, "label": labels})
    text = frame.write_csv()
    (folder / "a.csv").write_text(text)
    (folder / "b.csv").write_text(text, encoding="utf-16")
    (folder / "c.csv.gz").write_bytes(gzip.compress(text.encode()))
    frame.write_parquet(folder / "d.parquet")
    frame.write_ndjson(folder / "e.jsonl")
    np.savez(folder / "f.npz", score=scores, label=labels)
    return ef.from_scores(scores, labels)


def test_a_confined_process_reads_every_format_of_its_folders(folders, tmp_path):
    usual = written(folders[0])
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    only = {storage.FOLDERS: json.dumps([str(folders[0]), str(scratch)]), "TMPDIR": str(scratch)}
    for name in ("a.csv", "b.csv", "c.csv.gz", "d.parquet", "e.jsonl", "f.npz"):
        code, out, err = typed("estimate", "--json", str(folders[0] / name), **only)
        assert code == 0, err
        assert json.loads(out)["result"]["value"] == usual.value


# The server, by the SDK's own client.


def talk(folder, calls):
    """Start the server, make calls, and return the tools and the answers."""
    anyio = pytest.importorskip("anyio")
    pytest.importorskip("mcp")
    from mcp import StdioServerParameters
    from mcp.client import ClientSession
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "errorfloor", "mcp", str(folder)],
        env=dict(os.environ),
    )

    async def ask():
        with anyio.fail_after(300):
            async with stdio_client(server) as streams, ClientSession(*streams) as session:
                about = await session.initialize()
                tools = await session.list_tools()
                return about, tools.tools, [await session.call_tool(*call) for call in calls]

    return anyio.run(ask)


def test_answers_over_stdio_are_those_of_the_command_line_to_the_bit(folders):
    inside, _ = folders
    path = str(inside / "votes.csv")
    calls = {
        ("look", path): {"files": ["votes.csv"]},
        ("estimate", path): {"files": ["votes.csv"]},
        ("estimate", path, "--level", "0.9", "--metric", "auc"): {
            "files": [path],
            "level": 0.9,
            "metric": "auc",
        },
        ("headroom", path, "--model-errors", "60", "--test-items", "200"): {
            "files": ["votes.csv"],
            "errors": 60,
            "n": 200,
        },
        ("people", path): {"files": ["votes.csv"]},
        ("agreement", "--agree", "460", "--pairs", "500"): {"agree": "460", "pairs": 500},
    }
    about, tools, answers = talk(inside, [(words[0], said) for words, said in calls.items()])
    assert about.server_info.name == "errorfloor"
    assert "Agreement between annotators is not the ceiling" in about.instructions
    assert [tool.name for tool in tools] == list(TOOLS)
    for words, answer in zip(calls, answers, strict=True):
        code, out, err = typed(*words, "--json")
        assert code == 0, err
        assert not answer.is_error
        assert answer.content[0].text == out
        assert answer.structured_content == json.loads(out)


def test_a_hostile_client_reads_nothing_outside(folders):
    inside, outside = folders
    names = [one for one in outside_names(inside, outside) if "\0" not in one]
    injected = f"x\" from read_csv('{outside}/secret.csv') --"
    said = [
        *({"files": [name]} for name in names),
        {"files": ["votes.csv", str(outside / "secret.csv")]},
        {"files": ["votes.csv"], "positives": injected, "totals": "total"},
        {"files": ["votes.csv"], "group": injected},
        {"files": ["votes.csv"], "positives": f"--output={outside}/new.html"},
        {"files": ["votes.csv"], "output": f"{outside}/new.html"},
        {"files": ["votes.csv"], "score": str(outside / "secret.csv")},
    ]
    tools = [name for name in TOOLS if name != "agreement"]
    calls = [(tools[i % len(tools)], one) for i, one in enumerate(said)]
    _, _, answers = talk(inside, [*calls, ("report", {"files": ["votes.csv"]})])
    for call, answer in zip([*calls, None], answers, strict=True):
        text = "".join(one.text for one in answer.content)
        assert answer.is_error, call
        assert SECRET not in text
        assert "Traceback" not in text
    assert [one.name for one in outside.iterdir()] == ["secret.csv"]


def test_the_command_says_what_it_needs(tmp_path):
    code, _, err = typed("mcp")
    assert code == 2
    assert "FOLDER" in err
    code, _, err = typed("mcp", str(tmp_path / "nothing"))
    assert code == 2
    assert "There is no folder" in err
