import json
import math

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.questions.agreement import allowed
from errorfloor.show.recipe import command_line, python_code
from errorfloor.show.text import long_text_of


@pytest.mark.filterwarnings("ignore:All votes agree")
@pytest.mark.filterwarnings("ignore::errorfloor.RefutedWarning")  # 300 of 1,000 agree
@pytest.mark.parametrize("interval", ["likelihood", "certified"])
@pytest.mark.parametrize(("agree", "pairs"), [(460, 500), (18, 30), (1000, 1000), (300, 1000)])
def test_it_equals_two_votes_with_an_even_split(agree, pairs, interval):
    votes = [0] * (agree // 2) + [1] * (pairs - agree) + [2] * (agree // 2)
    slow = ef.from_votes(votes, 2, interval=interval)
    found = ef.from_agreement(agree, pairs, interval=interval)
    for name in ("value", "low", "high"):
        assert getattr(found, name) == pytest.approx(getattr(slow, name), abs=1e-6)
    again, level = found.at_level(0.8), slow.at_level(0.8)
    assert (again.low, again.high) == pytest.approx((level.low, level.high), abs=1e-6)


def test_it_equals_two_votes_with_the_given_share():
    votes = [0] * 300 + [1] * 100 + [2] * 600
    slow = ef.from_votes(votes, 2)
    found = ef.from_agreement(900, 1000, share=0.65)
    for name in ("value", "low", "high"):
        assert getattr(found, name) == pytest.approx(getattr(slow, name), abs=1e-6)


def test_an_odd_number_of_pairs_lies_between_its_neighbours():
    values = [ef.from_agreement(agree, 500, interval=None).value for agree in (450, 451, 452)]
    assert values[0] > values[1] > values[2]


def test_agreement_allows_the_range_of_the_theory():
    assert allowed(0.92) == pytest.approx((0.0417424, 0.08), abs=1e-7)
    assert allowed(1.0) == (0, 0)
    assert allowed(0.5) == (0.5, 0.5)
    assert allowed(0.2) == (0.5, 0.5)


@pytest.mark.parametrize("share", [0.5, 0.3, 0.07, 0.95])
def test_the_allowed_range_is_that_of_all_distributions(share):
    # A linear program over distributions with this mean and this agreement.
    from scipy.optimize import linprog

    eta = np.linspace(0, 1, 2001)
    differ = 1.6 * share * (1 - share)
    ends = [
        sign
        * linprog(
            sign * np.minimum(eta, 1 - eta),
            A_eq=np.vstack((np.ones_like(eta), eta, 2 * eta * (1 - eta))),
            b_eq=[1, share, differ],
        ).fun
        for sign in (1, -1)
    ]
    assert allowed(1 - differ, share) == pytest.approx(ends, abs=1e-5)


def test_many_pairs_leave_what_agreement_allows():
    found = ef.from_agreement(92 * 10**6, 10**8)
    assert found.low == pytest.approx(found.allowed_low, abs=5e-4)
    assert found.high == pytest.approx(found.allowed_high, abs=5e-4)
    assert found.low <= found.allowed_low <= found.value <= found.allowed_high <= found.high


def test_rates_and_kappa_and_alpha_become_counts():
    assert ef.from_agreement("92%", 500).agree == 460
    assert ef.from_agreement(0.92, 500).agree == 460
    assert ef.from_agreement(460.0, 500).agree == 460
    # Chance agreement of shares 0.3 and 0.4 is 0.12 + 0.42 = 0.54.
    kappa = (0.92 - 0.54) / 0.46
    found = ef.from_agreement(kappa=kappa, share=(0.3, 0.4), pairs=500)
    assert (found.agree, found.share) == (460, 0.35)
    # Krippendorff: alpha = 1 - (2n - 1) * differ * n * 2 / (2 n0 n1), with 350 of 1,000 votes.
    alpha = 1 - 999 * 40 * 2 / (2 * 350 * 650)
    assert ef.from_agreement(alpha=alpha, share=0.35, pairs=500).agree == 460


@pytest.mark.parametrize("agree", [1.0, np.float64(1), "100%", 20, 20.0])
def test_a_float_of_1_is_the_rate_at_which_all_pairs_agree(agree):
    found = ef.from_agreement(agree, 20)
    assert (found.agree, found.agreement, found.refuted) == (20, 1, False)
    assert found.low == 0
    assert 0.05 < found.high < 0.2  # twenty pairs do not show that no vote ever differs


def test_a_whole_1_counts_one_pair_and_the_refusal_says_so(capsys):
    with pytest.warns(ef.RefutedWarning, match=r"as a rate, 1 is written 1\.0 or 100%"):
        assert ef.from_agreement(1, 20).agree == 1
    assert ef.from_agreement(1, 1).agree == 1
    pytest.importorskip("click")
    from errorfloor.apps.cli.commands import run

    for word, agree in (("1", 1), ("1.0", 20), ("19", 19), ("19.0", 19), ("0.95", 19)):
        # One pair of twenty that agrees refutes that two people vote alike.
        code = run(["agreement", "--agree", word, "--pairs", "20", "--json"])
        assert code == (4 if agree == 1 else 0)
        assert json.loads(capsys.readouterr().out)["result"]["agree"] == agree


@pytest.mark.parametrize(("rate", "pairs"), [(0.999, 20), ("99.9%", 20), (0.93, 37)])
def test_a_rate_that_is_none_of_so_many_pairs_is_not_rounded_to_one(rate, pairs):
    found = ef.from_agreement(rate, pairs)
    share = float(rate.rstrip("%")) / 100 if isinstance(rate, str) else rate
    assert found.agreement == pytest.approx(share, abs=1e-6)
    assert 0 < found.allowed_low <= found.value <= found.allowed_high <= found.high
    assert "floor 0.00 %" not in str(found)
    scope = {}
    exec(python_code(found), scope)
    assert scope["floor"].value == pytest.approx(found.value, rel=1e-6)


def test_a_share_may_be_a_number_of_any_kind_or_one_of_each_rater():
    expected = ef.from_agreement(460, 500, share=0.25).value
    for share in (np.float64(0.25), "25%", (0.25, 0.25), [0.2, 0.3]):
        assert ef.from_agreement(460, 500, share=share).value == pytest.approx(expected)


def test_it_says_what_agreement_allows_and_how_to_have_it_again():
    found = ef.from_agreement(461, 500, share=0.3, level=0.9)
    text = long_text_of(found)
    assert "461 of 500 pairs agree (92.2 %)" in text
    assert "; the 90 % interval also allows for chance in the 500 pairs." in text
    assert "How often two people agree is not the best possible accuracy" in text
    scope = {}
    exec(python_code(found), scope)
    assert scope["floor"].to_dict()["low"] == found.low
    assert scope["floor"].value == found.value
    assert json.loads(json.dumps(found.to_dict()))["allowed_high"] == pytest.approx(0.078)


def test_a_model_is_judged_beside_it():
    found = ef.from_agreement(460, 500)
    verdict = ef.headroom(found, 200, 1000, same_labelling=True)
    assert verdict.verdict == "room"
    assert verdict.low == pytest.approx(verdict.model.low - found.high)
    with pytest.warns(ef.LabelShiftWarning):
        ef.headroom(found, 50, 1000)


def test_the_command_line_says_the_same(capsys):
    pytest.importorskip("click")
    from errorfloor.apps.cli.commands import run

    found = ef.from_agreement(461, 500, share=0.3, level=0.9)
    assert run([*command_line(found).split()[1:], "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    assert (result["value"], result["low"], result["high"]) == (found.value, found.low, found.high)
    assert run(["agreement", "--agree", "92%", "--pairs", "500"]) == 0
    assert "would fit any floor from 4.2 to 8.0 %" in " ".join(capsys.readouterr().out.split())
    assert run(["agreement", "--agree", "501", "--pairs", "500"]) == 1
    assert "--agree must be a whole number from 0 to --pairs = 500" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        (["0.79", "412"], "  errorfloor agreement --agree 0.79 --pairs 412"),
        ([], "  errorfloor agreement --agree 92% --pairs 500"),
    ],
)
def test_numbers_without_options_are_answered_with_the_command_that_has_them(
    typed, command, capsys
):
    pytest.importorskip("click")
    from errorfloor.apps.cli.commands import run

    assert run(["agreement", *typed]) == 2
    assert command in capsys.readouterr().err.splitlines()
    assert run(command.split()[1:]) == 0
    assert "The best possible accuracy" in capsys.readouterr().out


def test_one_number_without_an_option_is_answered_with_what_is_missing(capsys):
    pytest.importorskip("click")
    from errorfloor.apps.cli.commands import run

    assert run(["agreement", "79%"]) == 2
    assert "  errorfloor agreement --agree 79% --pairs COUNT" in capsys.readouterr().err
    assert run(["agreement", "votes.csv"]) == 2
    assert "Got unexpected extra argument (votes.csv)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agree": 5}, "`pairs` must be a whole number of at least 1, got None"),
        ({"agree": 6, "pairs": 5}, r"`agree` must be a whole number from 0 to `pairs` = 5"),
        ({"agree": 2.5, "pairs": 5}, "`agree` must be a whole number"),
        ({"agree": True, "pairs": 5}, "`agree` must be a whole number"),
        ({"agree": np.True_, "pairs": 5}, "`agree` must be a whole number"),
        ({"agree": 1.5, "pairs": 5}, r"a rate from 0\.0 to 1\.0, or text such as '92%'; got 1\.5"),
        ({"agree": math.nan, "pairs": 5}, "`agree` must be a whole number"),
        ({"agree": "many", "pairs": 5}, "`agree` must be a whole number"),
        ({"pairs": 5}, "Give one of `agree`, `kappa` and `alpha`"),
        ({"agree": 3, "kappa": 0.5, "pairs": 5}, "Give one of"),
        ({"kappa": 0.5, "pairs": 5}, "`kappa` depends on how often each class is chosen"),
        ({"kappa": 5, "share": 0.5, "pairs": 5}, r"`kappa` must lie in \[-1, 1\], got 5"),
        ({"kappa": -1, "share": 0.05, "pairs": 5}, "`kappa` = -1 is impossible|cannot be"),
        ({"agree": 3, "pairs": 5, "share": 30}, r"`share` must lie in .*30 % is 0\.3"),
        ({"agree": 3, "pairs": 5, "share": 3j}, r"`share` must "),
        ({"agree": 3, "pairs": 5, "share": np.array(0.3)}, r"`share` must "),
        ({"agree": 3, "pairs": 5, "share": (0.1, 0.2, 0.3)}, "`share` must be one number, or one"),
        ({"agree": 50, "pairs": 100, "share": 0.1}, "`share` = 0.1 cannot be: 50 of 100 pairs"),
        ({"agree": 3, "pairs": 5, "interval": "bca"}, "`interval` must be one of auto, likelihood"),
        ({"agree": 3, "pairs": 5, "level": 95}, "`level` must lie strictly between"),
    ],
)
def test_bad_agreement_is_refused(arguments, message):
    with pytest.raises(ef.InputError, match=message):
        ef.from_agreement(**arguments)


def test_pairs_that_agree_less_than_any_votes_are_refuted():
    with pytest.warns(ef.RefutedWarning, match="agree on at least 50.0 % of pairs"):
        found = ef.from_agreement(300, 1000)
    assert found.refuted
    with pytest.warns(ef.RefutedWarning, match=r"at least 58.0 % .* agree on 50.0 %"):
        ef.from_agreement(500, 1000, share=0.3)
    assert not ef.from_agreement(490, 1000).refuted  # chance


def test_a_number_of_pairs_that_may_be_per_cent_is_told():
    with pytest.warns(ef.RefutedWarning, match=r"for 83 % pass 0\.83\."):
        ef.from_agreement(83, 500)
    assert ef.from_agreement(0.83, 500).value == ef.from_agreement(415, 500).value
