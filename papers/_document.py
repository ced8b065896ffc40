"""The page with every published number next to ours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal

from papers import Reproduction, _sentences
from papers._check import LIMIT, Check

INTRODUCTION = f"""# The paper's numbers, computed again

*Practical estimation of the optimal classification error with soft labels and calibration* (Ushio,
Ishida and Sugiyama, ICLR 2026), figure by figure. `make paper` writes this page; the numbers behind
each drawing are in `paper/NAME.json` then, and `papers.reproduce("figure-2")` runs one.

The paper takes scores for complete: nothing else that a model could see matters. So do the floors
on this page. Of the real sets nobody knows whether that is true; where it is not, a model that sees
more may be better than such a floor.

Numbers are fractions, as in print. The noise is the standard deviation that Monte-Carlo error gives
the difference of the printed number and ours; "none" marks numbers that are computed exactly. The
two agree if they are within {LIMIT} standard deviations, or, without noise, in all digits printed,
where the last may be rounded or cut off."""

RUN_TIMES = """The paper has an hour for each distribution of figure 7 and 20 to 30 minutes for each
method of figures 4 and 11 on a laptop. `python -m benchmarks.paper_times` measures ours:
see `benchmarks/PAPER_TIMES.md`. The error of a ResNet-18 on Fashion-MNIST, 0.49 %, is in
`benchmarks/REFERENCE_MODEL.md`. Appendix D.4 says that E of Fashion-MNIST in FeeBee is that of a
Vision Transformer; the released settings have 0.49 %, the ResNet's."""

FOLLOW_UP = f"""# The follow-up paper's numbers, computed again

*Bayes-optimal BER and AUC: estimation and evaluation of estimators* (Ushio, Ishida and Sugiyama,
2026) asks for the best possible balanced error and AUC of two classes. `make follow-up` writes
this page; the numbers behind each drawing are in `paper/NAME.json` then. Of the paper we have its
formulas and the twelve printed numbers of its table of discriminants, which are below, and not its
text. So how the printed numbers came about is guessed: which share of class 1 is meant, and how
items were resampled. We kept the guesses under which the numbers come out, so that their agreement
shows that such a way exists, not that it is the authors'.

The best balanced error is half the mean of min(p / P(1), (1 - p) / P(0)), the *min form*, and as
well one less half the mean of the larger of the two, the *max form*; likewise for AUC over pairs
of items. The *discriminant* is positive where the min form varies less. See [theory](theory.md).

Noise is the standard deviation that Monte-Carlo error gives the difference of the printed number
and ours. The two agree if they are within {LIMIT} standard deviations, or, without noise, in all
digits printed, where the last may be rounded or cut off."""


def document(
    results: Iterable[Reproduction], *, figures: str = "figures", introduction: str = INTRODUCTION
) -> str:
    """Return the page as Markdown; `figures` is where it finds the drawings."""
    results = list(results)
    parts = [introduction, _overview(results)]
    parts += [_section(result, figures) for result in results]
    parts += _in_words(results)
    return "\n\n".join(parts) + "\n"


def heading(name: str) -> str:
    """Return a figure's name as people write it.

    Examples
    --------
    >>> heading("figure-2"), heading("table-feebee"), heading("follow-up-table")
    ('Figure 2', 'Table FeeBee', 'Table')
    """
    own = name.removeprefix("follow-up-")
    if own != name:
        return "FeeBee" if own == "feebee" else own.capitalize()
    kind, _, what = name.partition("-")
    return f"{kind.capitalize()} {'FeeBee' if what == 'feebee' else what}"


def _overview(results: Sequence[Reproduction]) -> str:
    lines = [["", "what", "numbers", "agree", "differ, see the notes"]]
    lines.append(["---", "---", "---:", "---:", "---:"])
    for result in results:
        agree = sum(check.agrees for check in result.checks)
        total = len(result.checks)
        link = f"[{heading(result.name)}](#{heading(result.name).lower().replace(' ', '-')})"
        none = "none known" if _follows(result) else "none printed"
        counts = [str(total), str(agree), str(total - agree)] if total else [none, "", ""]
        lines.append([link, result.title, *counts])
    return _table(lines)


def _section(result: Reproduction, figures: str) -> str:
    name = heading(result.name)
    parts = [
        f"## {name}",
        f"{result.title}.",
        f"![{result.title}]({figures}/{result.name}.svg)",
    ]
    if result.checks:
        lines = [["number", "published", "ours", "difference", "noise", "agree", "note"]]
        lines.append(["---", "---:", "---:", "---:", "---:", "---", "---"])
        # Floats lose the zeros at the end of what was printed; noisy numbers of one figure have
        # equally many decimals.
        noisy = [_printed_decimals(check) for check in result.checks if check.error is not None]
        lines += [_line(check, max(noisy, default=0)) for check in result.checks]
        parts.append(_table(lines))
    elif not _follows(result):
        parts.append("The paper prints no number here.")
    if result.remarks:
        parts.append(result.remarks)
    return "\n\n".join(parts)


def _in_words(results: Sequence[Reproduction]) -> list[str]:
    lines = _sentences.table({one.name: one.numbers for one in results if one.numbers})
    if not lines:
        return []
    head = [["section", "the paper says", "verdict", "our numbers"], ["---"] * 4]
    holds = sum(line[2] == _sentences.HOLDS for line in lines)
    return [
        "## What the paper says in words",
        f"The sentences about its experiments, in our words, and what the numbers above say of "
        f"them: {holds} of {len(lines)} hold as they stand. An estimate of the synthetic set is "
        f"close where it is within {100 * _sentences.CLOSE:.2f} points, about the half-width of "
        "an interval.",
        _table([*head, *([_escaped(cell) for cell in line] for line in lines)]),
        RUN_TIMES,
    ]


def _follows(result: Reproduction) -> bool:
    return result.name.startswith("follow-up-")


def _line(check: Check, noisy_decimals: int) -> list[str]:
    if check.error is None:
        printed = _printed_decimals(check)
        digits, noise = printed + 2, "none"
        verdict = "yes" if check.agrees else "**no**"
    else:
        printed = noisy_decimals
        digits = _decimals(check.error, printed)
        noise = f"{check.error:.{digits}f}"
        off = abs(check.difference) / check.error if check.error else math.inf
        verdict = "yes" if check.agrees else f"**no**, {off:.1f} s.d."
    return [
        _escaped(check.name),
        f"{check.published:.{printed}f}",
        f"{check.ours:.{digits}f}",
        f"{round(check.difference, digits) + 0.0:+.{digits}f}",  # no minus before a zero
        noise,
        verdict,
        _escaped(check.note),
    ]


def _decimals(error: float, printed: int) -> int:
    """Return how many decimals say something: one digit of the noise, and those of the print."""
    return max(printed, -math.floor(math.log10(error))) if error else printed


def _printed_decimals(check: Check) -> int:
    exponent = Decimal(repr(float(check.published))).normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return max(0, -exponent)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _table(lines: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
