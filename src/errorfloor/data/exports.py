"""What labelling tools export: how each is told by its first record, and the votes in a record.

Layouts of the files as their makers publish them. A vote is an item, an annotator and a class;
records without votes, and those that annotators skipped, have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from errorfloor._checks import InputError

Record: TypeAlias = "Mapping[str, Any]"
Vote: TypeAlias = "tuple[Any, Any, Any]"  # item, annotator, class


@dataclass(frozen=True, slots=True)
class Export:
    """A tool whose exports are read."""

    name: str
    fits: Callable[[Record], bool]  # tells it by a record
    votes: Callable[[Record], Iterator[Vote]]
    says: str  # what is taken


def export_of(record: object) -> Export | None:
    """Return the tool that wrote a record, if it is one of those we know."""
    if not isinstance(record, Mapping):
        return None
    return next((export for export in EXPORTS if export.fits(record)), None)


def rows_of(export: Export, records: list[Any]) -> list[dict[str, Any]]:
    """Return a row for each vote; each item has a number where it has no id."""
    rows = []
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            continue
        for item, annotator, vote in export.votes(record):
            rows.append(
                {
                    "item": number if item is None else item,
                    "annotator": annotator,
                    "vote": vote,
                }
            )
    if not rows:
        raise InputError(
            f"This is an export of {export.name} without a vote for one class per item. "
            f"{export.says} Export such annotations, or a table with a row for each vote."
        )
    if all(row["annotator"] is None for row in rows):
        for row in rows:
            del row["annotator"]
    return rows


def _one_of(values: Any) -> Any:
    """Return the only one of several choices; None where there are none, or more.

    Several labels of one annotator are no votes of several; they count as missing.
    """
    if isinstance(values, list | tuple):
        return values[0] if len(values) == 1 else None
    return values


def _is_label_studio(record: Record) -> bool:
    done = record.get("annotations", record.get("completions"))
    return (
        isinstance(record.get("data"), Mapping)
        and isinstance(done, list)
        and all(isinstance(one, Mapping) and "result" in one for one in done)
    )


def _votes_of_label_studio(record: Record) -> Iterator[Vote]:
    for one in record.get("annotations", record.get("completions")) or ():
        results = one.get("result") or ()
        if one.get("was_cancelled") or one.get("skipped"):
            continue
        by = one.get("completed_by")
        by = by.get("email", by.get("id")) if isinstance(by, Mapping) else by
        for result in results:
            kind, value = result.get("type"), result.get("value") or {}
            if kind in ("choices", "rating", "number"):
                yield record.get("id"), by, _one_of(value.get(kind))
                break  # one question an item: the first


def _is_argilla(record: Record) -> bool:
    answers = record.get("responses")
    return isinstance(record.get("fields"), Mapping) and isinstance(answers, Mapping | list)


def _votes_of_argilla(record: Record) -> Iterator[Vote]:
    answers = record.get("responses")
    item = record.get("id", record.get("external_id"))
    if isinstance(answers, Mapping):  # by question, since version 2
        question: Any = next(iter(answers.values()), ())
        for one in question or ():
            if one.get("status") in (None, "submitted"):
                yield item, one.get("user_id"), _one_of(one.get("value"))
        return
    for one in answers or ():
        first: Any = next(iter((one.get("values") or {}).values()), None)
        if one.get("status") in (None, "submitted") and first is not None:
            value = first.get("value") if isinstance(first, Mapping) else first
            yield item, one.get("user_id"), _one_of(value)


def _is_prodigy(record: Record) -> bool:
    return "_task_hash" in record and record.get("answer") in ("accept", "reject", "ignore")


def _votes_of_prodigy(record: Record) -> Iterator[Vote]:
    by = record.get("_annotator_id", record.get("_session_id"))
    item = record.get("_input_hash", record["_task_hash"])
    if record["answer"] == "ignore":
        return
    if "accept" in record:  # a choice of options
        if record["answer"] == "accept":
            yield item, by, _one_of(record["accept"])
        return
    # One label that is accepted or rejected; another label of the same input is another question.
    yield record["_task_hash"], by, int(record["answer"] == "accept")


def _is_doccano(record: Record) -> bool:
    labels, done = record.get("label"), record.get("annotations")
    if not ({"text", "data"} & record.keys()):
        return False
    if isinstance(done, list):  # up to version 1.2
        return all(isinstance(one, Mapping) and "label" in one for one in done)
    named = isinstance(labels, list) and all(isinstance(one, str) for one in labels)
    return named and bool({"id", "Comments", "username"} & record.keys())


def _votes_of_doccano(record: Record) -> Iterator[Vote]:
    item = record.get("id")
    item = record.get("text", record.get("data")) if item is None else item
    if isinstance(record.get("annotations"), list):
        for one in record["annotations"]:
            yield item, one.get("user"), one["label"]
    elif record["label"]:
        yield item, record.get("username"), _one_of(record["label"])


EXPORTS = (
    Export(
        "Label Studio",
        _is_label_studio,
        _votes_of_label_studio,
        "The first choice, rating or number of each annotation is its vote.",
    ),
    Export(
        "Argilla",
        _is_argilla,
        _votes_of_argilla,
        "The submitted responses to the first question are the votes.",
    ),
    Export(
        "Prodigy",
        _is_prodigy,
        _votes_of_prodigy,
        "The accepted option is the vote; of one label, whether it was accepted.",
    ),
    Export(
        "doccano",
        _is_doccano,
        _votes_of_doccano,
        "The label of a text, one for each annotator, is a vote.",
    ),
)
