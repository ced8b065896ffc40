"""What to type for the same result, and what it was computed with."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np

from errorfloor import __version__
from errorfloor._typing import RandomLike
from errorfloor.results import Estimate, Verdict
from errorfloor.tables import VoteTable


def python_code(estimate: Estimate, verdict: Verdict | None, rng: RandomLike) -> str:
    """Return the calls that lead to the result."""
    call = "from_scores(scores, labels"
    if isinstance(estimate.table, VoteTable):
        call = "from_votes(positives, totals"
    elif estimate.method == "clean":
        call = "from_soft_labels(soft_labels"
    options: dict[str, Any] = {} if estimate.method == "clean" else {"method": estimate.method}
    options["interval"] = estimate.interval_method
    if estimate.level is not None:
        options["level"] = estimate.level
    if estimate.replicates is not None:
        options["n_resamples"] = estimate.replicates.size
    if isinstance(rng, int | np.integer):
        options["rng"] = int(rng)
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    lines = ["import errorfloor as ef", ""]
    if "rng" not in options and estimate.interval is not None and estimate.method != "mixture":
        lines.append("# The limits have random parts: the same rng gives the same again.")
    lines.append(f"floor = ef.{call}{given})")
    name = "floor"
    if verdict is not None:
        wrong = round(verdict.model_error * verdict.n)
        name = "verdict"
        lines.append(
            f"{name} = ef.headroom(floor, errors={wrong}, n={verdict.n}, level={verdict.level!r})"
        )
    seed = f", rng={options['rng']}" if "rng" in options else ""
    lines.append(f'ef.report({name}, "report.html"{seed})')
    return "\n".join(lines)


def versions() -> dict[str, str]:
    """Return what the result was computed with."""
    import scipy

    return {
        "errorfloor": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
    }
