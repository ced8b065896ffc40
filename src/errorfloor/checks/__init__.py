"""The checks that every result carries: what refutes an answer, or calls for attention.

A check is a record in the module of its subject and an entry here. It looks at a finished estimate
(its table, method, options, source) and yields findings; no finding is fine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from errorfloor._checks import DoubtWarning, RefutedWarning, warn
from errorfloor.checks import (
    copies,
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
from errorfloor.checks.record import Check
from errorfloor.results.estimate import Estimate
from errorfloor.results.finding import LEVELS, Finding

# Of several findings of a level the first is the headline.
RECORDS: tuple[Check, ...] = (
    rows.IDS,
    *gold.RECORDS,
    *names.RECORDS,
    *leaks.RECORDS,
    *scores.RECORDS,
    order.ORDER,
    *soft.RECORDS,
    votes.FIT,
    votes.SAMPLE,
    *votes.RECORDS,
    *ratings.RECORDS,
    copies.COPIES,
    *rows.RECORDS,
)
WARNINGS = {"refuted": RefutedWarning, "warn": DoubtWarning}

EstimateT = TypeVar("EstimateT", bound=Estimate)


def of(estimate: Estimate) -> tuple[Finding, ...]:
    """Return what the checks find about an estimate, the gravest first."""
    found = [
        finding
        for check in RECORDS
        if check.applies_to(estimate)
        for finding in check.run(estimate)
    ]
    return tuple(sorted(found, key=lambda finding: LEVELS.index(finding.level)))


def checked(estimate: EstimateT) -> EstimateT:
    """Return an estimate with what the checks find about it, which becomes its warnings, too."""
    findings = of(estimate)
    doubts = [one.text for one in findings if _is_new_doubt(one, estimate)]
    return replace(estimate, findings=findings, warnings=(*estimate.warnings, *doubts))


def issue(estimate: Estimate) -> None:
    """Warn of what the checks found."""
    for finding in estimate.findings:
        if finding.level in WARNINGS and finding.text in estimate.warnings:
            warn(finding.text, WARNINGS[finding.level])


def _is_new_doubt(finding: Finding, estimate: Estimate) -> bool:
    """Tell whether a finding is a warning, and was not said on the way."""
    return finding.level in WARNINGS and finding.sentence not in estimate.warnings
