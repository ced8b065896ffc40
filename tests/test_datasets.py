"""The real sets: known numbers, files from a folder or by download, reviews from OpenReview."""

import contextlib
import csv
import hashlib
import io
import os
import select
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from needs import needs_data
from servers import FileServer, OpenReviewServer, serving

import errorfloor as ef
from errorfloor.datasets import (
    MissingDataError,
    files,
    iclr,
    load_chaosnli,
    load_cifar10h,
    load_fashion_mnist_h,
    load_iclr,
    voted,
)

HOME = os.environ.get("ERRORFLOOR_DATA", "")

# name: loader, items, positive labels, agreement of (score > 0.5) with the label, mean min(s, 1-s).
KNOWN = {
    "cifar10h": (load_cifar10h, 10_000, 6_000, 9_994, 0.005017),
    "fashion_mnist_h": (load_fashion_mnist_h, 10_000, 5_000, 9_955, 0.034779),
    "snli": (lambda: load_chaosnli("snli"), 1_514, 1_163, 1_371, 0.110165),
    "mnli": (lambda: load_chaosnli("mnli"), 1_599, 1_234, 1_381, 0.160494),
    "abductive": (lambda: load_chaosnli("abductive"), 1_532, 751, 1_369, 0.118825),
    "2017": (lambda: load_iclr(2017), 490, 198, 413, 0.374254),
    "2018": (lambda: load_iclr([2018]), 922, 337, 792, 0.388008),
    "2019": (lambda: load_iclr(2019), 1_419, 502, 1_205, 0.389656),
    "2020": (lambda: load_iclr(2020), 2_213, 687, 1_813, 0.297550),
    "2021": (lambda: load_iclr(2021), 2_595, 860, 2_101, 0.406276),
    "2022": (lambda: load_iclr(2022), 2_624, 1_094, 2_262, 0.382223),
    "2023": (lambda: load_iclr(2023), 3_792, 1_573, 3_310, 0.381333),
    "2024": (lambda: load_iclr(2024), 7_262, 2_260, 6_365, 0.378780),
    "2025": (lambda: load_iclr(2025), 11_520, 3_704, 10_208, 0.382515),
    "all years": (load_iclr, 32_837, 11_215, 28_469, 0.378020),
}


@needs_data
@pytest.mark.parametrize("name", KNOWN)
def test_the_known_numbers_of_every_set_hold(name):
    load, n, positives, agreement, uncertainty = KNOWN[name]
    data = load()
    assert data.n == n == data.scores.size == data.ids.size
    assert np.unique(data.ids).size == n
    assert data.labels.sum() == positives
    assert ((data.scores > 0.5) == data.labels).sum() == agreement
    floors = np.minimum(data.scores, 1 - data.scores)
    assert floors.mean() == pytest.approx(uncertainty, abs=5e-7)
    assert data.score_table.n == n
    for text in (data.name, data.source, data.licence, data.citation):
        assert text
    assert set(data.positive) < set(data.classes)
    assert data.labels.tolist() == [data.classes[k] in data.positive for k in data.targets]
    assert not data.scores.flags.writeable


@needs_data
@pytest.mark.parametrize(
    ("load", "votes", "least", "most", "majority"),
    [
        (load_cifar10h, 511_000, 47, 63, 9_921),
        (load_fashion_mnist_h, 667_020, 53, 79, 8_202),
        (lambda: load_chaosnli("snli"), 151_400, 100, 100, 1_137),
        (lambda: load_chaosnli("mnli"), 159_900, 100, 100, 1_086),
        (lambda: load_chaosnli("abductive"), 153_200, 100, 100, 1_369),
    ],
)
def test_votes_are_counts_of_all_classes(load, votes, least, most, majority):
    data = load()
    assert data.votes.shape == (data.n, len(data.classes))
    assert data.votes.sum() == votes
    assert (data.totals.min(), data.totals.max()) == (least, most)
    # Of classes with equal votes the first counts here.
    assert (data.votes.argmax(axis=1) == data.targets).sum() == majority
    assert np.array_equal(data.scores, data.positives / data.totals)
    assert data.vote_table == ef.VoteTable.from_arrays(data.positives, data.totals)
    assert f"votes={votes}" in repr(data)


@needs_data
def test_years_come_in_the_order_asked_for_and_have_no_votes():
    both = load_iclr([2019, 2017])
    assert both.name == "ICLR 2019, 2017"
    assert load_iclr(range(2017, 2020)).name == "ICLR 2017-2019"
    parts = [load_iclr(2019), load_iclr(2017)]
    assert np.array_equal(both.scores, np.concatenate([part.scores for part in parts]))
    assert repr(parts[1]) == "Dataset('ICLR 2017', n=490)"
    with pytest.raises(ValueError, match=r"ICLR 2017 has no votes.*Use `scores` and `labels`"):
        parts[1].vote_table  # noqa: B018


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load_chaosnli("smli"), r"`part` must be one of snli, mnli, abductive; got 'smli'\. Did you mean"),
        (lambda: load_iclr(2016), r"`years` must be different whole numbers from 2017 to 2025: entry 0 is 2016\. Pass one year"),
        (lambda: load_iclr([2017, 2019.5]), r"`years` must be .*entry 1 is 2019\.5"),
        (lambda: load_iclr("2017"), r"`years` must be .*entry 0 is '2'"),
        (lambda: load_iclr([2017, 2018, 2017]), r"`years` must be different .*entry 2 is there twice"),
        (lambda: load_iclr([]), r"`years` is empty\. Pass at least one year"),
        (lambda: load_cifar10h(data_home=""), r"`data_home` is an empty path"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused_by_name_entry_and_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# A folder that the user names


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No data folder, an empty cache, no proxy, no waiting and no OpenReview account."""
    for name in ("ERRORFLOOR_DATA", "OPENREVIEW_USERNAME", "OPENREVIEW_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "cache", lambda: tmp_path / "cache" / "errorfloor")
    monkeypatch.setattr("errorfloor.datasets.iclr.cache", files.cache)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    return tmp_path


@pytest.mark.parametrize(
    ("load", "path"),
    [
        (load_cifar10h, "cifar10h/cifar10h-counts.npy"),
        (load_fashion_mnist_h, "fashion_mnist_h/fmh_counts.csv"),
        (lambda **home: load_chaosnli("mnli", **home), "chaosnli/chaosNLI_mnli_m.jsonl"),
        (lambda **home: load_iclr(2020, **home), "iclr/iclr_2020.csv"),
    ],
)
def test_a_folder_without_the_file_is_one_error_that_says_what_to_put_where(
    nowhere, monkeypatch, load, path
):
    with pytest.raises(MissingDataError, match=f"{nowhere / path} does not exist.* hold {path}"):
        load(data_home=nowhere)
    monkeypatch.setenv("ERRORFLOOR_DATA", str(nowhere))
    with pytest.raises(MissingDataError, match=f"{nowhere / path} does not exist"):
        load()


def test_a_changed_file_is_refused(nowhere):
    path = nowhere / voted.CIFAR10H_VOTES.path
    path.parent.mkdir()
    path.write_bytes(b"something else")
    with pytest.raises(
        ValueError, match=r"not the file it should be: its SHA-256 is .* Replace it"
    ):
        load_cifar10h(data_home=nowhere)


@needs_data
def test_the_argument_comes_before_the_variable(monkeypatch):
    monkeypatch.setenv("ERRORFLOOR_DATA", "/nonexistent")
    assert load_cifar10h(data_home=HOME).n == 10_000


def write_iclr(folder, rows, header="paper_id,ratings,confidences,decision,accepted"):
    (folder / "iclr").mkdir(exist_ok=True)
    (folder / "iclr/iclr_2020.csv").write_text("\n".join([header, *rows]) + "\n")
    (folder / "iclr/iclr_2021.csv").write_text("\n".join([header, *rows]) + "\n")


def test_scores_are_means_weighted_by_confidence_on_the_scale_of_the_year(nowhere):
    write_iclr(nowhere, ["a,1;8,,Reject,0", "b,6;8,5;nan,Poster,1"])
    # b: (5 * 6 + 3 * 8) / 8 = 6.75
    assert load_iclr(2021, data_home=nowhere).scores == pytest.approx([3.5 / 9, 5.75 / 9])
    data = load_iclr(2020, data_home=nowhere)
    assert data.scores == pytest.approx([3.5 / 7, 5.75 / 7])
    assert data.labels.tolist() == [False, True]
    assert data.ids.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        (["a,1;8,,Reject,0", "b,6;11,,Reject,0"], r"line 3, is not a submission of ICLR 2021: .*between 1 and 10"),
        (["a,,,Reject,0"], r"line 2, .*could not convert string to float"),
        (["a,3;4,1,Reject,0"], r"line 2, .*confidences must be from 1 to 5, or nan, one a rating"),
        (["a,3,7,Reject,0"], r"line 2, .*confidences must be"),
        (["a,nan,,Reject,0"], r"line 2, .*between 1 and 10"),
        (["a,3,,Reject,yes"], r"line 2, .*yes.*Its columns are paper_id, ratings.* Replace the file"),
        (["a"], r"line 2"),
        ([], r"has no submissions"),
    ],
)  # fmt: skip
def test_a_broken_file_of_reviews_is_refused_by_line(nowhere, rows, what):
    write_iclr(nowhere, rows)
    with pytest.raises(ValueError, match=what):
        load_iclr(2021, data_home=nowhere)


def test_pickled_data_is_never_loaded(nowhere, monkeypatch):
    path = nowhere / voted.CIFAR10H_VOTES.path
    path.parent.mkdir()
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    file = files.DataFile(voted.CIFAR10H_VOTES.path, "r", "c", "s", sha256)
    monkeypatch.setattr(voted, "CIFAR10H_VOTES", file)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        load_cifar10h(data_home=nowhere)


# Downloads

FILE = files.DataFile(
    path="some/data.bin",
    repository="owner/name",
    commit="c0ffee",
    source="folder/data.bin",
    sha256=hashlib.sha256(bytes(range(256)) * 1000).hexdigest(),
)
ADDRESS = "/owner/name/c0ffee/folder/data.bin"
BODY = bytes(range(256)) * 1000


@pytest.fixture
def serve(nowhere, monkeypatch):
    """Start a file server in place of the public one; it stops after the test."""
    with contextlib.ExitStack() as stack:

        def start(server):
            monkeypatch.setattr(files, "HOST", stack.enter_context(serving(server.handler)))
            return server

        yield start


def listed(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_public_addresses_name_a_commit():
    known = [voted.CIFAR10H_VOTES, voted.CIFAR10H_LABELS, voted.FASHION_VOTES, voted.FASHION_LABELS]
    for file in (*known, *voted.CHAOSNLI.values()):
        assert file.address == f"{files.HOST}/{file.repository}/{file.commit}/{file.source}"
        assert file.address.startswith("https://raw.githubusercontent.com/")
        assert len(file.commit) == 40
        assert len(file.sha256) == 64


def test_a_file_is_downloaded_once_and_then_comes_from_the_cache(serve, nowhere):
    server = serve(FileServer({ADDRESS: BODY}))
    path = files.locate(FILE, None)
    assert path == nowhere / "cache/errorfloor/some/data.bin"
    assert path.read_bytes() == BODY
    assert files.locate(FILE, None) == path
    assert server.asked == [(ADDRESS, None)]
    assert listed(nowhere) == ["data.bin"]


def test_who_watches_a_terminal_sees_a_progress_bar(serve, monkeypatch):
    serve(FileServer({ADDRESS: BODY}))
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr", terminal)
    files.locate(FILE, None)
    assert "data.bin: 100%" in terminal.getvalue()


def test_a_broken_download_goes_on_where_it_stopped(serve, nowhere):
    server = serve(FileServer({ADDRESS: BODY}, breaks=[100_000, 70_000]))
    assert files.locate(FILE, None).read_bytes() == BODY
    ranges = [wanted for _, wanted in server.asked]
    assert ranges[0] is None
    starts = [int(wanted.removeprefix("bytes=").removesuffix("-")) for wanted in ranges[1:]]
    assert len(starts) == 2
    # What was sent before the break and had arrived is not sent again.
    assert 0 < starts[0] <= 100_000
    assert starts[0] < starts[1] <= 170_000
    assert listed(nowhere) == ["data.bin"]


def test_a_later_run_goes_on_as_well(serve, nowhere):
    server = serve(FileServer({ADDRESS: BODY}, breaks=[90_000, 0, 0]))
    with pytest.raises(MissingDataError, match=r"some/data\.bin is not on this machine"):
        files.locate(FILE, None)
    (part,) = listed(nowhere)
    assert part == ".data.bin.part"
    assert files.locate(FILE, None).read_bytes() == BODY
    assert server.asked[-1][1].startswith("bytes=")
    assert listed(nowhere) == ["data.bin"]


def test_a_server_without_ranges_sends_everything_again(serve):
    server = serve(FileServer({ADDRESS: BODY}, ranges=False, breaks=[90_000]))
    assert files.locate(FILE, None).read_bytes() == BODY
    assert [wanted is None for _, wanted in server.asked] == [True, False]


@pytest.mark.parametrize("left", [BODY, b"x" * 1000, BODY + b"more"])
def test_whatever_an_earlier_run_left_the_right_file_comes_out(serve, nowhere, left):
    serve(FileServer({ADDRESS: BODY}))
    folder = nowhere / "cache/errorfloor/some"
    folder.mkdir(parents=True)
    (folder / ".data.bin.part").write_bytes(left)
    assert files.locate(FILE, None).read_bytes() == BODY
    assert listed(nowhere) == ["data.bin"]


def test_several_at_once_all_get_the_right_file(serve, nowhere):
    serve(FileServer({ADDRESS: BODY}, breaks=[100_000]))
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: files.locate(FILE, None), range(8)))
    assert {path.read_bytes() for path in paths} == {BODY}
    assert listed(nowhere) == ["data.bin"]


def test_a_cached_file_that_was_damaged_is_fetched_again(serve):
    server = serve(FileServer({ADDRESS: BODY}))
    path = files.locate(FILE, None)
    path.write_bytes(b"damaged")
    assert files.locate(FILE, None).read_bytes() == BODY
    assert len(server.asked) == 2


@pytest.mark.parametrize("says_size", [True, False])
def test_an_answer_beyond_all_sizes_is_refused_and_nothing_is_kept(
    serve, nowhere, monkeypatch, says_size
):
    server = serve(FileServer({ADDRESS: BODY}))
    if not says_size:
        monkeypatch.setattr(files, "_size", lambda *_: None)
    monkeypatch.setattr(files, "MOST", len(BODY) - 1)
    with pytest.raises(MissingDataError, match=r"the server sends more than .* bytes"):
        files.locate(FILE, None)
    assert listed(nowhere) == []
    monkeypatch.setattr(files, "MOST", len(BODY))
    assert files.locate(FILE, None).read_bytes() == BODY
    assert server.asked


def test_a_wrong_file_is_never_put_in_place(serve, nowhere):
    serve(FileServer({ADDRESS: b"wrong"}))
    with pytest.raises(MissingDataError, match=r"SHA256 hash .* does not match"):
        files.locate(FILE, None)
    assert listed(nowhere) == []


def test_an_answer_to_another_question_is_refused(serve, nowhere, monkeypatch):
    server = serve(FileServer({ADDRESS: BODY}))
    folder = nowhere / "cache/errorfloor/some"
    folder.mkdir(parents=True)
    (folder / ".data.bin.part").write_bytes(BODY[:1000])

    def answer(request):
        request.send_response(206)
        request.send_header("Content-Range", f"bytes 0-{len(BODY) - 1}/{len(BODY)}")
        request.send_header("Content-Length", str(len(BODY)))
        request.end_headers()
        request.wfile.write(BODY)

    monkeypatch.setattr(server, "answer", answer)
    with pytest.raises(MissingDataError, match="asked for bytes from 1000, got 'bytes 0-"):
        files.locate(FILE, None)


def test_no_connection_is_one_error_that_says_what_to_put_where(nowhere, monkeypatch):
    monkeypatch.setattr(files, "HOST", "http://127.0.0.1:9")  # nothing listens there
    message = (
        r"^cifar10h/cifar10h-counts\.npy is not on this machine and could not be fetched .*"
        r"Put it into a folder of your choice as cifar10h/cifar10h-counts\.npy, and name that "
        r"folder by `data_home` or the environment variable ERRORFLOOR_DATA\. Its SHA-256 is 9b36"
    )
    with pytest.raises(MissingDataError, match=message):
        load_cifar10h()


def test_a_cache_that_cannot_be_written_is_the_same_error(nowhere, monkeypatch):
    (nowhere / "cache").write_text("a file where the folder should be")
    with pytest.raises(MissingDataError, match=r"cifar10h-counts\.npy is not on this machine"):
        load_cifar10h()
    with pytest.raises(MissingDataError, match=r"iclr_2019\.csv is not on this machine"):
        load_iclr(2019)


def test_a_missing_page_is_the_same_error(serve):
    serve(FileServer({}))
    with pytest.raises(MissingDataError, match="404"):
        load_fashion_mnist_h()


def test_without_the_libraries_the_error_says_how_to_get_them(nowhere, monkeypatch):
    for name in ("pooch", "openreview"):
        monkeypatch.setitem(sys.modules, name, None)
    for load in (load_cifar10h, lambda: load_iclr(2019)):
        with pytest.raises(
            MissingDataError, match=r"pip install 'errorfloor\[data\]'.*Put it into"
        ):
            load()


@needs_data
def test_every_public_file_is_found_at_its_address(serve):
    known = [voted.CIFAR10H_VOTES, voted.CIFAR10H_LABELS, voted.FASHION_VOTES, voted.FASHION_LABELS]
    contents = {}
    for file in (*known, *voted.CHAOSNLI.values()):
        with open(os.path.join(HOME, file.path), "rb") as opened:
            contents[f"/{file.repository}/{file.commit}/{file.source}"] = opened.read()
    server = serve(FileServer(contents))
    assert load_cifar10h().n == load_fashion_mnist_h().n == 10_000
    assert [load_chaosnli(part).n for part in voted.CHAOSNLI] == [1514, 1599, 1532]
    assert len(server.asked) == 7


def test_a_process_that_is_killed_leaves_a_file_to_go_on_with(serve, nowhere):
    # The server sends a part and then nothing more until the client is gone.
    gone = threading.Event()
    server = serve(FileServer({ADDRESS: BODY}))
    whole = server.answer

    def stall(request):
        server.asked.append((request.path, request.headers.get("Range")))
        request.send_response(200)
        request.send_header("Content-Length", str(len(BODY)))
        request.end_headers()
        request.wfile.write(BODY[:200_000])
        gone.wait(30)

    server.answer = stall
    code = (
        "import sys, pathlib; from errorfloor.datasets import files;"
        f"files.HOST = {files.HOST!r}; files.cache = lambda: pathlib.Path({str(files.cache())!r});"
        f"files.locate(files.DataFile{tuple(getattr(FILE, name) for name in FILE.__slots__)!r}, None)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    part = nowhere / "cache/errorfloor/some/.data.bin.part"
    for _ in range(300):
        if part.exists() and part.stat().st_size > 100_000:
            break
        select.select([], [], [], 0.1)  # time.sleep is switched off
    child.kill()
    child.wait()
    gone.set()
    server.answer = whole
    size = part.stat().st_size
    assert 0 < size <= 200_000
    assert files.locate(FILE, None).read_bytes() == BODY
    assert server.asked[-1] == (ADDRESS, f"bytes={size}-")


# OpenReview


def v1_reply(invitation, **content):
    return {"invitation": invitation, "content": content, "id": "r", "replyto": "n"}


def v1_note(name, invitation, replies, **content):
    return {
        "id": name,
        "forum": name,
        "invitation": invitation,
        "content": {"title": "A paper", **content},
        "details": {"directReplies": replies},
    }


def v2_reply(invitation, **content):
    return {
        "invitations": [invitation, "ICLR.cc/2024/Conference/-/Edit"],
        "content": {key: {"value": value} for key, value in content.items()},
        "id": "r",
        "replyto": "n",
    }


def v2_note(year, name, venueid, replies):
    conference = f"ICLR.cc/{year}/Conference"
    return {
        "id": name,
        "forum": name,
        "invitations": [f"{conference}/-/Submission", f"{conference}/-/Post_Submission"],
        "content": {"title": {"value": "A paper"}, "venueid": {"value": f"{conference}{venueid}"}},
        "details": {"replies": replies},
    }


@pytest.fixture
def openreview(nowhere, monkeypatch):
    """Start both API generations on this machine; they stop after the test."""
    with contextlib.ExitStack() as stack:

        def start(notes, **options):
            server = OpenReviewServer(notes, **options)
            address = stack.enter_context(serving(server.handler))
            monkeypatch.setattr(iclr, "V1", f"{address}/v1")
            monkeypatch.setattr(iclr, "V2", f"{address}/v2")
            return server

        yield start


def cached_rows(folder, year):
    with (folder / f"cache/errorfloor/iclr/iclr_{year}.csv").open(newline="") as file:
        return [tuple(row.values()) for row in csv.DictReader(file)]


def test_2017_has_reviews_and_acceptances_in_lower_case(openreview, nowhere):
    paper = "ICLR.cc/2017/conference/-/paper7"
    notes = {
        "ICLR.cc/2017/conference/-/submission": [
            v1_note(
                "a",
                "ICLR.cc/2017/conference/-/submission",
                [
                    v1_reply(f"{paper}/official/review", rating="7: Good paper, accept", confidence="4: The reviewer is confident"),
                    v1_reply(f"{paper}/official/review", rating="4: Ok but not good enough", confidence="2: Willing to defend"),
                    v1_reply(f"{paper}/pre-review/question", title="What?"),
                    v1_reply(f"{paper}/acceptance", decision="Accept (Poster)"),
                ],
            ),
            v1_note(
                "b",
                "ICLR.cc/2017/conference/-/submission",
                [
                    v1_reply(f"{paper}/official/review", rating="5: Marginally below", confidence="3: Fairly"),
                    v1_reply(f"{paper}/acceptance", decision="Invite to Workshop Track"),
                ],
            ),
            v1_note("c", "ICLR.cc/2017/conference/-/submission", []),  # never reviewed
        ]
    }  # fmt: skip
    server = openreview(notes)
    data = load_iclr(2017)
    assert data.ids.tolist() == ["a", "b"]
    assert data.labels.tolist() == [True, False]
    assert data.scores == pytest.approx([(6 - 1) / 9, (5 - 1) / 9])  # (4 * 7 + 2 * 4) / 6 = 6
    assert cached_rows(nowhere, 2017) == [
        ("a", "7;4", "4;2", "Accept (Poster)", "1"),
        ("b", "5", "3", "Invite to Workshop Track", "0"),
    ]
    path, query = server.asked[0]
    assert path == "/v1/notes"
    assert query["invitation"] == "ICLR.cc/2017/conference/-/submission"
    assert query["details"] == "directReplies"
    asked = len(server.asked)
    assert np.array_equal(load_iclr(2017).scores, data.scores)
    assert len(server.asked) == asked  # the second time it comes from the cache


@pytest.mark.parametrize(
    ("year", "review", "decision"),
    [
        (2018, ("/-/Paper1/Official_Review", "rating"), ("/-/Acceptance_Decision", "decision")),
        (2019, ("/-/Paper1/Official_Review", "rating"), ("/-/Paper1/Meta_Review", "recommendation")),
        (2021, ("/Paper1/-/Official_Review", "rating"), ("/Paper1/-/Decision", "decision")),
        (2022, ("/Paper1/-/Official_Review", "recommendation"), ("/Paper1/-/Decision", "decision")),
        (2023, ("/Paper1/-/Official_Review", "recommendation"), ("/Paper1/-/Decision", "decision")),
    ],
)  # fmt: skip
def test_the_first_api_words_reviews_and_decisions_by_year(openreview, year, review, decision):
    conference = f"ICLR.cc/{year}/Conference"
    blind = f"{conference}/-/Blind_Submission"

    def paper(name, verdict, **content):
        return v1_note(
            name,
            blind,
            [
                v1_reply(f"{conference}{review[0]}", **{review[1]: "8: accept"}, confidence="4: yes"),
                v1_reply(f"{conference}{review[0]}", **{review[1]: "3: reject"}),
                v1_reply(f"{conference}/Paper1/-/Official_Comment", comment="Thanks"),
                v1_reply(f"{conference}{decision[0]}", **{decision[1]: verdict}),
            ],
            **content,
        )  # fmt: skip

    gone = paper("d", "Reject", venue=f"ICLR {year} Conference Withdrawn Submission")
    desk = paper("e", "Reject", venueid=f"{conference}/Desk_Rejected_Submission")
    accepted = "Accept: poster" if year == 2023 else "Accept (Spotlight)"
    openreview({blind: [paper("a", accepted), paper("b", "Reject"), gone, desk]})
    data = load_iclr(year)
    assert data.ids.tolist() == ["a", "b"]
    assert data.labels.tolist() == [True, False]
    # (4 * 8 + 3 * 3) / 7: the second reviewer's confidence counts as 3.
    assert data.scores == pytest.approx([(41 / 7 - 1) / 9] * 2)


def test_2020_has_no_confidences_and_its_own_scale(openreview, nowhere):
    blind = "ICLR.cc/2020/Conference/-/Blind_Submission"
    paper = "ICLR.cc/2020/Conference/Paper9/-"
    replies = [
        v1_reply(f"{paper}/Official_Review", rating="6: Weak Accept", experience_assessment="I do not know much about this area."),
        v1_reply(f"{paper}/Official_Review", rating="1: Reject", experience_assessment="I have published one or two papers."),
        v1_reply(f"{paper}/Decision", decision="Accept (Talk)"),
    ]  # fmt: skip
    openreview({blind: [v1_note("a", blind, replies)]})
    data = load_iclr(2020)
    assert data.scores == pytest.approx([2.5 / 7])
    assert data.labels.tolist() == [True]
    assert cached_rows(nowhere, 2020) == [("a", "6;1", "", "Accept (Talk)", "1")]


@pytest.mark.parametrize("year", [2024, 2025])
def test_the_second_api_says_by_the_venue_what_became_of_a_paper(openreview, year):
    def number(value):
        return f"{value}: in words" if year == 2024 else value

    def replies(*ratings, decision=None):
        conference = f"ICLR.cc/{year}/Conference/Submission5/-"
        reviews = [
            v2_reply(f"{conference}/Official_Review", rating=number(r), confidence=number(3))
            for r in ratings
        ]
        made = [v2_reply(f"{conference}/Decision", decision=decision)] if decision else []
        meta = v2_reply(f"{conference}/Meta_Review", metareview="Fine.")
        return [*reviews, meta, *made]

    submitted = f"ICLR.cc/{year}/Conference/-/Submission"
    notes = [
        v2_note(year, "a", "", replies(8, 6, decision="Accept (poster)")),
        v2_note(year, "b", "/Rejected_Submission", replies(3, 5, decision="Reject")),
        v2_note(year, "c", "/Withdrawn_Submission", replies(1, 3)),
        # withdrawn after the decision
        v2_note(year, "d", "/Withdrawn_Submission", replies(10, decision="Accept (poster)")),
        v2_note(year, "e", "/Desk_Rejected_Submission", replies(5)),
        v2_note(year, "f", "/Desk_Rejected_Submission", []),
    ]
    server = openreview({submitted: notes})
    data = load_iclr(year)
    assert data.ids.tolist() == ["a", "b", "c", "d", "e"]
    assert data.labels.tolist() == [True, False, False, False, False]
    assert data.scores == pytest.approx(np.array([6, 3, 1, 9, 4]) / 9)
    path, query = server.asked[0]
    assert (path, query["invitation"], query["details"]) == ("/v2/notes", submitted, "replies")


@pytest.mark.parametrize("year", [2018, 2024])
def test_all_pages_are_read(openreview, monkeypatch, year):
    names = [f"p{number:04}" for number in range(2500)]
    if year == 2018:
        invitation = "ICLR.cc/2018/Conference/-/Blind_Submission"
        review = v1_reply("ICLR.cc/2018/Conference/-/Paper1/Official_Review", rating="5: x")
        notes = [v1_note(name, invitation, [review]) for name in names]
    else:
        invitation = "ICLR.cc/2024/Conference/-/Submission"
        review = v2_reply("ICLR.cc/2024/Conference/Submission1/-/Official_Review", rating=5)
        notes = [v2_note(2024, name, "", [review]) for name in names]
    server = openreview({invitation: notes})
    assert load_iclr(year).ids.tolist() == names
    assert len(server.asked) >= 3


@pytest.mark.parametrize("year", [2019, 2025])
def test_a_refusal_of_openreview_is_one_error_that_says_what_to_do(openreview, year):
    openreview({}, failure=(403, {"name": "ForbiddenError", "message": "Please log in"}))
    message = (
        rf"^iclr/iclr_{year}\.csv is not on this machine and could not be fetched .*Please log in"
        r".*`data_home` or .* ERRORFLOOR_DATA\. Its columns are paper_id.*OPENREVIEW_USERNAME"
    )
    with pytest.raises(MissingDataError, match=message):
        load_iclr(year)


@pytest.mark.parametrize("year", [2019, 2025])
def test_no_connection_to_openreview_is_the_same_error(nowhere, monkeypatch, capsys, year):
    monkeypatch.setattr(iclr, "V1", "http://127.0.0.1:9")
    monkeypatch.setattr(iclr, "V2", "http://127.0.0.1:9")
    with pytest.raises(MissingDataError, match=rf"iclr/iclr_{year}\.csv is not on this machine"):
        load_iclr(year)
    assert capsys.readouterr().out == ""


def test_a_year_without_reviews_is_an_error_and_nothing_is_kept(openreview, nowhere):
    openreview({})
    with pytest.raises(MissingDataError, match="OpenReview shows no review of ICLR 2021"):
        load_iclr(2021)
    assert listed(nowhere) == []


@needs_data
def test_plain_means_of_ratings_are_scores_as_if_no_confidences_were_known():
    weighted, plain = load_iclr(2019), load_iclr(2019, weighted=False)
    assert np.array_equal(weighted.labels, plain.labels)
    difference = np.abs(weighted.scores - plain.scores).mean()
    assert 0.005 < difference < 0.015
    unknown = load_iclr(2025)
    assert np.array_equal(unknown.scores, load_iclr(2025, weighted=False).scores)


def one_review(year=2017):
    submission = f"ICLR.cc/{year}/conference/-/submission"
    paper = f"ICLR.cc/{year}/conference/-/paper7"
    replies = [
        v1_reply(f"{paper}/official/review", rating="7: Good", confidence="4: Confident"),
        v1_reply(f"{paper}/acceptance", decision="Accept (Poster)"),
    ]
    return {submission: [v1_note("a", submission, replies), v1_note("b", submission, replies)]}


def test_a_cached_file_of_reviews_that_was_damaged_is_refused_by_name(openreview, nowhere):
    server = openreview(one_review())
    path = nowhere / "cache/errorfloor/iclr/iclr_2017.csv"
    assert load_iclr(2017).ids.tolist() == ["a", "b"]
    checksum = path.with_name("iclr_2017.csv.sha256")
    assert checksum.read_text().strip() == hashlib.sha256(path.read_bytes()).hexdigest()
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for damaged in (b"".join(lines[:-1]), whole.replace(b",7,", b",9,")):
        assert damaged != whole
        path.write_bytes(damaged)
        with pytest.raises(ef.InputError, match=r"iclr_2017\.csv is damaged.* Delete .*\.csv to"):
            load_iclr(2017)
    path.unlink()
    asked = len(server.asked)
    assert load_iclr(2017).ids.tolist() == ["a", "b"]
    assert len(server.asked) > asked


def test_an_old_cached_file_of_reviews_is_taken_once_and_gets_a_checksum(openreview, nowhere):
    openreview(one_review())
    path = nowhere / "cache/errorfloor/iclr/iclr_2017.csv"
    load_iclr(2017)
    checksum = path.with_name("iclr_2017.csv.sha256")
    checksum.unlink()
    assert load_iclr(2017).ids.tolist() == ["a", "b"]
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ef.InputError, match="is damaged"):
        load_iclr(2017)
