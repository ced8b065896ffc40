"""The paper's figures: small versions of each, and what `reproduce` does with them."""

import json
import os
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from helpers import put_made_sets
from needs import needs_data

import papers
from errorfloor.data import storage
from papers import (
    Check,
    Reproduction,
    __main__,
    _style,
    figure_2,
    figure_3,
    figure_5,
    figure_6,
    figure_7,
    figure_8,
    reproduce,
    table_feebee,
)
from papers._document import document

# Figures that are quick, or that `small` makes so.
SMALL = ["figure-2", "figure-3", "figure-5", "figure-6", "figure-7", "figure-8", "table-feebee"]
QUICK = ["figure-2", "figure-3", "figure-5", "figure-8"]  # need no data and no simulation


def numbers_of(module):
    return json.loads(json.dumps(module.compute(), allow_nan=False))


@cache
def small(module):
    """Return the numbers of a figure that was made quick, from made data in place of real sets."""
    with pytest.MonkeyPatch.context() as patch:
        put_made_sets(patch, 300)
        patch.setattr(figure_7, "REPETITIONS", 20)
        patch.setattr(figure_7, "ITEMS", 50)
        patch.setattr(table_feebee, "REPEATS", 2)
        patch.setattr(table_feebee, "TAIL", 2)
        return numbers_of(module)


def drawn(module, numbers):
    with _style.style():
        return module.draw(numbers)


# What `reproduce` promises.


@pytest.mark.parametrize("name", SMALL)
def test_every_figure_has_its_files_and_small_svgs(name, monkeypatch, tmp_path):
    module = import_module(f"papers.{name.replace('-', '_')}")
    numbers = small(module)
    monkeypatch.setattr(module, "compute", lambda: numbers)
    (found,) = reproduce(name, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{name}.json",
        f"{name}.png",
        f"{name}.svg",
    ]
    assert found.svg.stat().st_size < 150_000
    content = json.loads((tmp_path / f"{name}.json").read_text())
    assert content["checks"] == [check.to_dict() for check in found.checks]
    assert content["numbers"] == found.numbers
    assert all(np.isfinite(check.ours) for check in found.checks)


def test_the_drawings_of_the_page_are_small():
    drawings = list((Path(__file__).parents[1] / "docs" / "figures").glob("*.svg"))
    assert drawings
    assert all(path.stat().st_size < 150_000 for path in drawings)


def test_every_module_of_a_figure_is_listed_and_has_its_parts():
    folder = Path(papers.__file__).parent
    files = {path.stem.replace("_", "-") for path in folder.glob("[ft]*.py")}
    every = (*papers.FIGURES, *papers.FOLLOW_UP)
    assert files == set(every)
    for name in every:
        module = import_module(f"papers.{name.replace('-', '_')}")
        assert module.TITLE
        assert not module.TITLE.endswith(".")


def test_the_same_numbers_give_the_same_files(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        reproduce("figure-3", folder)
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes()


@pytest.fixture
def counted(monkeypatch):
    """Count how often figure 5 is computed."""
    calls = []
    compute = figure_5.compute
    monkeypatch.setattr(figure_5, "compute", lambda: calls.append(1) or compute())
    return calls


def test_what_is_there_is_not_computed_again_unless_forced(counted, tmp_path):
    (first,) = reproduce("figure-5", tmp_path)
    assert reproduce("figure-5", tmp_path) == [first]
    assert len(counted) == 1
    reproduce("figure-5", tmp_path, force=True)
    assert len(counted) == 2


def test_what_lacks_a_file_is_damaged_or_of_other_code_is_computed_again(counted, tmp_path):
    reproduce("figure-5", tmp_path)
    path = tmp_path / "figure-5.json"
    whole = json.loads(path.read_text())
    # Figures 3 and 4 have changed places, so that a file of that name may hold the other one.
    other = {**whole, "source": whole["source"][::-1]}
    older = {name: part for name, part in whole.items() if name != "source"}  # before 0.3
    wrong = ({**whole, "version": "0.0.1"}, other, older, [], {})
    for content in (*map(json.dumps, wrong), "{"):
        path.write_text(content)
        counted.clear()
        reproduce("figure-5", tmp_path)
        assert len(counted) == 1, content
    for lost in ("figure-5.svg", "figure-5.png", "figure-5.json"):
        (tmp_path / lost).unlink()
        counted.clear()
        reproduce("figure-5", tmp_path)
        assert len(counted) == 1, lost
        assert (tmp_path / lost).exists()


def test_a_run_that_stops_keeps_what_was_finished(monkeypatch, counted, tmp_path):
    monkeypatch.setattr(figure_8, "compute", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        reproduce(["figure-5", "figure-8"], tmp_path)
    assert not list(tmp_path.glob("*figure-8*"))
    monkeypatch.undo()
    monkeypatch.setattr(figure_5, "compute", lambda: 1 / 0)
    assert [found.name for found in reproduce(["figure-5", "figure-8"], tmp_path)] == [
        "figure-5",
        "figure-8",
    ]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(monkeypatch, tmp_path):
    path = tmp_path / "file"
    storage.write_bytes(path, b"old")

    def refuse(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        storage.write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="has no such rights")
def test_files_have_the_usual_rights(tmp_path):
    (tmp_path / "usual").touch()
    storage.write_bytes(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("which", ["figure-22", ["figure-2", "figure-22"], "figure 2", 2])
def test_unknown_names_are_refused_with_near_ones_before_anything_runs(which, tmp_path):
    with pytest.raises(ValueError, match="`which` must be one of figure-") as refused:
        reproduce(which, tmp_path / "out")
    assert which == 2 or "Did you mean figure-2" in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_a_terminal_sees_progress_and_a_file_does_not(monkeypatch, capsys, tmp_path):
    reproduce(["figure-3", "figure-5"], tmp_path)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    reproduce(["figure-3", "figure-5"], tmp_path)
    shown = capsys.readouterr()
    assert "figure-5" in shown.err
    assert shown.out == ""


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch, tmp_path):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'errorfloor\[paper\]'"):
        reproduce("figure-5", tmp_path)
    assert not list(tmp_path.iterdir())


# The command and the page.


def test_the_command_writes_the_page_once_all_figures_are_there(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(papers, "FIGURES", tuple(QUICK))
    monkeypatch.setattr(__main__, "FIGURES", tuple(QUICK))
    out, docs = tmp_path / "out", tmp_path / "docs"
    options = ["--out", str(out), "--docs", str(docs)]
    assert __main__.main([*options, "figure-2"]) == 0
    assert not docs.exists()
    assert "lacks figure-3, figure-5, figure-8" in capsys.readouterr().err
    assert __main__.main([*options, "all"]) == __main__.main(options) == 0
    assert "figure-2: 3 of 3 numbers agree" in capsys.readouterr().out
    assert sorted(path.stem for path in (docs / "figures").iterdir()) == QUICK
    assert "| bound of Ishida et al. | 0.557 | 0.55773 | +0.00073 | none | yes |" in (
        docs / "paper.md"
    ).read_text(encoding="utf-8")


def test_the_command_prints_the_librarys_error(capsys, tmp_path):
    assert __main__.main(["--out", str(tmp_path), "figure-0"]) == 1
    assert "`which` must be one of" in capsys.readouterr().err


def test_the_page_has_every_number_its_difference_and_whether_it_agrees(tmp_path):
    checks = (
        Check("exact, agrees", 0.557, 0.5577, None, "cut | off"),
        Check("exact, differs", 0.557, 0.5591, None),
        Check("noisy, agrees", -0.4970, -0.4950, 0.001),
        Check("noisy, differs", -0.4228, -0.5, 0.02, "why"),
    )
    text = document(
        [
            Reproduction("figure-7", "Bias", {}, checks, tmp_path),
            Reproduction("table-feebee", "Scores", {}, (), tmp_path),
        ]
    )
    for line in (
        "| [Figure 7](#figure-7) | Bias | 4 | 2 | 2 |",
        "| [Table FeeBee](#table-feebee) | Scores | none printed |  |  |",
        "![Bias](figures/figure-7.svg)",
        "| exact, agrees | 0.557 | 0.55770 | +0.00070 | none | yes | cut \\| off |",
        "| exact, differs | 0.557 | 0.55910 | +0.00210 | none | **no** |  |",
        "| noisy, agrees | -0.4970 | -0.4950 | +0.0020 | 0.0010 | yes |  |",
        "| noisy, differs | -0.4228 | -0.5000 | -0.0772 | 0.0200 | **no**, 3.9 s.d. | why |",
        "The paper prints no number here.",
    ):
        assert line in text.splitlines()


@pytest.mark.parametrize(
    ("published", "ours", "error", "agrees"),
    [
        (0.557, 0.5577, None, True),  # cut off
        (0.558, 0.5577, None, True),  # rounded
        (0.556, 0.5577, None, False),
        (200, 202.3, None, True),  # one digit is printed
        (9994, 9995, None, False),
        (0.5, 0.529, 0.01, True),
        (0.5, 0.531, 0.01, False),
    ],
)
def test_numbers_agree_in_the_digits_printed_or_within_three_deviations(
    published, ours, error, agrees
):
    assert Check("", published, ours, error).agrees == agrees


# Each figure: its drawing shows its numbers, and its numbers are right.


def lines(ax):
    return {line.get_label(): line.get_ydata() for line in ax.get_lines()}


def test_figure_2_draws_its_numbers():
    numbers = small(figure_2)
    (ax,) = drawn(figure_2, numbers).axes
    shown = lines(ax)
    np.testing.assert_array_equal(shown["the paper's B(E, m)"], numbers["bound"])
    np.testing.assert_array_equal(shown["the smallest possible bound"], numbers["sharp"])
    assert set(shown["Ishida et al. 2023"]) == {numbers["older"]}
    assert all(check.agrees for check in figure_2.checks(numbers))
    assert numbers["ratio"] > 200


def test_figure_5_draws_its_numbers():
    numbers = small(figure_5)
    q = np.array(numbers["soft_labels"])
    np.testing.assert_allclose(numbers["l_err"], q * (1 - q) / np.abs(2 * q - 1))
    (ax,) = drawn(figure_5, numbers).axes
    left, right, _ = ax.get_lines()
    np.testing.assert_array_equal([*left.get_ydata(), *right.get_ydata()], numbers["l_err"])
    assert figure_5.checks(numbers) == []


def test_figure_6_draws_its_numbers():
    numbers = small(figure_6)
    axes = drawn(figure_6, numbers).axes
    for ax, found in zip(axes, numbers["sets"].values(), strict=True):
        assert sum(found["negatives"]) + sum(found["positives"]) == found["n"]
        shares = [patch.get_data().values for patch in ax.patches[1::2]]
        expected = [np.array(found[label]) / found["n"] for label in ("negatives", "positives")]
        np.testing.assert_array_equal(shares, expected)
    assert figure_6.checks(numbers) == []


# The binarised CIFAR-10H has soft labels of exactly 0 or 1 for most items: 87.4 %, by
# `np.isin(scores, (0, 1)).mean()` on its votes.
@needs_data
def test_figure_6_has_all_items_of_the_real_sets():
    found = numbers_of(figure_6)["sets"]
    sizes = [10_000, 10_000, 1514, 1599, 1532]
    assert [found[name]["n"] for name in figure_6.NAMES[:5]] == sizes
    assert found["CIFAR-10"]["certain"] == pytest.approx(0.874, abs=5e-4)


def test_figure_7_draws_its_numbers():
    numbers = small(figure_7)
    axes = drawn(figure_7, numbers).axes
    for ax, found in zip(axes, numbers["distributions"].values(), strict=True):
        bound, exact, simulated, *_ = ax.get_lines()
        np.testing.assert_array_equal(bound.get_ydata(), found["bound"])
        np.testing.assert_array_equal(exact.get_ydata(), np.abs(found["exact"]))
        np.testing.assert_array_equal(simulated.get_ydata(), np.abs(found["simulated"]))


def test_simulated_biases_are_the_exact_ones_within_their_noise():
    for found in small(figure_7)["distributions"].values():
        z = (np.array(found["simulated"]) - found["exact"]) / found["standard_error"]
        assert np.abs(z).max() < 4.5  # 21 values of Student's t with 19 degrees of freedom
        assert (np.abs(found["exact"]) < found["bound"]).all()


def test_paired_biases_are_the_exact_ones_with_less_noise():
    found = small(figure_7)["distributions"]
    error = np.array(found["a"]["paired_standard_error"])
    z = (np.array(found["a"]["paired"]) - found["a"]["exact"]) / error
    assert np.abs(z).max() < 4.5
    assert (error[1:] < 0.5 * np.array(found["a"]["standard_error"])[1:]).all()
    for key in "bc":  # where true probabilities give the floor whatever the items
        assert found[key]["paired"] == pytest.approx(found[key]["simulated"], abs=1e-12)


# By adaptive quadrature of the sum over votes, and for (b) in closed form: the bias of a coin flip
# is binom(2c, c) / 2^(2c + 1) with c = m // 2.
def test_exact_slopes_of_figure_7_are_those_of_slow_quadrature():
    from scipy import integrate, special, stats

    def item(place, m):
        p = special.expit(2 * np.sqrt(2) * place)
        k = np.arange(m + 1)
        share = stats.binom.pmf(k, m, p) @ np.minimum(k, m - k) / m
        density = stats.norm.pdf(place - np.sqrt(2)) + stats.norm.pdf(place + np.sqrt(2))
        return density * (share - min(p, 1 - p))  # both halves of the line: twice a half

    found = small(figure_7)["distributions"]
    for m, exact in list(zip(figure_7.VOTES, found["a"]["exact"], strict=True))[:4]:
        assert integrate.quad(item, 0, 12, (m,))[0] == pytest.approx(exact, rel=1e-6)
    half = np.array(figure_7.VOTES) // 2
    coins = special.binom(2 * half, half) / 4.0**half / 2
    np.testing.assert_allclose(found["b"]["exact"], -coins, rtol=1e-12)
    slopes = [found[key]["slope_exact"] for key in "ab"]
    assert slopes == pytest.approx([-0.9963, -0.4972], abs=5e-5)


def test_figure_7_compares_the_slopes_in_print():
    checks = figure_7.checks(small(figure_7))
    assert [check.published for check in checks] == [-0.9066] * 3 + [-0.497, -0.497, -0.4228]
    assert "our reading" in checks[1].note
    assert "exponentially" in checks[-1].note


def test_printed_ranks_are_the_papers():
    for setting in table_feebee.SETTINGS.values():
        assert sorted(setting.ranks.values()) == list(range(1, 11))
    ranks = {name: list(setting.ranks.values()) for name, setting in table_feebee.SETTINGS.items()}
    assert ranks["CIFAR-10"] == [3, 4, 1, 5, 6, 8, 10, 7, 9, 2]
    assert ranks["ICLR2024"] == [6, 7, 8, 9, 10, 2, 3, 1, 4, 5]  # two equal, in order
    assert ranks["ICLR2025"] == [6, 7, 8, 9, 10, 3, 5, 2, 1, 4]  # two equal, not in order


def test_figure_3_is_the_corruption_of_the_synthetic_set():
    numbers = small(figure_3)
    (ax,) = drawn(figure_3, numbers).axes
    p, (found,) = np.array(numbers["p"]), numbers["maps"]
    inner = (p > 0) & (p < 1)
    expected = 1 / (1 + np.sqrt((1 - p[inner]) / p[inner]) * 0.3 / 0.7)
    np.testing.assert_allclose(np.array(found["f"])[inner], expected)
    np.testing.assert_array_equal(ax.get_lines()[1].get_ydata(), found["f"])
    assert [check.published for check in figure_3.checks(numbers)] == [0.7]


def test_figure_8_draws_its_numbers():
    numbers = small(figure_8)
    axes = drawn(figure_8, numbers).axes
    for ax, found in zip(axes, numbers["maps"], strict=True):
        _, curve, point = ax.get_lines()
        np.testing.assert_array_equal(curve.get_ydata(), found["f"])
        assert point.get_ydata() == [found["at_half"]]
    assert all(check.agrees for check in figure_8.checks(numbers))


def test_the_feebee_table_draws_its_numbers():
    numbers = small(table_feebee)
    axes = drawn(table_feebee, numbers).axes
    for ax, (name, found) in zip(axes, numbers["sets"].items(), strict=True):
        assert ax.get_title() == name
        shown = {line.get_label(): line.get_xdata() for line in ax.get_lines()}
        np.testing.assert_array_equal(shown["printed"], list(found["published"].values()))
        container = ax.containers[0]
        np.testing.assert_array_equal(container[0].get_xdata(), list(found["score"].values()))
    checks = table_feebee.checks(numbers)
    assert len(checks) == 150
    assert all(
        ("plain beta" in c.note) == (c.name.split(", ")[1] in table_feebee.VARIANTS) for c in checks
    )


@needs_data
def test_the_print_of_cifar_10_agrees_with_few_repeats(monkeypatch):
    monkeypatch.setattr(table_feebee, "REPEATS", 10)
    name = "CIFAR-10"
    monkeypatch.setattr(table_feebee, "SETTINGS", {name: table_feebee.SETTINGS[name]})
    checks = table_feebee.checks(numbers_of(table_feebee))
    assert sum(check.agrees for check in checks) >= 9
