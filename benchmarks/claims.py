"""How often what answers claim is true, where scores see part of what matters.

Run `python -m benchmarks.claims`, or `make claims`, to write benchmarks/results/claims.md: seven
minutes on one core. benchmarks/claims_truth.py has the simulated data with their truth.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from textwrap import TextWrapper

from benchmarks import RESULTS, claims_verdicts
from benchmarks.claims_classes import CLASSES
from benchmarks.claims_limits import (
    TAIL,
    Cell,
    Question,
    errors_table,
    metrics_table,
    misses,
    study,
)
from benchmarks.claims_truth import COMPLETE, COSTS, GOLD, NO_CUT, PARTIAL, VALUES

DOCUMENT = RESULTS / "claims.md"
ERRORS = (Question(), Question(interval="certified"))
METRICS = tuple(
    Question(metric, costs=COSTS if metric == "cost" else None)
    for metric in VALUES
    if metric != "error"
)
# Other metrics of complete scores are in benchmarks/results/metrics.md.
DECLARED = tuple(
    Question(metric, complete=True) for metric in ("error", "balanced-error", "f1", "auc", "brier")
)


def range_of(values: Iterable[float]) -> str:
    """Return the least and the largest of some shares."""
    all_of_them = list(values)
    return f"{min(all_of_them):.2f} to {max(all_of_them):.2f}"


def document(repetitions: int) -> str:
    """Run all of it and return the page."""
    half, few = max(repetitions // 2, 1), max(repetitions // 5, 1)
    partial, no_cut = (study(group, ERRORS, repetitions) for group in (PARTIAL, NO_CUT))
    other, no_cut_other = (study(group, METRICS, half) for group in (PARTIAL, NO_CUT))
    gold = study(GOLD, ERRORS, half)
    complete = study(COMPLETE, DECLARED, half)
    classes = study(CLASSES, ERRORS[:1], few)
    past = range_of(float(row[0].past_any.mean()) for row in partial)
    past_other = range_of(float(cell.past_any.mean()) for row in other for cell in row)
    return f"""<!-- Written by `python -m benchmarks.claims`; change that, not this. -->

# What answers claim, on data with a known truth

Scores bound the best that any model can do from one side: floors are at most the upper limit, and
ceilings at least the lower one. A model that sees more than the scores may do better, so the other
limit is one of the best rule on these scores only. Here is how often that holds on simulated data
whose truth is computed. Intervals have a level of 95 %, so the limit that is claimed should hold in
at least 0.975 of the data sets. Values are in per cent, standard errors in brackets; that of a
share of 0.975 is {_error(repetitions)} with {repetitions:,} data sets, {_error(half)} with
{half:,} and {_error(few)} with {few:,}. `make claims` writes this page.

## Scores that see part of what matters

Two features tell the classes apart, and the scores see one of them ("weak": it tells little). "None
of what matters": labels are coin flips given the score, and known but for 5 % given a feature that
the score does not see. "Too sure": twice the log odds, rounded to one digit. The scores are in the
right order throughout, and no check can see that they miss something. {repetitions:,} data sets.

{errors_table(partial, "best cut")}

{misses(partial)} The lower limit is above the true floor in {past} of the data sets: it is a limit
of the best cut, and no limit of other models.

Other metrics, `honest`: how often the limit on the worse side (the lower one of F1, MCC, AUC and
average precision) holds what the best cut, ranking or rising map of the scores reaches. A missed
positive costs {COSTS[1]}, a false one {COSTS[0]}. {half:,} data sets.

{metrics_table(other)}

{misses(other)} The other limit is worse than what the model of both features reaches in
{past_other} of the data sets.

## Scores whose best rule is no cut

Scores are spread evenly; the probability of class 1 rises and falls with them, or only falls. A
rule with several cuts is better than every single one. {repetitions:,} data sets.

{errors_table(no_cut, "best cut")}

{misses(no_cut)} Nothing is assumed of the scores here: the limit is of cuts that were tried on
items that did not choose them.

{metrics_table(no_cut_other)}

{misses(no_cut_other)} Of scores that are upside down no ranking is better, with an AUC of 1/2: that
is what the limit is held against there.

## A gold label next to a few votes

Gold label and votes are drawn from the same probability, which differs between items: with a beta
distribution, or of two kinds equally often. A share of few votes is a coarse score. {half:,} data
sets.

{errors_table(gold, "best cut", votes=True)}

{misses(gold)} With more votes the best cut comes closer to the floor. With three it is up to
{_most_above(gold)} points above, and the lower limit is often above the floor as well.

## Scores that are complete and in order

Nothing else matters, and the user says so (`complete=True`). Then both limits are claimed, and the
interval should hold the truth in at least 0.95 of the {half:,} data sets. [Other
metrics](metrics.md) are measured elsewhere.

{metrics_table(complete)}

{misses(complete, 2 * TAIL)} Where scores that see one of two features are declared complete all the
same, both limits are claimed and the lower one is wrong, as often as the first table says.

## Several classes

Each class has a feature that the scores see and one that they do not. "Swapped": in a third of the
items the scores of two classes are exchanged, so that no weights make a rule that is best of all.
{few:,} data sets.

{errors_table(classes, "best weighting")}

{misses(classes)}

{claims_verdicts.section(repetitions)}
"""


def wrapped(page: str) -> str:
    """Break the lines of paragraphs again, because numbers in them differ in length."""
    lines = TextWrapper(99, break_on_hyphens=False, break_long_words=False)
    parts = page.strip().split("\n\n")
    kept = ("|", "#", "<!--")
    return "\n\n".join(p if p.startswith(kept) else lines.fill(p) for p in parts) + "\n"


def _error(repetitions: int) -> str:
    return f"{(TAIL * (1 - TAIL) / repetitions) ** 0.5:.3f}"


def _most_above(rows: Iterable[list[Cell]]) -> str:
    above = max(row[0].truth.rule - row[0].truth.any_model for row in rows)
    return f"{100 * above:.1f}"


def main() -> None:
    """Run all studies and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    options = parser.parse_args()
    options.output.write_text(wrapped(document(options.repetitions)), encoding="utf-8")
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
