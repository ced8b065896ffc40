"""All that a report on groups says: the floor of each, and how far they can be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from errorfloor._checks import InputError, argument
from errorfloor._typing import RandomLike
from errorfloor.metrics import Metric
from errorfloor.results import (
    AnnotatorsResult,
    ClassItems,
    Comparison,
    Estimate,
    Groups,
    Items,
)
from errorfloor.results.finding import Finding
from errorfloor.show import numbers
from errorfloor.show.grids import head_of, hold_floors
from errorfloor.show.markup import in_sight
from errorfloor.show.next_steps import steps_of_groups
from errorfloor.show.recipe import code_of_groups, command_of_groups, versions
from errorfloor.show.report.context import diagnose
from errorfloor.show.report.document import (
    Answer,
    Block,
    Caution,
    Document,
    Facts,
    Findings,
    Name,
    Section,
    Table,
    Text,
)
from errorfloor.show.report.pictures import picture_of_groups
from errorfloor.show.report.sections import (
    interval_in_words,
    last_sections,
    method_in_words,
    next_section,
    references,
)
from errorfloor.show.report.summary import in_sight_of, source_of, summarize, title_of
from errorfloor.show.sentences import sentence_of

FEW = 4  # so many names are listed, more are counted
COMPARING = (
    "Each interval holds by itself. To compare groups, ask for intervals that hold all at once."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupsSummary(Document):
    """All that a report on groups says.

    Attributes
    ----------
    groups : Groups of Estimate
        The floors.
    shown : Groups of Estimate
        The same under names that can be shown.
    diagnostics : tuple of tuple of Finding
        What calls for attention in the data of each group.
    """

    groups: Groups[Estimate]
    shown: Groups[Estimate]
    diagnostics: tuple[tuple[Finding, ...], ...]

    @property
    def answer(self) -> str:
        """The lowest floor and the highest in one sentence, refuted ones left out."""
        return sentence_of(self.shown)

    @property
    def interval(self) -> str:
        """What the intervals promise."""
        return " ".join(_by_group(self.shown, interval_in_words))

    @property
    def method(self) -> str:
        """What the method does."""
        return " ".join(dict.fromkeys(map(method_in_words, self.shown.values())))

    @property
    def references(self) -> tuple[str, ...]:
        """Where it comes from."""
        return references(self.shown.values(), verdict=False)

    def sections(self) -> list[Section]:
        """Return what the report says in the order of reading."""
        table = _table(self.shown)
        return [
            Section("answer", "Answer", _answer(self)),
            Section("groups", "The groups", (*self.pictures, table)),
            Section("meaning", "What this means", _meaning(self.shown)),
            Section("checks", "Checks", _checks(self)),
            *next_section(self),
            Section("data", "The data", (Facts(tuple(self.source.items())),)),
            *last_sections(self),
        ]

    def findings(self) -> dict[str, Any]:
        """Return what was found as plain values, ready for JSON."""
        found = self.groups.to_dict()
        return {
            "groups": found,
            "interval": self.interval,
            "diagnostics": [
                {"group": row["group"], **diagnostic.to_dict()}
                for row, diagnostics in zip(found["rows"], self.diagnostics, strict=True)
                for diagnostic in diagnostics
            ],
        }


@summarize.register(Groups)
def _(
    result: Groups[Any],
    *,
    title: str | None = None,
    source: Mapping[str, str] | None = None,
    command: str | None = None,
    comparison: Comparison | None = None,
    rng: RandomLike = 0,  # nothing is drawn: other methods are not run
    theory: bool = False,
    items: Items | ClassItems | None = None,
    annotators: AnnotatorsResult | None = None,
) -> GroupsSummary:
    _refuse(items=items, annotators=annotators)
    groups = _floors(result, comparison)
    shown = replace(groups, column=in_sight(groups.column), estimates=_under_shown_names(groups))
    about = in_sight_of(_about(groups) if source is None else source)
    typed = command_of_groups(groups) if command is None else command
    return GroupsSummary(
        title=f"{title_of(about, next(iter(groups.values())))} by {shown.column}"
        if title is None
        else in_sight(title),
        groups=groups,
        shown=shown,
        diagnostics=tuple(map(_calling_for_attention, groups.values())),
        pictures=(picture_of_groups(shown, *_lowest_and_highest(shown)),),
        source=about,
        python=in_sight(f'{code_of_groups(groups)}\nef.report(floors, "report.html")'),
        command=None if typed is None else in_sight(typed),
        versions=versions(),
        steps=steps_of_groups(groups),
    )


def _refuse(**given: object) -> None:
    """Refuse what is about all items beside groups."""
    for name, value in given.items():
        if value is not None:
            raise InputError(argument(name), " goes with one floor, not with groups.")


def _lowest_and_highest(groups: Groups[Estimate]) -> tuple[str, str]:
    """Return the lowest floor and the highest, each with its group."""
    digits = _digits(groups)
    stated = [name for name, row in groups.items() if not row.refuted] or list(groups)
    lowest = min(stated, key=lambda name: groups[name].value)
    highest = max(stated, key=lambda name: groups[name].value)

    def said(name: str) -> str:
        value = numbers.style_of(groups[name]).value(groups[name].value, digits)
        return f"{value} ({groups.column} {name})"

    return said(lowest), said(highest)


def _floors(result: Groups[Any], comparison: Comparison | None) -> Groups[Estimate]:
    """Return groups that have a floor each, and refuse others."""
    _refuse(comparison=comparison)
    if hold_floors(result):
        return result
    kinds = sorted({type(row).__name__ for row in result.values()})
    raise InputError(
        argument("result"),
        " must have a floor for each group, as from_scores, from_votes and from_soft_labels return "
        "with ",
        argument("group"),
        f", got Groups of {' and '.join(kinds) or 'nothing'}. Report on the floors, or on one "
        "group at a time.",
    )


def _under_shown_names(groups: Groups[Estimate]) -> dict[str, Estimate]:
    """Return the floors under names in sight; quoted where two would look the same."""
    names = {name: in_sight(name) for name in groups}
    alike = Counter(names.values())
    return {
        shown if shown.strip() and alike[shown] == 1 else in_sight(repr(name)): groups[name]
        for name, shown in names.items()
    }


def _about(groups: Groups[Estimate]) -> dict[str, str]:
    return {**source_of(next(iter(groups.values()))), "group": groups.column}


def _calling_for_attention(estimate: Estimate) -> tuple[Finding, ...]:
    return tuple(one for one in diagnose(estimate) if one.level in ("refuted", "warn"))


def _digits(groups: Groups[Estimate]) -> int:
    return max(map(numbers.digits_for, groups.values()))


def _methods(groups: Groups[Estimate]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.method for row in groups.values()))


def _level(groups: Groups[Estimate]) -> str:
    """Return the level that the intervals hold at, or "" where they have none in common."""
    levels = [row.level for row in groups.values() if row.level is not None]
    if len(levels) < len(groups):
        return ""
    held = set(levels) if groups.level is None else {groups.level}
    return numbers.level(held.pop()) if len(held) == 1 else ""


def _answer(summary: GroupsSummary) -> tuple[Block, ...]:
    groups = summary.shown
    level = _level(groups)
    facts = [
        ("Groups", f"{len(groups):,}"),
        ("Items", f"{sum(row.n for row in groups.values()):,}"),
        ("Method", ", ".join(_methods(groups))),
    ]
    if level:
        which = "all groups at once" if groups.simultaneous else "each group"
        facts.append(("Level", f"{level} for {which}"))
    if groups.dropped:
        facts.append(("Left out", numbers.counted(groups.dropped, "item")))
    alone = level and len(groups) > 1 and not groups.simultaneous
    cautions = [COMPARING] if alone else []
    serious = ", ".join(_serious(summary))
    limits = f"{_metric(groups).limit}s"
    cautions += [f"Read on before you use these {limits}: {serious}."] if serious else []
    return Answer(summary.answer), Facts(tuple(facts)), *map(Caution, cautions)


def _serious(summary: GroupsSummary) -> Iterator[str]:
    """Yield what calls for attention, and in how many groups."""
    number = len(summary.shown)
    found = Counter(one.name.lower() for group in summary.diagnostics for one in group)
    found["doubts about the estimate"] = sum(
        bool(_doubts(row, own))
        for row, own in zip(summary.shown.values(), summary.diagnostics, strict=True)
    )
    for name, times in found.items():
        if times:
            where = "every group" if times == number else f"{times:,} of {number:,} groups"
            yield f"{name} in {where}"


def _doubts(row: Estimate, findings: Iterable[Finding]) -> list[str]:
    """Return the warnings of an estimate that are no findings."""
    said = {finding.text for finding in findings}
    return [text for text in row.warnings if text not in said]


def _table(groups: Groups[Estimate]) -> Table:
    digits, metric = _digits(groups), _metric(groups)
    style = numbers.style_for(metric, len(next(iter(groups.values())).classes))
    rows = tuple(
        (
            name,
            f"{row.n:,}",
            numbers.REFUTED if row.refuted else style.value(row.value, digits),
            "" if row.low is None or row.refuted else style.limits(row.low, row.high or 0, digits),
        )
        for name, row in groups.items()
    )
    level = f"{_level(groups)} interval".strip()
    head = (groups.column, "items", head_of(groups.values()), level)
    claim = next(iter(groups.values())).claim
    best = f"The best possible {metric.words}" if claim.any_model else f"The {metric.words}"
    of = "" if claim.any_model else f" of {claim.best_of}"
    return Table(f"{best}{of} in each group", head, rows)


def _metric(groups: Groups[Estimate]) -> Metric:
    return next(iter(groups.values())).measure


def _meaning(groups: Groups[Estimate]) -> tuple[Block, ...]:
    said = [
        *_by_group(groups, lambda row: row.claim.sentence),
        *_by_group(groups, lambda row: f"Assumption: {row.assumptions}"),
        *_by_group(groups, interval_in_words),
    ]
    if _level(groups) and groups.simultaneous:
        said.append(_at_once(groups))
    return tuple(map(Text, said))


def _at_once(groups: Groups[Estimate]) -> str:
    return (
        f"All {len(groups):,} intervals hold at once at {_level(groups)}: each is so much wider "
        "than one that holds by itself. "
        f"{_metric(groups).limit.capitalize()}s whose intervals do not overlap differ; where "
        "intervals overlap, nothing follows. Groups that were formed after a look at the labels "
        "are not covered."
    )


def _by_group(groups: Groups[Estimate], say: Callable[[Estimate], str]) -> list[str]:
    """Return what is said of all groups once, and else behind the names of the groups."""
    found: dict[str, list[str]] = {}
    for name, row in groups.items():
        found.setdefault(say(row), []).append(name)
    if len(found) == 1:
        return list(found)
    return [f"{_listed(groups, names)}: {text}" for text, names in found.items()]


def _listed(groups: Groups[Estimate], names: Iterable[str]) -> str:
    few = list(names)
    if len(few) > FEW:
        return f"{len(few):,} of {len(groups):,} groups"
    return f"{groups.column} {', '.join(few)}"


def _checks(summary: GroupsSummary) -> tuple[Block, ...]:
    blocks = [*_attention(summary)]
    return tuple(blocks or [Text("Nothing in the data of any group calls for attention.")])


def _attention(summary: GroupsSummary) -> Iterator[Block]:
    """Yield what calls for attention: in all groups first, then under the name of each."""
    groups = summary.shown
    first, *others = summary.diagnostics
    everywhere = [one for one in first if others and all(one in group for group in others)]
    if everywhere:
        yield from (Name("All groups"), Findings(tuple(everywhere)))
    for (name, row), found in zip(groups.items(), summary.diagnostics, strict=True):
        own = tuple(one for one in found if one not in everywhere)
        doubts = _doubts(row, found)
        if own or doubts:
            yield Name(f"{groups.column} {name}")
            yield from map(Caution, doubts)
        if own:
            yield Findings(own)
