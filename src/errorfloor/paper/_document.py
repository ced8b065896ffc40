"""The page with every published number beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal

from errorfloor.paper import Reproduction
from errorfloor.paper._check import LIMIT, Check

INTRODUCTION = f"""# The paper's numbers, computed anew

*Practical estimation of the optimal classification error with soft labels and calibration* (Ushio,
Ishida and Sugiyama, ICLR 2026), figure by figure. `make paper` writes this page; the numbers behind
each drawing are in `paper/NAME.json` then, and `errorfloor.paper.reproduce("figure-2")` runs one.

Numbers are fractions, as in print. The noise is the standard deviation that Monte-Carlo error gives
the difference of the printed number and ours; "none" marks numbers that are computed exactly. The
two agree if they are within {LIMIT} standard deviations, or, without noise, in all digits printed,
where the last may be rounded or cut off."""


def document(results: Iterable[Reproduction], *, figures: str = "figures") -> str:
    """Return the page as Markdown; `figures` is where it finds the drawings."""
    results = list(results)
    parts = [INTRODUCTION, _overview(results)]
    parts += [_section(result, figures) for result in results]
    return "\n\n".join(parts) + "\n"


def heading(name: str) -> str:
    """Return a figure's name as people write it.

    Examples
    --------
    >>> heading("figure-2"), heading("table-feebee")
    ('Figure 2', 'Table FeeBee')
    """
    kind, _, what = name.partition("-")
    return f"{kind.capitalize()} {'FeeBee' if what == 'feebee' else what}"


def _overview(results: Sequence[Reproduction]) -> str:
    lines = [["", "what", "numbers", "agree", "differ, see the notes"]]
    lines.append(["---", "---", "---:", "---:", "---:"])
    for result in results:
        agree = sum(check.agrees for check in result.checks)
        total = len(result.checks)
        link = f"[{heading(result.name)}](#{heading(result.name).lower().replace(' ', '-')})"
        counts = [str(total), str(agree), str(total - agree)] if total else ["none printed", "", ""]
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
    else:
        parts.append("The paper prints no number here.")
    return "\n\n".join(parts)


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
