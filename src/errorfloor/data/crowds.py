"""Tables of crowd tools, detected from their columns, as rows of item, annotator, vote.

All columns stay, and the three are added, so that others can be named. Workers that were rejected,
tasks whose answer was known beforehand and trial answers are left out, and counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from errorfloor._checks import InputError, Part, argument, command
from errorfloor.data.exports import ToolNotes, chosen
from errorfloor.data.layouts import ANNOTATIONS
from errorfloor.data.values import as_text, quoted

_VIEWS = count()
_ROLES = tuple(role.name for role in ANNOTATIONS.roles)  # item, annotator, vote
_MOST_ANSWERS = 20  # different ones of a question that has classes
_MOST_QUESTIONS = 40  # of one form
_LINES = 3  # that an error lists


@dataclass(frozen=True, slots=True)
class Crowd:
    """A tool that writes tables."""

    name: str
    known_by: tuple[tuple[str, ...], ...]  # columns, or how they begin: all of one of these
    rows: Callable[[Any, str, Sequence[str]], tuple[str, ToolNotes]]  # a query, from a view

    def fits(self, columns: Sequence[str]) -> bool:
        """Tell whether the names of columns are those that the tool writes."""
        marked = ((one, mark) for one in columns for mark in ".:" if mark in one)
        there = {*columns, *(f"{one.partition(mark)[0]}{mark}*" for one, mark in marked)}
        return any(there >= {*names} for names in self.known_by)


def crowd_rows(connection: Any, rows: Any) -> tuple[Any, ToolNotes | None]:
    """Return the rows of a crowd tool with item, annotator and vote; others as they are."""
    columns = list(rows.columns)
    tool = next((one for one in CROWDS if one.fits(columns)), None)
    if tool is None or {*_ROLES} & {one.casefold() for one in columns}:
        return rows, None
    view = f"crowd_{next(_VIEWS)}"
    rows.create_view(view)
    query, told = tool.rows(connection, view, columns)
    found = connection.sql(query)
    return found, replace(told, columns=tuple(one for one in _ROLES if one in found.columns))


def _numbers(connection: Any, query: str) -> list[int]:
    return [int(one or 0) for one in connection.sql(query).fetchone()]


def _asked(tool: str, votes: Mapping[str, str]) -> InputError | None:
    """Ask which of several questions of a form is meant; `votes` are expressions by their names."""
    if len(votes) == 1:
        return None
    listed = ", ".join(list(votes)[:_LINES])
    if not votes:
        return InputError(
            f"This table of {tool} has no answer that is one of some classes. Export a task in "
            "which workers choose a label, or save a table of item,annotator,vote."
        )
    lines = (part for one in list(votes)[:_LINES] for part in ("\n  ", command("vote", one)))
    return InputError(
        f"This table of {tool} has answers to {len(votes)} questions, such as {listed}. Say which "
        "one is the vote:",
        *lines,
    )


def _left_out(numbers: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(f"{number:,} {what} are left out" for number, what in numbers if number)


# Mechanical Turk: a row for each assignment, with columns or an object for the answers.


def _rows_of_mturk(connection: Any, view: str, columns: Sequence[str]) -> tuple[str, ToolNotes]:
    tool, source = "Mechanical Turk", view
    answers = [one for one in columns if one.startswith("Answer.")]
    if answers == [_OBJECT]:
        source, answers = _with_objects(connection, view, answers[0])
    votes = _answers_of(connection, source, answers)
    extra = [f"{sql} as {quoted(name)}" for name, sql in votes.items() if name not in answers]
    if len(votes) == 1:
        extra.append(f"{next(iter(votes.values()))} as vote")
    status = quoted("AssignmentStatus") if "AssignmentStatus" in columns else "''"
    kept = f"lower(coalesce({status}, '')) <> 'rejected'"
    (gone,) = _numbers(connection, f"select count(*) filter (not ({kept})) from {view}")
    added = "".join(f", {one}" for one in extra)
    query = f"select {view}.*, {quoted('HITId')} as item, {quoted('WorkerId')} as annotator{added}"
    told = ToolNotes(
        tool,
        _left_out([(gone, "rejected assignments")]),
        _asked(tool, votes),
    )
    return f"{query} from {source} where {kept}", told


_OBJECT = "Answer.taskAnswers"


def _with_objects(connection: Any, view: str, column: str) -> tuple[str, list[str]]:
    """Take apart what forms send as one object: a column for each question."""
    query = f"select distinct {quoted(column)} from {view} where {quoted(column)} is not null"
    texts = [text for (text,) in connection.sql(query).fetchall()]
    rows = [_questions(text) for text in texts]
    names = list(dict.fromkeys(name for row in rows for name in row))[:_MOST_QUESTIONS]
    joined = f"{view}_answers"
    head = ["sent varchar", *(f"{quoted(name)} varchar" for name in names)]
    connection.execute(f"create table {joined} ({', '.join(head)})")
    if texts:
        marks = ", ".join("?" * len(head))
        values = [
            [text, *(row.get(name) for name in names)]
            for text, row in zip(texts, rows, strict=True)
        ]
        connection.executemany(f"insert into {joined} values ({marks})", values)
    on = f" left join {joined} on {joined}.sent = {view}.{quoted(column)}"
    return f"{view}{on}", names


def _questions(text: str) -> dict[str, str | None]:
    """Return the answer to each question of a form, by its name."""
    try:
        sent = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    sent = sent[0] if isinstance(sent, list) and len(sent) == 1 else sent
    if not isinstance(sent, Mapping):
        return {}
    several = len(sent) > 1 and chosen(sent) is None
    parts = sent if several else {next(iter(sent), "answer"): sent}
    found = {str(name): chosen(one) for name, one in parts.items()}
    return {f"Answer.{name}": None if one is None else str(one) for name, one in found.items()}


def _answers_of(connection: Any, source: str, columns: Sequence[str]) -> dict[str, str]:
    """Return what gives the answer to each question: a column, or the button that is on."""
    groups: dict[str, list[str]] = {}
    for one in columns:
        groups.setdefault(one.rpartition(".")[0] if one.count(".") > 1 else one, []).append(one)
    found: dict[str, str] = {}
    for name, several in groups.items():
        if len(several) > 1 and _are_buttons(connection, source, several):
            on = [f"lower({quoted(one)}) = 'true'" for one in several]
            one_on = " + ".join(f"coalesce(({test})::int, 0)" for test in on)
            cases = " ".join(
                f"when {test} then {as_text(one.rpartition('.')[2])}"
                for test, one in zip(on, several, strict=True)
            )
            found[name] = f"case when {one_on} = 1 then case {cases} end end"
            continue
        found |= {
            one: quoted(one) for one in several if _different(connection, source, one) is not None
        }
    return found


def _are_buttons(connection: Any, source: str, columns: Sequence[str]) -> bool:
    tests = [f"lower({quoted(one)}) in ('true', 'false')" for one in columns]
    both = " and ".join(f"coalesce({test}, true)" for test in tests)
    return not _numbers(connection, f"select count(*) filter (not ({both})) from {source}")[0]


def _different(connection: Any, source: str, column: str) -> set[str] | None:
    """Return the values of a column that has classes; None of one with other text, or none."""
    query = f"select distinct {quoted(column)}::varchar from {source} where {quoted(column)} is not"
    values = connection.sql(f"{query} null limit {_MOST_ANSWERS + 1}").fetchall()
    return {one for (one,) in values} if 0 < len(values) <= _MOST_ANSWERS else None


# Toloka: a row for each answer, with the fields of the task and of its assignment.


def _rows_of_toloka(connection: Any, view: str, columns: Sequence[str]) -> tuple[str, ToolNotes]:
    tool = "Toloka"
    if "ASSIGNMENT:worker_id" not in columns:
        problem = InputError(
            "This table of Toloka has one answer for each task, which was put together from those "
            "of several people, and their votes are not in it. Download the assignments of the "
            "pool, which have a column ASSIGNMENT:worker_id, and name that file:\n  "
            "errorfloor assignments.tsv"
        )
        return f"from {view}", ToolNotes(tool, problem=problem)
    inputs = [one for one in columns if one.startswith("INPUT:")]
    known = [one for one in columns if one.startswith(("GOLDEN:", "HINT:"))]
    answers = [one for one in columns if one.startswith("OUTPUT:")]
    task, worker = "ASSIGNMENT:task_id", quoted("ASSIGNMENT:worker_id")
    parts = ", ".join(f"coalesce({quoted(one)}, '')" for one in inputs)
    item = quoted(task) if task in columns else f"concat_ws(chr(31), {parts or 'null'})"
    status = quoted("ASSIGNMENT:status") if "ASSIGNMENT:status" in columns else "''"
    rejected = f"upper(coalesce({status}, '')) = 'REJECTED'"
    control = " or ".join(f"{quoted(one)} is not null" for one in known) or "false"
    gone, tests = _numbers(
        connection,
        f"select count(*) filter ({rejected}), count(*) filter (not ({rejected}) and ({control})) "
        f"from {view} where {worker} is not null",
    )
    kept = f"(from {view} where {worker} is not null and not ({rejected}) and not ({control}))"
    votes = {one: quoted(one) for one in answers if _different(connection, kept, one) is not None}
    added = f", {next(iter(votes.values()))} as vote" if len(votes) == 1 else ""
    notes = _left_out(
        [(gone, "rejected answers"), (tests, "answers to control and training tasks")]
    )
    told = ToolNotes(tool, notes, _asked(tool, votes))
    return f"select *, {item} as item, {worker} as annotator{added} from {kept}", told


# Qualtrics: a row for each respondent and a column for each question, below three rows of names.


def _rows_of_qualtrics(connection: Any, view: str, columns: Sequence[str]) -> tuple[str, ToolNotes]:
    tool, new = "Qualtrics", "ResponseId" in columns
    who = quoted("ResponseId" if new else "V1")
    status = quoted("Status" if new else "V7") if {"Status", "V7"} & {*columns} else "''"
    # What stands below the names are questions and what they are imported by, and no answers.
    answered = f"{who} like 'R\\_%' escape '\\'"
    trial = f"lower(coalesce({status}, '')) in ('survey preview', 'survey test', '1', '2')"
    (gone,) = _numbers(connection, f"select count(*) from {view} where {answered} and {trial}")
    kept = f"(from {view} where {answered} and not ({trial}))"
    asked = _question_columns(connection, view, columns, new)
    blocks = _blocks(connection, kept, asked)
    notes = _left_out([(gone, "trial responses")])
    if not blocks:
        problem = InputError(
            "This table of Qualtrics has no two questions whose answers are the same classes, so "
            "no votes on items of one kind. Save a table of item,annotator,vote, with a question "
            "as the item."
        )
        return f"from {view}", ToolNotes(tool, notes, problem)
    names = ["vote"] if len(blocks) == 1 else [block[0] for block in blocks]
    parts = []
    for name, block in zip(names, blocks, strict=True):
        some = ", ".join(map(quoted, block))
        own = ", ".join(
            f"{'asked.vote' if one == name else 'null::varchar'} as {quoted(one)}" for one in names
        )
        table = f"unpivot (select {who} as annotator, {some} from {kept}) on {some}"
        parts.append(
            f"select asked.item, asked.annotator, {own} from ({table} into name item value vote) "
            "as asked"
        )
    ranges = "; ".join(f"{block[0]} to {block[-1]} ({len(block)})" for block in blocks)
    notes = (*notes, f"questions are items, and respondents annotators: {ranges}")
    return " union all ".join(parts), ToolNotes(tool, notes, _which_block(names, blocks))


def _which_block(names: Sequence[str], blocks: Sequence[Sequence[str]]) -> InputError | None:
    if len(blocks) == 1:
        return None
    lines: list[Part] = []
    for name in names[:_LINES]:
        lines += ["\n  ", command("vote", name), " ", argument("drop_missing", True)]
    return InputError(
        f"This table of Qualtrics has {len(blocks)} kinds of questions, with other answers each: "
        f"those from {', '.join(names)} on. Say which ones are the votes:",
        *lines,
    )


def _question_columns(connection: Any, view: str, columns: Sequence[str], new: bool) -> list[str]:
    """Return the columns of questions: by what they are imported by, or by their names."""
    if new:
        where = f"from {view} where {quoted('ResponseId')} like '%ImportId%'"
        head = connection.sql(where).fetchone()
        if head is not None:
            told = dict(zip(columns, map(str, head), strict=True))
            return [one for one in columns if '"QID' in told[one] and "_TEXT" not in told[one]]
    return [one for one in columns if one[:1] == "Q" and one[1:2].isdigit()]


def _blocks(connection: Any, kept: str, columns: Sequence[str]) -> list[list[str]]:
    """Return questions that share answers, two or more together."""
    blocks: list[tuple[set[str], list[str]]] = []
    for column in columns:
        values = _different(connection, kept, column)
        if values is None:
            continue
        same = [block for block in blocks if block[0] & values]
        merged = (values.union(*(one for one, _ in same)), [n for _, some in same for n in some])
        blocks = [block for block in blocks if block not in same]
        blocks.append((merged[0], [*merged[1], column]))
    return [some for values, some in blocks if len(some) > 1 and len(values) <= _MOST_ANSWERS]


# Arenas: a row for each vote about two answers.


def _rows_of_arena(connection: Any, view: str, columns: Sequence[str]) -> tuple[str, ToolNotes]:
    first, second = quoted("model_a"), quoted("model_b")
    if "winner" in columns:
        word = f"lower(trim({quoted('winner')}::varchar))"
        a = f"{word} in ('model_a', 'a') or {quoted('winner')} = {first}"
        b = f"{word} in ('model_b', 'b') or {quoted('winner')} = {second}"
        tie = f"{word} like 'tie%' or {word} like '%both%'"
    else:
        a, b = (f"{quoted(f'winner_model_{one}')}::varchar in ('1', '1.0', 'true')" for one in "ab")
        tie = f"not ({a}) and not ({b})"
    ordered = f"{first} <= {second}"
    vote = (
        f"case when {tie} then 'tie' when ({a}) = ({ordered}) and (({a}) or ({b})) then 'first' "
        f"when ({a}) or ({b}) then 'second' end"
    )
    key = next((one for one in _QUESTIONS if one in columns), None)
    who = next((one for one in _JUDGES if one in columns), None)
    parts = [] if key is None else [key, *(one for one in ("turn",) if one in columns)]
    pair = f"least({first}, {second}), greatest({first}, {second})"
    asked = "".join(f"{quoted(one)}::varchar, " for one in parts)
    item = f"concat_ws(' | ', {asked}{pair})" if parts else "null::varchar"
    judge = "" if who is None else f", {quoted(who)} as annotator"
    query = f"select *, {item} as item{judge}, {vote} as vote from {view}"
    (most,) = _numbers(
        connection,
        f"select max(n) from (select count(*) as n from ({query}) where item is not null "
        "group by item)",
    )
    note = "votes about pairs of answers: for the first or the second model by name, or a tie"
    return query, ToolNotes("arena", (note,), None if most > 1 else _one_vote_each())


_QUESTIONS = ("question_id", "prompt_id", "conversation_id", "id", "prompt", "question")
_JUDGES = ("judge", "judge_id", "annotator_id", "user_id", "user")


def _one_vote_each() -> InputError:
    return InputError(
        "This is a table of pairwise votes: a row says which of two models gave the better answer. "
        "No two rows are about the same two answers, so nothing tells how often people disagree "
        "about them, and no floor follows. Collect the votes of several people on the same pairs, "
        "or say which column has the same value for them:\n  ",
        *(command("item", "COL"), " ", argument("vote", "vote")),
    )


CROWDS = (
    Crowd("Mechanical Turk", (("HITId", "WorkerId", "Answer.*"),), _rows_of_mturk),
    Crowd("Toloka", (("OUTPUT:*", "ASSIGNMENT:*"), ("OUTPUT:*", "CONFIDENCE:*")), _rows_of_toloka),
    Crowd(
        "Qualtrics",
        (("ResponseId", "StartDate", "EndDate"), ("V1", "V8", "V9")),
        _rows_of_qualtrics,
    ),
    Crowd(
        "arena",
        (
            ("model_a", "model_b", "winner"),
            ("model_a", "model_b", "winner_model_a", "winner_model_b"),
        ),
        _rows_of_arena,
    ),
)
