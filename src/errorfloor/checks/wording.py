"""Findings in the words of another metric: checks speak of error floors."""

from __future__ import annotations

from dataclasses import replace

from errorfloor.metrics import ERROR, Metric
from errorfloor.results.finding import Finding

# What is said of errors, and what takes its place for any other metric.
_OTHER = (
    ("this is the error of always answering the larger class, and ", ""),
    ("what they give is the error of that rule", "what they give is the value of that rule"),
)
# What points down from a floor points up from a ceiling; the longer phrases first.
_CEILING = (
    ("the true floor may be anything below, even 0", "the true ceiling may be anything above"),
    ("whose floor is 0 by construction", "whose ceiling is perfect by construction"),
    ("a floor of 0 says nothing", "a perfect ceiling says nothing"),
    ("show no floor above 0", "show no ceiling short of perfect"),
    ("raises the floor", "lowers the ceiling"),
    ("the floor too low", "the ceiling too high"),
    ("lower floor", "higher ceiling"),
    ("an upper bound", "a lower bound"),
    ("floor", "ceiling"),
)


def worded(finding: Finding, metric: Metric) -> Finding:
    """Return a finding that speaks of the metric's floor or ceiling.

    Examples
    --------
    >>> from errorfloor.metrics import named
    >>> found = Finding("Ties", "two", "ok", "Where they differ, that raises the floor.")
    >>> worded(found, named("auc")).sentence
    'Where they differ, that lowers the ceiling.'
    >>> worded(found, named("brier")) == found
    True
    """
    if metric.is_error:
        return finding
    pairs = (*_OTHER, *(_CEILING if metric.limit != ERROR.limit else ()))
    sentence, remedy = finding.sentence, finding.remedy
    for said, instead in pairs:
        sentence, remedy = sentence.replace(said, instead), remedy.replace(said, instead)
    return replace(finding, sentence=sentence, remedy=remedy)
