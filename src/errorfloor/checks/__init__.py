"""The checks that every result carries: what refutes an answer, or calls for attention.

A check is a record in the module of its subject and an entry here. It looks at a finished estimate
(its table, method, options, source), or at models that were compared, and yields findings; no
finding is fine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from errorfloor._checks import DoubtWarning, RefutedWarning, warn
from errorfloor.checks import (
    gold,
    leaks,
    names,
    order,
    ratings,
    rows,
    scores,
    soft,
    votes,
)
from errorfloor.checks.record import Check, Checked
from errorfloor.results.claim import LEVELS, Finding

# Of several findings of a level the first is the headline.
RECORDS: tuple[Check, ...] = (
    rows.IDS,
    *gold.RECORDS,
    *names.RECORDS,
    *leaks.RECORDS,
    *scores.RECORDS,
    order.ORDER,
    *soft.RECORDS,
    *votes.RECORDS,
    *ratings.RECORDS,
    *rows.MODELS,
    *rows.RECORDS,
)
WARNINGS = {"refuted": RefutedWarning, "warn": DoubtWarning}

CheckedT = TypeVar("CheckedT", bound=Checked)


def of(result: Checked) -> tuple[Finding, ...]:
    """Return what the checks find about a result, the gravest first."""
    found = [
        finding for check in RECORDS if check.applies_to(result) for finding in check.run(result)
    ]
    return tuple(sorted(found, key=lambda finding: LEVELS.index(finding.level)))


def checked(result: CheckedT) -> CheckedT:
    """Return a result with what the checks find about it, which becomes its warnings, too."""
    findings = of(result)
    doubts = [  # that no warning has named yet
        one.text
        for one in findings
        if one.level in WARNINGS and one.sentence not in result.warnings
    ]
    return replace(result, findings=findings, warnings=(*result.warnings, *doubts))


def issue(result: Checked) -> None:
    """Warn of what the checks found."""
    for finding in result.findings:
        if finding.level in WARNINGS and finding.text in result.warnings:
            warn(finding.text, WARNINGS[finding.level])
