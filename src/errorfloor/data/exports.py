"""What labelling tools and evaluation harnesses write: which tool wrote a file, and its rows.

The formats are those that the makers publish. A vote is an item, an annotator and a class; records
without votes, and those that annotators skipped, have none. Logs of harnesses have scores with a
label where they hold some, and else the verdicts of a judge alone, which need labels of people.
Exports are objects of JSON; crowd tools write tables, which DuckDB reads.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, TypeAlias

from errorfloor._checks import InputError, Part, argument, command
from errorfloor.data.layouts import ANNOTATIONS
from errorfloor.data.values import as_text, quoted

Record: TypeAlias = Mapping[str, Any]
Row: TypeAlias = dict[str, Any]
Vote: TypeAlias = tuple[Any, Any, Any]  # item, annotator, class
_MOST_VARIABLES = 40  # of a test case that become columns
_MOST_TEXT = 200  # characters of answers that are kept


@dataclass(frozen=True, slots=True)
class ToolNotes:
    """What a file of a tool holds, for people."""

    tool: str
    notes: tuple[str, ...] = ()
    problem: InputError | None = None  # why nothing is read of it unless columns are named
    columns: Mapping[str, str] = field(default_factory=dict)  # of votes, by role
    blank: int = 0  # annotations that were skipped or cancelled, or have no answer

    def with_blank(self, blank: int) -> ToolNotes:
        """Return the same with a note on annotations without an answer, of several files."""
        what = "1 annotation without an answer is" if blank == 1 else ""
        what = what or f"{blank:,} annotations without an answer are"
        return replace(self, notes=(*self.notes, f"{what} left out"))


@dataclass(frozen=True, slots=True)
class Export:
    """A tool whose exports are read."""

    name: str
    fits: Callable[[Record], bool]  # tells it by a record, or by the object that holds all records
    votes: Callable[[Record], Iterator[Vote]] | None
    says: str  # what is taken
    inside: Callable[[Record], list[Any] | None] | None = None  # the records of such an object
    rows: Callable[[list[Record]], tuple[list[Row], ToolNotes]] | None = None  # in place of votes


def export_of(record: object) -> Export | None:
    """Return the tool that wrote a record, if it is one of those we know."""
    if not isinstance(record, Mapping):
        return None
    return next((export for export in EXPORTS if export.fits(record)), None)


def read_export(export: Export, records: list[Any], file: str) -> tuple[list[Row], ToolNotes]:
    """Return the rows of an export, and what to say of them."""
    if len(records) == 1 and export.inside is not None and isinstance(records[0], Mapping):
        found = export.inside(records[0])
        records = records if found is None else found
    if export.rows is None:
        rows, blank = rows_of_export(export, records, _place(file))
        return rows, ToolNotes(export.name, blank=blank)
    some = [record for record in records if isinstance(record, Mapping)]
    if not some:
        raise InputError(
            f"Could not read {file!r}: it is a log of {export.name} without a sample. Run the "
            "evaluation to its end, or name another log."
        )
    return export.rows(some)


def rows_of_export(
    export: Export, records: list[Any], place: str | None = None
) -> tuple[list[Row], int]:
    """Return a row for each vote, and how many annotations have none.

    Each item has a number where it has no id.

    `place` is the item of a file that holds the votes on a single one.
    """
    rows, blank = [], 0
    assert export.votes is not None
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            continue
        for item, annotator, vote in export.votes(record):
            if vote is _NO_VOTE:
                blank += 1
                continue
            numbered = place if item is _FILE else number if item is None else item
            rows.append({"item": numbered, "annotator": annotator, "vote": vote})
    if not rows:
        raise InputError(
            f"This is an export of {export.name} without a vote for one class per item. "
            f"{export.says} Export such annotations, or a table with a row for each vote."
        )
    if all(row["annotator"] is None for row in rows):
        for row in rows:
            del row["annotator"]
    return rows, blank


_NO_VOTE = object()  # of an annotation that was skipped, cancelled or has no answer
_FILE = object()  # an item that has a file of its own


def _place(file: str) -> str:
    """Return what an item is called whose votes are a file of their own, in a folder of its own."""
    folder, name = os.path.split(file)
    return f"{os.path.basename(folder)}/{name}"


def _one_of(values: Any) -> Any:
    """Return the only one of several choices; None where there are none, or more.

    Several labels of one annotator are no votes of several; they count as missing.
    """
    if isinstance(values, list | tuple):
        return values[0] if len(values) == 1 else None
    return values


def chosen(content: Any) -> Any:
    """Return the one answer in what a form of crowd elements sends, or None where that is unclear.

    Examples
    --------
    >>> chosen('[{"sentiment": {"label": "good"}}]'), chosen({"yes": {"on": True}, "no": False})
    ('good', 'yes')
    """
    if isinstance(content, str):
        text = content.strip()
        if text[:1] not in ("{", "["):
            return text or None
        try:
            return chosen(json.loads(text))
        except (ValueError, RecursionError):
            return None
    if isinstance(content, list):
        return chosen(content[0]) if len(content) == 1 else None
    if not isinstance(content, Mapping):
        return content
    for name in ("label", "labels", "category"):
        if name in content:
            return chosen(content[name])
    ticked = {name: _is_ticked(value) for name, value in content.items()}
    if len(content) > 1 and None not in ticked.values():
        return _one_of([name for name, on in ticked.items() if on])
    return chosen(next(iter(content.values()))) if len(content) == 1 else None


def _is_ticked(value: Any) -> bool | None:
    """Tell whether a button is on; None where it is no button."""
    if isinstance(value, Mapping) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, bool) else None


# Labelling tools.


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
            results = ()
        by = one.get("completed_by")
        by = by.get("email", by.get("id")) if isinstance(by, Mapping) else by
        for result in results:
            kind, value = result.get("type"), result.get("value") or {}
            if kind in ("choices", "rating", "number"):
                yield record.get("id"), by, _one_of(value.get(kind))
                break  # one question an item: the first
        else:
            yield record.get("id"), by, _NO_VOTE


def _is_argilla(record: Record) -> bool:
    answers = record.get("responses")
    return isinstance(record.get("fields"), Mapping) and isinstance(answers, Mapping | list)


def _votes_of_argilla(record: Record) -> Iterator[Vote]:
    answers = record.get("responses")
    item = record.get("id", record.get("external_id"))
    if isinstance(answers, Mapping):  # by question, since version 2
        question: Any = next(iter(answers.values()), ())
        for one in question or ():
            done = one.get("status") in (None, "submitted")
            yield item, one.get("user_id"), _one_of(one.get("value")) if done else _NO_VOTE
        return
    for one in answers or ():
        first: Any = next(iter((one.get("values") or {}).values()), None)
        done = one.get("status") in (None, "submitted") and first is not None
        value = first.get("value") if isinstance(first, Mapping) else first
        yield item, one.get("user_id"), _one_of(value) if done else _NO_VOTE


def _votes_of_prodigy(record: Record) -> Iterator[Vote]:
    by = record.get("_annotator_id", record.get("_session_id"))
    item = record.get("_input_hash", record["_task_hash"])
    if record["answer"] == "ignore":
        yield item, by, _NO_VOTE
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


# SageMaker Ground Truth: what each worker answered, or the labels that were put together from it.


def _is_ground_truth(record: Record) -> bool:
    return _are_all(record.get("answers"), "answerContent") or (
        "datasetObjectId" in record and _are_all(record.get("annotations"), "workerId")
    )


def _are_all(values: Any, name: str) -> bool:
    """Tell whether values are objects that have this name, and at least one."""
    if not isinstance(values, list) or not values:
        return False
    return all(isinstance(one, Mapping) and name in one for one in values)


def _votes_of_ground_truth(record: Record) -> Iterator[Vote]:
    for one in record.get("answers", ()):  # a file for each item
        yield _FILE, one.get("workerId"), chosen(one["answerContent"])
    for one in record.get("annotations", ()):
        content = (one.get("annotationData") or {}).get("content")
        yield record["datasetObjectId"], one["workerId"], chosen(content)


def _job_of_manifest(record: Record) -> str | None:
    for name, value in record.items():
        kind = value.get("type") if isinstance(value, Mapping) else None
        if name.endswith("-metadata") and str(kind).startswith("groundtruth/"):
            return name.removesuffix("-metadata")
    return None


def _rows_of_manifest(records: list[Record]) -> tuple[list[Row], ToolNotes]:
    rows = []
    for number, record in enumerate(records):
        job = _job_of_manifest(record)
        about = {} if job is None else record[f"{job}-metadata"]
        name = about.get("class-name", None if job is None else record.get(job))
        item = record.get("source-ref", record.get("source", number))
        rows.append({"id": _short(item), "put_together": name, "sure": about.get("confidence")})
    problem = InputError(
        "This manifest of Ground Truth has one label for each item, which was put together from "
        "the votes of its workers, and the votes themselves are not in it. They are in the folder "
        "annotations/worker-response next to it. Name that folder:\n  "
        "errorfloor annotations/worker-response"
    )
    return rows, ToolNotes("SageMaker Ground Truth", problem=problem)


# Scale: tasks with the answer of one or of several people.


def _is_scale(record: Record) -> bool:
    return {"task_id", "type", "status"} <= record.keys() and (
        isinstance(record.get("response"), Mapping) or "params" in record
    )


def _is_list_of_scale(record: Record) -> bool:
    tasks = record.get("docs") if isinstance(record.get("docs"), list) else None
    return bool(tasks) and all(isinstance(one, Mapping) and _is_scale(one) for one in tasks or ())


def _votes_of_scale(record: Record) -> Iterator[Vote]:
    response, about = record.get("response"), record.get("params")
    if record["status"] != "completed" or not isinstance(response, Mapping):
        return
    shown = about.get("attachment") if isinstance(about, Mapping) else None
    item = shown if isinstance(shown, str) else record["task_id"]
    fields = response.get("annotations")
    if "category" in response:
        yield item, None, _one_of(response["category"])
    elif isinstance(fields, Mapping):
        answers = (one.get("response") for one in fields.values() if isinstance(one, Mapping))
        for answer in next((one for one in answers if isinstance(one, list)), ()):
            yield item, None, _one_of(answer)


# Logs of evaluation harnesses.


def _verdicts(tool: str, key: str, notes: tuple[str, ...] = ()) -> ToolNotes:
    """Say that a log has the verdicts of a judge, and how to bring labels of people."""
    problem = InputError(
        f"This is a log of {tool}: it says what a judge or a check decided about each answer, and "
        "has no label of a person to compare that with. Put such labels into a file with a row "
        f"for each {key}, and name it:\n  ",
        command("labels", "human.csv"),
        *(" ", argument("on", key)),
    )
    return ToolNotes(tool, notes, problem)


def _number(value: Any) -> float | None:
    """Return a verdict as a number: that of right and wrong letters, of booleans and of text."""
    if isinstance(value, str):
        value = _LETTERS.get(value.strip(), value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partly, no answer


def _short(value: Any) -> Any:
    """Return a value as it may stand in a column: long text is cut."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value[:_MOST_TEXT] if isinstance(value, str) else value


def _scored(scores: Mapping[str, Any]) -> Row:
    """Return verdicts by the name of what gave them; the only one is the score."""
    if len(scores) == 1:
        (value,) = scores.values()
        number = _number(value)
        return {"score": number} if number is not None or value is None else {"verdict": value}
    return {
        name: value if (number := _number(value)) is None else number
        for name, value in scores.items()
    }


def _unknown(tool: str, version: Any, known: Sequence[int], instead: str) -> InputError:
    listed = " and ".join(map(str, known))
    return InputError(
        f"This log of {tool} is of version {version!r}, and versions {listed} are known. {instead}"
    )


# lm-evaluation-harness: one record for each document, with the log-likelihood of each choice.


def _is_lm_eval(record: Record) -> bool:
    return {"doc_id", "target", "filtered_resps"} <= record.keys()


def _rows_of_lm_eval(records: list[Record]) -> tuple[list[Row], ToolNotes]:
    tool = "lm-evaluation-harness"
    kept = [one for one in records if _is_lm_eval(one)]
    first = kept[0].get("filter")
    notes = []
    if any(one.get("filter") != first for one in kept):
        kept = [one for one in kept if one.get("filter") == first]
        notes.append(f"the samples of filter {first!r} are used, and those of other filters not")
    likely = [_log_likelihoods(one) for one in kept]
    if any(one is None or len(one) < 2 for one in likely):
        return [_generated(one) for one in kept], _verdicts(tool, "doc_id", tuple(notes))
    choices = [one for one in likely if one is not None]
    most = max(map(len, choices))
    places = [_target(one, len(found)) for one, found in zip(kept, choices, strict=True)]
    rows = [
        {"doc_id": one["doc_id"], "probs": _shares(found, most), "label": place}
        for one, found, place in zip(kept, choices, places, strict=True)
    ]
    notes.append(
        f"a class is the place of a choice, 0 to {most - 1}, and its score the share of its "
        "likelihood among all choices"
    )
    if min(map(len, choices)) < most:
        notes.append(f"documents with fewer than {most} choices have a score of 0 for the others")
    return rows, ToolNotes(tool, tuple(notes), _no_places(places, most))


def _no_places(places: Sequence[int | None], most: int) -> InputError | None:
    """Refuse targets that are no choice, and those that are always in the same place."""
    if None in places:
        return InputError(
            f"This is a log of lm-evaluation-harness whose target is none of the choices in "
            f"{places.count(None)} of {len(places)} samples, so their labels are not known. Save "
            "the scores of the choices and the place of the right one as CSV: p_0,p_1,label."
        )
    if len(places) > 1 and len(set(places)) == 1:
        return InputError(
            "This is a log of lm-evaluation-harness in which the right choice is always in the "
            f"same place, {places[0]} of 0 to {most - 1}: a rule that only takes that place is "
            "never wrong, and says nothing about models. Shuffle the choices of the task and run "
            "it again."
        )
    return None


def _log_likelihoods(record: Record) -> list[float] | None:
    """Return the log-likelihood of each choice, or None where the answers are other ones."""
    found = []
    for one in record["filtered_resps"] if isinstance(record["filtered_resps"], list) else [None]:
        pair = one if isinstance(one, list) and len(one) == 2 else (None, None)
        number = _number(pair[0])
        if number is None or str(pair[1]).lower() not in ("true", "false"):
            return None
        found.append(number)
    # The second half are the choices without the question, which this metric compares with.
    return found[: len(found) // 2] if "acc_mutual_info" in record else found


def _shares(likely: Sequence[float], most: int) -> list[float]:
    top = max(likely)
    parts = [math.exp(one - top) for one in likely]
    total = math.fsum(parts)
    return [*(part / total for part in parts), *[0.0] * (most - len(parts))]


def _target(record: Record, number: int) -> int | None:
    """Return the place of the right choice."""
    target = str(record["target"]).strip()
    if target.isdecimal():
        return int(target) if int(target[:9]) < number else None
    texts = _continuations(record)[:number]
    if texts.count(target) == 1:
        return texts.index(target)
    place = ord(target) - ord("A") if len(target) == 1 and target.isascii() else -1
    return place if 0 <= place < number else None


def _continuations(record: Record) -> list[str]:
    """Return the text of each choice: of lists, or of objects since version 0.4.3."""
    asked = record.get("arguments")
    parts = (
        asked.values() if isinstance(asked, Mapping) else asked if isinstance(asked, list) else ()
    )
    both = (list(one.values()) if isinstance(one, Mapping) else one for one in parts)
    return [str(one[1]).strip() for one in both if isinstance(one, list) and len(one) > 1]


def _generated(record: Record) -> Row:
    names = record.get("metrics")
    names = names if isinstance(names, list) and names else ["exact_match", "acc"]
    scores = {str(name): record.get(str(name)) for name in names if str(name) in record}
    answer = _short(record["filtered_resps"])
    row = {
        "doc_id": record["doc_id"],
        "answer": _short(answer),
        "expected": _short(record["target"]),
    }
    return {**row, **(_scored(scores) if scores else {})}


# Inspect: one object with all samples, or an archive of them.

_VERSIONS_OF_INSPECT = (1, 2)


def _is_inspect(record: Record) -> bool:
    about = record.get("eval")
    return isinstance(about, Mapping) and "task" in about and "version" in record


def _samples_of_inspect(record: Record) -> list[Any] | None:
    check_inspect(record.get("version"))
    samples = record.get("samples")
    return [
        {**one, _OF_INSPECT: record.get("status")}
        for one in (samples if isinstance(samples, list) else ())
        if isinstance(one, Mapping)
    ]


_OF_INSPECT = "status of the log"


def check_inspect(version: Any) -> None:
    """Refuse logs of versions that nobody here knows."""
    if version not in _VERSIONS_OF_INSPECT:
        instead = "Save its samples as CSV: inspect_ai.analysis.samples_df(log).to_csv('log.csv')."
        raise _unknown("Inspect", version, _VERSIONS_OF_INSPECT, instead)


def rows_of_inspect(samples: list[Record]) -> tuple[list[Row], ToolNotes]:
    """Return a row for each sample."""
    rows, epochs = [], len({one.get("epoch") for one in samples}) > 1
    for sample in samples:
        given = sample.get("scores", {"score": sample.get("score")})
        scores = given if isinstance(given, Mapping) else {}
        values = {str(name): _value(one) for name, one in scores.items()}
        answers = (one.get("answer") for one in scores.values() if isinstance(one, Mapping))
        row = {"id": sample.get("id"), "answer": _short(next(answers, None))}
        row |= {"epoch": sample.get("epoch")} if epochs else {}
        rows.append({**row, "expected": _short(sample.get("target")), **_scored(values)})
    status = samples[0].get(_OF_INSPECT, "success")
    notes = () if status == "success" else (f"the log ends with {status!r}: not all may be there",)
    return rows, _verdicts("Inspect", "id", notes)


def _value(score: Any) -> Any:
    value = score.get("value") if isinstance(score, Mapping) else score
    return value if isinstance(value, bool | int | float | str) else None


# promptfoo: one object with a result for each prompt, provider and test, or a line for each.

_VERSIONS_OF_PROMPTFOO = (2, 3)


def _is_result(record: Record) -> bool:
    named = isinstance(record.get("vars"), Mapping) and "prompt" in record
    return named and isinstance(record.get("success"), bool)


def _summary(record: Record) -> Record | None:
    for one in (record.get("results"), record):
        told = isinstance(one, Mapping) and {"stats", "table", "prompts"} & one.keys()
        if told and isinstance(one, Mapping) and isinstance(one.get("results"), list):
            return one if "version" in one else None
    return None


def _results_of_promptfoo(record: Record) -> list[Any] | None:
    summary = _summary(record)
    if summary is None:
        return None
    version, results = summary["version"], list(summary["results"])
    if version not in _VERSIONS_OF_PROMPTFOO:
        instead = "Write the results as CSV: promptfoo export eval latest -o results.csv."
        raise _unknown("promptfoo", version, _VERSIONS_OF_PROMPTFOO, instead)
    return results


def _rows_of_promptfoo(results: list[Record]) -> tuple[list[Row], ToolNotes]:
    several = len({_asked_of(one) for one in results}) > 1
    rows: list[Row] = []
    for number, result in enumerate(results):
        variables = result.get("vars")
        variables = variables if isinstance(variables, Mapping) else {}
        prompt, provider = _asked_of(result)
        test = variables.get("id", result.get("testIdx", number))
        failed = result.get("error") is not None and result.get("gradingResult") is None
        output = result.get("response")
        output = output.get("output") if isinstance(output, Mapping) else output
        row = {"id": f"{test}/{prompt}/{provider}" if several else test, "test": test}
        row |= {"provider": provider, "answer": _short(output)}
        row |= {"passed": None if failed else result.get("success")}
        row |= {"score": None if failed else _number(result.get("score"))}
        some = list(variables.items())[:_MOST_VARIABLES]
        rows.append({**row, **{f"vars.{name}": _short(one) for name, one in some if name != "id"}})
    note = "an answer is called id/prompt/provider, as there are several for each test"
    return rows, _verdicts("promptfoo", "id", (note,) if several else ())


def _asked_of(result: Record) -> tuple[str, str]:
    """Return the prompt and the provider of a result, as text."""
    both = []
    for name, keys in (("prompt", ("label", "id", "raw")), ("provider", ("label", "id"))):
        one = result.get(name)
        if isinstance(one, Mapping):
            one = next((one[key] for key in keys if one.get(key)), "")
        both.append(str(_short(one)))
    place = result.get("promptIdx")
    return (both[0] if place is None else str(place)), both[1]


# DeepEval: one object with test cases, each with what every metric gave it.


def _cases_of_deepeval(record: Record) -> list[Any] | None:
    inner = record.get("testRunData")
    record = inner if isinstance(inner, Mapping) else record
    for name in ("testCases", "test_cases", "test_results", "testResults"):
        cases = record.get(name)
        if isinstance(cases, list) and all(isinstance(one, Mapping) for one in cases):
            return cases
    return None


def _metrics_of(case: Record) -> list[Any] | None:
    names = ("metricsData", "metrics_data", "metricsMetadata", "metrics_metadata")
    return next((case[name] for name in names if isinstance(case.get(name), list)), None)


def _rows_of_deepeval(cases: list[Record]) -> tuple[list[Row], ToolNotes]:
    if all(_metrics_of(case) is None for case in cases):
        raise InputError(
            "This is a run of DeepEval whose test cases have neither metricsData nor "
            "metricsMetadata: its version is not known. Save the score of each test case as CSV: "
            "id,score."
        )
    names = [{_metric(one) for one in _metrics_of(case) or ()} for case in cases]
    several = len(set().union(*names)) > 1
    rows = []
    for number, case in enumerate(cases):
        scores = {_metric(one): one.get("score") for one in _metrics_of(case) or ()}
        row = {"id": case.get("name") or number, "passed": case.get("success")}
        answer = case.get("actualOutput", case.get("actual_output"))
        expected = case.get("expectedOutput", case.get("expected_output"))
        row |= {"answer": _short(answer), "expected": _short(expected)}
        both = scores if several else dict(list(_scored(scores).items())[:1])
        rows.append({**row, **both})
    return rows, _verdicts("DeepEval", "id")


def _metric(data: Any) -> str:
    return str(data.get("name", data.get("metric", "metric"))) if isinstance(data, Mapping) else ""


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
        lambda record: (
            "_task_hash" in record and record.get("answer") in ("accept", "reject", "ignore")
        ),
        _votes_of_prodigy,
        "The accepted option is the vote; of one label, whether it was accepted.",
    ),
    Export(
        "doccano",
        _is_doccano,
        _votes_of_doccano,
        "The label of a text, one for each annotator, is a vote.",
    ),
    Export(
        "SageMaker Ground Truth",
        _is_ground_truth,
        _votes_of_ground_truth,
        "The label that each worker chose is a vote.",
    ),
    Export(
        "SageMaker Ground Truth",
        lambda record: _job_of_manifest(record) is not None,
        None,
        "Labels that were put together from votes are none.",
        rows=_rows_of_manifest,
    ),
    Export(
        "Scale",
        lambda record: _is_scale(record) or _is_list_of_scale(record),
        _votes_of_scale,
        "The category of a completed task is a vote, or each of several answers to its first "
        "question.",
        inside=lambda record: record["docs"] if _is_list_of_scale(record) else None,
    ),
    Export(
        "lm-evaluation-harness",
        _is_lm_eval,
        None,
        "The log-likelihoods of the choices are scores, and the target is the label.",
        rows=_rows_of_lm_eval,
    ),
    Export(
        "Inspect",
        _is_inspect,
        None,
        "What a scorer gave each sample is a score without a label.",
        inside=_samples_of_inspect,
        rows=rows_of_inspect,
    ),
    Export(
        "promptfoo",
        lambda record: _summary(record) is not None or _is_result(record),
        None,
        "What the assertions gave each answer is a score without a label.",
        inside=_results_of_promptfoo,
        rows=_rows_of_promptfoo,
    ),
    Export(
        "DeepEval",
        lambda record: _cases_of_deepeval(record) is not None,
        None,
        "What a metric gave each test case is a score without a label.",
        inside=_cases_of_deepeval,
        rows=_rows_of_deepeval,
    ),
)


# Tables of crowd tools, detected from their columns, as rows of item, annotator, vote.
#
# The columns that hold these keep their names. Where none does, one is added that is called as its
# role, and where several may be the vote all stay as they are, so that one can be named. Workers
# that were rejected, tasks whose answer was known beforehand and trial answers are left out, and
# counted.

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
    # The database may be one that is kept, for which the view must end with the connection.
    connection.execute(f"create temp view {view} as {rows.sql_query()}")
    query, told = tool.rows(connection, view, columns)
    found = connection.sql(query)
    added = [one for one in _ROLES if one in found.columns]
    known = {} if told.problem is not None else told.columns
    own = {one: known[one] for one in added if known.get(one) in columns}
    if own:
        values = ", ".join(f"{role} as {quoted(column)}" for role, column in own.items())
        found = connection.sql(f"select * exclude ({', '.join(own)}) replace ({values}) from found")
    return found, replace(told, columns={one: own.get(one, one) for one in added})


def _only(votes: Mapping[str, str]) -> dict[str, str]:
    """Return the column of the only vote by its role."""
    return {"vote": next(iter(votes))} if len(votes) == 1 else {}


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
        {"item": "HITId", "annotator": "WorkerId", **_only(votes)},
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
    connection.execute(f"create temp table {joined} ({', '.join(head)})")
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
    whole = f"concat_ws(chr(31), {parts or 'null'})"
    status = quoted("ASSIGNMENT:status") if "ASSIGNMENT:status" in columns else "''"
    rejected = f"upper(coalesce({status}, '')) = 'REJECTED'"
    control = " or ".join(f"{quoted(one)} is not null" for one in known) or "false"
    gone, tests = _numbers(
        connection,
        f"select count(*) filter ({rejected}), count(*) filter (not ({rejected}) and ({control})) "
        f"from {view} where {worker} is not null",
    )
    kept = f"(from {view} where {worker} is not null and not ({rejected}) and not ({control}))"
    once = task in columns and len(inputs) > 0 and _are_apart(connection, kept, task, whole)
    item = whole if once or task not in columns else quoted(task)
    votes = {one: quoted(one) for one in answers if _different(connection, kept, one) is not None}
    added = f", {next(iter(votes.values()))} as vote" if len(votes) == 1 else ""
    numbers = (gone, "rejected answers"), (tests, "answers to control and training tasks")
    notes = _left_out(numbers)
    if once:
        notes = (*notes, f"each answer has a task id of its own: items are {', '.join(inputs)}")
    own = {"item": inputs[0] if once else task, "annotator": "ASSIGNMENT:worker_id"}
    told = ToolNotes(tool, notes, _asked(tool, votes), {**own, **_only(votes)})
    return f"select *, {item} as item, {worker} as annotator{added} from {kept}", told


def _are_apart(connection: Any, kept: str, task: str, inputs: str) -> bool:
    """Tell whether each answer has a task of its own, although several are on the same inputs."""
    counted = f"select count(*), count(distinct {quoted(task)}), count(distinct {inputs})"
    rows, tasks, items = _numbers(connection, f"{counted} from {kept}")
    return items < tasks == rows


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
    note = "each vote is for the first or the second model of a pair, by the alphabet, or a tie"
    own = {"item": key or "", "annotator": who or "", "vote": "winner"}
    return query, ToolNotes("arena", (note,), None if most > 1 else _one_vote_each(), own)


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
