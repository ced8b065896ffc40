"""The paper's figures of estimates: figures 1, 3 and 9 to 12, in small."""

import json
from pathlib import Path

import numpy as np
import pytest
from needs import needs_data

import errorfloor as ef
import papers
from errorfloor.datasets.catalogue import SETS
from papers import _sentences, figure_1, figure_4, figure_9, figure_10, figure_11, figure_12
from papers._curves import curves
from papers._forest import TICKS, colour, draw_panels, real_panel, synthetic_panel
from papers._settings import CALIBRATORS, CLIP, METHODS, SEED, synthetic

pytest.importorskip("matplotlib")

SMALL = {"n": 1500, "n_resamples": 60}
FIGURES = (figure_1, figure_4, figure_9, figure_10, figure_11, figure_12)


def through_json(numbers):
    """Return numbers as `draw` gets them when they were saved."""
    return json.loads(json.dumps(numbers, allow_nan=False))


@pytest.fixture(scope="module")
def nine():
    return through_json(figure_9.compute(**SMALL))


@pytest.fixture(scope="module")
def ten():
    return through_json(figure_10.compute(**SMALL))


@pytest.fixture(scope="module")
def twelve():
    return through_json(figure_12.compute(**SMALL, sigmas=(1e-10, 0.1, 0.5, 1.0)))


@pytest.fixture
def made_panel():
    return through_json(synthetic_panel(synthetic(800), "Made", n_resamples=40))


def drawn(axes):
    """Return what is drawn under each name: places and percentages."""
    found = {}
    for line in axes.lines:
        if not line.get_label().startswith("_"):
            found[line.get_label()] = np.array([line.get_xdata(), line.get_ydata()], dtype=float)
    return found


def assert_panel_is_drawn(axes, panel):
    found = drawn(axes)
    bars = [line for line in axes.lines if line.get_label().startswith("_")]
    name_of = axes.yaxis.get_major_formatter()  # inner panels hide the names, and have them
    assert len(bars) == len(panel["rows"])
    for row, bar in zip(panel["rows"], bars, strict=True):
        value, place = found[row["method"]].ravel()
        assert value == pytest.approx(100 * row["value"])
        assert name_of(place) == row["method"]
        assert bar.get_xdata() == pytest.approx([100 * row["low"], 100 * row["high"]])
        assert list(bar.get_ydata()) == [place, place]
        assert axes.get_xlim()[0] <= 100 * row["value"] <= axes.get_xlim()[1]
    if panel["line"] is not None:
        assert found[panel["line_name"]][0] == pytest.approx(100 * panel["line"])
        assert panel["line_name"] in axes.get_title()


def assert_curves_are_drawn(axes, place, panel):
    found = drawn(axes)
    bands = axes.collections
    assert len(bands) == len(panel["curves"])
    for curve, band in zip(panel["curves"], bands, strict=True):
        x, y = found[curve["method"]]
        assert x == pytest.approx(place)
        assert y == pytest.approx(100 * np.array(curve["value"]))
        corners = band.get_paths()[0].vertices[:, 1]
        for part in ("low", "high"):
            edge = 100 * np.array(curve[part])
            assert np.isclose(corners[:, None], edge).any(axis=0).all()


@pytest.mark.parametrize("figure", FIGURES)
def test_titles_are_one_line(figure):
    assert figure.TITLE
    assert "\n" not in figure.TITLE


def test_a_panel_has_every_method_and_intervals_that_hold_the_value(made_panel):
    assert [row["method"] for row in made_panel["rows"]] == ["clean", "hard", *METHODS]
    for row in made_panel["rows"]:
        assert row["low"] <= row["value"] <= row["high"]
        assert row["interval_method"] == "bca"


def test_rows_are_what_the_public_functions_give(made_panel):
    data = synthetic(800)
    rows = {row["method"]: row for row in made_panel["rows"]}
    options = {"interval": "bca", "n_resamples": 40, "rng": SEED}
    found = ef.from_scores(
        data.corrupted(2, 0.7).scores, data.labels, method="beta", clip=CLIP, **options
    )
    assert rows["beta"]["value"] == found.value
    assert (rows["beta"]["low"], rows["beta"]["high"]) == (found.low, found.high)
    assert rows["clean"]["value"] == np.minimum(data.soft_labels, 1 - data.soft_labels).mean()
    assert made_panel["line"] == data.floor


def test_the_clip_is_machine_epsilon():
    assert np.finfo(float).eps == CLIP


def test_a_panel_is_drawn_as_computed(made_panel):
    figure = draw_panels([made_panel], columns=2)
    assert_panel_is_drawn(figure.axes[0], made_panel)
    assert len(figure.axes) == 1  # no empty panel is left


def test_limits_at_zero_can_be_drawn(made_panel):
    made_panel["rows"][0]["low"] = 0.0
    axes = draw_panels([made_panel], columns=1).axes[0]
    assert_panel_is_drawn(axes, made_panel)
    axes.figure.draw_without_rendering()


def test_panels_without_a_line_say_nothing_of_it(made_panel):
    made_panel |= {"line": None, "line_name": ""}
    axes = draw_panels([made_panel], columns=1).axes[0]
    assert_panel_is_drawn(axes, made_panel)
    assert "dashed" not in axes.get_title()


def test_marks_are_percentages_within_the_axis(made_panel):
    axes = draw_panels([made_panel], columns=1).axes[0]
    low, high = axes.get_xlim()
    assert len(axes.get_xticks()) >= 3
    for mark, label in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True):
        assert low <= mark <= high
        assert float(label.get_text()) == mark
    assert list(TICKS) == sorted(TICKS)


def test_families_have_colours_of_their_own():
    families = {method.split("-")[0] for method in METHODS}
    assert len({colour(family) for family in families}) == len(families)


def test_figure_9_has_the_six_distortions_in_the_order_of_its_panels(nine):
    assert sorted((s["a"], s["b"]) for s in nine["settings"]) == [
        (0.4, 0.5),
        (0.4, 0.7),
        (0.4, 0.9),
        (2.0, 0.5),
        (2.0, 0.7),
        (2.0, 0.9),
    ]
    for setting, panel in zip(nine["settings"], nine["panels"], strict=True):
        assert panel["title"] == f"a = {setting['a']:g}, b = {setting['b']:g}"


def test_distortions_that_keep_the_order_do_not_change_isotonic_and_histograms(nine):
    for method in ("clean", "hard", "isotonic", "hist-10", "hist-100"):
        values = {
            row["value"]
            for panel in nine["panels"]
            for row in panel["rows"]
            if row["method"] == method
        }
        assert len(values) == 1


def test_overconfident_scores_are_too_low_and_unconfident_ones_too_high(nine):
    for setting, panel in zip(nine["settings"], nine["panels"], strict=True):
        rows = {row["method"]: row for row in panel["rows"]}
        if setting["a"] < 1:
            assert rows["corrupted"]["high"] < panel["line"]
        else:
            assert rows["corrupted"]["low"] > panel["line"]
        # The maps that can undo the distortion give the same floor under all of them.
        assert rows["beta"]["value"] == pytest.approx(rows["clean"]["value"], abs=0.015)


def test_figure_9_is_drawn_as_computed_on_one_scale(nine):
    figure = figure_9.draw(nine)
    assert len(figure.axes) == 6
    for axes, panel in zip(figure.axes, nine["panels"], strict=True):
        assert_panel_is_drawn(axes, panel)
        assert axes.get_xlim() == figure.axes[0].get_xlim()
    assert figure_9.checks(nine) == []


def test_figure_10_is_drawn_as_computed(ten):
    figure = figure_10.draw(ten)
    for axes, panel in zip(figure.axes, ten["panels"], strict=True):
        assert_curves_are_drawn(axes, ten["votes"], panel)
        line = drawn(axes)["from true probabilities"]
        assert line[1] == pytest.approx(100 * ten["clean"]["value"])
    assert figure_10.checks(ten) == []


def test_figure_10_has_the_paper_s_methods_and_votes(ten):
    assert ten["votes"] == [3, 5, 10, 25, 50, 100]
    assert [(panel["a"], panel["b"]) for panel in ten["panels"]] == [(2, 0.5), (0.4, 0.5)]
    for panel in ten["panels"]:
        assert [curve["method"] for curve in panel["curves"]] == list(figure_10.METHODS)


def test_more_votes_bring_isotonic_closer_and_unconfident_scores_away(ten):
    floor = ten["clean"]["value"]
    holds = {curve["method"]: curve["value"] for curve in ten["panels"][0]["curves"]}
    assert abs(holds["isotonic"][-1] - floor) < abs(holds["isotonic"][0] - floor)
    assert abs(holds["corrupted"][-1] - floor) > abs(holds["corrupted"][0] - floor)


def test_figure_12_has_basic_intervals_and_ours_next_to_them(twelve):
    assert twelve["interval"] == "basic"
    for panel in twelve["panels"]:
        for basic, bca in zip(panel["curves"], panel["ours"], strict=True):
            assert (basic["method"], basic["value"]) == (bca["method"], bca["value"])
            assert basic["low"] != bca["low"]
    assert "BCa limits" in figure_12.remarks(twelve)


def test_figure_12_is_drawn_as_computed(twelve):
    figure = figure_12.draw(twelve)
    for axes, panel in zip(figure.axes, twelve["panels"], strict=True):
        assert_curves_are_drawn(axes, twelve["taus"], panel)
    assert figure_12.checks(twelve) == []


def test_figure_12_has_the_paper_s_amounts_of_disorder_and_both_kinds(twelve):
    assert {10.0**power for power in range(-10, 1)} <= set(figure_12.SIGMAS)
    assert list(figure_12.SIGMAS) == sorted(figure_12.SIGMAS)
    assert len(twelve["panels"]) == 2
    for panel in twelve["panels"]:
        assert [curve["method"] for curve in panel["curves"]] == list(CALIBRATORS)


def test_more_disorder_lowers_tau_and_raises_the_isotonic_floor(twelve):
    taus = twelve["taus"]
    assert taus[0] == pytest.approx(1)
    assert taus == sorted(taus, reverse=True)
    for panel in twelve["panels"]:
        isotonic = panel["curves"][0]["value"]
        assert isotonic[0] < isotonic[2] < isotonic[3]


def test_tau_tells_the_share_of_pairs_out_of_order():
    # One of the six pairs of 0, 1, 2, 3 is out of order in 0, 2, 1, 3.
    tau = figure_12.kendall(np.arange(4.0), np.array([0.0, 2.0, 1.0, 3.0]))
    assert (1 - tau) / 2 == pytest.approx(1 / 6)


def test_curves_turn_steps_into_methods():
    steps = [
        [{"method": name, "value": x, "low": x - 1, "high": x + 1} for name in ("a", "b")]
        for x in (1.0, 2.0, 3.0)
    ]
    first, second = curves(steps)
    assert (first["method"], second["method"]) == ("a", "b")
    assert first["value"] == [1, 2, 3]
    assert first["low"] == [0, 1, 2]


def test_figure_1_is_drawn_as_computed():
    row = {"method": "corrupted", "value": 0.005, "low": 0.004, "high": 0.007}
    numbers = {"estimate": row, "model_error": 0.0005, "fewest_votes": 46, "most_votes": 63}
    axes = figure_1.draw(numbers).axes[0]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([0.5, 0.05])
    assert axes.lines[0].get_xdata() == pytest.approx([0.4, 0.7])
    few, many = figure_1.checks(numbers)
    assert (few.published, few.ours, few.error) == (47, 46, None)
    assert (many.published, many.ours) == (63, 63)


def test_figure_11_checks_the_sizes_of_sets_it_has():
    numbers = {"panels": [{"title": "SNLI", "n": 1514}, {"title": "ICLR 2017 to 2025", "n": 9}]}
    found = figure_11.checks(numbers)
    assert [(check.published, check.ours) for check in found] == [(1514, 1514), (32_829, 9)]
    assert found[1].note


def test_there_are_sixteen_real_sets():
    assert len(SETS) == 16
    assert len({real.title for real in SETS}) == 16


@needs_data
def test_figures_1_and_4_agree_and_are_drawn_as_computed():
    one = through_json(figure_1.compute(n_resamples=60))
    four = through_json(figure_4.compute(**SMALL))
    cifar = four["panels"][1]
    assert one["estimate"] == cifar["rows"][0]
    assert one["model_error"] == cifar["line"] == 0.0005
    assert all(check.published == check.ours for check in figure_1.checks(one))
    figure = figure_4.draw(four)
    for axes, panel in zip(figure.axes, four["panels"], strict=True):
        assert_panel_is_drawn(axes, panel)
    assert figure_4.checks(four) == []


@needs_data
def test_face_value_is_above_the_model_and_isotonic_is_not():
    for real in SETS[:2]:
        panel = real_panel(real, n_resamples=200)
        rows = {row["method"]: row for row in panel["rows"]}
        assert rows["corrupted"]["low"] > real.model_error
        assert rows["isotonic"]["low"] <= real.model_error
    # Bin edges among ties: the paper saw the same.
    assert rows["hist-25"]["low"] > real.model_error


@needs_data
def test_figure_11_has_a_panel_a_set_drawn_as_computed():
    sets = [SETS[i] for i in (2, 6)]
    numbers = through_json(figure_11.compute(**SMALL, real_sets=sets))
    figure = figure_11.draw(numbers)
    assert [panel["title"] for panel in numbers["panels"]] == ["Synthetic", "SNLI", "ICLR 2017"]
    for axes, panel in zip(figure.axes, numbers["panels"], strict=True):
        assert_panel_is_drawn(axes, panel)
        assert [row["interval_method"] for row in panel["ours"]] == ["bca"] * len(panel["ours"])
    kinds = [panel["rows"][-1]["interval_method"] for panel in numbers["panels"]]
    assert kinds == ["bca", "basic", "basic"]  # as the released settings have it
    drawn = {line.get_label(): line for line in figure.axes[1].get_lines()}
    own = numbers["panels"][1]["ours"]
    ends = np.array([[row["low"], row["high"], np.nan] for row in own]).ravel()
    np.testing.assert_array_equal(drawn["BCa"].get_xdata(), 100 * ends)
    assert "BCa" not in {line.get_label() for line in figure.axes[0].get_lines()}
    assert "10." in figure_11.remarks(numbers)
    (size,) = figure_11.checks(numbers)
    assert size.published == size.ours == 1514


# What the paper says in words.


def verdict(says, numbers):
    (sentence,) = (one for one in _sentences.SENTENCES if one.says.startswith(says))
    return sentence.judge(numbers)


def test_every_sentence_of_the_paper_has_its_verdict_on_the_page():
    page = (Path(__file__).parents[1] / "docs" / "paper.md").read_text(encoding="utf-8")
    lines = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
    shown = {line[1]: line[2].strip("*") for line in lines if len(line) == 4}
    kinds = {_sentences.HOLDS, _sentences.IN_PART, _sentences.NOT}
    for sentence in _sentences.SENTENCES:
        assert shown[sentence.says] in kinds, sentence.says
        assert set(sentence.needs) <= set(papers.FIGURES)


def test_sentences_need_their_figures():
    assert _sentences.table({}) == []
    assert [line[0] for line in _sentences.table({"figure-1": face_value(0.005)})] == ["1"]


def face_value(low):
    return {"estimate": {"value": 0.006, "low": low}, "model_error": 0.0005}


def test_a_sentence_is_refuted_by_other_numbers():
    says = "Shares of CIFAR-10H"
    assert verdict(says, {"figure-1": face_value(0.005)})[0] == _sentences.HOLDS
    assert verdict(says, {"figure-1": face_value(0.0004)})[0] == _sentences.NOT


def order(far):
    """Return figure 12 with every method at 8 %, but for some that are off by `far`."""
    curves = [
        {"method": m, "value": [0.08 + far.get(m, 0), 0.08 + far.get(m, 0), 0.2]}
        for m in CALIBRATORS
    ]
    panel = {"curves": curves}
    taus = [1.0, 0.96, 0.7]
    return {"figure-12": {"clean": {"value": 0.08}, "taus": taus, "panels": [panel, panel]}}


def test_the_sentence_on_the_order_is_judged_by_methods_as_run_and_as_defined():
    says = "Without noise of votes all estimates"
    assert verdict(says, order({}))[0] == _sentences.HOLDS
    found, why = verdict(says, order({"beta-a": 0.03}))
    assert found == _sentences.IN_PART
    assert "beta-a is 3.0 points off" in why
    both = order({"beta-a": 0.03, "platt": 0.01})
    assert verdict(says, both)[0] == _sentences.NOT
    assert "platt is the furthest of eight, 1.00 points" in verdict(says, both)[1]
    assert verdict("From 50 votes beta", order({"beta": 0.02, "beta-a": 0.02}))[0] == "holds"
    assert verdict("From 50 votes beta", order({"isotonic": 0.02}))[0] == _sentences.NOT


def test_the_sentence_on_bins_follows_the_scores():
    def table(worst):
        score = {**dict.fromkeys(CALIBRATORS, 0.01), "hist-100": worst}
        return {"table-feebee": {"sets": {"CIFAR-10": {"score": score, "published": score}}}}

    assert verdict("Bins do well", table(0.05))[0] == _sentences.HOLDS
    assert verdict("Bins do well", table(0.011))[0] == _sentences.NOT
