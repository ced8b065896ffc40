"""Pictures: what is drawn, where, and that it can be read at the width of a column."""

import io
from dataclasses import replace
from functools import cache
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy.stats import binomtest

import errorfloor as ef
from errorfloor import bounds, plot
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture
from errorfloor.show import palette
from errorfloor.show.numbers import digits_for, per_cent
from errorfloor.show.plot import log_ticks
from errorfloor.show.report.document import Picture
from errorfloor.show.report.html import drawn
from errorfloor.show.standings import gain_of

mpl.use("agg")
COLUMN = 3.4  # inches


def a_long_name_that_somebody_gave_to_an_estimator(table):
    return 0.05


@cache
def data():
    made = gaussian_mixture(2000, rng=0)
    return corrupt(made.soft_labels, 2, 0.7), made.labels, made.floor


@cache
def comparison():
    scores, labels, _ = data()
    return ef.compare(scores, labels, n_resamples=50, rng=0)


@cache
def noisy():
    scores, labels, _ = data()
    return ef.feebee(scores, labels, model_error=0.1, levels=11, repeats=3, rng=0)


@cache
def votes(kind="three"):
    if kind == "coins":
        return ef.from_votes(np.random.default_rng(0).binomial(5, 0.5, 300), 5)
    if kind == "certain":
        return ef.from_votes([0] * 990 + [1] + [4] + [5] * 800, 5)
    if kind == "single":
        return ef.from_votes([0, 1, 1], 1, method="plugin")
    return ef.from_votes([0] * 150 + [1] * 40 + [2] * 30 + [3] * 80, 3)


@cache
def plans(kind):
    if kind == "scores":
        scores, labels, _ = data()
        return ef.plan(ef.ScoreTable.from_arrays(scores, labels), target=0.02)
    pilot = ef.VoteTable.from_arrays([0] * 150 + [1] * 40 + [2] * 30 + [3] * 80, 3)
    if kind == "plain":
        return ef.plan(pilot, votes=(2, 5), items=(100, 1000))
    if kind == "fine":
        items = np.geomspace(100, 9000, 9).astype(int)
        return ef.plan(pilot, target=0.05, votes=range(2, 10), items=items)
    target = {"near": 0.05, "beyond": 0.01, "unreachable": 0.001}[kind]
    return ef.plan(pilot, target=target, cost_per_item=0.1, votes=(3, 5, 10), items=(100, 300, 900))


@cache
def verdict(kind="room"):
    errors, n = {"room": (300, 2000), "saturated": (14, 200), "beyond": (1, 2000)}[kind]
    scores, labels, _ = data()
    floor = ef.from_scores(scores, labels, complete=True, rng=0)
    return ef.headroom(floor, errors=errors, n=n)


@cache
def curve(kind="plain"):
    scores, labels, _ = data()
    if kind == "tiny":
        return ef.reliability(scores[:8], labels[:8])
    if kind == "logits":
        return ef.reliability(np.log(scores / (1 - scores)), labels, method="platt")
    if kind == "reversed":
        return ef.reliability(1 - scores, labels)
    if kind == "crowded":
        return ef.reliability([0.0] * 900 + [0.3, 0.6] + [1.0] * 900, [0] * 901 + [1] * 901)
    return ef.reliability(scores, labels)


def forest_of_long_names(ax):
    rows = [
        replace(row, method=a_long_name_that_somebody_gave_to_an_estimator.__name__)
        for row in [comparison()["beta"]]
    ]
    rows += [comparison()["platt"], replace(comparison()["platt"], interval=None)]
    return plot.forest(rows, truth=0.5, model_error=0.0001, ax=ax)


def noise_of_long_names(ax):
    scores, labels, _ = data()
    methods = ["isotonic", a_long_name_that_somebody_gave_to_an_estimator]
    found = ef.feebee(scores, labels, methods=methods, model_error=0.1, levels=3, rng=0)
    return plot.noise_curves(found, ax=ax)


@cache
def groups(names=("north", "south"), **options):
    scores, labels, _ = data()
    turns = np.arange(scores.size) % len(names)
    frame = pd.DataFrame({"score": scores, "label": labels.astype(int), "site": turns})
    frame["site"] = frame["site"].map(dict(enumerate(names)))
    return ef.from_scores(frame, group="site", rng=0, **options)


LONG = "A hospital with a name that nobody can remember, North Wing"


# Every picture on one pair of axes: the name, and what draws it on `ax`.
PICTURES = {
    "forest-all": lambda ax: plot.forest(comparison(), truth=data()[2], model_error=0.1, ax=ax),
    "forest-one": lambda ax: plot.forest([votes("certain")], ax=ax),
    "forest-long": forest_of_long_names,
    "forest-groups": lambda ax: plot.forest(groups(), model_error=0.1, ax=ax),
    "forest-groups-long": lambda ax: plot.forest(
        groups((LONG, "a_name_with_many_parts_" * 5, "$x^{$"), simultaneous=True), ax=ax
    ),
    "bias-model": lambda ax: plot.bias_bounds(bounds.bias_curves(model_error=0.05), ax=ax),
    "bias-votes": lambda ax: plot.bias_bounds(bounds.bias_curves(estimate=votes()), ax=ax),
    "noise-all": lambda ax: plot.noise_curves(noisy(), ax=ax),
    "noise-few": lambda ax: plot.noise_curves(noisy(), ["isotonic", "oracle"], ax=ax),
    "noise-long": noise_of_long_names,
    **{
        f"votes-{kind}": lambda ax, kind=kind: plot.distribution(votes(kind), ax=ax)
        for kind in ("three", "coins", "certain", "single")
    },
    "risk-coverage": lambda ax: plot.risk_coverage(
        ef.from_soft_labels(
            [0.02, 0.1, 0.3, 0.6, 0.9] * 40, metric="error-at-coverage", at=0.8, rng=0
        ),
        ax=ax,
    ),
    **{
        f"headroom-{kind}": lambda ax, kind=kind: plot.headroom(verdict(kind), ax=ax)
        for kind in ("room", "saturated", "beyond")
    },
    **{
        f"plan-{kind}": lambda ax, kind=kind: plot.plan(plans(kind), ax=ax)
        for kind in ("near", "beyond", "unreachable", "plain", "fine", "scores")
    },
}
CURVES = ("plain", "tiny", "logits", "reversed", "crowded")


def figure(height=3.0):
    made = Figure(figsize=(COLUMN, height), layout="constrained")
    FigureCanvasAgg(made)  # draws
    return made


def on_axes(draw):
    return draw(figure().add_subplot())


def pair_of_axes():
    return tuple(figure(height=3.4).subplots(2, sharex=True, height_ratios=[3, 1]))


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line(ax, label):
    (found,) = (found for found in ax.lines if found.get_label().startswith(label))
    return found


def drawn_texts(fig, monkeypatch):
    """Return every text that drawing the figure puts on paper, with its box and size."""
    found = []
    draw = Text.draw

    def watched(self, renderer, *args, **kwargs):
        if self.get_visible() and self.get_text().strip():
            found.append((self.get_text(), self.get_window_extent(renderer), self.get_fontsize()))
        return draw(self, renderer, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(Text, "draw", watched)
        fig.canvas.draw()
    return found


def assert_readable(fig, monkeypatch):
    fig.canvas.draw()  # lays out
    texts = drawn_texts(fig, monkeypatch)
    assert len(texts) > 4
    for text, box, size in texts:
        assert size >= 7, text
        assert box.x0 >= -0.5, text
        assert box.y0 >= -0.5, text
        assert box.x1 <= fig.bbox.x1 + 0.5, text
        assert box.y1 <= fig.bbox.y1 + 0.5, text
    for (one, first, _), (two, second, _) in combinations(texts, 2):
        width = min(first.x1, second.x1) - max(first.x0, second.x0)
        height = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert min(width, height) <= 1, (one, two)  # in pixels, of 100 an inch


@pytest.mark.parametrize("kind", CURVES)
def test_no_text_of_a_reliability_curve_overlaps_another(kind, monkeypatch):
    upper, _ = plot.reliability(curve(kind), axes=pair_of_axes())
    assert_readable(upper.figure, monkeypatch)


def test_texts_that_overlap_would_be_found(monkeypatch):
    fig = figure()
    ax = plot.forest(comparison(), ax=fig.add_subplot())
    ax.text(0.5, 0.5, "one", transform=ax.transAxes)
    ax.text(0.52, 0.5, "two", transform=ax.transAxes)
    with pytest.raises(AssertionError, match="one"):
        assert_readable(fig, monkeypatch)


@pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)
def test_a_picture_on_given_axes_can_be_read_and_nothing_else_changes(draw, monkeypatch):
    before, figures = dict(mpl.rcParams), plt.get_fignums()
    fig, file = figure(), io.StringIO()
    ax = fig.add_subplot()
    assert draw(ax) is ax
    assert ax.has_data()
    assert ax.get_xlabel()
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == figures
    assert_readable(fig, monkeypatch)  # no text overlaps another or leaves the figure
    with mpl.rc_context({"svg.fonttype": "none"}):
        fig.savefig(file, format="svg")
    assert f">{ax.get_xlabel()}</text>" in file.getvalue()
    assert '<use xlink:href="#DejaVu' not in file.getvalue()  # no letters as outlines


ONE_OF_EACH = {name.partition("-")[0]: draw for name, draw in PICTURES.items()}


@pytest.mark.parametrize("draw", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
def test_without_axes_a_figure_of_pyplot_is_made(draw, monkeypatch):
    before = dict(mpl.rcParams)
    ax = draw(None)
    assert plt.gcf() is ax.figure
    assert_readable(ax.figure, monkeypatch)
    plt.close(ax.figure)
    assert dict(mpl.rcParams) == before


def test_wrong_values_are_refused_with_what_to_pass():
    wrong = {
        "reliability": "what errorfloor.reliability returned",
        "bias_bounds": "what errorfloor.bounds.bias_curves returned",
        "ceilings": "what errorfloor.from_ratings returned",
        "class_reliability": "what errorfloor.reliability returned for more than two classes",
        "confusion": "what errorfloor.confusion returned",
        "distribution": "what errorfloor.from_votes or from_soft_labels returned",
        "noise_curves": "what errorfloor.feebee returned",
        "headroom": "what errorfloor.headroom returned",
        "gauge": "what errorfloor.from_votes, from_scores or headroom returned",
        "models": "what errorfloor.compare returned of models",
        "people": "what errorfloor.people returned",
        "plan": "what errorfloor.plan returned",
        "risk_coverage": "what errorfloor.from_soft_labels, from_votes or from_scores returned",
        "forest": "what compare returned, or a list of estimates",
    }
    assert sorted(wrong) == sorted(plot.__all__)
    figures = plt.get_fignums()
    for name, remedy in wrong.items():
        for value in (0.05, None, [0.1, 0.2], []):
            with pytest.raises(ValueError, match=f"must be a .*, got .*{remedy}"):
                getattr(plot, name)(value)
    assert plt.get_fignums() == figures
    with pytest.raises(ValueError, match="`estimate` is by beta, from scores"):
        plot.distribution(comparison()["beta"])
    with pytest.raises(ValueError, match="`axes` must be two axes"):
        plot.reliability(curve(), axes=figure().add_subplot())
    with pytest.raises(KeyError, match="was not evaluated"):
        plot.noise_curves(noisy(), ["isotone"])


def test_a_forest_has_each_methods_floor_and_interval_in_per_cent():
    ax = on_axes(PICTURES["forest-all"])
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == list(comparison().methods)
    spans = {tuple(found.get_ydata()): found.get_xdata() for found in ax.lines}
    for place, row in enumerate(comparison()):
        assert spans[place, place] == pytest.approx([100 * row.low, 100 * row.high])
        assert spans[(place,)] == pytest.approx([100 * row.value])
    assert line(ax, "true floor").get_xdata() == pytest.approx(2 * [100 * data()[2]])
    assert line(ax, "the model's error").get_xdata() == pytest.approx([10, 10])
    assert legend(ax) == [f"true floor, {100 * data()[2]:.1f} %", "the model's error, 10.0 %"]
    assert ax.get_xlabel() == "error, %, with 95 % intervals"
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first method on top


def test_a_forest_says_what_its_intervals_are():
    first, second = comparison()["beta"], comparison()["platt"]
    label = {
        "error, %, with 90 % intervals": [first.at_level(0.9)],
        "error, %, with intervals": [first, second.at_level(0.9)],
        "error, %": [replace(first, interval=None)],
    }
    for expected, rows in label.items():
        assert plot.forest(rows, ax=figure().add_subplot()).get_xlabel() == expected
    ax = plot.forest([first, replace(first, n=77)], ax=figure().add_subplot())
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["beta\nn = 2,000", "beta\nn = 77"]


def test_a_forest_of_groups_has_a_line_under_the_name_of_each():
    found = groups()
    ax = plot.forest(found, ax=figure().add_subplot())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["north", "south"]
    spans = {tuple(drawn.get_ydata()): drawn.get_xdata() for drawn in ax.lines}
    for place, row in enumerate(found.values()):
        assert spans[place, place] == pytest.approx([100 * row.low, 100 * row.high])
        assert spans[(place,)] == pytest.approx([100 * row.value])


def test_a_forest_of_groups_says_whether_its_intervals_hold_at_once():
    label = {
        "error, %, with 95 % intervals": groups(),
        "error, %, 90 % intervals at once": groups(simultaneous=True, level=0.9),
        "error, %": groups(simultaneous=True, interval=None),
    }
    for expected, found in label.items():
        assert plot.forest(found, ax=figure().add_subplot()).get_xlabel() == expected


def test_a_forest_cuts_long_names_of_groups_and_takes_all_letters_as_they_are():
    ax = on_axes(PICTURES["forest-groups-long"])
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert sorted(names) == [
        "$x^{$",
        "A hospital with a\nname that nobody \N{HORIZONTAL ELLIPSIS}",
        "a_name_with_many_\nparts_a_name_\N{HORIZONTAL ELLIPSIS}",
    ]


def test_a_forest_of_other_groups_is_refused():
    verdicts = ef.headroom(groups(), errors=300, n=2000)
    for wrong in (verdicts, ef.Groups("site", {})):
        with pytest.raises(ValueError, match=r"must be .*Groups of Estimates.*, got Groups"):
            plot.forest(wrong)


@pytest.mark.parametrize("kind", ["room", "saturated", "beyond"])
def test_headroom_shades_the_room_between_both_intervals_on_one_axis(kind):
    found, ax = verdict(kind), on_axes(PICTURES[f"headroom-{kind}"])
    spans = {tuple(drawn.get_ydata()): drawn.get_xdata() for drawn in ax.lines}
    floor = found.floor
    errors = round(found.model_error * found.n)
    exact = binomtest(errors, found.n).proportion_ci(0.95)
    assert spans[0, 0] == pytest.approx([100 * floor.low, 100 * floor.high])
    assert spans[1, 1] == pytest.approx([100 * limit for limit in exact])
    (room,) = ax.patches
    ends = sorted(100 * value for value in (floor.value, found.model_error))
    assert [room.get_x(), room.get_x() + room.get_width()] == pytest.approx(ends)
    assert (
        to_hex(room.get_facecolor())
        == {
            "room": palette.GREEN,
            "saturated": palette.GREY,
            "beyond": palette.ORANGE,
        }[kind]
    )
    ax.figure.canvas.draw()
    (above,) = ax.child_axes
    assert sorted(above.get_xlim()) == pytest.approx(sorted(100 - np.array(ax.get_xlim())))
    assert above.get_xlabel() == "accuracy, %"
    least, most = gain_of(found)
    headline = {
        "room": f"Room: {least} to {most} points",
        "saturated": f"{least} to {most} points may remain",
        "beyond": f"Looks {least} to {most} points too good",
    }
    assert ax.get_title(loc="left") == headline[kind]
    assert all(number in found.sentence for number in (least, most) if float(number))


def test_headroom_draws_the_floor_at_the_verdicts_level():
    found = ef.headroom(comparison()["isotonic"], errors=300, n=2000, level=0.8)
    ax = plot.headroom(found, ax=figure().add_subplot())
    spans = {tuple(drawn.get_ydata()): drawn.get_xdata() for drawn in ax.lines}
    floor = found.floor.at_level(0.8)
    assert spans[0, 0] == pytest.approx([100 * floor.low, 100 * floor.high])
    assert ax.get_xlabel() == "error, %, with 80 % intervals"


def test_a_reliability_curve_has_its_fit_band_and_histogram():
    axes = pair_of_axes()
    assert plot.reliability(curve(), axes=axes) == axes
    upper, lower = axes
    fit = line(upper, "isotonic fit")
    np.testing.assert_array_equal(fit.get_xdata(), curve().scores)
    np.testing.assert_array_equal(fit.get_ydata(), 100 * curve().probabilities)
    assert legend(upper)[0] == "95 % band for all scores together"
    assert upper.get_ylabel() == "P(label 1 | score), %"
    counts = [patch.get_data().values for patch in lower.patches if not patch.get_fill()]
    np.testing.assert_array_equal(counts, [curve().negatives, curve().positives])
    assert "score as it is" in legend(upper)
    logits, _ = plot.reliability(curve("logits"), axes=pair_of_axes())
    assert "score as it is" not in legend(logits)


def test_between_scores_the_band_is_that_of_the_outer_limits():
    found = replace(
        curve(),
        scores=np.array([0.1, 0.5]),
        probabilities=np.array([0.2, 0.6]),
        low=np.array([0.1, 0.4]),
        high=np.array([0.3, 0.7]),
    )
    upper, _ = plot.reliability(found, axes=pair_of_axes())
    band, bars = upper.collections
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [[10, 30], [40, 70]]
    (path,) = band.get_paths()
    for score, percent, inside in [
        (0.3, 15, True), (0.3, 65, True), (0.3, 5, False), (0.3, 75, False),
        (0.49, 12, True), (0.11, 68, True),
    ]:  # fmt: skip
        assert path.contains_point((score, percent)) == inside


def test_scores_out_of_order_are_marked():
    upper, _ = plot.reliability(curve("reversed"), axes=pair_of_axes())
    assert "limits cross: scores are out of order" in legend(upper)
    upper, _ = plot.reliability(curve(), axes=pair_of_axes())
    assert len(upper.collections) == 1


def test_a_reliability_curve_makes_its_own_axes_with_a_common_scale():
    upper, lower = plot.reliability(curve())
    assert upper.figure is lower.figure
    assert upper.get_shared_x_axes().joined(upper, lower)
    plt.close(upper.figure)


def test_noise_curves_are_drawn_from_the_lower_bound_on():
    ax = on_axes(PICTURES["noise-few"])
    for method in ("isotonic", "oracle"):
        expected = noisy().curve(method)
        drawn = line(ax, method)
        assert drawn.get_xdata() == pytest.approx(100 * expected.noise)
        assert drawn.get_ydata() == pytest.approx(100 * (expected.estimate - expected.noise / 2))
    between, *bands = ax.collections
    assert len(bands) == 2
    top = between.get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx(10)  # the model's error, without noise
    assert ax.get_ylim()[0] >= -15
    assert legend(plot.noise_curves(noisy(), "beta", ax=figure().add_subplot()))[1:] == ["beta"]


def test_no_two_noise_curves_look_the_same():
    ax = on_axes(PICTURES["noise-all"])
    assert legend(ax) == ["bounds", *noisy().methods]
    looks = {(d.get_color(), str(d._dash_pattern), d.get_marker()) for d in ax.lines}
    assert len(looks) == len(noisy().methods)
    assert len(ax.collections) == 1  # bands of so many would hide each other


def test_bias_curves_are_the_bounds_at_each_number_of_votes():
    found = bounds.bias_curves([5, 2, 50], model_error=0.05, n=1000)
    np.testing.assert_array_equal(found.votes, [2, 5, 50])
    for m, computable, sharp, ishida in zip(
        found.votes, found.computable, found.sharp, found.ishida, strict=True
    ):
        assert computable == bounds.computable_bias_bound(0.05, m)
        assert sharp == bounds.sharp_bias_bound(0.05, m)
        assert ishida == bounds.ishida_bias_bound(1000, m)
    assert found.exact is None
    assert found.to_dict()["votes"] == [2, 5, 50]


def test_bias_curves_take_what_they_need_from_the_estimate():
    found = bounds.bias_curves([3], estimate=votes())
    assert found.exact == pytest.approx([-votes().bias])
    assert found.model_error == votes().high
    assert found.n == votes().n
    assert found.exact[0] <= found.sharp[0] <= found.computable[0]
    assert bounds.bias_curves().model_error == 0.5
    assert bounds.bias_curves(estimate=votes(), model_error=0.3).model_error == 0.3
    many = ef.from_votes([0, 10, 190, 100], 200, interval=None)
    assert bounds.bias_curves(estimate=many).votes.max() == 400
    usual = bounds.bias_curves().votes
    assert (usual[:18] == np.arange(1, 19)).all()  # every number as long as there are few
    assert (usual.size, usual[-1]) == (47, 100)
    with pytest.raises(ValueError, match="`estimate` must be a VotesEstimate, got Estimate"):
        bounds.bias_curves(estimate=comparison()["beta"])
    with pytest.raises(ValueError, match="`votes` must be whole numbers"):
        bounds.bias_curves([0.5])


def test_bias_bounds_are_drawn_in_percentage_points():
    found = bounds.bias_curves(estimate=votes())
    ax = plot.bias_bounds(found, ax=figure().add_subplot())
    for label, bias in (
        ("exact", found.exact),
        ("sharp", found.sharp),
        ("corollary 2", found.computable),
        ("Ishida", found.ishida),
    ):
        assert line(ax, label).get_ydata() == pytest.approx(100 * bias)
        np.testing.assert_array_equal(line(ax, label).get_xdata(), found.votes)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert "percentage points" in ax.get_ylabel()
    assert "says nothing: no floor is above 50 %" in legend(ax)


def test_next_to_no_bias_leaves_the_logarithmic_scale():
    certain = ef.from_votes([0] * 50 + [3] * 50, 3)
    assert certain.bias > -1e-9
    ax = plot.bias_bounds(bounds.bias_curves(estimate=certain), ax=figure().add_subplot())
    assert ax.get_ylim()[0] == __import__("errorfloor.show.plot", fromlist=["x"]).LEAST


@pytest.mark.parametrize("kind", ["three", "coins", "certain"])
def test_the_bars_of_a_distribution_add_up_to_all_items_and_to_the_floor(kind):
    found, ax = votes(kind), on_axes(PICTURES[f"votes-{kind}"])
    items, errors = (patch.get_data().values for patch in ax.patches)
    place, shares = line(ax, "vote shares").get_data()
    totals = found.table.totals[0]
    np.testing.assert_allclose(place * totals / 100, np.round(place * totals / 100), atol=1e-9)
    assert items.sum() == pytest.approx(100)
    assert shares.sum() == pytest.approx(100)
    assert errors.sum() == pytest.approx(100 * found.mixture.floor)
    assert legend(ax)[1].endswith(f"floor {per_cent(found.mixture.floor, digits_for(found))}")
    assert legend(ax)[2].endswith(f"give {per_cent(found.plugin, digits_for(found))}")
    assert ax.get_ylim()[1] > max(items.max(), shares.max())


def test_letters_on_cells_stand_out_and_keep_their_colour_on_dark_pages():
    def luminance(colour):
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
        return np.dot(linear, [0.2126, 0.7152, 0.0722])

    scores = np.random.default_rng(0).dirichlet([0.3, 0.5, 1, 2, 3], 400)
    ax = plot.confusion(ef.confusion(ef.from_soft_labels(scores)), ax=figure().add_subplot())
    (mesh,) = ax.collections
    cells = mesh.cmap(mesh.norm(np.asarray(mesh.get_array()).reshape(5, 5)))
    assert len(ax.texts) > 15
    for text in ax.texts:
        column, row = (int(place) for place in text.get_position())
        pair = sorted((luminance(to_rgb(text.get_color())), luminance(cells[row, column])))
        assert (pair[1] + 0.05) / (pair[0] + 0.05) > 4
        assert to_hex(text.get_color()) not in palette.on_a_page()


def test_shares_of_few_votes_stand_at_their_values_and_others_in_bins():
    rng = np.random.default_rng(0)
    few = plot.distribution(ef.from_votes(rng.binomial(3, 0.3, 90), 3), ax=figure().add_subplot())
    np.testing.assert_allclose(line(few, "vote shares").get_xdata(), [0, 100 / 3, 200 / 3, 100])
    counts = rng.multinomial(5, [0.6, 0.3, 0.1], 90)
    many = plot.distribution(ef.from_votes(counts), ax=figure().add_subplot())
    np.testing.assert_allclose(line(many, "vote shares").get_xdata(), [40, 60, 80, 100])
    for totals in (21, rng.choice([3, 5], 90)):
        votes = ef.from_votes(rng.binomial(totals, 0.3, 90), totals)
        binned = plot.distribution(votes, ax=figure().add_subplot())
        assert not binned.lines
        assert binned.patches[-1].get_data().values.sum() == pytest.approx(100)


def test_small_numbers_of_a_logarithmic_axis_are_written_out():
    ax = figure().add_subplot()
    ax.set_yscale("log")
    ax.set_ylim(2e-4, 30)
    log_ticks(ax.yaxis)
    ax.figure.canvas.draw()
    said = {
        tick.get_text() for tick in ax.get_yticklabels() if 2e-4 <= tick.get_position()[1] <= 30
    }
    assert {"0.001", "0.01", "0.1", "1", "10"} <= said
    assert not {"0.00", "0.0", "0"} & said
    picture = Picture("p", "t", "c", "d", lambda width: ax.figure)
    assert ">0.001</text>" in drawn(picture, "narrow", 3.1)[0]


def test_a_band_has_points_only_where_its_limits_turn():
    found = curve()
    band, _ = plot.reliability(found, axes=pair_of_axes())
    (path,) = band.collections[0].get_paths()
    turns = np.count_nonzero(np.diff(found.low)) + np.count_nonzero(np.diff(found.high))
    assert len(path.vertices) <= 8 * turns + 12


def test_the_bars_of_soft_labels_add_up_likewise():
    found = ef.from_soft_labels([0.0, 0.1, 0.1, 0.5, 0.97], interval=None)
    ax = plot.distribution(found, ax=figure().add_subplot())
    items, errors = (patch.get_data().values for patch in ax.patches)
    assert items.sum() == pytest.approx(100)
    assert errors.sum() == pytest.approx(100 * found.value)
    assert ax.get_xlabel() == "soft label, %"


def test_single_votes_have_shares_only():
    assert legend(on_axes(PICTURES["votes-single"])) == ["vote shares: alone they give 0 %"]


def test_a_plan_from_votes_is_a_heat_map_with_the_target_and_the_cheapest_option():
    found, ax = plans("near"), on_axes(PICTURES["plan-near"])
    (mesh,) = ax.collections
    assert mesh.get_array().ravel().tolist() == pytest.approx(100 * found.width.ravel())
    assert [text.get_text() for text in ax.texts] == [f"{100 * w:.1f}" for w in found.width.flat]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["100", "300", "900"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["3", "5", "10"]
    assert line(ax, "target, 5 points").get_xdata().size == len(found.options)
    best = line(ax, f"cheapest: {found.best.votes} votes on {found.best.items:,} items")
    (x,), (y,) = best.get_xdata(), best.get_ydata()
    assert found.votes[int(y)] == found.best.votes
    column = np.interp(np.log(found.best.items), np.log(found.items), [0.5, 1.5, 2.5])
    assert x == pytest.approx(column)


def test_what_is_beyond_a_heat_map_is_at_its_edge():
    found, ax = plans("beyond"), on_axes(PICTURES["plan-beyond"])
    assert found.best.items > 900
    (x,) = line(ax, "cheapest").get_xdata()
    assert x == 3
    assert legend(on_axes(PICTURES["plan-unreachable"])) == ["target, 0.1 points: out of reach"]


@pytest.mark.parametrize(
    ("limits", "labels"),
    [((9, 17), ["10", "12", "14", "16"]), ((1, 50), ["1", "2", "5", "10", "20", "50"]),
     ((0.01, 2e6), ["0.01", "1", "100", "10k", "1M"])],
)  # fmt: skip
def test_logarithmic_axes_have_plain_numbers(limits, labels):
    ax = figure().add_subplot(xscale="log", xlim=limits)
    __import__("errorfloor.show.plot", fromlist=["x"]).log_ticks(ax.xaxis)
    shown = [tick.get_text() for tick in ax.get_xticklabels()]
    places = ax.get_xticks()
    inside = [t for t, x in zip(shown, places, strict=True) if limits[0] <= x <= limits[1]]
    assert inside == labels


def test_a_plan_from_scores_is_a_line():
    found, ax = plans("scores"), on_axes(PICTURES["plan-scores"])
    widths = ax.lines[0]
    np.testing.assert_array_equal(widths.get_xdata(), found.items)
    assert widths.get_ydata() == pytest.approx(100 * found.width[0])
    assert line(ax, "target, 2 points").get_ydata() == pytest.approx([2, 2])
    best = line(ax, f"cheapest: 1 label on {found.best.items:,} items")
    assert best.get_xdata() == [found.best.items]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
