"""What is refused where items have weights or belong to clusters, in one clear word each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from errorfloor import methods as known
from errorfloor._checks import InputError, argument
from errorfloor.data.asked import either
from errorfloor.data.table import Table
from errorfloor.inference.record import IntervalKind
from errorfloor.methods.record import Classes, Method
from errorfloor.metrics import Metric


def check_heeds_weights(table: Table, methods: Sequence[Method], metric: Metric) -> None:
    """Refuse methods that would leave weights or clusters aside."""
    for method in methods:
        if not method.weighs(metric):
            able = known.reading(table.kind, Classes.of(table), metric.name)
            names = [one.name for one in able if one.weighs(metric)]
            instead = f"Use {either(names)}" if names else "Leave them out, or ask for error"
            raise InputError(
                *(argument("method"), f" {method.name} does not heed "),
                *(argument("weight"), " and ", argument("cluster"), f". {instead}."),
            )


def check_weighs(
    kinds: Mapping[str, IntervalKind], name: str, table: Table, metric: Metric
) -> None:
    """Refuse intervals that would be wrong with weights or clusters."""
    if table.entries is None or kinds[name].weighs(metric):
        return
    able = either([kind.name for kind in kinds.values() if kind.weighs(metric)])
    raise InputError(
        *(argument("interval"), f" {name} is not given with "),
        *(argument("weight"), " or ", argument("cluster"), f". Use {able}."),
    )


def sampled(table: Table) -> dict[str, Any]:
    """Return what an estimate says of weights and clusters."""
    if table.entries is None:
        return {}
    entries = table.entries.labelled(len(table.classes))
    clusters = None if entries.cluster is None else entries.clusters
    return {"n_effective": entries.n_effective, "clusters": clusters}
