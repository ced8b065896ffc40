import json
import math
import re
import shlex
import subprocess
import sys
import warnings
from collections import Counter
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from helpers import answer
from needs import needs_data

import errorfloor as ef
from errorfloor.apps.cli.commands import cli
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture
from errorfloor.show import markup
from errorfloor.show.report import summarize
from errorfloor.show.report import summary as _words
from errorfloor.show.report.context import diagnose
from errorfloor.show.report.document import Headline

DATA = gaussian_mixture(2000, rng=0)
SCORES = corrupt(DATA.soft_labels, 2, 0.7)
HOSTILE = "<script>alert(1)</script>\"'&</style></title>`*_|"


@cache
def from_scores(**options):
    return ef.from_scores(SCORES, DATA.labels, rng=0, **options)


def votes(m, n=600, seed=0):
    return np.random.default_rng(seed).binomial(m, DATA.soft_labels[:n])


def without_warning(ask, *data, **options):
    """Return a result that comes with doubts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.DoubtWarning)
        return ask(*data, **options)


MAKERS = {
    "scores": from_scores,
    "no interval": lambda: from_scores(interval=None),
    "beta": lambda: from_scores(method="beta"),
    "logits": lambda: ef.from_scores(np.log(SCORES / (1 - SCORES)), DATA.labels, rng=0),
    "tiny": lambda: ef.from_scores([0.1, 0.2, 0.6, 0.7, 0.8], [0, 1, 0, 1, 1], rng=0),
    "soft labels": lambda: ef.from_soft_labels(DATA.soft_labels, rng=0),
    "votes": lambda: ef.from_votes(votes(3), 3, model_error=0.1),
    "plug-in": lambda: ef.from_votes(votes(5), 5, method="plugin", rng=0),
    "single votes": lambda: without_warning(
        ef.from_votes, votes(1), 1, method="plugin", interval=None
    ),
    "comparison": lambda: ef.compare(SCORES, DATA.labels, rng=0),
    "room": lambda: ef.headroom(from_scores(), errors=130, n=1000),
    "matches": lambda: ef.headroom(from_scores(), errors=75, n=1000),
    "better": lambda: ef.headroom(from_scores(), errors=20, n=1000),
    "open": lambda: ef.headroom(from_scores(method="beta"), errors=75, n=1000),
    "saturated": lambda: ef.headroom(from_scores(complete=True), errors=75, n=1000),
    "beyond": lambda: ef.headroom(from_scores(complete=True), errors=20, n=1000),
    "votes and model": lambda: ef.headroom(
        ef.from_votes(votes(3), 3), errors=90, n=1000, same_labelling=True
    ),
}
RESULTS = {name: cache(make) for name, make in MAKERS.items()}


@cache
def summary_of(name):
    return summarize(RESULTS[name]())


@cache
def page_of(name):
    return summary_of(name).to_html()


class Page(HTMLParser):
    """The elements of a page, and the text outside them; fails on tags that do not match."""

    VOID = ("meta", "link")

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self):
        return "".join(self.texts).replace("\N{NO-BREAK SPACE}", " ")

    def values(self, attribute):
        return [attrs[attribute] for _, attrs in self.elements if attribute in attrs]


@pytest.mark.parametrize("name", RESULTS)
def test_a_page_is_well_formed_and_leads_nowhere(name):
    page = Page(page_of(name))
    tags = Counter(tag for tag, _ in page.elements)
    assert tags["main"] == tags["h1"] == 1
    assert not tags["script"]
    headings = [tag for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert headings == ["h1"] + ["h2"] * (len(headings) - 1)
    assert ("html", {"lang": "en"}) in page.elements
    assert all(link.startswith(("#", "data:,")) for link in page.values("href"))
    assert all(link.startswith("#") for link in page.values("xlink:href"))
    assert not page.values("src")


@pytest.mark.parametrize("name", RESULTS)
def test_every_id_is_there_once_and_every_reference_has_one(name):
    text = page_of(name)
    page = Page(text)
    ids = Counter(page.values("id"))
    assert set(ids.values()) <= {1}
    used = {link[1:] for link in page.values("xlink:href")} | set(
        re.findall(r"url\(#(.*?)\)", text)
    )
    used |= {name for names in page.values("aria-labelledby") for name in names.split()}
    assert used <= set(ids)


@pytest.mark.parametrize("name", RESULTS)
def test_pictures_have_titles_and_descriptions(name):
    summary = summary_of(name)
    page = Page(page_of(name))
    drawings = [attrs for tag, attrs in page.elements if tag == "svg" and "class" in attrs]
    assert len(drawings) == 2 * len(summary.pictures)
    assert [one["class"] for one in drawings] == ["narrow", "broad"] * len(summary.pictures)
    for attrs, picture in zip(drawings[::2], summary.pictures, strict=True):
        assert attrs["role"] == "img"
        assert picture.title in page.text
        assert picture.description in page.text


@pytest.mark.parametrize("name", RESULTS)
def test_all_formats_say_the_same(name):
    found = summary_of(name).to_dict()
    assert found["schema"] == "errorfloor-report/3"
    html = Page(page_of(name)).text
    markdown = re.sub(r"\\(.)", r"\1", summary_of(name).to_markdown())
    said = [found["answer"], found["interval"], found["method"], *found["references"]]
    said += [one["sentence"] for one in found["diagnostics"]]
    if found["verdict"]:
        said.append(found["verdict"]["sentence"])
    for sentence in said:
        assert sentence in html
        assert sentence in markdown.replace("&lt;", "<").replace("&gt;", ">")
    for text in (html, markdown):
        places = [text.index(sentence) for sentence in said[:2]]
        assert places == sorted(places)
    assert len(page_of(name).encode()) < 500_000


def test_the_answer_has_value_and_interval_in_one_sentence():
    floor = from_scores()
    summary = summarize(floor)
    reachable = math.floor(1000 * (1 - floor.high)) / 10  # a bound is rounded down
    assert f"at least {reachable:.1f} %" in summary.answer
    assert f"{100 * (1 - floor.value):.1f} %" in summary.answer
    assert summary.answer.count(". ") == 1
    assert summary.floor is floor


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("room", "room left"),
        ("saturated", "not shown to be worse than the floor"),
        ("beyond", "looks too good"),
        ("matches", "not shown to be worse than the best threshold"),
        ("better", "better than the best threshold"),
    ],
)
def test_the_verdict_on_a_model_is_part_of_the_answer(name, word):
    verdict = RESULTS[name]()
    assert verdict.verdict == name
    summary = summarize(verdict)
    assert summary.verdict is verdict
    answer = summary.sections()[0]
    assert word in str(answer)
    assert isinstance(answer.blocks[0], Headline)  # the gauge comes first
    assert answer.blocks[1].text == summary.answer == verdict.sentence
    assert "Zou" in summary.references[-1]


def test_the_picture_of_a_verdict_has_one_level_in_words_too():
    picture = summarize(ef.headroom(from_scores(), errors=130, n=1000, level=0.8)).pictures[0]
    assert picture.description.count("80 % interval") == 2
    assert "95 %" not in picture.description + picture.caption


def test_what_users_named_shows_as_text():
    source = {
        HOSTILE: "<img src=x onerror=alert(1)>",
        "file": "a\x00b\ud800c\N{RIGHT-TO-LEFT OVERRIDE}d",
    }
    summary = summarize(from_scores(), title=HOSTILE, source=source, command=f"run {HOSTILE}")
    page = Page(summary.to_html())
    assert not {"script", "img"} & {tag for tag, _ in page.elements}
    assert page.text.count(HOSTILE) == 4  # title twice, source, command
    assert "<img src=x onerror=alert(1)>" in page.text
    assert "a\N{REPLACEMENT CHARACTER}b?c\N{REPLACEMENT CHARACTER}d" in page.text


def test_what_users_named_is_no_markdown():
    source = {HOSTILE: "a | b\nc"}
    markdown = summarize(from_scores(), title="# a", source=source, command="```\nx").to_markdown()
    assert "<" not in markdown.split("## Method")[0]
    assert markdown.startswith("# \\# a\n")
    assert r"`\*\_\| | a \| b c |" in markdown
    assert "````\n```\nx\n````" in markdown


@pytest.mark.parametrize(
    "text",
    [
        HOSTILE,
        "1. a",
        "- a",
        "+",
        "---",
        "===",
        "> a",
        "# a",
        "    a",
        "[a](b)",
        "7.40 %",
        "+2.4 &amp;",
    ],
)
def test_markdown_shows_any_text_as_it_is(text):
    markdown_it = pytest.importorskip("markdown_it")
    html = markdown_it.MarkdownIt("gfm-like", {"linkify": False}).render(markup.plain(text))
    assert Page(html).text == f"{text.strip()}\n"
    assert [tag for tag, _ in Page(html).elements] == ["p"]


def test_titles_name_the_file():
    assert summary_of("scores").title == "Error floor"
    assert summarize(from_scores(), source={"file": "a.csv"}).title == "Error floor of a.csv"


def test_the_same_result_gives_the_same_file(tmp_path):
    for name in ("room", "votes"):
        path = tmp_path / f"{name}.html"
        assert ef.report(RESULTS[name](), path) == path
        assert path.read_text(encoding="utf-8") == page_of(name)
    markdown = ef.report(RESULTS["votes"](), tmp_path / "votes.md")
    assert markdown.read_text(encoding="utf-8") == summary_of("votes").to_markdown()
    found = ef.report(RESULTS["votes"](), tmp_path / "votes.json").read_text(encoding="utf-8")
    assert json.loads(found) == json.loads(json.dumps(summary_of("votes").to_dict()))


def test_the_seed_reaches_the_comparison():
    rows = [
        summarize(from_scores(), **seed).to_dict()["comparison"]["rows"]
        for seed in ({}, {"rng": 0}, {"rng": 1}, {"rng": None})
    ]
    assert rows[0] == rows[1] != rows[2]
    assert rows[3] not in rows[:3]  # a new seed
    assert rows[0][0] == rows[2][0] == from_scores().to_dict()


def test_a_comparison_at_hand_is_used():
    rows = ef.compare(SCORES, DATA.labels, methods=["platt", "isotonic-cf"], rng=0)
    assert summarize(rows).floor.method == "isotonic-cf"
    assert summarize(rows).comparison is rows
    beside = summarize(from_scores(method="beta"), comparison=rows)
    assert [row["method"] for row in beside.to_dict()["comparison"]["rows"]] == [
        "beta",
        "platt",
        "isotonic-cf",
    ]


@pytest.mark.parametrize(
    ("n", "bins"), [(99, []), (100, ["hist-10"]), (999, ["hist-10"]), (1000, ["hist-25"])]
)
def test_bins_are_compared_where_they_hold_some_items(n, bins):
    rows = summarize(ef.from_scores(SCORES[:n], DATA.labels[:n], rng=0)).to_dict()["comparison"][
        "rows"
    ]
    assert [row["method"] for row in rows] == ["isotonic-cf", *bins, "beta"]


@pytest.mark.parametrize("name", ["soft labels", "votes"])
def test_what_has_no_labels_is_not_calibrated(name):
    assert summary_of(name).comparison is None


@pytest.mark.parametrize("name", ["scores", "beta", "soft labels", "votes", "plug-in", "room"])
def test_the_code_leads_to_the_same_report(name, monkeypatch):
    result, summary = RESULTS[name](), summary_of(name)
    m = 5 if name == "plug-in" else 3
    names = {
        "scores": SCORES,
        "labels": DATA.labels,
        "soft_labels": DATA.soft_labels,
        "positives": votes(m),
        "totals": m,
    }
    monkeypatch.setattr(ef, "report", lambda found, path, rng=0: names.update(found=found))
    exec(summary.python, names)
    found = names["found"]
    assert type(found) is type(result)
    same = summarize(found, rng=0)
    assert (same.answer, same.python) == (summary.answer, summary.python)
    assert bool(same.verdict) == bool(summary.verdict)
    assert plain(same) == plain(summary)


def plain(summary):
    """Return the numbers; the interval that "auto" chose is named the second time."""
    result = answer(summary.verdict or summary.floor)
    floor = result.get("floor", result)
    return {**result, "floor": {**floor, "options": None}, "options": None}


def test_versions_are_those_that_run():
    versions = summary_of("scores").versions
    assert versions["errorfloor"] == ef.__version__
    assert versions["NumPy"] == np.__version__


def levels(result, **options):
    return {one.name: one.level for one in summarize(result, **options).diagnostics}


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize(
    ("name", "level", "result"),
    [
        ("Class balance", "ok", from_scores),
        ("Reversed scores", "refuted", lambda: ef.from_scores(1 - SCORES, DATA.labels, rng=0)),
        ("Trust", "note", RESULTS["soft labels"]),
        ("Bias of vote shares", "ok", RESULTS["votes"]),
        ("Bias of vote shares", "note", lambda: ef.from_votes(votes(2, 2000), 2, method="plugin")),
        ("Bound on that bias", "ok", RESULTS["votes"]),
        ("Agreement of methods", "ok", from_scores),
    ],
)
def test_diagnostics_are_the_findings_and_what_only_a_report_computes(name, level, result):
    assert levels(result())[name] == level


def test_true_probabilities_of_a_rare_class_are_not_refuted_by_noise():
    # All below 1/2: the floor is the share of positives, which half of all samples fall short of.
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores = rng.uniform(0.05, 0.35, size=500)
        labels = rng.uniform(size=500) < scores
        floor = ef.from_scores(scores, labels, method="corrupted", interval=None)
        assert "Worse than guessing" not in {one.name for one in diagnose(floor)}


def disagreement(floor):
    found = [one for one in summarize(floor).diagnostics if one.name == "Methods disagree"]
    assert len(found) == 1
    return found[0]


def test_scores_out_of_order_make_bins_and_isotonic_disagree():
    rng = np.random.default_rng(0)
    scores = rng.uniform(size=20_000)
    hump = np.where(scores < 0.4, 0.05, np.where(scores < 0.6, 0.9, 0.2))
    labels = rng.uniform(size=scores.size) < hump
    found = disagreement(without_warning(ef.from_scores, scores, labels, rng=0))
    assert found.level == "warn"
    assert "hist-25 lies below that of isotonic" in found.sentence


def test_a_curve_that_does_not_fit_is_a_warning_only_where_it_was_used():
    rng = np.random.default_rng(0)
    scores = rng.uniform(size=20_000)
    steps = np.where(scores < 0.3, 0.02, np.where(scores < 0.9, 0.45, 0.98))  # no beta map
    labels = rng.uniform(size=scores.size) < steps
    for method, level in (("isotonic", "note"), ("beta", "warn")):
        found = disagreement(ef.from_scores(scores, labels, method=method, rng=0))
        assert found.level == level
        assert "The curve that beta assumes does not fit" in found.sentence


def test_of_two_curves_that_differ_either_may_be_wrong():
    rng = np.random.default_rng(0)
    scores = rng.beta(0.3, 0.3, size=20_000)
    labels = rng.uniform(size=scores.size) < scores
    rows = ef.compare(scores, labels, methods=["beta", "platt"], rng=0)
    found = [one for one in summarize(rows).diagnostics if one.name == "Methods disagree"]
    assert [one.level for one in found] == ["warn"]
    assert "At most one of their curves" in found[0].sentence


def test_bins_alone_do_not_refute_a_curve():
    # Nearly coin flips, where the curve is right and forty bins of ten items find too low a floor.
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.45, 0.55, size=400)
    labels = rng.uniform(size=scores.size) < scores
    rows = ef.compare(scores, labels, methods=["beta", "hist-40"], rng=0)
    assert rows["hist-40"].high < rows["beta"].low
    (found,) = (one for one in summarize(rows).diagnostics if one.name == "Methods disagree")
    assert found.level == "note"
    assert "or the bins of hist-40 have too few items" in found.sentence


def test_one_method_agrees_with_nothing():
    rows = ef.compare(SCORES, DATA.labels, methods=["corrupted", "isotonic"], rng=0)
    assert not {"Agreement of methods", "Methods disagree"} & set(levels(rows))


def test_agreement_leaves_out_scores_at_face_value():
    rows = ef.compare(SCORES, DATA.labels, methods=["corrupted", "isotonic", "beta"], rng=0)
    assert rows["corrupted"].low > rows["beta"].high
    assert levels(rows)["Agreement of methods"] == "ok"


def test_diagnostics_that_call_for_attention_come_first():
    found = [one.level for one in summary_of("single votes").diagnostics]
    assert found == sorted(found, key=["warn", "note", "ok"].index)
    assert found[0] == "warn"


def test_what_was_left_out_or_merged_is_said():
    table = ef.ScoreTable.from_arrays(SCORES, DATA.labels)
    merged = table.coarsen(16)
    assert levels(ef.from_scores(merged, rng=0))["Merged scores"] == "note"
    assert levels(ef.from_scores(merged, rng=0))["Ties"] == "note"
    assert levels(ef.from_scores(merged, method="beta", rng=0))["Merged scores"] == "note"
    arrays = (table.scores, table.counts)
    for dropped, level in ((10, "note"), (1000, "warn")):
        some = ef.ScoreTable(*arrays, dropped=dropped)
        assert levels(without_warning(ef.from_scores, some, rng=0))["Left out"] == level
    assert not {"Left out", "Merged scores"} & set(levels(from_scores()))


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_warnings_of_the_estimate_are_repeated():
    floor = ef.from_scores([0.5] * 100, [0, 1] * 50, rng=0)
    page = Page(summarize(floor).to_html())
    assert floor.warnings
    assert all(f"Caution: {warning}" in page.text for warning in floor.warnings)
    verdict = ef.headroom(ef.from_votes(votes(3), 3), errors=90, n=1000)
    assert f"Caution: {verdict.warnings[0]}" in Page(summarize(verdict).to_html()).text


@pytest.mark.parametrize("method", [*ef.METHODS, "hist-7", "clean", "mixture", "plugin"])
def test_every_method_is_explained(method):
    floor = ef.Estimate(value=0.1, method=method, interval=None, n=1, assumptions="")
    assert _words.method_in_words(floor)
    assert len(_words.references([floor], verdict=False)) > 1


def test_what_is_measured_is_not_called_proven():
    for interval in ("honest", "likelihood"):
        assert "measured by simulation" in _words.interval_in_words(
            ef.Estimate(
                value=0.1,
                method={"honest": "isotonic", "likelihood": "mixture"}[interval],
                interval=ef.Interval(0, 1, 0.95, interval),
                n=1,
                assumptions="",
            )
        )
    cross_fitted = ef.Estimate(value=0.1, method="isotonic-cf", interval=None, n=1, assumptions="")
    assert "midpoint" in _words.method_in_words(cross_fitted)


def test_an_estimate_without_its_table_can_be_reported():
    floor = ef.Estimate(value=0.1, method="isotonic", interval=None, n=10, assumptions="None.")
    summary = summarize(floor)
    assert not summary.diagnostics
    assert not summary.pictures
    Page(summary.to_html())


@pytest.mark.parametrize("name", ["report.pdf", "report", "report.htm"])
def test_other_formats_are_refused(name, tmp_path):
    with pytest.raises(
        ValueError, match=r"`path` must end in \.html, \.md or \.json, got .*report"
    ):
        ef.report(from_scores(), tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("result", [0.1, None, ef.Comparison(())])
def test_other_results_are_refused_and_the_file_stays(result, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("before")
    with pytest.raises(ValueError, match=r"`result` must be what from_scores, .* returns, got"):
        ef.report(result, path)
    assert path.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_only_html_needs_matplotlib(tmp_path):
    code = (
        "import sys, errorfloor as ef; floor = ef.from_soft_labels([0.1, 0.4] * 20, rng=0);"
        f"[ef.report(floor, {str(tmp_path)!r} + name) for name in ('/a.md', '/a.json')];"
        "print('matplotlib' in sys.modules)"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"


def test_without_matplotlib_html_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    with pytest.raises(ImportError, match=r"need matplotlib: pip install .* \.md or \.json"):
        ef.report(from_scores(), tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


@needs_data
@pytest.mark.parametrize("load", ["load_cifar10h", "load_fashion_mnist_h"])
def test_real_sets_can_be_reported(load, tmp_path):
    data = getattr(ef.datasets, load)()
    for result in (ef.from_scores(data.score_table, rng=0), ef.from_votes(data.vote_table)):
        path = ef.report(result, tmp_path / "report.html", source={"file": data.name})
        Page(path.read_text(encoding="utf-8"))
        assert path.stat().st_size < 500_000


def test_a_rare_class_is_no_fault_of_scores_that_tell_items_apart():
    rng = np.random.default_rng(0)
    soft = rng.choice([0.01, 0.2], size=3000)
    rare = ef.from_scores(soft, rng.random(3000) < soft, rng=0)
    blind = without_warning(ef.from_scores, rng.random(3000), rng.random(3000) < 0.1, rng=0)
    levels = {
        name: next(
            found.level
            for found in summarize(result).diagnostics
            if found.name == "Hardly better than guessing"
        )
        for name, result in (("rare", rare), ("blind", blind))
    }
    assert levels == {"rare": "note", "blind": "warn"}


# Groups.


def frame(names, column="site"):
    """Return the data with groups that take turns."""
    turns = np.arange(len(SCORES)) % len(names)
    groups = pd.Series([names[turn] for turn in turns], dtype=object)
    return pd.DataFrame({"score": SCORES, "label": DATA.labels.astype(int), column: groups})


@cache
def groups(names=("a", "b", "c"), column="site", **options):
    return ef.from_scores(frame(names, column), group=column, rng=0, **options)


def blocks(summary, name):
    (section,) = (section for section in summary.sections() if section.name == name)
    return section.blocks


def test_the_answer_on_groups_has_the_lowest_and_the_highest_floor():
    found = groups()
    low, *_, high = sorted(found, key=lambda name: found[name].value)
    answer = summarize(found).answer
    said = (
        r"The best threshold on these scores gets an accuracy that ranges from about "
        rf"\d+(\.\d)? % in site {high} to \d+(\.\d)? % in site {low} "
        rf"\({len(found)} groups\)\. A model "
        r"that sees more than these scores may do better\."
    )
    assert re.fullmatch(said, answer)
    at_once = str(summarize(groups(simultaneous=True, level=0.9)).sections()[0])
    assert "90 % for all groups at once" in at_once


def test_the_answer_on_a_single_group_has_its_interval():
    summary = summarize(groups(names=("a",)))
    assert summary.answer.startswith("An accuracy of at least ")
    assert summary.answer.endswith(" (site a, the only group).")
    assert "Caution" not in summary.to_markdown()


@pytest.mark.parametrize("simultaneous", [False, True])
def test_a_report_on_groups_says_the_same_in_all_formats(simultaneous, tmp_path):
    found = groups(simultaneous=simultaneous)
    path = {suffix: tmp_path / f"report{suffix}" for suffix in (".html", ".md", ".json")}
    for target in path.values():
        assert ef.report(found, target) == target
    plain = json.loads(path[".json"].read_text(encoding="utf-8"))
    assert plain["schema"] == "errorfloor-report/3"
    assert plain["groups"] == json.loads(json.dumps(found.to_dict()))
    html = Page(path[".html"].read_text(encoding="utf-8")).text
    markdown = re.sub(r"\\(.)", r"\1", path[".md"].read_text(encoding="utf-8"))
    for sentence in (plain["answer"], plain["interval"], plain["method"], *plain["references"]):
        assert sentence in html
        assert sentence in markdown
    for name, row in found.items():
        low, high = math.floor(1000 * row.low) / 10, math.ceil(1000 * row.high) / 10
        value, limits = f"{100 * row.value:.1f} %", f"{low:.1f} to {high:.1f} %"
        assert f"| {name} | {row.n} | {value} | {limits} |" in markdown
        assert f"{name}{row.n}{value}{limits}" in html


def test_a_page_on_groups_is_well_formed():
    text = summarize(groups(names=("a", "b", "c", "tiny") * 5 + ("d",) * 90)).to_html()
    page = Page(text)
    assert set(Counter(page.values("id")).values()) == {1}
    used = {link[1:] for link in page.values("xlink:href")}
    used |= set(re.findall(r"url\(#(.*?)\)", text))
    used |= {name for names in page.values("aria-labelledby") for name in names.split()}
    assert used <= set(page.values("id"))
    headings = [tag for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert headings[:3] == ["h1", "h2", "h2"]
    assert [tag for tag, _ in page.elements].count("svg") == 2  # for phones and for screens


def test_intervals_that_hold_each_by_itself_are_a_caution():
    caution = "> **Caution:** Each interval holds by itself. To compare groups, ask for"
    assert caution in summarize(groups()).to_markdown()
    for options in ({"simultaneous": True}, {"interval": None}):
        assert "Caution" not in summarize(groups(**options)).to_markdown()
    at_once = str(blocks(summarize(groups(simultaneous=True)), "meaning"))
    assert "All 3 intervals hold at once at 95 %" in at_once
    assert "at once" not in str(blocks(summarize(groups()), "meaning"))


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_what_calls_for_attention_stands_under_the_name_of_its_group():
    data = frame(["a", "b", "same"])
    few = [*data.index[data.label == 0][:40], *data.index[data.label == 1][:5]]
    data.loc[few, "site"] = "tiny"
    data.loc[data.site == "same", "score"] = 0.5
    summary = summarize(without_warning(ef.from_scores, data, group="site", rng=0))
    said = summary.to_markdown().split("## Checks")[1].split("## What to do next")[0]
    _, same, tiny = said.split("\n### ")
    assert same.startswith("site same\n\n> **Caution:** ")
    assert "- **warning**: Constant scores" in same
    assert tiny.startswith("site tiny\n\n- **warning**: ")
    assert "**warning**: Few positives" in tiny
    assert "fine" not in said
    serious = summary.to_markdown().split("Read on before you use these floors: ")[1]
    assert "constant scores in 1 of 4 groups" in serious
    assert "doubts about the estimate in 1 of 4 groups" in serious
    named = {(one["group"], one["name"]) for one in summary.to_dict()["diagnostics"]}
    assert {("same", "Constant scores"), ("tiny", "Few positives")} <= named
    assert {group for group, _ in named} == {"same", "tiny"}


def test_where_nothing_calls_for_attention_a_report_on_groups_says_so():
    assert "Nothing in the data of any group calls" in summarize(groups()).to_markdown()


def test_what_all_groups_share_is_said_once():
    data = pd.DataFrame({"item": [0, *range(600)], "positives": [0, *votes(3)], "total": 3})
    found = without_warning(ef.from_votes, data.assign(site=data.item % 2), group="site")
    markdown = summarize(found).to_markdown()
    assert markdown.count("**warning**: Repeated items") == 1
    assert "### All groups\n\n- **warning**: Repeated items" in markdown
    assert "repeated items in every group." in markdown


def test_items_without_a_group_are_counted():
    data = frame(["a", "b"])
    data.loc[3, "site"] = None
    data.loc[5, "score"] = None
    found = ef.from_scores(data, group="site", drop_missing=True, rng=0)
    assert "| Left out | 2 items |" in summarize(found).to_markdown()


NAMES = (
    HOSTILE,
    "$a^{$",
    "0.123456",
    "--> #0072b2",
    'url(#x) id="y" font: 9px a',
    "東京",
    "a\x00b\ud800c\N{RIGHT-TO-LEFT OVERRIDE}d",
    " ",
    "1",
    1,
)
SHOWN = (*NAMES[:6], "a\N{REPLACEMENT CHARACTER}b?c\N{REPLACEMENT CHARACTER}d", "' '", "'1'", "1")


def test_names_of_groups_show_as_text(tmp_path):
    found = ef.Groups(HOSTILE, dict.fromkeys(NAMES, groups()["a"]), 0.95)
    text = ef.report(found, tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not {"script", "img"} & {tag for tag, _ in page.elements}
    head = [tag for tag, _ in page.elements].count("h1")
    assert head == 1
    rows = re.findall(r'<th scope="row">(.*?)</th>', text)
    assert [Page(row).text for row in rows] == list(SHOWN)
    drawn = [Page(name).text for name in re.findall(r"<text[^>]*>(.*?)</text>", text)]
    for name in ("$a^{$", "0.123456", "--> #0072b2", "東京", "' '", "'1'", "1"):
        assert name in drawn
    markdown = ef.report(found, tmp_path / "report.md").read_text(encoding="utf-8")
    assert "<" not in markdown.split("## Method")[0]
    assert json.loads(ef.report(found, tmp_path / "report.json").read_text(encoding="utf-8"))


def test_long_names_of_groups_are_cut_in_the_picture_only():
    name = "A hospital with a name that nobody can remember, North Wing"
    text = summarize(groups(names=(name, "b"))).to_html()
    assert f'<th scope="row">{name}</th>' in text
    drawn = re.findall(r"<text[^>]*>(.*?)</text>", text)
    assert any(line.endswith("\N{HORIZONTAL ELLIPSIS}") for line in drawn)
    assert not any("North Wing" in line for line in drawn)


def numbers_of(found):
    return {name: (row.value, row.low, row.high, row.level) for name, row in found.items()}


@pytest.mark.parametrize("simultaneous", [False, True])
def test_code_and_command_lead_to_the_floors_of_all_groups(simultaneous, tmp_path, monkeypatch):
    path = tmp_path / "my data.csv"
    frame(["a", "b"], column="my site").to_csv(path, index=False)
    found = ef.from_scores(
        path,
        group="my site",
        method="platt",
        n_resamples=30,
        level=0.9,
        simultaneous=simultaneous,
        rng=3,
    )
    summary = summarize(found)
    assert summary.title == f"Error floor of {path} by my site"
    space = {}
    monkeypatch.setattr(ef, "report", lambda floors, path: space.update(reported=floors))
    exec(summary.python, space)
    assert numbers_of(space["reported"]) == numbers_of(found)
    assert (space["reported"].level, space["reported"].simultaneous) == (0.9, simultaneous)
    program, *arguments = shlex.split(summary.command)
    assert (program, arguments[0]) == ("errorfloor", "estimate")
    ran = CliRunner().invoke(cli, [*arguments, "--json"])
    rows = json.loads(ran.stdout)["result"]["rows"]
    keys = ("value", "low", "high", "level")
    assert {row["group"]: tuple(row[key] for key in keys) for row in rows} == numbers_of(found)


def test_groups_that_somebody_put_together_have_a_call_each(monkeypatch):
    first, second = from_scores(), from_scores(method="platt", n_resamples=30)
    summary = summarize(ef.Groups("model", {"old": first, "new": second}, 0.95))
    assert summary.command is None
    space = {"scores": SCORES, "labels": DATA.labels}
    monkeypatch.setattr(ef, "report", lambda floors, path: space.update(reported=floors))
    exec(summary.python, space)
    assert {name: row.value for name, row in space["reported"].items()} == {
        "old": first.value,
        "new": second.value,
    }
    assert space["reported"].level == 0.95
    markdown = summary.to_markdown()
    assert "| Method | isotonic-cf, platt |" in markdown
    assert "\nmodel old: Assumption: " in markdown
    assert "\nmodel new: The limits come from a bias-corrected bootstrap" in markdown


def test_data_can_be_reported_by_group(tmp_path):
    data = frame(["a", "b"])
    columns = {"score": "score", "label": "label", "group": "site"}
    path = ef.report(data, tmp_path / "report.json", **columns)
    found = json.loads(path.read_text(encoding="utf-8"))
    expected = ef.from_scores(data, score="score", label="label", group="site", rng=0)
    assert found["groups"] == json.loads(json.dumps(expected.to_dict()))
    assert found["source"] == columns
    assert found["title"] == "Error floor by site"
    with pytest.raises(ValueError, match=r"must be a dataframe or a file for `group`, got Groups"):
        ef.report(groups(), path, group="site")


def test_the_same_groups_give_the_same_file(tmp_path):
    first, second = (ef.report(groups(), tmp_path / f"{i}.html").read_bytes() for i in (1, 2))
    assert first == second


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ({}, "nothing"),
        ({"a": RESULTS["room"]}, "Verdict"),
        ({"a": RESULTS["comparison"]}, "Comparison"),
        ({"a": RESULTS["room"], "b": from_scores}, "Estimate and Verdict"),
    ],
)
def test_groups_of_anything_but_floors_are_refused(rows, kind, tmp_path):
    wrong = ef.Groups("site", {name: make() for name, make in rows.items()})
    with pytest.raises(ef.InputError, match=rf"a floor for each group, .* got Groups of {kind}\."):
        ef.report(wrong, tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_other_methods_beside_groups_are_refused():
    with pytest.raises(ef.InputError, match="`comparison` goes with one floor, not with groups"):
        summarize(groups(), comparison=RESULTS["comparison"]())


@pytest.mark.parametrize(
    "ask",
    [
        lambda data: ef.from_soft_labels(data, soft="soft", group="site", rng=0),
        lambda data: ef.from_votes(data, positives="k", totals=3, group="site"),
    ],
)
def test_groups_of_votes_and_soft_labels_can_be_reported(ask, tmp_path):
    data = pd.DataFrame({"soft": DATA.soft_labels[:600], "k": votes(3), "site": list("ab") * 300})
    found = ask(data)
    page = Page(ef.report(found, tmp_path / "report.html").read_text(encoding="utf-8"))
    assert found["a"].method in page.text
    assert summarize(found).interval in page.text
