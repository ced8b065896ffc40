import json

import numpy as np
import pytest
from scipy.stats import beta, binom

import errorfloor as ef
from errorfloor.questions.cap import Capped, ReachedErrors
from errorfloor.show.recipe import command_line, python_code

VOTES = [0] * 400 + [1] * 120 + [2] * 480


def test_a_good_model_caps_the_estimate_and_its_upper_limit():
    free, found = ef.from_votes(VOTES, 2), ef.from_votes(VOTES, 2, model_error=(700, 10_000))
    assert found.high == pytest.approx(beta.ppf(1 - 0.005, 701, 9300))
    assert found.high < free.high
    assert found.value == pytest.approx(beta.median(701, 9300))
    assert found.value < free.value
    assert found.low == min(free.low, found.value)
    assert "the floor is at most its error" in found.assumptions
    assert found.bias_bound is None
    again = found.at_level(0.8)
    assert again.high == pytest.approx(beta.ppf(1 - 0.02, 701, 9300))
    assert again.low == free.at_level(0.8).low


def test_a_poor_model_costs_a_fifth_of_the_upper_tail_and_nothing_else():
    free, found = ef.from_votes(VOTES, 2), ef.from_votes(VOTES, 2, model_error=(4000, 10_000))
    assert (found.value, found.low) == (free.value, free.low)
    assert found.high == free.at_level(1 - 0.8 * 0.05).high >= free.high


def test_few_items_say_little():
    free, found = ef.from_votes(VOTES, 2), ef.from_votes(VOTES, 2, model_error=(0, 3))
    assert (found.value, found.low) == (free.value, free.low)
    assert found.high == free.at_level(0.96).high


def test_capped_limits_still_cover():
    # The optimal model itself caps: its error is the floor. The limits of the votes are stood in
    # for by a normal interval of the same level, so that only the payment is tested.
    class Normal:
        method = "normal"

        def __init__(self, estimate):
            self.estimate = estimate

        def limits(self, level):
            from scipy.stats import norm

            half = norm.isf((1 - level) / 2) * 0.01
            return self.estimate - half, self.estimate + half

    rng, floor, misses = np.random.default_rng(0), 0.1, 0
    for _ in range(2000):
        votes = Normal(rng.normal(floor, 0.01))
        model = ReachedErrors(int(rng.binomial(900, floor)), 900)
        value = min(votes.estimate, model.value)
        misses += Capped(value, votes, model).limits(0.95)[1] < floor
    assert misses <= binom.isf(1e-3, 2000, 0.025)


def test_a_model_below_the_floor_is_doubted():
    with pytest.warns(ef.LabelShiftWarning, match="below the lower limit of the floor"):
        found = ef.from_votes(VOTES, 2, model_error=(5, 10_000))
    assert found.low <= found.value <= found.high
    assert found.warnings


def test_a_model_is_doubted_where_its_exact_limit_is_below_that_of_the_floor():
    class Floor:
        method = "fixed"

        def __init__(self, low):
            self.low = low

        def limits(self, level):
            assert level == 0.9
            return self.low, 0.5

    model, limit = ReachedErrors(50, 1000), beta.ppf(0.95, 51, 950)
    assert Capped(0.1, Floor(limit + 1e-9), model).contradicts(0.9)
    assert not Capped(0.1, Floor(limit - 1e-9), model).contradicts(0.9)


def test_without_an_interval_the_value_is_capped():
    found = ef.from_votes(VOTES, 2, model_error=(700, 10_000), interval=None)
    assert found.value == pytest.approx(beta.median(701, 9300))
    assert found.interval is None


def test_a_bare_rate_bounds_the_bias_as_before():
    free, found = ef.from_votes(VOTES, 2), ef.from_votes(VOTES, 2, model_error=0.07)
    assert (found.value, found.low, found.high) == (free.value, free.low, free.high)
    assert found.bias_bound > 0


@pytest.mark.parametrize("pair", [(1,), (5, 3), (-1, 3), (0.5, 3), ("a", 3), (0, 0), (1, 2, 3)])
def test_bad_pairs_are_refused(pair):
    with pytest.raises(ef.InputError, match="`model_error` must be a rate, or a pair"):
        ef.from_votes(VOTES, 2, model_error=pair)


@pytest.mark.parametrize("pair", [(0, 1), (1, 1), [0, 2]])
def test_one_item_is_enough_for_a_pair(pair):
    found = ef.from_votes(VOTES, 2, model_error=pair, interval=None)
    assert found.value == ef.from_votes(VOTES, 2, interval=None).value


def test_the_plugin_is_not_capped():
    with pytest.raises(ef.InputError, match="caps the floor of a mixture"):
        ef.from_votes(VOTES, 2, model_error=(3, 10), method="plugin")


def test_it_can_be_had_again_in_python_and_on_the_command_line(tmp_path, capsys):
    pytest.importorskip("click")
    from errorfloor.apps.cli.commands import run

    path = tmp_path / "votes.csv"
    path.write_text("votes,total\n" + "".join(f"{k},2\n" for k in VOTES))
    found = ef.from_votes(path, positives="votes", totals="total", model_error=(70, 1000))
    scope = {}
    exec(python_code(found), scope)
    assert scope["floor"].high == found.high
    typed = command_line(found).split()[1:]
    assert typed[typed.index("--reached") + 1] == "70/1000"
    assert run([*typed, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    assert (result["value"], result["high"]) == (found.value, found.high)
    assert run(["estimate", str(path), "--reached", "70"]) == 2
    assert run(["estimate", str(path), "--reached", "7/100", "--bias-for-error", "0.1"]) == 2


def test_groups_are_each_capped():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"k": VOTES, "g": ["a", "b"] * (len(VOTES) // 2)})
    found = ef.from_votes(frame, 2, positives="k", group="g", model_error=(70, 1000))
    assert all(row.high <= ReachedErrors(70, 1000).cap(0.005) + 1e-12 for row in found.values())
