"""The checks that every result carries: what refutes an answer, or calls for attention.

A check is a record in the module of its subject and an entry here. It looks at a finished estimate
(its table, method, options, source) and yields findings; no finding is fine.
"""

from __future__ import annotations

from errorfloor.checks.annotators import SAMPLE
from errorfloor.checks.record import Check
from errorfloor.results.estimate import Estimate
from errorfloor.results.finding import LEVELS, Finding

RECORDS: tuple[Check, ...] = (SAMPLE,)


def of(estimate: Estimate) -> tuple[Finding, ...]:
    """Return what the checks find about an estimate, the gravest first."""
    found = [
        finding
        for check in RECORDS
        if check.applies_to(estimate)
        for finding in check.run(estimate)
    ]
    return tuple(sorted(found, key=lambda finding: LEVELS.index(finding.level)))
