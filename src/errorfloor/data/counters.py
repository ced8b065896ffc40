"""What counts the rows of each layout.

Counting needs a dataframe library, which whoever passes arrays need not wait for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from errorfloor.data.ballots import Ballots
    from errorfloor.data.rows import Request
    from errorfloor.data.table import Table


def count_scores(request: Request) -> Mapping[Any, Table]:
    """Count rows of scores into the table of each group."""
    from errorfloor.data.class_rows import count_class_scores
    from errorfloor.data.counting import count_scores

    count = count_class_scores if request.has_many_classes else count_scores
    if not request.unlabelled:
        return count(request)
    from errorfloor.data.unlabelled import count_both

    return count_both(request, count)


def count_soft_labels(request: Request) -> Mapping[Any, Table]:
    """Count rows of soft labels into the table of each group."""
    from errorfloor.data.class_rows import count_class_soft
    from errorfloor.data.counting import count_soft_labels

    return (count_class_soft if request.has_many_classes else count_soft_labels)(request)


def count_votes(request: Request) -> Mapping[Any, Table]:
    """Count rows of votes into the table of each group."""
    from errorfloor.data.counting import count_votes
    from errorfloor.data.vote_rows import counted

    return count_votes(counted(request))


def count_counts(request: Request) -> Mapping[Any, Table]:
    """Count rows of counts into the table of each group."""
    from errorfloor.data.counting import count_votes
    from errorfloor.data.vote_rows import by_class

    return count_votes(by_class(request))


def count_annotations(request: Request) -> Mapping[Any, Table]:
    """Count rows of annotations into the table of each group."""
    from errorfloor.data.counting import count_votes
    from errorfloor.data.vote_rows import one_by_one

    return count_votes(one_by_one(request))


def count_annotators(request: Request) -> Mapping[Any, Table]:
    """Count rows of annotators into the table of each group."""
    from errorfloor.data.counting import count_votes
    from errorfloor.data.vote_rows import side_by_side

    return count_votes(side_by_side(request))


def count_lists(request: Request) -> Mapping[Any, Table]:
    """Count rows of lists into the table of each group."""
    from errorfloor.data.counting import count_votes
    from errorfloor.data.vote_rows import in_lists

    return count_votes(in_lists(request))


def ballots_in_rows(request: Request) -> Ballots:
    """Return the single votes of rows, in rows."""
    from errorfloor.data.vote_rows import ballots_in_rows

    return ballots_in_rows(request)


def ballots_side_by_side(request: Request) -> Ballots:
    """Return the single votes of rows, side by side."""
    from errorfloor.data.vote_rows import ballots_side_by_side

    return ballots_side_by_side(request)
