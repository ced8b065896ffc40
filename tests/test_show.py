"""What people see of results: numbers, colours, text, frames, recipes, and what reports compute."""

import io
import json
import re
import shlex
import subprocess
import sys
from collections import Counter, OrderedDict
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pytest

import errorfloor as ef
from errorfloor import checks, intervals, methods, results
from errorfloor.data.options import HOW_TO_READ, ReadOptions, Source
from errorfloor.data.tables import KINDS, ScoreTable, SoftTable
from errorfloor.intervals.record import Seed
from errorfloor.questions.question import Ask, floor_of
from errorfloor.results import FeeBeeResult, Interval, Option, Plan, Trade, Verdict
from errorfloor.show import exports, numbers, palette, sentences, text
from errorfloor.show.html import html_of
from errorfloor.show.recipe import command_line, python_code
from errorfloor.show.report import summarize
from errorfloor.show.report.context import Context
from errorfloor.show.report.pictures import OF_TABLES
from errorfloor.show.sentences import ByClassName, sentence_of
from errorfloor.show.terminal import draw
from errorfloor.show.text import long_text_of

# The files of `folder` hold every item twice.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.* rows repeat an item"),
    pytest.mark.filterwarnings("ignore:.*too few to speak for other people"),
]
ASSUMES = "The scores order the items."


def estimate(value=0.0705, low=0.0597, high=0.0842, **more):
    interval = None if low is None else Interval(low, high, 0.95, "honest")
    given = {"method": "isotonic", "n": 2000, "assumptions": ASSUMES} | more
    return ef.Estimate(value=value, interval=interval, **given)


def two_sided():
    """Return an estimate both of whose limits are limits of any model."""
    interval = Interval(0.0597, 0.0842, 0.95, "likelihood")
    return replace(estimate(), method="mixture", interval=interval)


def votes_estimate(method="mixture", bias=-0.0163):
    return ef.VotesEstimate(
        value=0.0657,
        method=method,
        interval=Interval(0.0416, 0.1129, 0.95, "likelihood"),
        n=600,
        assumptions="Votes are independent.",
        dropped=1,
        plugin=0.0494,
        bias=bias,
    )


def verdict(word="room", low=0.0234, high=0.082, **more):
    given = {"p_room": 0.0004, "p_beyond": 0.9996} | more
    return Verdict(
        verdict=word,
        difference=(low + high) / 2,
        low=low,
        high=high,
        level=0.95,
        model_error=0.12,
        n=1000,
        model=Interval(0.1, 0.14, 0.95, "exact"),
        **{"floor": two_sided()} | given,
    )


def plan(**more):
    given = {
        "votes": np.array([3, 10]),
        "items": np.array([100, 1000]),
        "width": np.array([[0.1674, 0.0948], [0.0914, 0.0366]]),
        "bias": np.array([-0.0299, -0.0071]),
        "floor": 0.1,
        "level": 0.95,
        "target": None,
        "options": (),
    }
    return Plan(**given | more)


def noisy(repeats=3):
    rng = np.random.default_rng(0)
    noise = np.linspace(0, 1, 5)
    estimates = {
        name: noise / 2 + rng.normal(0.01, 0.02, size=(repeats, 5))
        for name in ("isotonic", "mine", "oracle")
    }
    return FeeBeeResult(model_error=0.1, n=200, noise=noise, estimates=estimates, notes=("So.",))


GROUPS = ef.Groups("batch", {"a": estimate(n=1333), 7: estimate(0.081, None)}, 0.95, dropped=2)


def test_numbers_have_the_digits_that_their_interval_supports():
    # A bound is rounded outwards, both limits of an answer with two are rounded as usual.
    assert numbers.value_and_limits(estimate()) == ("7.0 %", "5.9 to 8.5 %")
    assert numbers.value_and_limits(estimate(method="mixture")) == ("7.0 %", "6.0 to 8.4 %")
    assert numbers.value_and_limits(estimate(low=None)) == ("7.0 %", "")
    narrow = estimate(0.07041, 0.0701, 0.0709)
    assert numbers.value_and_limits(narrow) == ("7.04 %", "7.01 to 7.09 %")
    assert numbers.value_and_limits(estimate(), digits=3) == ("7.050 %", "5.970 to 8.420 %")


def test_a_minus_is_a_minus_sign_in_reports_and_a_hyphen_on_terminals():
    assert numbers.points(-0.012) == "\N{MINUS SIGN}1.20 points"
    assert numbers.points_of_size(-0.012) == "1.20 points"


def test_every_method_has_a_colour_of_the_palette():
    names = [record.make(3) if hasattr(record, "make") else record for record in methods.RECORDS]
    for record in names:
        assert palette.colour(record.name) == palette.PICTURE[record.colour].drawn
    assert palette.colour("somebody's own") == palette.GREY


def test_pages_take_all_colours_from_the_palette():
    css = files("errorfloor.show.report").joinpath("style.css").read_text(encoding="utf-8")
    assert not re.search(r"#[0-9a-f]{3,8}\b", css)
    sheet = palette.style_sheet()
    for name in set(re.findall(r"var\(--([\w-]+)\)", css + str(palette.on_a_page()))):
        assert sheet.count(f"--{name}: #") == 3  # light, dark, on paper
    assert palette.on_a_page()[palette.BLUE] == "var(--blue)"


def test_colours_are_six_digits_in_small_letters_as_matplotlib_writes_them():
    for colour in (*palette.PICTURE.values(), *palette.PAGE):
        for value in (colour.drawn, colour.light, colour.dark, colour.printed):
            assert not value or re.fullmatch("#[0-9a-f]{6}", value)


BEST = "The best possible accuracy on these labels is about 93.0 % (91.6 to 94.0 %)"
BOUND = (
    "An accuracy of at least 91.5 % on these labels is reachable (95 % confidence); "
    "the estimate for the best threshold on these scores is 93.0 %"
)
SEES = "A model that sees more than these scores may do better."
LINE = (
    "floor at most 8.5 % with 95 % confidence; the best threshold on these scores gives an error "
    "of 7.0 %, interval 5.9 to 8.5 % (n = 2,000, method isotonic, honest interval)"
)


def test_an_estimate_is_one_line():
    assert str(estimate()) == LINE
    more = (
        "the best threshold on these scores gives an error of 7.0 % (n = 2,000, method isotonic); "
        "this is no limit of the floor"
    )
    assert str(estimate(low=None)) == more
    how = (
        "To get the floor itself and not only a limit, collect votes of several people for each "
        "item. If these scores use everything that a model could know, add --complete."
    )
    assert long_text_of(estimate()) == f"{BOUND}. {SEES}\n{LINE}\nAssumes: {ASSUMES}\n{how}"


def test_votes_say_what_a_simple_count_would_give():
    assert long_text_of(votes_estimate()).splitlines()[2:] == [
        "Assumes: Votes are independent.",
        "Simply counting the votes would give a floor of 4.9 %. That is about 1.6 points too "
        "low, because each vote is compared with a majority that it is part of.",
        "Left out: 1 item with missing values.",
    ]
    for found in (votes_estimate("plugin"), votes_estimate(bias=None), votes_estimate(bias=-1e-5)):
        assert "counting the votes" not in long_text_of(found)


def test_a_comparison_is_a_table():
    rows = ef.Comparison((estimate(), estimate(0.1695, None, method="corrupted")), ("A note.",))
    table = [
        "method      error      interval  by",
        "isotonic    7.0 %  5.9 to 8.5 %  honest",
        "corrupted  17.0 %",
        "A note.",
    ]
    assert str(rows).splitlines() == table
    said = f"{BOUND} (method isotonic). The other method gives 83.0 %."
    assert rows.sentence == said
    assert long_text_of(rows).splitlines() == [said, *table, "95 % intervals, n = 2,000"]


def test_groups_of_floors_are_a_table():
    table = [
        "batch      n  error      interval",
        "a      1,333  7.0 %  5.9 to 8.5 %",
        "7      2,000  8.1 %",
        "Method isotonic. The 95 % confidence holds for each group, not for all at once.",
    ]
    assert str(GROUPS).splitlines() == table
    assert str(replace(GROUPS, simultaneous=True)).endswith("for all groups at once.")
    more = [f"Assumes: {ASSUMES}", "Left out: 2 items with missing values."]
    said = (
        "The best threshold on these scores gets an accuracy of about 91.9 % in batch 7 and 93.0 % "
        f"in batch a. {SEES}"
    )
    assert GROUPS.sentence == said
    assert long_text_of(GROUPS).splitlines() == [said, *table, *more]


def test_groups_of_anything_else_stand_under_their_names():
    found = ef.Groups("batch", {"a": verdict(), "b": verdict("saturated", -0.01)}, dropped=1)
    sentences = [sentence_of(row) for row in found.values()]
    said = f"batch a\n{sentences[0]}\n\nbatch b\n{sentences[1]}"
    assert str(found) == said
    both = "In batch a, your model can still gain; in batch b it may be at the limit."
    assert found.sentence == both
    assert long_text_of(found).startswith(
        f"{both}\n\nbatch a\n{sentences[0]}\nThe model's error minus the floor"
    )
    assert long_text_of(found).endswith("\nLeft out: 1 item with missing values.")
    assert html_of(found).count("<tr>") == 3  # a head, and a row for each batch
    assert str(ef.Groups("batch", {})) == ""


@pytest.mark.parametrize(
    ("word", "low", "high", "sentence"),
    [
        (
            "room",
            0.0234,
            0.082,
            "Your model, at 88.0 %, can still gain 2.3 to 8.2 points.",
        ),
        (
            "saturated",
            -0.01,
            0.012,  # a tenth of the model's error
            "Your model, at 88.0 %, is at the limit: at most 1.2 points remain.",
        ),
        (
            "saturated",
            -0.01,
            0.02,
            "These data cannot tell whether your model, at 88.0 %, can still improve: 0.0 to 2.0 "
            "points may remain. More test items would show it.",
        ),
        (
            "beyond",
            -0.03,
            -0.01,
            "Your model, at 88.0 %, looks 1.0 to 3.0 points too good: suspect a leaked test set or "
            "labels made in another way.",
        ),
    ],
)
def test_a_verdict_is_one_sentence(word, low, high, sentence):
    found = verdict(word, low, high)
    assert str(found) == found.sentence == f"{BEST}. {sentence}"


def test_the_long_text_of_a_verdict_has_its_difference_and_its_floor():
    assert long_text_of(verdict()).splitlines()[1:] == [
        "The model's error minus the floor: +5.3 points, 95 % interval +2.3 to +8.2 "
        "(1,000 test items). This shows that the model is worse than the floor (p < 0.001, "
        "from this difference).",
        "Floor 7.0 %, 95 % interval 6.0 to 8.4 % (n = 2,000, method mixture, likelihood interval)",
        f"Assumes: {ASSUMES}",
    ]
    below = verdict("saturated", -0.03, 0.01, p_beyond=0.2)
    assert "-1.0 points" in long_text_of(below)
    shown = "This does not show that the model is better than the floor (p = 0.20, from"
    assert f"{shown} this difference)." in long_text_of(below)


def test_a_plan_is_a_table_with_advice():
    assert str(plan()).splitlines() == [
        'Width of the 95 % interval, in percentage points; "bias of simple count" says how far '
        "the floor would be off if votes were only counted",
        "votes  bias of simple count  100 items  1,000 items",
        "    3                  -3.0       16.7          9.5",
        "   10                  -0.7        9.1          3.7",
    ]
    assert plan().advice == ""


def test_advice_names_the_cheapest_way_to_the_target():
    options = (Option(3, 5000, 9000.0), Option(10, 410, 4141.0))
    assert plan(target=0.05, options=options).advice == (
        "For a new set of items, the cheapest way to an interval of 5 points is 10 votes for each "
        "of 410 items, at a cost of 4,141. Tried were 3 or 10 votes per item."
    )
    one = plan(target=0.02, votes=np.array([1]), options=(Option(1, 2900, 2900.0),))
    assert "is one label for each of 2,900 items, at a cost of 2,900." in one.advice


def test_advice_says_where_no_number_of_items_is_enough():
    assert plan(target=0.001, narrowest=0.0238).advice == (
        "No number of items gives an interval of 0.1 points with up to 10 votes each; the "
        "narrowest has 2.4 points."
    )
    one = plan(target=0.001, narrowest=0.01, votes=np.array([1]))
    assert "with one label each" in one.advice


def test_advice_weighs_one_more_vote_against_new_items():
    deeper = plan(trade=Trade(300, 97, 0.0929, 0.1137)).advice
    assert deeper == (
        "One more vote for each of your 300 items would make the interval 9.3 points wide; 97 more "
        "items, for the same price, would make it 11.4 points wide."
    )
    priced = plan(trade=Trade(300, 97, 0.0929, 0.1137, price=37.5)).advice
    assert "97 more items, for the same price of 37.50, would make" in priced
    broader = plan(trade=Trade(300, 97, 0.12, 0.1137)).advice
    assert broader.endswith("11.4 points wide, so more items are at least as good.")
    both = plan(target=0.001, narrowest=0.02, trade=Trade(300, 97, 0.1, 0.2)).advice
    assert "points. One more vote for each" in both


def test_feebee_has_a_row_for_each_method_and_the_oracle_last():
    lines = str(noisy()).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["isotonic", "mine", "oracle"]
    assert lines[0].endswith("minus oracle's (95 %)")
    assert " to " in lines[1]
    assert " to " not in lines[3]
    assert lines[4:] == [
        "3 repeats at each of 5 levels of noise; n = 200, model error 10 %. Noise in "
        "labels cannot show what the scores or features miss.",
        "So.",
    ]
    assert " to " not in str(noisy(repeats=1))


def test_functions_of_results_go_by_the_nearest_class_that_they_have_a_version_for():
    @ByClassName
    def kind(result):
        """Say what it is."""
        return "none"

    @kind.register("dict", "Kind")
    def _(result):
        return "first"

    @kind.register("OrderedDict")
    def _(result):
        return "second"

    class Kind:
        pass

    assert [kind(one) for one in ({}, Counter(), OrderedDict(), Kind(), 1)] == [
        *("first", "first", "second", "first", "none")
    ]
    assert (kind.__name__, kind.__doc__) == ("kind", "Say what it is.")


@pytest.mark.parametrize("shows", [text.text_of, long_text_of, sentence_of])
def test_versions_for_results_name_classes_that_there_are(shows):
    assert shows.versions.keys() <= {*results.__all__}


def test_what_has_no_text_of_its_own_is_shown_as_it_is():
    assert text.text_of(Option(1, 2, 3.0)) == repr(Option(1, 2, 3.0))
    assert long_text_of(Option(1, 2, 3.0)) == repr(Option(1, 2, 3.0))
    assert html_of("<b>") == "<pre>&lt;b&gt;</pre>"
    with pytest.raises(TypeError, match="no sentence for a Option"):
        sentences.sentence_of(Option(1, 2, 3.0))


@pytest.mark.parametrize(
    "result",
    [
        estimate(),
        ef.Comparison((estimate(),)),
        GROUPS,
        verdict(),
        plan(trade=Trade(9, 1, 0.2, 0.1)),
        noisy(),
    ],
    ids=lambda result: type(result).__name__,
)
def test_notebooks_show_every_result(result):
    html = result._repr_html_()
    assert html == html_of(result)
    assert html.count("<p>") == html.count("</p>")
    assert html.count("<table ") == html.count("</table>") == html.count("<tbody>")


def test_names_of_groups_are_escaped_in_notebooks():
    assert "<i>" not in html_of(ef.Groups("<i>", {"<i>": estimate()}, 0.95))
    assert "<i>" not in html_of(ef.Groups("<i>", {"<i>": verdict()}))


def test_the_html_of_an_estimate_has_level_interval_and_assumption():
    html = html_of(estimate())
    html = html.replace("\xa0", " ").replace(' style="text-align:right"', "")
    said, numbers = html.split('<div style="display:flex')[0], html.rpartition("</svg>")[2]
    assert said.endswith(f"<p><b>{BOUND}. {SEES}</b></p>")
    assert numbers == (
        '<div tabindex="0" role="group" aria-label="The numbers" '
        'style="overflow-x:auto;white-space:nowrap">'
        '<table style="border-spacing:.8em .1em">'
        "<thead><tr><th>method</th><th>error</th><th>interval</th><th>level</th><th>by</th>"
        "<th>n</th></tr></thead><tbody><tr><td>isotonic</td><td>7.0 %</td>"
        "<td>5.9 to 8.5 %</td><td>95 %</td><td>honest</td><td>2,000</td></tr></tbody></table>"
        f"</div><p><small>{estimate().claim.sentence}</small></p>"
        f"<p><small>{ASSUMES}</small></p></div>"
    )


COLUMNS = ["value", "low", "high", "level", "method", "interval_method", "metric", "target"]
COLUMNS += ["n", "resolution", "dropped", "refuted"]


def test_frames_have_numbers_and_names_only():
    rows = ef.Comparison((estimate(seed=Seed(3), options={"level": 0.95}), estimate(low=None)))
    made = rows.to_frame("pandas")
    assert list(made.columns) == COLUMNS
    assert made["low"].isna().tolist() == [False, True]
    assert list(GROUPS.to_frame("pandas").columns) == ["group", *COLUMNS]
    assert GROUPS.to_frame("pandas")["group"].tolist() == ["a", 7]


def test_frames_of_groups_have_a_row_for_each_row_of_a_group():
    rows = ef.Comparison((estimate(), estimate(0.08, method="beta")))
    made = ef.Groups("batch", {"a": rows, "b": rows}).to_frame("pandas")
    assert made["group"].tolist() == ["a", "a", "b", "b"]
    assert made["method"].tolist() == ["isotonic", "beta"] * 2
    made = ef.Groups("batch", {"a": verdict(), "b": verdict()}).to_frame("pandas")
    assert {"group", "verdict", "p_room", "sentence"} < set(made.columns)
    assert not {"floor", "warnings"} & set(made.columns)


def test_frames_come_from_the_library_that_is_there(monkeypatch):
    polars = pytest.importorskip("polars")
    rows = ef.Comparison((estimate(),))
    assert isinstance(rows.to_frame("polars"), polars.DataFrame)
    monkeypatch.setattr(exports, "find_spec", lambda name: None)
    monkeypatch.setattr(exports, "sys", SimpleNamespace(modules={}))
    with pytest.raises(ImportError, match="to_frame needs pandas, polars or pyarrow"):
        rows.to_frame()


def test_bars_stand_beside_the_rows_where_there_is_room():
    console = pytest.importorskip("rich.console")
    rows = ef.Comparison((estimate(), estimate(0.2, None, method="corrupted")))
    said = long_text_of(rows)
    for width, bars in ((120, True), (60, False)):
        file = io.StringIO()
        draw(rows, said, console.Console(width=width, file=file, highlight=False, markup=False))
        shown = file.getvalue()
        assert ("5.97 %   " in shown) == bars
        assert ("●" in shown or "o\n" in shown) == bars
        assert all(line in shown for line in said.splitlines()[1:])


def test_tables_fit_a_narrow_terminal_and_no_sign_leaves_its_number():
    console = pytest.importorskip("rich.console")
    votes = np.random.default_rng(0).binomial(5, np.linspace(0, 1, 60))
    found = ef.people(votes, 5, predictions={"first": votes > 2, "second": votes > 3})
    file, said = io.StringIO(), long_text_of(found)
    draw(found, said, console.Console(width=60, file=file, highlight=False, markup=False))
    lines = file.getvalue().splitlines()
    assert max(map(len, said.splitlines())) > 60 >= max(map(len, lines))
    assert not any(line.lstrip().startswith("%") for line in lines)
    assert sorted(" ".join(lines).split()) == sorted(said.split())


# What to type for the same result.


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    rng = np.random.default_rng(0)
    p = rng.uniform(size=240).round(3)
    label = np.where(rng.uniform(size=240) < p, "yes", "no")
    batch = np.where(np.arange(240) % 3, "a", "b")
    lines = (
        f"{s},{y},{b},{i // 2}" for i, (s, y, b) in enumerate(zip(p, label, batch, strict=True))
    )
    (folder / "scores.csv").write_text("\n".join(["my p,y,batch,item", *lines]) + "\n")
    votes = rng.binomial(1, p[:, None], size=(240, 3))
    lines = (f"{k},3" for k in votes.sum(axis=1))
    (folder / "votes.csv").write_text("\n".join(["k,m", *lines]) + "\n")
    lines = (",".join(map(str, row)) for row in votes.tolist())
    (folder / "people.txt").write_text("\n".join(["ann,bob,eve", *lines]) + "\n")
    ScoreTable.from_arrays(p, label == "yes").save(folder / "table.npz")
    return folder


@pytest.fixture
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


YES = {"score": "my p", "label": "y", "positive": "yes"}


def from_file(**options):
    return ef.from_scores("scores.csv", **YES, **{"rng": 3, **options})


def generator(kind=np.random.PCG64):
    made = np.random.Generator(kind(5))
    made.random(3)
    made.spawn(1)
    return made


@cache
def arrays():
    rng = np.random.default_rng(1)
    soft = rng.uniform(size=100)
    return {
        "scores": soft,
        "labels": rng.uniform(size=100) < soft,
        "soft_labels": soft,
        "positives": rng.binomial(3, soft),
        "totals": 3,
        "table": ScoreTable.from_arrays(soft, (soft > 0.4) ^ (np.arange(soft.size) % 7 == 0)),
    }


def of_arrays(function, *names, **options):
    return getattr(ef, function)(*(arrays()[name] for name in names), **{"rng": 3, **options})


# How a result is made, and the command that makes it again, if there is one.
RECIPES = {
    "scores": (
        from_file,
        "estimate scores.csv --score 'my p' --label y --positive yes --method isotonic-cf "
        "--interval honest --level 0.95 --seed 3",
    ),
    "beta": (
        partial(from_file, method="beta", clip=0.01, n_resamples=20),
        "estimate scores.csv --score 'my p' --label y --positive yes --method beta "
        "--interval bca --level 0.95 --resamples 20 --clip 0.01 --seed 3",
    ),
    "no interval": (
        partial(from_file, method="isotonic-cf", interval=None, rng=None),
        "estimate scores.csv --score 'my p' --label y --positive yes --method isotonic-cf "
        "--interval none --seed SEED",
    ),
    "another level": (
        lambda: from_file().at_level(0.8),
        "estimate scores.csv --score 'my p' --label y --positive yes --method isotonic-cf "
        "--interval honest --level 0.8 --seed 3",
    ),
    "a group": (
        lambda: from_file(group="batch")["b"],
        "estimate scores.csv --score 'my p' --label y --positive yes --group batch "
        "--method isotonic-cf --interval honest --level 0.95 --seed 3",
    ),
    "groups at once": (
        lambda: from_file(group="batch", simultaneous=True)["b"],
        "estimate scores.csv --score 'my p' --label y --positive yes --group batch "
        "--method isotonic-cf --interval honest --level 0.95 --simultaneous --seed 3",
    ),
    "votes": (
        lambda: ef.from_votes("votes.csv", positives="k", totals="m", model_error=0.2),
        "estimate votes.csv --votes k --total m --method mixture --interval likelihood "
        "--level 0.95 --bias-for-error 0.2",
    ),
    "one total": (
        lambda: ef.from_votes("votes.csv", positives="k", totals=3, method="plugin", rng=3),
        "estimate votes.csv --votes k --total 3 --method plugin --interval betting --level 0.95 "
        "--seed 3",
    ),
    "guessed columns": (
        lambda: ef.from_votes("votes.csv"),
        "estimate votes.csv --votes k --total m --method mixture --interval likelihood "
        "--level 0.95",
    ),
    "a format": (
        lambda: floor_of(
            "people.txt", ReadOptions.of(annotators=["ann", "bob"], format="csv"), Ask()
        ),
        "estimate people.txt --annotators ann,bob --format csv --method mixture "
        "--interval likelihood --level 0.95",
    ),
    "a saved table": (
        lambda: ef.from_scores("table.npz", rng=3),
        "estimate table.npz --method isotonic-cf --interval honest --level 0.95 --seed 3",
    ),
    "scores taken as soft labels": (
        lambda: ef.from_soft_labels("table.npz", interval="bca", rng=3),
        "estimate table.npz --soft scores --interval bca --level 0.95 --resamples 1000 --seed 3",
    ),
    "a model": (
        lambda: ef.headroom(from_file(), errors=80, n=300, level=0.9),
        "headroom scores.csv --score 'my p' --label y --positive yes --method isotonic-cf "
        "--interval honest --level 0.9 --seed 3 --model-errors 80 --test-items 300",
    ),
    "labels made alike": (
        lambda: ef.headroom(ef.from_votes("votes.csv"), 80, 300, same_labelling=True),
        "headroom votes.csv --votes k --total m --method mixture --interval likelihood "
        "--level 0.95 --model-errors 80 --test-items 300 --same-labelling",
    ),
    "a level of groups at once": (
        lambda: from_file(group="batch", simultaneous=True)["b"].at_level(0.5),
        None,
    ),
    "a generator": (lambda: from_file(rng=generator()), None),
    "an old generator": (lambda: from_file(rng=generator(np.random.MT19937)), None),
    "a generator for groups": (lambda: from_file(rng=generator(), group="batch")["a"], None),
    "arrays": (partial(of_arrays, "from_scores", "scores", "labels", method="hist-5"), None),
    "soft labels": (partial(of_arrays, "from_soft_labels", "soft_labels"), None),
    "arrays of votes": (partial(of_arrays, "from_votes", "positives", "totals"), None),
    "a table": (partial(of_arrays, "from_scores", "table"), None),
    "the model of a group": (
        lambda: ef.headroom(from_file(group="batch")["b"], errors=80, n=300),
        None,
    ),
}


def numbers_of(result):
    """Return all that a result found, without the words in which it was asked for."""
    if isinstance(result, Verdict):
        more = {"floor": numbers_of(result.floor)}
        return result.to_dict() | more
    return result.to_dict() | {"options": None, "seed": None, "source": None}


def parts(result):
    return (result.floor, result) if isinstance(result, Verdict) else (result, None)


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("name", RECIPES)
def test_python_code_gives_the_same_bits(name):
    result = RECIPES[name][0]()
    names = dict(arrays())
    code = python_code(*parts(result))
    exec(code, names)
    again = names["verdict" if isinstance(result, Verdict) else "floor"]
    assert numbers_of(again) == numbers_of(result)
    assert "frames.scan" in code or python_code(*parts(again)) == code


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("name", RECIPES)
def test_the_command_line_names_files_columns_and_options(name):
    make, command = RECIPES[name]
    estimate, verdict = parts(make())
    seed = "" if estimate.seed is None else str(estimate.seed.number)
    expected = None if command is None else f"errorfloor {command}".replace("SEED", seed)
    assert command_line(estimate, verdict) == expected


@pytest.mark.usefixtures("inside")
def test_options_that_change_nothing_are_not_printed():
    code = python_code(from_file(clip=0.01, n_resamples=7))
    assert "clip" not in code
    assert "n_resamples" not in code
    assert "rng" not in python_code(ef.from_votes("votes.csv", rng=3))
    assert "level" not in python_code(from_file(interval=None))


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_the_interval_that_was_asked_for_is_printed_where_another_was_given():
    for options in ({"interval": "bca"}, {}):
        floor = ef.from_scores([0.5] * 40, [0] * 40, method="hist-2", rng=0, **options)
        assert floor.interval_method != "bca"
        assert "interval='bca'" in python_code(floor)


def test_without_a_seed_the_code_says_what_is_random():
    remark = "# The limits have random parts: the same rng gives the same again."
    assert remark in python_code(estimate())
    assert "rng=" not in python_code(estimate())
    assert remark not in python_code(votes_estimate())
    assert python_code(estimate()).endswith(
        "floor = ef.from_scores(scores, labels, method='isotonic', interval='honest', level=0.95)"
    )


def read_from(**more):
    how = {name: more.pop(name) for name in HOW_TO_READ if name in more}
    given = {"origin": "files", "layout": "scores", "files": ("a.csv",)} | more
    return estimate(seed=Seed(1), source=Source(**given, options=ReadOptions(**how)))


def test_standard_input_is_a_dash_on_the_command_line():
    floor = read_from(files=("/tmp/x/stdin",), called="standard input")
    assert command_line(floor).startswith("errorfloor estimate - --method")
    assert "/tmp" not in python_code(floor)
    assert "# path is that of a file with what was read from standard input." in python_code(floor)


def test_names_that_a_shell_would_take_apart_are_quoted():
    columns = {"score": "p; rm -rf /", "label": "it's"}
    floor = read_from(files=("-a b.csv", "$c.csv"), columns=columns)
    command = command_line(floor)
    words = shlex.split(command)
    assert words[:6] == ["errorfloor", "estimate", "./-a b.csv", "$c.csv", "--score", "p; rm -rf /"]
    assert words[7] == "it's"
    assert "['-a b.csv', '$c.csv'], score='p; rm -rf /', label=\"it's\"" in python_code(floor)


def test_columns_with_commas_are_named_one_by_one():
    source = Source(
        origin="files", layout="annotators", files=("a.csv",), columns={"annotators": ("a", "b,c")}
    )
    floor = replace(votes_estimate(), source=source)
    assert "--annotators a --annotators b,c" in command_line(floor)
    assert "annotators=['a', 'b,c']" in python_code(floor)


@pytest.mark.parametrize("positive", [True, (1, 2)])
def test_there_is_no_command_for_values_that_cannot_be_typed(positive):
    assert command_line(read_from(positive=positive)) is None
    assert command_line(read_from(positive=1)) is not None


def test_there_is_no_command_for_options_without_a_flag():
    floor = read_from()
    assert command_line(replace(floor, options={"invented": None})) is not None
    assert command_line(replace(floor, options={"invented": 2})) is None
    assert "invented=2" in python_code(replace(floor, options={"invented": 2}))


def test_groups_that_are_no_plain_values_are_found_by_their_text():
    pd = pytest.importorskip("pandas")
    days = pd.to_datetime(["2026-01-01", "2026-01-02"] * 20)
    frame = pd.DataFrame({"p": [0.1, 0.9, 0.4, 0.6] * 10, "y": [0, 1, 1, 0] * 10, "day": days})
    found = ef.from_scores(frame, score="p", label="y", group="day", rng=0)
    for floor in found.values():
        names = {"frame": frame}
        exec(python_code(floor), names)
        assert numbers_of(names["floor"]) == numbers_of(floor)


def test_the_function_for_every_kind_of_table_is_known():
    assert [python_code(made).split("ef.")[1].split("(")[0] for made in (
        of_arrays("from_scores", "scores", "labels"),
        of_arrays("from_votes", "positives", "totals"),
        of_arrays("from_soft_labels", "soft_labels"),
    )] == ["from_scores", "from_votes", "from_soft_labels"]  # fmt: skip
    checked = {kind for check in checks.RECORDS for kind in check.kinds}
    kinds = {kind.kind for kind in KINDS}
    assert kinds == checked
    assert kinds == {*OF_TABLES, ef.RatingTable.kind}


# Reports.


def test_a_report_computes_beside_an_estimate_what_it_shows():
    context = Context.of(of_arrays("from_scores", "scores", "labels"))
    assert context.comparison.methods == ("isotonic-cf", "hist-10", "beta")
    assert (context.curve.method, context.curve.level) == ("isotonic", 0.95)
    assert context.bias is None
    votes = of_arrays("from_votes", "positives", "totals")
    context = Context.of(votes)
    assert context.comparison is context.curve is context.bias is None
    assert Context.of(votes, theory=True).bias.exact is not None
    context = Context.of(of_arrays("from_soft_labels", "soft_labels"))
    assert context.comparison is context.curve is context.bias is None


@pytest.mark.parametrize(
    ("method", "shown"), [("isotonic-cf", "isotonic"), ("corrupted", "isotonic"), ("beta", "beta")]
)
def test_the_curve_of_a_report_is_the_one_that_the_method_is_shown_as(method, shown):
    floor = of_arrays("from_scores", "scores", "labels", method=method, interval="honest")
    assert Context.of(floor).curve.method == shown


def test_scores_on_another_scale_are_compared_with_methods_that_take_them():
    scores = 10 * arrays()["scores"] - 3
    floor = ef.from_scores(scores, arrays()["labels"], rng=0)
    assert Context.of(floor).comparison.methods == ("isotonic-cf", "hist-10", "platt")


def test_the_clip_of_an_estimate_is_that_of_its_curve():
    scores = np.round(arrays()["scores"], 1)
    curves = [
        Context.of(
            ef.from_scores(scores, arrays()["labels"], method="beta", clip=clip, rng=0)
        ).curve
        for clip in (1e-9, 0.2)
    ]
    assert not np.array_equal(curves[0].probabilities, curves[1].probabilities)


def test_a_comparison_at_hand_is_not_computed_again(monkeypatch):
    floor = of_arrays("from_scores", "scores", "labels")
    rows = ef.Comparison((estimate(method="platt"),), ("A note.",))
    monkeypatch.setattr("errorfloor.show.report.context.compare", None)
    found = Context.of(floor, rows).comparison
    assert found.methods == ("isotonic-cf", "platt")
    assert found.notes == rows.notes


def test_a_summary_keeps_the_results_themselves():
    verdict = ef.headroom(of_arrays("from_scores", "scores", "labels"), errors=30, n=100)
    summary = summarize(verdict)
    assert summary.verdict is verdict
    assert summary.floor is verdict.floor
    assert summary.comparison.rows[0] is verdict.floor
    found = summary.to_dict()
    assert found["schema"] == "errorfloor-report/3"
    assert found["verdict"]["p_room"] == verdict.p_room
    json.dumps(found, allow_nan=False)


def test_a_report_on_data_is_one_on_its_floor(folder, tmp_path):
    path = tmp_path / "report.json"
    ef.report(folder / "scores.csv", path, **YES, rng=3)
    found = json.loads(path.read_text(encoding="utf-8"))
    direct = ef.from_scores(folder / "scores.csv", **YES, rng=3)
    assert found["floor"]["value"] == direct.value
    assert (found["floor"]["low"], found["floor"]["high"]) == (direct.low, direct.high)
    about = {"file": str(folder / "scores.csv"), "score": "my p", "label": "y", "positive": "yes"}
    assert found["source"] == about
    assert found["title"] == f"Error floor of {folder / 'scores.csv'}"
    assert found["command"] == command_line(direct)
    assert found["python"].startswith(python_code(direct))


def test_the_same_data_gives_the_same_report_without_a_seed(folder, tmp_path):
    made = [ef.report(folder / "scores.csv", tmp_path / f"{i}.md", **YES) for i in "ab"]
    assert made[0].read_bytes() == made[1].read_bytes()


def test_reports_on_tables_and_frames_know_what_they_read(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"k": arrays()["positives"], "m": 3})
    text = ef.report(frame, tmp_path / "a.md", positives="k", totals="m").read_text()
    assert "| votes | k |" in text
    assert "ef.from_votes(frame, positives='k', totals='m'" in text
    assert "On the command line" not in text
    table = SoftTable.from_arrays(arrays()["soft_labels"])
    assert "ef.from_soft_labels(table" in ef.report(table, tmp_path / "b.md").read_text()


def test_columns_go_with_data_only(tmp_path):
    with pytest.raises(ValueError, match="`result` must be a dataframe or a file for `score`"):
        ef.report(estimate(), tmp_path / "report.md", score="p")
    with pytest.raises(TypeError, match="unexpected keyword argument 'skore'"):
        ef.report("scores.csv", tmp_path / "report.md", skore="p")
    with pytest.raises(ValueError, match=r"`result` must be what from_scores, .* got float"):
        ef.report(0.1, tmp_path / "report.md")


def test_a_group_is_named_in_its_report(folder, monkeypatch):
    monkeypatch.chdir(folder)
    summary = summarize(from_file(group="batch")["b"])
    assert summary.source["group"] == "batch = b"
    assert summarize(from_file(), source={}).source == {}


def test_rows_that_repeat_an_item_are_a_warning(folder):
    found = {one.name: one for one in summarize(from_folder(folder)).diagnostics}
    assert found["Repeated items"].level == "warn"
    assert found["Repeated items"].value == "120 rows"
    assert found["Repeated items"].sentence.startswith("120 rows repeat an item")
    source = Source(origin="files", layout="scores", facts={"repeated_items": 1})
    found = {one.name: one for one in summarize(estimate(source=source)).diagnostics}
    assert found["Repeated items"].sentence.startswith("1 row repeats an item")


def from_folder(folder):
    return ef.from_scores(folder / "scores.csv", **YES, rng=0)


def test_both_ways_to_type_it_are_in_a_report(folder):
    page = summarize(from_folder(folder)).to_markdown()
    assert page.index("In Python:") < page.index("ef.from_scores(") < page.index("errorfloor est")
    given = summarize(from_folder(folder), command="make report").to_markdown()
    assert "On the command line:\n\n```\nmake report\n```" in given
    assert "errorfloor estimate" not in given


@pytest.mark.parametrize("kind", ["honest", "likelihood", "certified", "betting"])
def test_intervals_are_explained_by_the_records_of_their_methods(kind):
    methods_of = {"honest": ["isotonic"], "likelihood": ["mixture"], "betting": ["clean"]}
    for name in methods_of.get(kind, ["isotonic", "mixture"]):
        record = intervals.of(methods.known(name))[kind]
        interval = Interval(0.1, 0.2, 0.95, kind)
        summary = summarize(replace(estimate(method=name), interval=interval))
        assert summary.interval == record.promise
        assert set(record.references) <= set(summary.references)


def test_a_users_own_method_can_be_reported():
    summary = summarize(estimate(method="mine"))
    assert "mine is a method of the user's own" in summary.method
    assert summarize(replace(estimate(), interval=Interval(0, 1, 0.9, "mine"))).interval
    summary.to_html()


def test_enough_votes_are_called_so_in_plain_words():
    votes = ef.from_votes(np.random.default_rng(0).binomial(12, 0.3, 100), 12)
    found = {one.name: one.sentence for one in summarize(votes).diagnostics}
    assert found["Votes per item"] == (
        "Enough votes: the remaining uncertainty comes mostly from the number of items."
    )


WITHOUT = """
import sys
sys.modules["matplotlib"] = None
import errorfloor as ef
floor = ef.from_votes([0, 1, 2] * 20, 2)
for draw in (ef.plot.forest, ef.plot.distribution):
    try:
        draw([floor] if draw is ef.plot.forest else floor)
    except ImportError as error:
        print(error)
"""


def test_without_matplotlib_pictures_say_what_to_install():
    command = [sys.executable, "-W", "error", "-c", WITHOUT]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout == "Pictures need matplotlib: pip install 'errorfloor[cli]'.\n" * 2


def test_pictures_of_distributions_go_by_the_kind_of_table():
    with pytest.raises(ValueError, match="`estimate` is by isotonic-cf, from scores"):
        ef.plot.distribution(of_arrays("from_scores", "scores", "labels"))
    with pytest.raises(ValueError, match="`estimate` has lost its table"):
        ef.plot.distribution(votes_estimate())


def test_printing_loads_neither_pictures_nor_reports():
    code = (
        "import sys, errorfloor as ef; print(ef.from_soft_labels([0.1, 0.4] * 20, rng=0));"
        "print([name for name in sys.modules if 'show.plot' in name or 'show.report' in name])"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.endswith("[]\n")
