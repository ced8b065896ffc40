"""Peer review at ICLR: the mean rating of a submission, and whether it was accepted."""

from __future__ import annotations

import csv
import hashlib
import io
import operator
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from errorfloor._checks import InputError, shown
from errorfloor.data.storage import write_text
from errorfloor.datasets.dataset import Dataset
from errorfloor.datasets.files import (
    DataHome,
    MissingDataError,
    cache,
    named_folder,
    present,
    unavailable,
)

V1 = "https://api.openreview.net"
V2 = "https://api2.openreview.net"
FIRST_ON_V2 = 2024

_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)")
_GONE = re.compile(r"withdrawn|desk[ _-]?reject", re.IGNORECASE)
_REVIEW = ("/Official_Review", "/official/review")
# 2017, 2018, 2020 and later; the meta-review is the decision of 2019.
_DECISION = ("/acceptance", "/Acceptance_Decision", "/Decision", "/Meta_Review")


@dataclass(frozen=True, slots=True)
class Submission:
    """A reviewed submission; a reviewer who gave no confidence has None."""

    paper_id: str
    ratings: tuple[float, ...]
    confidences: tuple[float | None, ...]
    decision: str
    accepted: bool


def fetch(year: int) -> list[Submission]:
    """Return all submissions of a year that have a review and count for the paper."""
    on_v2 = year >= FIRST_ON_V2
    notes = _notes_v2(year) if on_v2 else _notes_v1(year)
    read = _read_v2 if on_v2 else _read_v1
    found = (read(note, year) for note in notes)
    kept = [submission for submission in found if submission is not None and submission.ratings]
    return sorted(kept, key=lambda submission: submission.paper_id)


def venue(year: int) -> str:
    """Return OpenReview's name for a year of the conference."""
    return f"ICLR.cc/{year}/{'conference' if year == 2017 else 'Conference'}"


def _notes_v1(year: int) -> list[Any]:
    import openreview

    name = "submission" if year == 2017 else "Blind_Submission"
    with redirect_stdout(sys.stderr):  # the client prints its retries
        client = openreview.Client(baseurl=V1)
        return list(
            client.get_all_notes(invitation=f"{venue(year)}/-/{name}", details="directReplies")
        )


def _notes_v2(year: int) -> list[Any]:
    import openreview.api

    with redirect_stdout(sys.stderr):
        client = openreview.api.OpenReviewClient(baseurl=V2)
        return list(
            client.get_all_notes(invitation=f"{venue(year)}/-/Submission", details="replies")
        )


def _read_v1(note: Any, year: int) -> Submission | None:
    content = note.content or {}
    if any(_GONE.search(str(content.get(key, ""))) for key in ("venue", "venueid")):
        return None
    replies = (note.details or {}).get("directReplies", [])
    decision = _decision(replies)
    return _submission(note, replies, decision, decision.lower().startswith("accept"))


def _read_v2(note: Any, year: int) -> Submission:
    replies = (note.details or {}).get("replies", [])
    # Withdrawn and desk-rejected submissions that had reviews stay in, as rejects.
    accepted = _value(note.content or {}, "venueid") == venue(year)
    return _submission(note, replies, _decision(replies), accepted)


def _submission(
    note: Any, replies: list[Mapping[str, Any]], decision: str, accepted: bool
) -> Submission:
    reviews = [
        (rating, _number(_value(reply["content"], "confidence")))
        for reply in replies
        if _answers(reply, _REVIEW) and (rating := _rating(reply["content"])) is not None
    ]
    return Submission(
        paper_id=note.id,
        ratings=tuple(rating for rating, _ in reviews),
        confidences=tuple(confidence for _, confidence in reviews),
        decision=decision or "no decision",
        accepted=accepted,
    )


def _rating(content: Mapping[str, Any]) -> float | None:
    """Return the score of a review, which in 2022 and 2023 was called a recommendation."""
    rating = _number(_value(content, "rating"))
    return _number(_value(content, "recommendation")) if rating is None else rating


def _decision(replies: list[Mapping[str, Any]]) -> str:
    """Return the wording of the decision, or nothing where none was made."""
    for kind in _DECISION:
        for reply in replies:
            if _answers(reply, (kind,)):
                for key in ("decision", "recommendation"):
                    if text := _value(reply["content"], key):
                        return str(text)
    return ""


def _answers(reply: Mapping[str, Any], kinds: tuple[str, ...]) -> bool:
    invitations = reply.get("invitations") or [reply.get("invitation", "")]
    return any(str(invitation).endswith(kinds) for invitation in invitations)


def _value(content: Mapping[str, Any], key: str) -> Any:
    """Return a field, which the second API wraps into an object."""
    field = content.get(key)
    return field.get("value") if isinstance(field, Mapping) else field


def _number(value: Any) -> float | None:
    """Return the number that begins a value such as 6 or "6: marginally above the threshold"."""
    match = _NUMBER.match(str(value))
    return float(match[1]) if match else None


YEARS = tuple(range(2017, 2026))
DEFAULT_CONFIDENCE = 3.0  # the middle of 1 to 5

_COLUMNS = ("paper_id", "ratings", "confidences", "decision", "accepted")
_LAYOUT = f" Its columns are {', '.join(_COLUMNS)}; several ratings are joined by ';'."
_ACCOUNT = (
    " OpenReview may want an account: set OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD to fetch "
    "with yours."
)


def load_iclr(
    years: int | Iterable[int] | None = None,
    *,
    weighted: bool = True,
    data_home: DataHome = None,
) -> Dataset:
    """Load the reviewed submissions of ICLR, where accepted papers are positive.

    Parameters
    ----------
    years : int or iterable of int, optional
        From 2017 to 2025, which is the default.
    weighted : bool
        Whether reviewers' confidences weigh their ratings, as in the paper.
    data_home : path, optional
        Folder that holds ``iclr/iclr_YEAR.csv``. By default the one that the environment variable
        ERRORFLOOR_DATA names. Without either, the reviews are fetched from OpenReview, which takes
        minutes, and kept in the cache.

    Returns
    -------
    Dataset
        One item a submission with at least one review, and no votes. The score is the mean of its
        ratings, weighted by the reviewers' confidence (3 where not given) and scaled from 1 to 10,
        in 2020 from 1 to 8, onto [0, 1]. To 2023, withdrawn and desk-rejected submissions are left
        out; from 2024 on they stay in, as rejects.

    Notes
    -----
    OpenReview changes: papers are withdrawn years later, too. What is fetched live can differ by a
    few submissions from what the paper used.

    References
    ----------
    .. [1] R. Ushio, T. Ishida and M. Sugiyama, ICLR 2026.
    """
    wanted = _as_years(years)
    tables = [_load_year(year, data_home) for year in wanted]
    submissions = [submission for table in tables for submission in table]
    labels = np.array([submission.accepted for submission in submissions])
    return Dataset(
        name=_name(wanted),
        scores=np.array(
            [
                _score(submission, year, weighted)
                for year, table in zip(wanted, tables, strict=True)
                for submission in table
            ]
        ),
        labels=labels,
        ids=np.array([submission.paper_id for submission in submissions], dtype=np.str_),
        votes=None,
        targets=labels.astype(np.int64),
        classes=("reject", "accept"),
        positive=("accept",),
        source="openreview.net",
        licence="CC BY 4.0",
        citation=(
            "R. Ushio, T. Ishida and M. Sugiyama. Practical estimation of the optimal "
            "classification error with soft labels and calibration. ICLR 2026. "
            "Reviews and decisions: OpenReview."
        ),
    )


def _as_years(years: int | Iterable[int] | None) -> list[int]:
    if years is None:
        return list(YEARS)
    listed = list(years) if isinstance(years, Iterable) else [years]
    if not listed:
        raise InputError("`years` is empty. Pass at least one year, or None for all.")
    for entry, year in enumerate(listed):
        try:
            known = operator.index(year) in YEARS
        except TypeError:
            known = False
        if not known or listed.index(year) != entry:
            what = "is there twice" if known else f"is {shown(year)}"
            raise InputError(
                f"`years` must be different whole numbers from {YEARS[0]} to {YEARS[-1]}: "
                f"entry {entry} {what}. Pass one year, a list such as [2019, 2020], or None "
                "for all."
            )
    return [operator.index(year) for year in listed]


def _name(years: Sequence[int]) -> str:
    if len(years) > 1 and list(years) == list(range(years[0], years[-1] + 1)):
        return f"ICLR {years[0]}-{years[-1]}"
    return f"ICLR {', '.join(map(str, years))}"


def _score(submission: Submission, year: int, weighted: bool) -> float:
    weights = [
        confidence if weighted and confidence is not None else DEFAULT_CONFIDENCE
        for confidence in submission.confidences
    ]
    rated = zip(weights, submission.ratings, strict=True)
    mean = sum(weight * rating for weight, rating in rated) / sum(weights)
    return (mean - 1) / (7 if year == 2020 else 9)


def _load_year(year: int, data_home: DataHome) -> list[Submission]:
    path = f"iclr/iclr_{year}.csv"
    folder = named_folder(data_home)
    if folder is not None:
        return _read(present(folder, path, _LAYOUT), year)
    try:
        import openreview

        cached = cache() / path
    except ImportError as error:
        reason = f"{error}: pip install 'errorfloor[data]'"
        raise unavailable(path, reason, _LAYOUT) from error
    if not cached.is_file():
        try:
            cached.parent.mkdir(parents=True, exist_ok=True)
            _checksum(cached).unlink(missing_ok=True)
            submissions = fetch(year)
        except (openreview.OpenReviewException, OSError) as error:
            raise unavailable(path, error, _LAYOUT + _ACCOUNT) from error
        if not submissions:
            raise MissingDataError(
                f"OpenReview shows no review of ICLR {year}.{_ACCOUNT} Or name a folder that "
                f"holds {path} by `data_home`.{_LAYOUT}"
            )
        _write(cached, submissions)
    return _read_cached(cached, year)


def _read_cached(path: Path, year: int) -> list[Submission]:
    """Read a file of the cache that is as it was written; an old one has no checksum yet."""
    checksum, found = _checksum(path), hashlib.sha256(path.read_bytes()).hexdigest()
    known = checksum.read_text(encoding="utf-8").strip() if checksum.is_file() else None
    if known not in (None, found):
        raise InputError(
            f"{path} is damaged: its SHA-256 is {found}, not {known} as when it was fetched. "
            f"Delete {path} to have it fetched again."
        )
    submissions = _read(path, year)
    if known is None:
        with suppress(OSError):  # of a cache that may only be read
            write_text(checksum, f"{found}\n")
    return submissions


def _checksum(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _read(path: Path, year: int) -> list[Submission]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        submissions = []
        for row in rows:
            try:
                submissions.append(_from_row(row, year))
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise ValueError(
                    f"{path}, line {rows.line_num}, is not a submission of ICLR {year}: {error!r}."
                    f"{_LAYOUT} Replace the file."
                ) from error
    if not submissions:
        raise ValueError(f"{path} has no submissions.{_LAYOUT} Replace the file.")
    return submissions


def _from_row(row: dict[str, str], year: int) -> Submission:
    ratings = tuple(float(rating) for rating in row["ratings"].split(";"))
    given = row["confidences"].split(";") if row["confidences"] else ["nan"] * len(ratings)
    confidences = tuple(None if word == "nan" else float(word) for word in given)
    highest = 8 if year == 2020 else 10
    if not all(1 <= rating <= highest for rating in ratings):
        raise ValueError(f"ratings must lie between 1 and {highest}")
    if len(confidences) != len(ratings) or not all(c is None or 1 <= c <= 5 for c in confidences):
        raise ValueError("confidences must be from 1 to 5, or nan, one a rating")
    accepted = {"0": False, "1": True}[row["accepted"]]
    return Submission(row["paper_id"], ratings, confidences, row["decision"], accepted)


def _write(path: Path, submissions: Iterable[Submission]) -> None:
    """Write the file whole or not at all."""
    lines = io.StringIO()
    rows = csv.writer(lines)
    rows.writerow(_COLUMNS)
    for s in submissions:
        ratings = ";".join(f"{rating:g}" for rating in s.ratings)
        known = any(confidence is not None for confidence in s.confidences)
        confidences = ";".join("nan" if c is None else f"{c:g}" for c in s.confidences)
        rows.writerow(
            (s.paper_id, ratings, confidences if known else "", s.decision, int(s.accepted))
        )
    write_text(path, lines.getvalue())
