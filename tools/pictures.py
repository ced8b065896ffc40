"""Pictures of the documentation: `make pictures`, or `python -m tools.pictures NAME...` for some.

Drawings are made from simulated data.
Screens are photographed by Chromium, light and dark: the app, a report, a notebook, a terminal.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import errorfloor as ef
from benchmarks.first_minute import Picture, photograph
from errorfloor.apps import demo
from errorfloor.datasets import synthetic
from errorfloor.show.numbers import value_and_limits
from errorfloor.show.palette import BLUE, GREEN, GREY, ORANGE, RED, SKY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
COLUMNS = 96  # of the terminal


def main() -> None:
    """Draw what is named, or everything."""
    import matplotlib as mpl

    mpl.use("Agg")
    every: dict[str, Callable[[], None]] = {
        **{name: _saved(name, draw, size) for name, (draw, size) in DRAWINGS.items()},
        **SCREENS,
    }
    for name in sys.argv[1:] or every:
        every[name]()
        print(f"docs/figures/{name}")


def _saved(
    name: str, draw: Callable[[Axes], None], size: tuple[float, float]
) -> Callable[[], None]:
    def save() -> None:
        from matplotlib import pyplot, rc_context

        with rc_context({"svg.hashsalt": name, "font.size": 10}):
            figure = pyplot.figure(figsize=size, layout="constrained")
            draw(figure.add_subplot())
            figure.savefig(FIGURES / f"{name}.svg", metadata={"Date": None})
            pyplot.close(figure)

    return save


# How it works, in five pictures ------------------------------------------------------------------


def every_item(ax: Axes) -> None:
    """Draw the floor: what is left of each item when the likelier class is named."""
    prob = np.sort(synthetic.gaussian_mixture(2_000, means=((0.0,), (2.0,)), rng=0).soft_labels)
    share = np.linspace(0, 100, prob.size)
    least = np.minimum(prob, 1 - prob)
    ax.plot(share, 100 * prob, color=BLUE)
    ax.fill_between(share, 100 * least, color=ORANGE, alpha=0.6, linewidth=0)
    ax.annotate("probability of class 1", (60, 50), (40, 70), color=BLUE)
    floor = 100 * least.mean()
    ax.annotate(f"unavoidable errors:\nthe floor, {floor:.0f} % on average", (66, 20), (80, 26))
    ax.set(xlabel="items, from surely class 0 to surely class 1, %", ylabel="%", ylim=(0, 100))
    _plain(ax)


def few_votes(ax: Axes) -> None:
    """Draw votes: plain shares are too low, and the mixture corrects that."""
    data = synthetic.gaussian_mixture(2_000, means=((0.0,), (2.0,)), rng=0)
    truth = 100 * np.minimum(data.soft_labels, 1 - data.soft_labels).mean()
    numbers = [2, 3, 5, 10, 20, 50]
    found = [ef.from_votes(synthetic.vote(data.soft_labels, m, rng=m), m) for m in numbers]
    place = np.arange(len(numbers))
    ax.axhline(truth, color=GREY, linestyle="--", linewidth=1, label="truth")
    low, high = (np.array([100 * getattr(one, end) for one in found]) for end in ("low", "high"))
    value = np.array([100 * one.value for one in found])
    spread = [value - low, high - value]
    words = "our estimate, with its interval"
    ax.errorbar(place, value, spread, fmt="o", color=BLUE, capsize=3, label=words)
    plain = [100 * (one.plugin or 0) for one in found]
    ax.plot(place, plain, "s", color=RED, label="plain shares of votes: too low")
    ax.legend(frameon=False, loc="lower right", fontsize=9)
    ax.set_xticks(place, [str(m) for m in numbers])
    ax.set(xlabel="votes per item", ylabel="floor, %", ylim=(0, None))
    _plain(ax)


def best_cut(ax: Axes) -> None:
    """Draw scores: the best threshold is reachable, and a model that sees more may do better."""
    rng = np.random.default_rng(0)
    label = rng.random(4_000) < 0.5
    score = 1 / (1 + np.exp(-rng.normal(np.where(label, 0.9, -0.9), 1.1)))
    edges = np.linspace(0, 1, 41)
    middle = (edges[1:] + edges[:-1]) / 2
    ones, zeros = (np.histogram(score[label == kind], edges)[0] for kind in (True, False))
    cut = 0.5
    ax.stairs(ones, edges, color=BLUE)
    ax.stairs(-zeros, edges, color=GREEN)
    ax.bar(middle, np.where(middle < cut, ones, 0), 1 / 40, color=ORANGE, alpha=0.7)
    ax.bar(middle, np.where(middle > cut, -zeros, 0), 1 / 40, color=ORANGE, alpha=0.7)
    ax.axvline(cut, color="black", linewidth=1)
    ax.axhline(0, color=GREY, linewidth=0.8)
    wrong = 100 * np.mean((score > cut) != label)
    ax.text(cut, ones.max() * 1.12, f"  best threshold: {wrong:.0f} % wrong", va="bottom")
    ax.text(0.8, ones.max() * 0.45, "class 1", color=BLUE)
    ax.text(0.15, -zeros.max() * 0.5, "class 0", color=GREEN)
    ax.set(xlabel="a model's score", ylabel="items", xlim=(0, 1))
    ax.set_ylim(-zeros.max() * 1.15, ones.max() * 1.45)
    _plain(ax)


def own_and_held_out(ax: Axes) -> None:
    """Draw intervals: errors on the rule's own items are too few, held-out ones too many."""
    sizes, truth, draws = [30, 100, 300, 1_000], 30.85, 100
    own, held_out = np.zeros((2, len(sizes)))
    for place, n in enumerate(sizes):
        for seed in range(draws):
            data = synthetic.gaussian_mixture(
                n, means=((0.0,), (1.0,)), weights=(0.5, 0.5), rng=seed
            )
            table = data.score_table
            few = ef.from_scores(table, method="isotonic", interval=None).value
            middle = ef.from_scores(table, interval=None, rng=seed).value
            own[place] += 100 * few / draws
            held_out[place] += 100 * (2 * middle - few) / draws
    ax.fill_between(range(len(sizes)), own, held_out, color=SKY, alpha=0.35, linewidth=0)
    ax.plot(held_out, "^-", color=BLUE, label="on items held out: too many errors")
    ax.axhline(truth, color=GREY, linestyle="--", linewidth=1, label="truth")
    ax.plot(own, "v-", color=RED, label="on the items that chose it: too few")
    ax.legend(frameon=False, loc="lower right", fontsize=9)
    ax.set_xticks(range(len(sizes)), [f"{n:,}" for n in sizes])
    ax.set(xlabel="items", ylabel="error of the best threshold, %")
    _plain(ax)


def room(ax: Axes) -> None:
    """Draw headroom: guessing, the model, what is reachable, what no model reaches."""
    reached = [(0, 50, GREY, 0.35), (50, 30, BLUE, 1.0), (80, 8, SKY, 1.0)]
    for left, width, shade, alpha in [*reached, (88, 5.5, SKY, 0.5), (93.5, 6.5, GREY, 0.2)]:
        ax.barh(0, width, 0.5, left, color=shade, alpha=alpha)
    marks = [
        (50, "guessing", "center"),
        (80, "your model", "right"),
        (91, "best possible", "center"),
    ]
    for place, words, side in marks:
        ax.plot([place] * 2, [-0.32, 0.32], color="black", linewidth=1)
        ax.text(place, 0.42, words, ha=side)
    ax.annotate("", (91, -0.5), (80, -0.5), arrowprops={"arrowstyle": "<->", "color": RED})
    ax.text(85.5, -0.62, "headroom", ha="center", va="top", color=RED)
    ax.text(97, -0.42, "no model", ha="center", va="top", fontsize=8.5)
    ax.set(xlim=(0, 100), ylim=(-1, 0.8), xlabel="accuracy, %")
    ax.set_yticks([])
    _plain(ax)
    ax.spines["left"].set_visible(False)


def _plain(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)


# Tutorials and how-tos ----------------------------------------------------------------------------


def votes_by_number(ax: Axes) -> None:
    """Draw how the interval narrows with the votes per item."""
    data = synthetic.gaussian_mixture(1_500, rng=0)
    votes = synthetic.vote(data.soft_labels, 100, rng=0)
    rng = np.random.default_rng(0)
    numbers = [2, 3, 5, 10, 20, 50]
    found = [ef.from_votes(rng.hypergeometric(votes, 100 - votes, m), m) for m in numbers]
    _by_votes(ax, [*numbers, 100], [*found, ef.from_votes(votes, 100)])
    ax.axhline(100 * data.floor, color=GREY, linewidth=1, linestyle="--", zorder=0)
    ax.text(len(numbers), 100 * data.floor + 0.3, "true floor", color=GREY, ha="right")


def _by_votes(ax: Axes, numbers: list[int], found: list[Any]) -> None:
    place = np.arange(len(numbers))
    low, value, high = (
        np.array([100 * getattr(one, end) for one in found]) for end in ("low", "value", "high")
    )
    ax.errorbar(place, value, [value - low, high - value], fmt="o", color=BLUE, capsize=3)
    ax.plot(place, [100 * (one.plugin or 0) for one in found], "s", color=RED)
    ax.text(0.1, 0.6 + 100 * (found[0].plugin or 0), "plain shares", color=RED, va="center")
    ax.text(0.1, high[0], "mixture", color=BLUE, va="center")
    ax.set_xticks(place, [str(m) for m in numbers])
    ax.set(xlabel="votes per item", ylabel="floor, %", ylim=(0, None))
    _plain(ax)


def reliability_of_scores(ax: Axes) -> None:
    """Draw scores that are no probabilities."""
    data = synthetic.gaussian_mixture(5_000, rng=0).corrupted(2, 0.7)
    curve = ef.reliability(data.scores, data.labels)
    _under(ax, lambda axes: ef.plot.reliability(curve, axes=axes))


def _under(ax: Axes, draw: Callable[[tuple[Axes, Axes]], Any]) -> None:
    figure = ax.figure
    ax.remove()
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    draw((upper, lower))


def trusted_probabilities(ax: Axes) -> None:
    """Draw what true probabilities say, and what those of a model say that is too sure."""
    data = synthetic.gaussian_mixture(10_000, rng=0)
    sure = synthetic.corrupt(data.soft_labels, 0.5, 0.5)
    found = {
        "true probabilities": ef.from_soft_labels(data.soft_labels),
        "a model that is too sure": ef.from_soft_labels(sure),
        "its best threshold": ef.from_scores(sure, data.labels, complete=True),
    }
    _lines(ax, found)
    ax.set_xlabel("error, %")


def _lines(ax: Axes, found: dict[str, ef.Estimate]) -> None:
    for place, one in enumerate(reversed(found.values())):
        assert one.low is not None
        assert one.high is not None
        bound = one.claim.limits == "high"
        low = 0 if bound else one.low
        ax.plot([100 * low, 100 * one.high], [place] * 2, color=SKY if bound else BLUE, linewidth=6)
        words = f"{one:.1%}".replace("%", " %") if bound else value_and_limits(one)[0]
        ax.text(100 * one.high, place, f"  {words}", va="center")
        if not bound:
            ax.plot(100 * one.value, place, "o", color="black", markersize=5)
    most = max(100 * (one.high or 0) for one in found.values())
    ax.set(xlabel="floor, %", xlim=(0, 1.12 * most), ylim=(-0.6, len(found) - 0.4))
    ax.set_yticks(range(len(found)), list(reversed(found)))
    _plain(ax)


def three_floors(ax: Axes) -> None:
    """Draw the demo's file: three questions, three answers."""
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        demo.save(Path(folder))
        votes = pd.read_csv(Path(folder) / "gold.csv")
    crowd = votes.drop(columns="gold")
    columns: dict[str, Any] = {"item": "item", "annotator": "annotator", "vote": "vote"}
    one = ef.from_votes(crowd, **columns)
    five = ef.from_votes(crowd, **columns, majority=5)
    gold = ef.from_votes(votes, item="item", vote="vote", label="gold")
    _lines(ax, {"one more vote": one, "the majority of five": five, "the gold label": gold})


def people_of_demo(ax: Axes) -> None:
    """Draw two models as panels of people."""
    with tempfile.TemporaryDirectory() as folder:
        demo.save(Path(folder))
        path = Path(folder) / "models.csv"
        ef.plot.people(ef.people(path, prediction=["careful", "hasty"]), ax=ax)


def models_of_demo(ax: Axes) -> None:
    """Draw two models on the same items."""
    with tempfile.TemporaryDirectory() as folder:
        demo.save(Path(folder))
        path = Path(folder) / "predictions.csv"
        ef.plot.models(ef.compare(path, prediction=["old", "new"]), ax=ax)


def plan_of_pilot(ax: Axes) -> None:
    """Draw what to collect next."""
    data = synthetic.gaussian_mixture(5_000, rng=0)
    pilot = ef.VoteTable.from_arrays(synthetic.vote(data.soft_labels, 3, rng=0)[:300], 3)
    ef.plot.plan(ef.plan(pilot, target=0.04, cost_per_item=0.1, cost_per_vote=0.05), ax=ax)


def risk_coverage(ax: Axes) -> None:
    """Draw what abstaining gains."""
    data = synthetic.gaussian_mixture(4_000, rng=0)
    asked = ef.from_soft_labels(data.soft_labels, metric="coverage-at-error", at=0.02)
    ef.plot.risk_coverage(asked, ax=ax)


def confusion(ax: Axes) -> None:
    """Draw which classes no model can tell apart."""
    fruit = ["apple", "cherry", "grape", "lemon", "plum"]
    data = synthetic.gaussian_ring(2_000, classes=5, rng=0)
    votes = synthetic.vote_for_classes(data.soft_labels, 8, rng=0)
    ef.plot.confusion(ef.confusion(ef.from_votes(counts=votes, classes=fruit)), ax=ax)


def groups(ax: Axes) -> None:
    """Draw an interval for each group."""
    with tempfile.TemporaryDirectory() as folder:
        demo.save(Path(folder))
        path = Path(folder) / "scores.csv"
        found = ef.from_scores(path, score="score", label="label", group="batch")
    ef.plot.forest(found, ax=ax)


DRAWINGS: dict[str, tuple[Callable[[Axes], None], tuple[float, float]]] = {
    "works-1-items": (every_item, (7.2, 2.7)),
    "works-2-votes": (few_votes, (7.2, 2.7)),
    "works-3-scores": (best_cut, (7.2, 2.9)),
    "works-4-intervals": (own_and_held_out, (7.2, 2.9)),
    "works-5-headroom": (room, (7.2, 1.7)),
    "tutorial-votes": (votes_by_number, (7.2, 2.7)),
    "tutorial-scores": (reliability_of_scores, (5.4, 4.6)),
    "tutorial-soft-labels": (trusted_probabilities, (7.2, 2.2)),
    "tutorial-which-floor": (three_floors, (7.2, 2.2)),
    "people": (people_of_demo, (7.2, 3.4)),
    "models": (models_of_demo, (7.2, 2.4)),
    "tutorial-decide": (plan_of_pilot, (7.2, 3.2)),
    "risk-coverage": (risk_coverage, (5.4, 3.2)),
    "confusion": (confusion, (4.6, 3.8)),
    "groups": (groups, (7.2, 1.8)),
}


# Screens -----------------------------------------------------------------------------------------


def card() -> None:
    """Draw the card of votes with a model, light and dark."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        demo.save(folder)
        errors = "--model-errors 198 --test-items 1000 --same-labelling"
        for name, more in (("card.svg", ""), ("card-dark.svg", "--dark")):
            _typed(f"errorfloor card votes.csv {errors} -o {name} {more} --quiet", folder)
            drawn = (folder / name).read_text(encoding="utf-8")
            (FIGURES / name).write_text(drawn, encoding="utf-8")


def report_screen() -> None:
    """Show the first screen of a report on votes, with a model."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        demo.save(folder / "demo")
        errors = "--model-errors 198 --test-items 1000 --same-labelling"
        _typed(f"errorfloor report demo/votes.csv {errors} -o report.html --quiet", folder)
        photograph((folder / "report.html").as_uri(), [Picture("report", "", "body", 1000, 760)])


def app_screen() -> None:
    """Show the app with a file of votes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        demo.save(folder / "demo")
        command = [sys.executable, "-m", "errorfloor", "app", "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as app:
            assert app.stdout is not None
            address = app.stdout.readline().strip()
            try:
                pictures = [Picture("app", "", "body", 1280, 800)]
                photograph(address, pictures, folder / "demo" / "votes.csv")
            finally:
                app.terminate()


def notebook_screen() -> None:
    """Show a cell of a notebook and what it shows."""
    data = synthetic.gaussian_mixture(10_000, rng=0)
    floor = ef.from_votes(synthetic.vote(data.soft_labels, 5, rng=0), 5)
    found = ef.headroom(floor, errors=120, n=1_000, same_labelling=True)
    code = (
        "import errorfloor as ef\n"
        "floor = ef.from_votes(votes, 5)\n"
        "ef.headroom(floor, errors=120, n=1_000, same_labelling=True)"
    )
    cell = f'<pre class="code">{escape(code)}</pre><div class="out">{found._repr_html_()}</div>'
    _photographed("notebook", cell)


def terminal_screen() -> None:
    """Show a terminal in which a file was asked about."""
    import io

    from rich.console import Console
    from rich.text import Text

    shown = ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        demo.save(folder / "demo")
        for command in (
            "errorfloor demo/votes.csv",
            "errorfloor headroom demo/votes.csv --model-errors 198 --test-items 1000"
            " --same-labelling",
        ):
            shown += f"\x1b[1m$ {command}\x1b[0m\n{_typed(command, folder)}\n"
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(shown.rstrip()))
    text = console.export_html(code_format="{code}", inline_styles=True)
    _photographed("terminal", f'<pre class="terminal">{text}</pre>')


def _typed(command: str, folder: Path) -> str:
    """Type a command in a terminal of a given width, and return what it shows."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", *_words(command)]
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    environment["ERRORFLOOR_PATIENCE"] = "600"  # seconds before progress is shown
    environment["PYTHONPATH"] = str(Path(ef.__file__).parents[1])
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    ) as done:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the end of a terminal
                break
            if not part:
                break
            shown += part
        done.wait()
    os.close(ours)
    return shown.decode("utf-8").replace("\r\n", "\n")


def _words(command: str) -> list[str]:
    import shlex

    return shlex.split(command)


STYLE = """
:root { color-scheme: light dark; --ink: #1d2125; --paper: #fdfdfb; --panel: #f4f4ef }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6e3; --paper: #15181b; --panel: #1d2125 } }
body { margin: 0; padding: 16px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif }
pre { margin: 0; white-space: pre-wrap; font: 13.5px/1.5 ui-monospace, monospace }
.code, .terminal { background: var(--panel); padding: 12px 14px; border-radius: 6px }
.out { padding: 14px }
"""


def _photographed(name: str, body: str) -> None:
    page = f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style><body>{body}</body>'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(page, encoding="utf-8")
        photograph(path.as_uri(), [Picture(name, "", "body", 900, 0)])


SCREENS: dict[str, Callable[[], None]] = {
    "card": card,
    "report": report_screen,
    "app": app_screen,
    "notebook": notebook_screen,
    "terminal": terminal_screen,
}

if __name__ == "__main__":
    main()
