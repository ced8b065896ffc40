"""What is refused where items have weights or belong to clusters, in one clear word each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from errorfloor import methods as known
from errorfloor import metrics
from errorfloor._checks import InputError, either
from errorfloor._numbers import counted
from errorfloor.data.tables import Table
from errorfloor.intervals.record import IntervalKind
from errorfloor.methods.record import CHANCE, Classes, Method, Options
from errorfloor.methods.soft import is_balance
from errorfloor.metrics import Metric

FEWEST_CLUSTERS = 10


def check_uses_weights(table: Table, methods: Sequence[Method], options: Options) -> None:
    """Refuse methods that would leave weights or clusters aside."""
    metric = options.metric
    for method in methods:
        _check_options(method, options)
        if not method.weighs(metric):
            names = _using_weights(table, metric)
            if not names:
                able = either([one.name for one in metrics.METRICS if _using_weights(table, one)])
                raise InputError(
                    f"`metric={metric.name!r}` is not given with `weight` or `cluster` for such "
                    f"labels. Leave them out, or ask for {able}."
                )
            raise InputError(
                f"`method` {method.name} does not use `weight` and `cluster`. Use {either(names)}."
            )


def _check_options(method: Method, options: Options) -> None:
    """Refuse what weighted votes have no measured answer for."""
    if "totals_by" not in method.options:
        return
    if options.totals_by != CHANCE:
        raise InputError(
            f"`totals_by={options.totals_by!r}` is not answered with `weight` or `cluster`. Leave "
            "one of them out."
        )
    if is_balance(options.metric) and "prior" not in options.metric.given:
        raise InputError(
            f"`metric={options.metric.name!r}` of votes with `weight` or `cluster` needs the share "
            "of class 1. Give it with `prior`, or ask for error."
        )


def _using_weights(table: Table, metric: Metric) -> list[str]:
    """Return the methods for a metric of the table that use weights and clusters."""
    able = known.reading(table.kind, Classes.of(table), metric.name)
    return [one.name for one in able if one.weighs(metric)]


def check_weighs(
    kinds: Mapping[str, IntervalKind], name: str, table: Table, metric: Metric
) -> None:
    """Refuse intervals that would be wrong with weights or clusters."""
    if table.entries is None:
        return
    if table.entries.cluster is not None and not kinds[name].with_clusters:
        able = either(
            [one.name for one in kinds.values() if one.weighs(metric) and one.with_clusters]
        )
        raise InputError(f"`interval` {name} is not given with `cluster`. Use {able}.")
    if kinds[name].weighs(metric):
        return
    able = either([kind.name for kind in kinds.values() if kind.weighs(metric)])
    raise InputError(f"`interval` {name} is not given with `weight` or `cluster`. Use {able}.")


def check_clusters(table: Table) -> None:
    """Refuse limits from so few clusters that nothing is known of how they vary."""
    own = table.entries
    if own is not None and own.cluster is not None and own.clusters < FEWEST_CLUSTERS:
        raise InputError(
            f"`cluster` has {counted(own.clusters, 'value')}. An interval needs {FEWEST_CLUSTERS} "
            "clusters at the very least, and 50 to hold as often as it says. Label items of more "
            "clusters, or leave the interval out with `interval=None`."
        )


TableT = TypeVar("TableT", bound=Table)


def unweighted(table: TableT, what: str) -> TableT:
    """Return a table whose items all weigh the same and stand alone, or refuse it.

    `what` is the function that asks.
    """
    plain = table.plain
    if plain.entries is not None:
        raise InputError(
            f"`{what}()` does not use `weight` and `cluster`. Count the items without them, or ask "
            "for the floor."
        )
    return plain


def described(table: Table) -> tuple[dict[str, Any], str]:
    """Return what an estimate says of weights and clusters, and what it assumes of them."""
    assert table.entries is not None
    own, assumes = table.entries.labelled(len(table.classes)), ""
    if not own.are_equal:
        assumes += " With the weights, the items represent the population."
    if own.cluster is not None:
        assumes += " Items of different clusters have nothing to do with each other."
    sizes = {
        "n_effective": None if own.are_equal else own.n_effective,
        "clusters": None if own.cluster is None else own.clusters,
    }
    return sizes, assumes


def no_interval(name: str, why: str, table: Table) -> InputError:
    """Say that no interval is known for such data."""
    where = "with weights or clusters there is no other" if table.entries else "there is no other"
    return InputError(
        f"The {name} interval is undefined because {why}, and {where}. Leave it out with "
        "`interval=None`."
    )
