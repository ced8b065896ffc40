"""Small versions of the studies whose full results are committed."""

import numpy as np
import pytest

import errorfloor as ef
from benchmarks import (
    app,
    attacks,
    coverage,
    door,
    features,
    features_speed,
    judges,
    many_scores,
    scale,
    start,
    votes,
    worst,
)
from errorfloor.data.matrices import CELLS, cell_of
from errorfloor.methods import prediction_powered


def test_a_row_of_the_coverage_study_has_a_value_and_limits_for_every_case():
    rows = np.array(coverage.rows_of("middling", 200, 1), dtype=float)
    assert rows.shape == (len(coverage.CASES), 3)
    assert np.isfinite(rows).all()
    assert (rows[:, 1] <= rows[:, 2]).all()
    # rows of one method share its value
    methods = [case[1] for case in coverage.CASES]
    assert rows[methods.index("isotonic"), 0] == rows[methods.index("isotonic") + 4, 0]


def test_rows_of_some_intervals_take_the_place_of_old_ones():
    every = np.array(coverage.rows_of("middling", 200, 1), dtype=float)
    some = np.array(coverage.rows_of("middling", 200, 1, ["honest"]), dtype=float)
    honest = np.array([case[2] == "honest" for case in coverage.CASES])
    np.testing.assert_array_equal(some[honest], every[honest])
    assert np.isnan(some[~honest]).all()
    before = coverage.document({("middling", 200): every[None]}, repetitions=1)
    text = coverage.document({("middling", 200): some[None]}, repetitions=1)
    assert coverage.NOT_RUN in text
    assert coverage.renewed(before, text) == before


def test_the_coverage_document_counts_what_holds_the_true_floor():
    # Data sets of no width around the truth, then far off: shares 1 and 0.
    floor = coverage.gaussian_mixture(1, means=((0.0,), (5.0,)), rng=0).floor
    held = np.tile([floor, floor, floor], (4, len(coverage.CASES), 1))
    missed = held + 0.1
    text = coverage.document({("easy", 200): held, ("easy", 1000): missed}, repetitions=4)
    assert "| scores | isotonic | honest | 1.000 | 0.000 |" in text
    assert "| scores | isotonic | +0.00 | +10.00 |" in text


@pytest.mark.parametrize("setting", attacks.SETTINGS, ids=lambda setting: setting.name)
def test_the_floors_of_the_flat_settings_are_those_of_their_draws(setting):
    ranks = setting.ranks(10**5, np.random.default_rng(0))
    chance = setting.chance(np.sort(ranks))
    assert (np.diff(chance) >= 0).all()
    floors = np.minimum(chance, 1 - chance)
    assert floors.mean() == pytest.approx(setting.floor, abs=4 * floors.std() / 316 + 1e-9)
    assert np.unique(setting.draw(2000, 1).scores).size == (setting.rows or 2000)


def test_the_document_of_attacks_shows_what_was_found():
    few = dict.fromkeys(attacks.SIZES, 7)
    shares = [np.array([0.9, 0.8])] * (len(attacks.SETTINGS) * len(attacks.SIZES))
    shares[4] = np.array([0.25, 0.125])
    found = [(0.75, 0.5)] * (len(attacks.TRUTHS) * len(attacks.SIZES))
    text = attacks.document(few, shares, [(0.5, 0.4), (0.6, 0.3)], found, 9)
    second = "| yes | 0.900 (0.800) | 0.250 (0.125) | 0.900 (0.800) |"
    assert f"| 1/2 throughout, 1 tied score {second}" in text
    assert "The least share is 0.250." in text
    assert "0.500 with 100 items each (0.400), 0.600 with 1,000 items each (0.300)" in text
    assert "| 0 to 1 | 0.750, 50.0 | 0.750, 50.0 | 0.750, 50.0 |" in text
    assert text in coverage.document(
        {("easy", 200): np.zeros((1, len(coverage.CASES), 3))}, 1, text
    )


@pytest.mark.parametrize("name", votes.SETTINGS)
def test_the_floors_of_the_vote_settings_are_those_of_their_draws(name):
    setting = votes.SETTINGS[name]
    eta = setting.draw(np.random.default_rng(0), 200_000)
    floors = np.minimum(eta, 1 - eta)
    assert floors.mean() == pytest.approx(setting.floor, abs=4 * floors.std() / 447 + 1e-12)


# 40 repetitions at n = 2,000 and three votes of the first and the hardest settings; the full study
# has 500 of all. The standard error of a mean of the mixture is below 0.003, and a coverage of 0.95
# stays above 0.8 but once in 10,000.
@pytest.mark.parametrize(
    "name", [name for name in votes.SETTINGS if "(a)" in name or name.startswith("hard")]
)
def test_the_mixture_takes_away_the_plugins_bias_and_its_intervals_cover(name):
    setting = votes.SETTINGS[name]
    plugin, value, low, high, sure_low, sure_high = votes.simulate(setting, 3, 40).T
    bias = abs(plugin.mean() - setting.floor)
    if bias > 0.015:
        assert abs(value.mean() - setting.floor) < bias / 4 + 3 * value.std() / np.sqrt(40)
    for lower, upper in ((low, high), (sure_low, sure_high)):
        held = (lower <= setting.floor + 1e-9) & (setting.floor <= upper + 1e-9)
        assert held.mean() >= 0.8
    assert np.mean(high - low) < np.mean(sure_high - sure_low)


def test_a_small_scale_study_finds_the_floor_of_its_files(tmp_path, monkeypatch):
    monkeypatch.setattr(scale, "REPEATS", 1)
    found = scale.study([4], tmp_path)
    assert not list(tmp_path.iterdir())
    text = scale.document(found)
    assert "| 10^4 |" in text
    ((rows, run),) = found["ours"].items()
    path = tmp_path / "rows.parquet"
    scale.write(path, rows)
    expected = ef.from_scores(path, score="score", label="label", rng=0)
    assert run.result["value"] == expected.value
    assert run.result["low"] == expected.low
    assert run.memory > 0
    # E[min(p, 1 - p)] for p = u^2 (3 - 2u), u uniform, is 3/16.
    error = 0.5 / 10_000**0.5
    assert abs(run.result["value"] - 3 / 16) < 4 * error + 0.01
    assert found["resample"][rows].result["rows"] == 1000


def test_the_start_of_commands_is_measured_in_imports_of_numpy(monkeypatch):
    monkeypatch.setattr(start, "COMMANDS", {start.USUAL: ("estimate", "votes.csv")})
    found = start.ratios(repeats=1)
    assert next(name for _, name in found) == start.USUAL
    assert len(found) == 1 + len(start.WITHOUT)
    assert all((ratio > 0).all() for ratio in found.values())


def test_the_app_is_timed_by_tabs_that_get_answers(tmp_path, monkeypatch):
    monkeypatch.setattr(app, "TABS", 2)
    monkeypatch.setattr(app, "TURNS", 1)
    assert "Where 2 tabs ask at the same instant, 1 times over" in app.twenty_tabs(tmp_path)


def test_the_door_is_timed_against_a_sort_a_group_by_and_a_fit():
    found = door.ratios(rows=2000, few_rows=500, repeats=1)
    assert len(found) == 6
    assert all((ratio > 0).all() for ratio in found.values())
    rows = [line for line in door.document(found).splitlines() if line.startswith("| ")]
    assert {line.count("|") for line in rows} == {5}
    assert len(rows) == 2 + len(found)


def test_the_cells_that_the_door_is_timed_against_are_those_of_the_library(tmp_path):
    path = tmp_path / "rows.parquet"
    door.scale.write(path, 3000)
    counted = door.of_file(path)[door.GROUP_BY]()
    scores = np.sort(ef.from_scores(path, score="score", label="label", interval=None).table.scores)
    assert set(counted["cell"]) == set(cell_of(scores, CELLS))


@pytest.mark.parametrize("setting", many_scores.settings_of(many_scores.FLAT, [3]))
def test_a_setting_of_many_classes_has_probabilities_and_draws_labels_from_them(setting):
    true = setting.truth(many_scores.scores_of(np.random.default_rng(0), 500, 3))
    assert true.sum(axis=1) == pytest.approx(1)
    scores, labels = setting.draw(1)
    assert scores.shape == (setting.n, 3)
    assert (setting.truth(scores)[np.arange(setting.n), labels] > 0).all()


def test_the_document_of_many_classes_counts_what_holds_the_true_floor():
    (setting, *_) = many_scores.settings_of(many_scores.USUAL, [3])
    rows = np.array([many_scores.row_of(setting, seed, "honest") for seed in range(2)])
    assert (rows[:, 1] < rows[:, 0]).all()
    assert (rows[:, 0] < rows[:, 2]).all()
    floor = setting.floor
    made = np.array([[floor, floor - 0.01, floor + 0.01], [floor, floor + 0.01, floor + 0.03]])
    line = many_scores.line(setting, made)
    assert line[5:] == ["0.500", "0.500", "0.000", "2.00"]
    text = many_scores.document([line, ["", "", "2,000", *["1"] * 6]], [line], [line], 2)
    assert "Mean width: 2.00 at 500 items, 1.00 at 2,000 items." in text


def test_a_row_of_the_features_study_has_a_limit_and_the_ends_of_every_classic():
    assert len(features.PROBLEMS) >= 22
    problem = features.PROBLEMS[7]
    row = features.row_of(problem, 300, 2, 1)
    assert problem.floor < row.high < 0.3
    assert set(row.ends) == set(features.CLASSICS)
    text = "\n".join(features.page([row], 300, 2, 1))
    assert f"| Gaussian | 50 | 2 | 0.10 | {row.value:.3f} | {row.high:.3f} |" in text
    assert "**0.1" in text  # a lower end far above the floor
    assert "was below it in 0 of 2 sets" in text
    # 300 sets: 95 % and three standard errors.
    assert features.coverage_on_noise(20, 100, 300) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 300)


def test_trees_that_are_timed_have_the_same_edges_between_classes(tmp_path):
    _, x, y = features_speed.data(tmp_path, 300)
    assert x.shape == (300, 784)
    x = x.astype(float)
    expected = features_speed.published(x, y)
    assert 0 < expected < 299
    assert features_speed.ours("products", x, y) == expected
    took = features_speed.Took(2.0, 1.0, expected)
    slow = features_speed.Took(8.0, 3.0, expected)
    lines = list(
        features_speed.page(
            "Made", {"dataeval": slow, "products": took}, {"published": slow, "products": took}
        )
    )
    assert f"| ours, NumPy alone | 2.0 | 0.25 | 1.1 | 1.00 | {expected} |" in lines
    assert f"| ours, NumPy alone | 2.0 | 4.0 | 8 | 1.00 | {expected} |" in lines


def test_warps_are_as_strong_as_it_takes_for_lines_to_lose():
    # A quarter of the items, whose noise is twice as large: a standard error of 0.015 at most.
    assert features.WARP in features.STRENGTHS
    before = features.STRENGTHS[features.STRENGTHS.index(features.WARP) - 1]
    assert features.lines_lose_by(features.WARP, 1_000) > features.LINES_LOSE_BY - 0.045
    assert features.lines_lose_by(before, 1_000) < features.LINES_LOSE_BY


def test_the_cost_of_noise_is_that_of_a_pass_and_of_labels():
    run, noise = features.cost_of_noise(3, n=200, levels=3)
    assert run > 0
    assert noise >= 0  # clocks may stand still during a small task


def test_the_study_of_skipped_items_asks_with_strata_and_without():
    setting, rng = judges.USUAL[2], np.random.default_rng(0)
    tables = [(judges.table_of(setting, 500, judges.SKIPPED, rng), setting.floor) for _ in range(3)]
    found = judges.skipped(setting.name, 500, judges.SKIPPED, tables)
    assert found.strata != found.none
    assert found.strata[2] > found.none[2]  # hard items are few, and their noise counts
    assert prediction_powered.STRATA > 1
    with pytest.raises(ef.InputError, match="do not stand for all"):  # as before
        ef.from_scores(judges.table_of(setting, 20_000, judges.SKIPPED, rng))
    ((table, floor), *_) = judges.drawn_classes(3, 200, judges.SKIPPED, 1)
    assert (len(table.classes), table.n + table.n_unlabelled) == (3, 10_000)
    assert 0 < floor < 2 / 3


def test_the_worst_entry_is_that_of_the_tables_and_columns_that_are_meant(tmp_path, monkeypatch):
    page = """# A study

Of 200 data sets.

## Widths

| setting | items | width |
| --- | ---: | ---: |
| easy | 10 | 0.1 |

## Coverage

| setting | items | coverage | other |
| --- | ---: | ---: | ---: |
| easy | 10 | 0.97 (0.5) | 0.2 |
| hard | 20 | 0.93 (0.5) | 0.2 |
"""
    (tmp_path / "study.md").write_text(page)
    monkeypatch.setattr(worst, "RESULTS", tmp_path)
    study = worst.Study("all", "ours", "study", "^Coverage", "^coverage$", r"Of (\d+) data", keys=2)
    least = min(study.entries(), key=lambda entry: entry.value)
    assert [entry.value for entry in study.entries()] == [0.97, 0.93]
    assert study.setting(least) == "hard; items 20; coverage"
    assert study.number_of_sets(least) == 200
    with pytest.raises(LookupError, match=r"study\.md has no entries for: all"):
        worst.Study("all", "ours", "study", "^None", "^coverage$", "").entries()


def test_the_least_of_many_shares_is_low_beyond_chance_only_if_it_is_very_low():
    # 25 misses or more of 200 have a chance of 3e-5 at a coverage of 0.95, 18 or more one of 0.012
    assert worst.beyond_chance(0.875, 100, 200, 0.95)
    assert not worst.beyond_chance(0.91, 100, 200, 0.95)
    assert worst.beyond_chance(0.91, 1, 200, 0.95)
