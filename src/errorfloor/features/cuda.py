"""Exact nearest neighbours on a graphics card, through PyTorch where the user has it.

Products of half-precision numbers propose. One row of them is as long as there are points, and
choosing among so many is what takes time: so each row is first cut down to the best of every 64,
and only in the best groups is looked further. The distances of what is left are those of
differences, in double precision. How far a product can be from the truth is known, so a row whose
proposals may lack a neighbour is seen, and done again in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._typing import Floats
from errorfloor.features.neighbours import Lists

_GROUP = 64  # points of which only the best goes on
_SPARE = 2  # proposals for each neighbour that is asked for, and for 16 more
_SAMPLE = 2048  # points that tell about how far the nearest are
_LARGEST = 64.0  # the length of the longest point, so that products stay below what half holds
_NOWHERE = -6e4  # the score of a row that is no point
_SHARE = 0.25  # of the memory that is free, for one block


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Points on the card: as given, and in half precision with their sizes next to them.

    The product of a query's row and a point's is minus half of their squared distance, times a
    scale, plus what the query's last two numbers say.
    """

    exact: Any  # (n, d)
    halves: Any  # (n or a few more, d and a few more)
    centre: Any
    scale: float
    sizes: Any  # lengths, scaled
    lost: float  # the most that rounding took away of a point
    longest: float


def nearest_on(device: str, points: Floats, k: int, queries: Floats | None = None) -> Lists:
    """Return the `k` nearest points of each query, found on a device such as "cuda"."""
    torch = _torch(device)
    there = torch.as_tensor(points).to(device)
    own = queries is None
    k = min(k, len(points) - own)
    asked = there if queries is None else torch.as_tensor(queries).to(device)
    with torch.inference_mode():
        known = _prepared(torch, there)
        parts = [
            _block(torch, known, asked[start : start + step], k, start if own else None)
            for step in [_step(torch, known, len(asked))]
            for start in range(0, len(asked), step)
        ]
    squares, indices = (np.concatenate([part[i].cpu().numpy() for part in parts]) for i in (0, 1))
    return Lists(squares, indices)


def _torch(device: str) -> Any:
    try:
        import torch
    except ImportError:
        text = " needs PyTorch, which is not installed. Leave it out to use the processor."
        raise InputError(argument("device", device), text) from None
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as refusal:
        text = f" cannot be used: {str(refusal).splitlines()[0]}"
        raise InputError(argument("device", device), text) from None
    return torch


def _prepared(torch: Any, points: Any) -> _Points:
    n, d = points.shape
    rows = -(-n // _GROUP) * _GROUP
    halves = torch.zeros((rows, -(-(d + 4) // 8) * 8), dtype=torch.float16, device=points.device)
    centre = sum(chunk.double().sum(0) for chunk in points.split(2**16)) / n
    longest = max(float((chunk - centre).norm(dim=1).max()) for chunk in points.split(2**16))
    scale = _LARGEST / longest if longest > 0 else 1.0
    sizes = torch.empty(n, dtype=torch.float64, device=points.device)
    lost = 0.0
    for at in range(0, n, 2**16):
        moved = (points[at : at + 2**16] - centre) * scale
        half = moved.half()
        end = at + len(moved)
        halves[at:end, :d] = half
        lost = max(lost, float((moved - half).norm(dim=1).max()))
        sizes[at:end] = moved.norm(dim=1)
        _put_sum(halves[at:end, d : d + 2], -(sizes[at:end] ** 2) / 2)
    halves[:n, d + 2 : d + 4] = 1
    halves[n:, d] = _NOWHERE
    return _Points(points, halves, centre, scale, sizes, lost, _LARGEST if longest > 0 else 0.0)


def _put_sum(columns: Any, values: Any) -> None:
    """Write numbers as the sum of two of half precision."""
    columns[:, 0] = values
    columns[:, 1] = values - columns[:, 0].double()


def _step(torch: Any, known: _Points, number: int) -> int:
    """Return how many queries are done at once."""
    free = torch.cuda.mem_get_info()[0] if known.exact.is_cuda else 2**31
    step = int(free * _SHARE) // (2 * len(known.halves))
    return max(min(step, number, 8192) // 8 * 8, 8)


def _block(torch: Any, known: _Points, queries: Any, k: int, first: int | None) -> tuple[Any, Any]:
    """Return squared distances and indices of the nearest of some queries."""
    d = queries.shape[1]
    moved = (queries - known.centre) * known.scale
    asked = torch.zeros(
        (len(queries), known.halves.shape[1]), dtype=torch.float16, device=queries.device
    )
    asked[:, :d] = moved
    asked[:, d : d + 2] = 1
    size = moved.norm(dim=1)
    far = size > 2 * _LARGEST  # their products could be more than half precision holds
    asked[far] = 0
    # Scores of the nearest are made small, because half precision is finest there.
    some = known.halves[:: -(-len(known.halves) // _SAMPLE)]
    offset = -(asked @ some.T).topk(min(2, len(some)), dim=1).values[:, -1].double()
    _put_sum(asked[:, d + 2 : d + 4], offset)
    offset = asked[:, d + 2 : d + 4].double().sum(1)
    scores = asked @ known.halves.T
    found, edge = _best(scores, min(_SPARE * (k + 16), len(known.exact)))
    squares = _squares(torch, known, queries, found, first)
    squares, order = squares.sort(dim=1, stable=True)
    squares, found = squares[:, :k].contiguous(), found.gather(1, order)[:, :k].contiguous()
    # The last neighbour's score at least, and the score of a point that was not looked at at most.
    last = offset + (size**2 - squares[:, -1] * known.scale**2) / 2
    unsure = last - _error(known, moved, asked[:, :d], last) <= edge.double()
    unsure |= far
    unsure &= len(known.exact) - (first is not None) > k
    rows = unsure.nonzero()[:, 0]
    for some_rows in rows.split(_step(torch, known, len(rows)) // 8 or 1) if len(rows) else ():
        again = _in_full(torch, known, queries, some_rows, k, first)
        squares[some_rows], found[some_rows] = again
    return squares, found


def _best(scores: Any, number: int) -> tuple[Any, Any]:
    """Return the columns of the best scores of each row in rising order, and the least of these."""
    by_group = scores.view(len(scores), _GROUP, -1)  # every so-manieth column is one group
    groups = by_group.amax(1).topk(min(number, by_group.shape[2]), dim=1, sorted=False).indices
    values = by_group.gather(2, groups[:, None].expand(-1, _GROUP, -1)).flatten(1)
    best = values.topk(min(number, values.shape[1]), dim=1, sorted=False)
    wide = groups.shape[1]
    columns = best.indices // wide * by_group.shape[2] + groups.gather(1, best.indices % wide)
    return columns.sort(dim=1).values, best.values.amin(1)


def _squares(torch: Any, known: _Points, queries: Any, found: Any, first: int | None) -> Any:
    """Return squared distances of differences; none of a query from itself or from no point."""
    n = len(known.exact)
    steps = known.exact[found.clamp(max=n - 1)].double()
    steps -= queries.double()[:, None]
    squares = steps.square_().sum(2)
    squares[found >= n] = float("inf")
    if first is not None:
        own = first + torch.arange(len(queries), device=found.device)
        squares[found == own[:, None]] = float("inf")
    return squares


def _error(known: _Points, moved: Any, half: Any, score: Any) -> Any:
    """Return how far the score of any point can be from the truth, by how it was rounded.

    Both factors lose digits (the inequality of Cauchy and Schwarz), sums are rounded once for each
    of their terms, and the score itself once, which at most doubles what is small.
    """
    size = moved.norm(dim=1)
    lost = (moved - half).norm(dim=1)
    products = (size + lost) * known.lost + lost * known.longest
    terms = known.halves.shape[1] * 2.0**-22 * (size + known.longest) ** 2
    return (products + terms + 2.0**-20 * known.longest**2) * 1.01 + score.abs() * 2.0**-10


def _in_full(
    torch: Any, known: _Points, queries: Any, rows: Any, k: int, first: int | None
) -> tuple[Any, Any]:
    """Return the nearest of some rows by products in double precision, with all that tie."""
    asked = (queries[rows] - known.centre).double()
    about = torch.empty((len(rows), len(known.exact)), dtype=torch.float64, device=asked.device)
    for at in range(0, len(known.exact), 2**16):
        moved = (known.exact[at : at + 2**16] - known.centre).double()
        about[:, at : at + len(moved)] = (moved**2).sum(1) - 2 * (asked @ moved.T)
    if first is not None:
        about[torch.arange(len(rows), device=rows.device), first + rows] = float("inf")
    longest = (known.longest / known.scale) ** 2 + (asked**2).sum(1)
    error = 8 * queries.shape[1] * 2.0**-52 * longest
    edge = about.topk(k, dim=1, largest=False).values[:, -1] + 2 * error
    row, column = (about <= edge[:, None]).nonzero(as_tuple=True)
    squares = torch.cat(
        [
            (known.exact[c].double() - queries[rows[r]].double()).square().sum(1)
            for r, c in zip(row.split(2**16), column.split(2**16), strict=True)
        ]
    )
    # Sorted by row, then distance, then index: each sort keeps the order of the one before.
    order = squares.sort(stable=True).indices
    order = order[row[order].sort(stable=True).indices]
    place = torch.arange(len(order), device=row.device)
    counts = torch.bincount(row, minlength=len(rows))
    kept = order[place - (counts.cumsum(0) - counts)[row[order]] < k]
    return squares[kept].view(len(rows), k), column[kept].view(len(rows), k)
