"""From the names in a result to the records of its method and its interval."""

from __future__ import annotations

from errorfloor.checks.record import as_they_are as as_they_are
from errorfloor.results.estimate import interval_named as interval_named
from errorfloor.results.estimate import interval_of as interval_of
from errorfloor.results.estimate import method_of as method_of
