"""The app's server: who is let in, what uploads may do, and what is left behind."""

import ast
import gzip
import io
import json
import os
import signal
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from pages import eventually, running

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import errorfloor
from errorfloor._checks import Sentence, aside, told
from errorfloor.apps.cli.messages import _all_parameters
from errorfloor.apps.web import remedies, worker
from errorfloor.apps.web.server import safe_name
from errorfloor.apps.web.state import ROLES, State, in_form

RNG = np.random.default_rng(0)
PROB = RNG.random(400)
LABELS = (RNG.random(400) < PROB).astype(int)
CSV = "score,label\n" + "".join(f"{p:.4f},{y}\n" for p, y in zip(PROB, LABELS, strict=True))
SMALL = {"file_bytes": 2**20, "pages": 3, "form_bytes": 4096}
STATE = {"role:score": "score", "role:label": "label"}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with running(tmp_path_factory.mktemp("app")) as found:
        yield found


@pytest.fixture
def page(app):
    name = app.open()
    yield name
    app.post(f"pages/{name}/close")


def test_only_those_who_know_the_address_are_let_in(app):
    assert app.ask("GET", "")[0] == 200
    for path in ("/", "/app.js", f"{app.path[:-2]}/", f"{app.path[:-1]}x/", "//", "/%00/"):
        status, _, said = app.ask("GET", path, full=True)
        assert status == 404
        assert b"<" not in said
    assert app.ask("POST", "/pages", b"", full=True)[0] == 404


def test_the_server_listens_on_this_machine_only(app):
    port = app.host.split(":")[1]
    listening = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    own = [line.split()[1] for line in listening.splitlines() if f":{int(port):04X} " in line[:40]]
    assert {line.split(":")[0] for line in own} == {"0100007F"}


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", None, "0.0.0.0"])
def test_names_that_point_at_this_machine_are_refused(app, host):
    # A page of evil.example whose name is made to point here would be of the same origin.
    origin = None if host is None else f"http://{host}"
    for method in ("GET", "POST"):
        status, _, said = app.ask(method, "pages" if method == "POST" else "", Host=host,
                                  Origin=origin)  # fmt: skip
        assert status in (400, 421)
        assert b"errorfloor</h1>" not in said


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None, "http://127.0.0.1:1", ""])
def test_other_pages_cannot_post(app, origin):
    status, headers, _ = app.ask("POST", "pages", b"", Origin=origin)
    assert status == 403
    assert not any(name.lower().startswith("access-control") for name in headers)
    assert app.ask("POST", "pages", b"", Origin=app.origin, Sec_Fetch_Site="cross-site")[0] == 403


def test_other_pages_cannot_read(app):
    for site in ("cross-site", "same-site"):
        assert app.ask("GET", "", Sec_Fetch_Site=site)[0] == 403
    status, headers, _ = app.ask("OPTIONS", "pages", Origin="http://evil.example")
    assert status == 403
    headers = {name.lower(): value for name, value in app.ask("GET", "")[1].items()}
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path",
    ["../../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "static/app.js", "app.js/../server.py",
     "pages/../../x/jobs/1", "pages/..%2f..%2fetc%2fpasswd/jobs/1", "app.py", "state.py"],
)  # fmt: skip
def test_nothing_else_can_be_read(app, path):
    status, _, said = app.ask("GET", path)
    assert status in (404, 405, 410)
    assert b"root:" not in said
    assert b"import" not in said


@pytest.mark.parametrize(
    ("given", "kept"),
    [("../../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("..\\..\\x.csv", "x.csv"),
     (".bashrc", "bashrc"), ("..", "data"), ("", "data"), ("-o.csv", "o.csv"),
     ("a*[0].csv", "a__0_.csv"), ("x\0y\n.csv", "x_y_.csv"), ("https://a/b.csv", "b.csv"),
     ("Größe (1).csv", "Größe (1).csv"), ("n" * 300 + ".csv", "n" * 68 + ".csv")],
)  # fmt: skip
def test_names_of_uploads_lead_nowhere(given, kept):
    assert safe_name(given) == kept


def test_an_upload_is_answered_and_stays_in_its_folder(app, page):
    before = app.folders()
    said = app.upload(page, "../../../../tmp/x/scores.csv", CSV.encode())
    assert said["answered"], said
    assert "on these labels is reachable" in said["status"]
    assert said["file"] == "scores.csv"
    assert app.folders() == before
    kept = [path for path in app.temporary.rglob("*.csv") if "demo" not in path.parts]
    assert [path.name for path in kept] == ["scores.csv"]
    assert kept[0].stat().st_mode & 0o077 == 0 or kept[0].parent.stat().st_mode & 0o077 == 0
    app.post(f"pages/{page}/close")
    assert not kept[0].exists()


def test_an_answer_is_the_same_as_that_of_the_command_it_shows(app, page, tmp_path):
    import html
    import re
    import shlex

    from click.testing import CliRunner

    from errorfloor.apps.cli.commands import cli

    app.upload(page, "scores.csv", CSV.encode())
    asked = {**STATE, "method": "beta", "level": "0.9", "errors": "150", "n": "400"}
    said = app.question(page, "answer", asked)
    codes = re.findall("<code>(.*?)</code>", said["regions"]["downloads"], re.DOTALL)
    command, python = map(html.unescape, codes)
    (tmp_path / "scores.csv").write_text(CSV)
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        typed = CliRunner().invoke(cli, [*shlex.split(command)[1:], "--json"])
        assert json.loads(typed.stdout)["result"]["verdict"] in ("room", "open", "beyond")
        names = {}
        exec(python.replace("ef.report(", "kept = ("), names)
    finally:
        os.chdir(before)
    assert names["verdict"].to_dict() == json.loads(typed.stdout)["result"] | {
        "verdict": names["verdict"].verdict
    }
    report = app.question(page, "report", asked, format=".json")
    floor = json.loads(report["text"])["floor"]
    assert floor["value"] == names["floor"].value
    assert floor["low"] == names["floor"].interval.low


def test_predictions_in_the_file_are_judged(app, page):
    guess = (PROB > 0.6).astype(int)
    lines = [f"{p:.4f},{y},{g}" for p, y, g in zip(PROB, LABELS, guess, strict=True)]
    app.upload(page, "a.csv", "\n".join(["score,label,guess", *lines]).encode())
    said = app.question(page, "answer", {**STATE, "role:guess": "prediction"})
    assert "Your model" in said["status"]
    said = app.question(page, "answer", {**STATE, "role:guess": "prediction", "metric": "auc"})
    assert "AUC" in said["status"]


def test_scores_can_be_declared_complete(app, page):
    app.upload(page, "a.csv", CSV.encode())
    said = app.question(page, "answer", STATE)
    assert 'name="complete"' in said["regions"]["question"]
    assert "best possible" not in said["status"]
    said = app.question(page, "answer", {**STATE, "complete": "yes"})
    assert "If these scores are complete" in said["status"]
    assert "best possible accuracy" in said["status"]
    assert "--complete" in said["regions"]["downloads"]


def test_what_is_declared_of_a_column_goes_with_its_role(app, page):
    # The box is still ticked in the form that asks for the first time without the role.
    lines = [f"{p:.4f},{y},{1 - y}" for p, y in zip(PROB, LABELS, strict=True)]
    app.upload(page, "a.csv", "\n".join(["score,a,b", *lines]).encode())
    votes = {"role:score": "", "role:a": "annotators", "role:b": "annotators"}
    said = app.question(page, "answer", {**votes, "complete": "yes", "simultaneous": "yes"})
    assert said["answered"], said["regions"]["problem"]


def test_a_label_can_be_one_more_vote(app, page):
    rng = np.random.default_rng(0)
    eta = rng.beta(0.5, 0.5, 300)
    lines = [f"{rng.binomial(3, p)},{int(rng.random() < p)}" for p in eta]
    app.upload(page, "a.csv", "\n".join(["k,gold", *lines]).encode())
    asked = {"role:k": "votes", "role:gold": "label", "totals": "3"}
    said = app.question(page, "answer", asked)
    assert 'name="label_is_vote"' in said["regions"]["question"]
    assert "gold label" in said["status"]
    said = app.question(page, "answer", {**asked, "label_is_vote": "yes"})
    assert 'name="label_is_vote"' in said["regions"]["question"]
    assert "one more" in said["status"]
    assert "--label-is-vote" in said["regions"]["downloads"]


def test_a_column_for_each_of_very_many_classes_keeps_its_role(app, page):
    import re

    soft = RNG.dirichlet(np.full(350, 0.05), 40).round(6)
    soft[:, 0] += 1 - soft.sum(axis=1)
    head = ",".join(f"soft_{i}" for i in range(350))
    lines = [",".join(f"{p:.6f}" for p in row) for row in np.abs(soft)]
    said = app.upload(page, "a.csv", "\n".join([head, *lines]).encode())
    columns = said["regions"]["columns"]
    assert len(re.findall('<option value="soft" selected="selected">', columns)) == 350


def test_features_have_an_upper_limit(app, page):
    x = RNG.normal(size=(300, 2)).round(5)
    lines = [f"{a},{b},{int(a + e > 0)}" for (a, b), e in zip(x, RNG.normal(size=300), strict=True)]
    app.upload(page, "a.csv", "\n".join(["a,b,kind", *lines]).encode())
    roles = {"role:a": "feature", "role:b": "feature", "role:kind": "label"}
    said = app.question(page, "answer", roles)
    assert "on these labels is reachable" in said["status"], said
    assert "errorfloor features a.csv --label kind" in said["regions"]["downloads"]
    assert not said["plannable"]
    assert "is reachable" in app.question(page, "report", roles, format=".md")["text"]
    card = app.question(page, "report", roles, format=".svg")
    assert card["name"] == "card.svg"
    assert "is reachable" in card["text"]
    assert "details" in app.question(page, "details", roles)["regions"]
    said = app.question(page, "answer", {**roles, "role:b": "score"})
    assert "not with the role" in said["regions"]["problem"]


def test_a_saved_table_needs_no_columns(app, page, tmp_path):
    errorfloor.ScoreTable.from_arrays(PROB, LABELS).save(tmp_path / "table.npz")
    said = app.upload(page, "table.npz", (tmp_path / "table.npz").read_bytes())
    assert said["answered"], said
    assert "saved table" in said["regions"]["columns"]


def test_what_no_form_sends_is_refused(app, page):
    for body in (b"{", b"[]", b'{"kind": "answer"}', b'{"kind": "open", "state": {}}',
                 b'{"kind": "answer", "state": {"a": 1}}', b"[" * 10_000):  # fmt: skip
        status, said = app.post(f"pages/{page}/jobs", body)
        assert status == 400
        assert "Traceback" not in said["message"]
    assert app.post(f"pages/{page}/jobs", b'{"kind": "answer", "state": {}}')[0] == 409
    assert app.post("pages/unknown/jobs", b"{}")[0] == 410
    assert app.post(f"pages/{page}/demo?name=../../x")[0] == 404


def test_uploads_are_bounded_in_size_and_number(tmp_path):
    with running(tmp_path, **SMALL) as app:
        pages = [app.open() for _ in range(3)]
        assert app.post("pages")[0] == 429
        large = b"0" * (2**20 + 1)
        status, said = app.post(f"pages/{pages[0]}/file?name=a.csv", large)
        assert status == 413
        assert "larger than 1 MiB" in said["message"]
        # Who lies about the size, or does not tell, is stopped on the way.
        chunked = b"".join(b"10000\r\n" + b"0" * 2**16 + b"\r\n" for _ in range(20)) + b"0\r\n\r\n"
        status, _, _ = app.ask("POST", f"pages/{pages[0]}/file?name=a.csv", chunked,
                               Transfer_Encoding="chunked", Content_Length=None)  # fmt: skip
        assert status == 413
        assert list(app.temporary.rglob("a.csv")) == []
        assert app.post(f"pages/{pages[0]}/jobs", b" " * 5000)[0] == 413
        app.post(f"pages/{pages[0]}/close")
        assert app.post("pages")[0] == 200


def bomb_npz():
    """A file whose array is said to have 10^12 entries."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    header += b" " * (118 - len(header)) + b"\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 800
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("scores.npy", array)
        archive.writestr("labels.npy", array)
    return file.getvalue()


def bomb_excel():
    """A workbook that says billions of laughs."""
    names = [f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12)]
    sheet = (
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{"".join(names)}]>'
        "<worksheet><sheetData><row><c><v>&a11;</v></c></row></sheetData></worksheet>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"):
            archive.writestr(name, sheet)
    return file.getvalue()


def bomb_gzip():
    """A small file that unpacks to hundreds of megabytes of rows."""
    return gzip.compress(b"score,label\n" + b"0.123456,1\n0.654321,0\n" * 20_000_000, 1)


def test_bombs_end_a_worker_at_most(tmp_path):
    with running(tmp_path, cpu_seconds=4, memory=3 * 2**30) as app:
        page = app.open()
        for name, content in (("a.npz", bomb_npz()), ("a.xlsx", bomb_excel())):
            said = app.upload(page, name, content)
            assert not said.get("answered")
            assert said.get("bad") or said["event"] == "failed", said
            assert "Traceback" not in json.dumps(said)
        said = app.upload(page, "a.csv.gz", bomb_gzip())
        assert said["crashed"]
        assert "more computing time" in said["message"]
        assert app.upload(page, "scores.csv", CSV.encode())["answered"]


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 1000, b"\xff\xfe\x00", b"PAR1garbage", b"PK\x03\x04garbage", b"\x1f\x8bgarbage",
     b'{"a": ', b"score,label\n", b"score,label\nx,y\n", np.random.default_rng(1).bytes(3000)],
)  # fmt: skip
def test_files_that_are_none_get_words(app, page, content):
    for name in ("a.csv", "a.parquet", "a.json"):
        said = app.upload(page, name, content)
        assert not said.get("answered")
        words = json.dumps(said)
        assert "Traceback" not in words
        assert str(app.temporary) not in words
        assert "unforeseen" not in words, said


def test_a_worker_that_is_killed_before_it_begins_holds_up_nobody(tmp_path):
    with running(tmp_path) as app:
        page, other = app.open(), app.open()
        app.stall()
        first = app.post(f"pages/{page}/file?name=scores.csv", CSV.encode())[1]
        assert first["event"] == "progress"
        for pid in app.workers():
            os.kill(pid, signal.SIGKILL)
        assert app.wait(page, first)["answered"]  # by another
        assert app.upload(other, "scores.csv", CSV.encode())["answered"]
        assert app.question(page, "answer", STATE)["answered"]  # its file is still there


def test_a_long_question_can_be_stopped_and_holds_up_nobody_else(tmp_path):
    with running(tmp_path, workers=2) as app:
        page, other = app.open(), app.open()
        app.stall()
        first = app.post(f"pages/{page}/file?name=scores.csv", CSV.encode())[1]
        assert first["event"] == "progress"
        assert app.upload(other, "scores.csv", CSV.encode())["answered"]
        app.post(f"pages/{page}/stop")
        said = app.wait(page, first)
        assert (said["message"], said["stopped"]) == ("Stopped.", True)
        assert app.question(page, "answer", STATE)["answered"]


def test_a_new_question_takes_the_place_of_the_last_one(tmp_path):
    with running(tmp_path, workers=2, grace_seconds=0.1) as app:
        page = app.open()
        assert app.upload(page, "scores.csv", CSV.encode())["answered"]
        app.stall()
        asked = json.dumps({"kind": "answer", "state": STATE}).encode()
        first = app.post(f"pages/{page}/jobs", asked)[1]
        assert first["event"] == "progress"
        assert app.question(page, "answer", {**STATE, "level": "0.9"})["answered"]
        assert app.ask("GET", f"pages/{page}/jobs/{first['job']}")[0] == 409


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_server_goes(tmp_path, how):
    with running(tmp_path) as app:
        page = app.open()
        assert app.upload(page, "scores.csv", CSV.encode())["answered"]
        workers = app.workers()
        assert workers
        app.process.send_signal(how)
        app.process.wait(20)
        assert eventually(lambda: not list(tmp_path.glob(".errorfloor-*")))
        assert eventually(lambda: not any(_runs(pid) for pid in workers))


def _runs(pid):
    """Tell whether a process is there and no mere entry of one that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_page_that_stays_silent_is_forgotten(tmp_path):
    with running(tmp_path, away_seconds=1.0) as app:
        page = app.open()
        app.post(f"pages/{page}/file?name=scores.csv", CSV.encode())
        assert eventually(lambda: not app.folders())
        status, said = app.post(f"pages/{page}/alive")
        assert status == 410
        assert "deleted" in said["message"]


def test_what_goes_wrong_inside_is_not_shown(monkeypatch, tmp_path):
    import errorfloor.apps.web.answering as answering

    def broken(*_):
        raise KeyError("/home/secret")

    told = []
    monkeypatch.setattr(answering, "answer", broken)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", None)
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(tmp_path))
    question = {"folder": str(tmp_path), "scratch": str(tmp_path / ".job-1")}
    worker._answer(question, worker.Limits(), told.append)
    assert tempfile.gettempdir() == question["scratch"]  # where all goes that an answer writes
    assert told[0] == {"event": "taken"}
    assert "secret" not in told[1]["message"]
    assert "KeyError" in told[1]["message"]
    assert "Traceback" in told[1]["log"]  # which goes to the terminal


def test_an_upload_is_never_imported(app, page):
    for name in ("numpy.py", "duckdb.py", "errorfloor.py"):
        said = app.upload(page, name, b"score,label\n" + b"0.1,0\n0.9,1\n" * 50)
        assert said["answered"], said


def test_every_finding_has_its_place():
    root = Path(errorfloor.__file__).parent / "checks"
    names = set()
    for path in root.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
                name = node.args[0]
                if isinstance(name, ast.Constant):
                    names.add(name.value)
    assert names - {"Hardly better than guessing"} <= remedies.PLACES.keys()
    for place in remedies.PLACES.values():
        assert set(place.roles) <= ROLES.keys()


def test_fields_become_the_values_of_options():
    given = {"role:p": "score", "role:y": "label", "role:site": "group", "metric": "cost",
             "costs": "1,5", "level": "90%", "positive_from": "3", "errors": "7", "n": "100",
             "drop_missing": "yes"}  # fmt: skip
    state = State("a.csv", given)
    where = state.where()
    assert (where.columns, where.group) == ({"score": "p", "label": "y"}, "site")
    assert (where.positive_from, where.drop_missing) == (3.0, True)
    ask = state.ask()
    assert (ask.metric, ask.costs, ask.level) == ("cost", [1.0, 5.0], 0.9)
    assert (state.model().errors, state.model().n) == (7, 100)
    several = State("a.csv", {"role:a": "score", "role:b": "score", "role:y": "label"})
    assert several.where().columns["score"] == ["a", "b"]


def test_bad_fields_are_refused_in_the_words_of_the_page(app, page):
    app.upload(page, "scores.csv", CSV.encode())
    for more, words in (
        ({"level": "2"}, "&quot;Confidence level&quot;: 2.0 is not in the range"),
        ({"metric": "cost"}, "needs &quot;Costs of a false positive"),
        ({"role:label": "score"}, "label"),
        ({"role:label": "weight"}, "label"),
        ({"errors": "500", "n": "400"}, "must not be more"),
        ({"method": "nonsense"}, "must be one of"),
    ):
        said = app.question(page, "answer", {**STATE, **more})
        assert not said["answered"]
        shown = said["regions"]["problem"] + said["regions"]["answer"]
        assert words in shown, shown


def _asides():
    """Return the options that findings name, from the source of the checks."""
    checks = Path(errorfloor.__file__).parent / "checks"
    calls = (
        node
        for path in checks.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "aside"
    )
    return {
        (node.args[0].value, node.args[2].value if len(node.args) > 2 else "") for node in calls
    }


def test_options_that_findings_name_are_those_of_commands_and_fields_of_the_page():
    named = _asides()
    assert len(named) > 5
    parameters = _all_parameters()
    for name, flag in named:
        mention = aside(name, flag=flag)
        typed = mention.in_python().strip(" ()").split(", ")[1]
        assert any(typed in option.opts for option in parameters.values()), name
        assert in_form(mention) != "", name


def test_the_page_calls_options_by_its_own_words():
    said = Sentence("If class 1 is no, choose it", aside("positive", "no"), "; or not.")
    assert said == "If class 1 is no, choose it (positive='no', --positive no); or not."
    assert told(said, in_form) == 'If class 1 is no, choose it ("Class 1 is"); or not.'
    labels = Sentence("Name the column of labels", aside("label"), ".")
    assert told(labels, in_form) == 'Name the column of labels ("true label").'
