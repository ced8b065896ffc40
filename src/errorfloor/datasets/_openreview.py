"""Reviews and decisions of ICLR from OpenReview, whose two API generations word them differently.

Years to 2023 are on the first API: a submission that was withdrawn or rejected at the desk has left
the invitation asked for, and the decision is a reply. From 2024 on they are on the second: every
submission is there, and its `venueid` says what became of it.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
    with contextlib.redirect_stdout(sys.stderr):  # the client prints its retries
        client = openreview.Client(baseurl=V1)
        return list(
            client.get_all_notes(invitation=f"{venue(year)}/-/{name}", details="directReplies")
        )


def _notes_v2(year: int) -> list[Any]:
    import openreview.api

    with contextlib.redirect_stdout(sys.stderr):
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
