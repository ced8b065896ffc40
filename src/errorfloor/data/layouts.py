"""How labels lie in rows: the layouts, and the roles of their columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from errorfloor._checks import InputError, Part, argument, function
from errorfloor.data.arrays import count_arrays
from errorfloor.data.tables import RatingTable, ScoreTable, SoftTable, VoteTable

if TYPE_CHECKING:
    from errorfloor.data.ballots import Ballots
    from errorfloor.data.columns import ChosenColumns
    from errorfloor.data.options import Reading, ReadOptions
    from errorfloor.data.read import ReadCall
    from errorfloor.data.rows import CheckedRows, RowRequest
    from errorfloor.data.tables import Table


@dataclass(frozen=True, slots=True)
class Role:
    """What a column of a layout holds."""

    name: str  # on the command line
    argument: str  # in Python
    help: str
    names: frozenset[str] = frozenset()  # usual ones, in small letters with "_" for anything else
    unsure_names: frozenset[str] = frozenset()  # where no column has a usual one
    pattern: str | None = None  # that such names have, where there are several columns
    is_number: bool = False
    is_class: bool = False  # whether its values are classes, one of which is positive
    optional: bool = False
    several: bool = False  # columns, not one
    by_class: bool = False  # one column, or one for each class
    is_list: bool = False  # whether a row holds several values
    alone: bool = True  # whether one number in a row will do, where there may be one per class
    may_be_number: bool = False  # the same for all rows, in place of a column
    noun: str = ""  # what people call what it holds, if not by its name

    @property
    def words(self) -> str:
        """What people call what the column holds."""
        return self.noun or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A way to lay labels out in rows, and how they become a table."""

    name: str
    table: type[Table]
    roles: tuple[Role, ...]
    says: str  # what a row is
    count: Callable[[RowRequest], Mapping[Any, Table]] | None = None  # the table of each group
    votes: Callable[[RowRequest], CheckedRows] | None = None  # or else the votes on each item
    asks: str  # the function of the package that people call with such data, for messages
    arrays: tuple[str, ...] = ()  # what arrays that make such a table are called
    from_arrays: Callable[[Any, Any, Any], Table] | None = None  # and from names of classes
    with_columns: bool | None = None  # whether these arrays have a column for each class
    row_is_item: bool = True
    rows_in: Callable[[Any], int] = lambda table: table.n  # of which a table was made
    told_by_kinds: bool = False  # by two columns of which only one holds numbers
    of_shares: bool = False  # of votes as scores, which only a label that is named asks for
    ballots: Callable[[RowRequest], Ballots] | None = None  # single votes, where there are some
    read_arrays: Callable[[Any, ReadCall], Reading] | None = None  # where they hold no labels
    choose: (  # its columns, where kinds, columns by role, and other options determine them
        Callable[[Mapping[str, str], Mapping[str, Any], ReadOptions, str], ChosenColumns] | None
    ) = None

    @property
    def row_is_vote(self) -> bool:
        """Tell whether its columns hold single votes."""
        return self.ballots is not None or self.of_lists is not None

    @property
    def of_lists(self) -> Role | None:
        """The role whose column holds several votes in a row."""
        return next((role for role in self.roles if role.is_list), None)

    @property
    def of_classes(self) -> Role | None:
        """The role that may have a column for each class."""
        return next((role for role in self.roles if role.by_class), None)

    @property
    def kind(self) -> str:
        """What its tables hold."""
        return self.table.kind

    @property
    def of_votes(self) -> Layout:
        """The same with tables of votes, where the label is one more vote."""
        return replace(self, table=VoteTable)

    @property
    def takes_positive(self) -> bool:
        """Tell whether a column holds classes, so that one can be named as positive."""
        return any(role.is_class for role in self.roles)

    @property
    def needed(self) -> tuple[Role, ...]:
        """The roles that must have a column."""
        return tuple(role for role in self.roles if not role.optional)

    def tables(self, request: RowRequest) -> Mapping[Any, Table]:
        """Return the table of each group of rows; of the group None without groups."""
        option = "positive" if request.options.positive is not None else "positive_from"
        if request.options.is_given(option) and not self.takes_positive:
            raise InputError(
                argument(option),
                " goes with single votes and with labels, not with ",
                *joined([argument(role.argument) for role in self.roles]),
                ". Leave it out.",
            )
        if self.count is not None:
            return self.count(request)
        from errorfloor.data.rows import count_votes

        assert self.votes is not None
        return count_votes(self.votes(request))

    def rows(self, tables: Mapping[Any, Table]) -> int:
        """Return the number of rows that were counted or left out."""
        return sum(self.rows_in(table) + table.dropped for table in tables.values())


def joined(parts: Sequence[Part], between: str = " and ") -> tuple[Part, ...]:
    """Return parts of a message with a word between them."""
    return tuple(part for one in parts for part in (between, one))[1:]


def _scores_of_arrays(scores: Any, labels: Any, classes: Any) -> ScoreTable:
    if labels is None:
        raise InputError(
            argument("labels"),
            " is missing. Pass one true label per item; without labels, use ",
            function("from_soft_labels"),
            " or ",
            function("from_votes"),
            ".",
        )
    return count_arrays(scores, labels, classes)


def _votes_of_arrays(positives: Any, totals: Any, classes: Any) -> VoteTable:
    return VoteTable.from_arrays(positives, totals, classes=classes)


# What counts rows needs a dataframe library, which whoever passes arrays need not wait for.


def _of_rows(name: str) -> Callable[[RowRequest], Any]:
    """Return a function of the module that counts rows."""

    def call(request: RowRequest) -> Any:
        from errorfloor.data import rows

        return getattr(rows, name)(request)

    return call


def _of_ratings(name: str) -> Callable[..., Any]:
    """Return a function of the module that reads ratings."""

    def call(*given: Any) -> Any:
        from errorfloor.data import ratings

        return getattr(ratings, name)(*given)

    return call


# What the one true label of an item is called, and no vote on it.
_TRUE_NAMES = frozenset(
    {"y_true", "true_label", "truth", "gold", "outcome", "gold_label", "ground_truth"}
    | {"true_class", "y_test", "actual"}
)
_LABEL_NAMES = _TRUE_NAMES | {"label", "labels", "y", "target"}
# Who labels things, as columns are called.
PEOPLE = (
    "annotator|worker|rater|coder|judge|reviewer|labell?er|reader|inspector|grader|evaluator|assessor"
    "|examiner|expert|physician|doctor|clinician|[a-z]+ologist|moderator|volunteer|voter"
    "|tagger|scorer|turker|listener|appraiser|nurse|teacher|referee|critic|analyst|forecaster"
    "|contributor|editor|curator|human(?=_?\\d)"
)
_SOFT_NAMES = frozenset({"soft", "soft_label", "soft_labels"})
ITEM = Role(
    "item",
    "item",
    "If each row is one vote: the column with the item's id, or several columns (a,b).",
    frozenset({"item", "items", "item_id", "example_id", "task_id", "sample_id", "question_id"})
    | {"document_id", "doc_id", "image_id", "instance_id", "unit_id", "sentence_id", "text_id"},
    unsure_names=frozenset({"id", "task", "example", "sample", "question", "document", "doc"})
    | {"image", "instance", "unit", "sentence", "inner_id"},
)
# Where a row is an item, a task or a question may be what many items have.
ITEM_OF_ROW = replace(
    ITEM,
    names=frozenset({"item", "items", "item_id", "example_id"}),
    unsure_names=frozenset({"id"}),
)
# What may stand next to any labels. Their usual names are a hint for people, and never a guess.
WEIGHT = Role(
    "weight",
    "weight",
    "Sample weights, such as one divided by the probability of being selected.",
    frozenset(
        f"{what}weight{end}"
        for what in ("", "sample_", "sampling_", "survey_", "design_", "case_", "importance_")
        for end in ("", "s")
    )
    | {"sampleweight", "ipw", "iptw", "pweight", "inverse_probability_weight"},
    is_number=True,
    optional=True,
)
CLUSTER = Role(
    "cluster",
    "cluster",
    "Items with the same value belong together: one patient, one document, or copies.",
    frozenset({"cluster", "cluster_id", "patient", "patient_id", "subject", "subject_id"}),
    optional=True,
)
BESIDE = (WEIGHT, CLUSTER)
LABEL = Role("label", "label", "The one true label of an item.", _LABEL_NAMES, is_class=True)
TRUTH = replace(LABEL, names=_TRUE_NAMES)
# What is a true label where it stands next to votes.
GOLD = replace(
    LABEL,
    unsure_names=frozenset({"biopsy", "pathology", "histology", "diagnosis", "final_diagnosis"})
    | {"consensus", "adjudicated", "adjudication", "reference", "final_label", "final", "expert"}
    | {"reference_standard", "gold_standard", "confirmed"},
)
SCORES = Layout(
    name="scores",
    table=ScoreTable,
    roles=(
        Role(
            "score",
            "score",
            "Scores, with one --label per item. With three classes or more: one column per class "
            "(a,b,c or 'proba_*'), or one column of lists.",
            frozenset({"score", "scores", "p", "prob", "proba", "probability", "p_hat"})
            | {"y_score", "y_prob", "y_proba", "pred_proba", "logit"}
            | {"probs", "probas", "probabilities", "logits"}
            | {"prediction_score", "pred_score", "pred_prob", "predicted_probability"}
            | {"y_pred_proba", "y_pred_prob", "predicted_proba", "predicted_prob"}
            | _SOFT_NAMES,
            unsure_names=frozenset({"confidence", "model_score", "model_confidence"}),
            pattern=r"(proba|prob|probability|pred_proba|p|score|logit)_.+",
            is_number=True,
            by_class=True,
        ),
        LABEL,
    ),
    says="A row is an item with a score, or one for each class, and its one true label.",
    count=_of_rows("tables_of_scores"),
    asks="from_scores",
    arrays=("scores", "labels"),
    from_arrays=_scores_of_arrays,
    rows_in=lambda table: table.n + table.n_unlabelled,
    told_by_kinds=True,
)
VOTES = Layout(
    name="votes",
    table=VoteTable,
    roles=(
        Role(
            "votes",
            "positives",
            "Votes for class 1, out of --total.",
            frozenset({"votes", "positives", "positive_votes", "n_positive", "k"})
            | {"n_pos", "n_yes", "yes_votes"},
            is_number=True,
            noun="votes for class 1",
        ),
        Role(
            "total",
            "totals",
            "Number of votes on an item: a column, or one number for all items.",
            frozenset({"total", "totals", "n_votes", "m"})
            | {"n_total", "total_votes", "votes_total", "n_annotators", "num_votes"},
            is_number=True,
            may_be_number=True,
            noun="number of votes",
        ),
    ),
    says="A row is an item with its votes for class 1 and the number of all its votes.",
    votes=_of_rows("votes_counted"),
    asks="from_votes",
    arrays=("positives", "totals"),
    from_arrays=_votes_of_arrays,
    with_columns=False,
)
COUNTS = Layout(
    name="counts",
    table=VoteTable,
    roles=(
        Role(
            "counts",
            "counts",
            "Votes for each class: one column per class (a,b,c or 'n_*'), or one column of lists.",
            frozenset({"label_count", "label_counts", "counts", "vote_counts", "votes"}),
            pattern=rf"(n|count|votes)_(?!({PEOPLE})s?$).+",  # which is how many were asked
            is_number=True,
            by_class=True,
            alone=False,
        ),
    ),
    says="A row is an item with its number of votes for each class.",
    votes=_of_rows("votes_of_classes"),
    asks="from_votes",
    arrays=("votes",),
    from_arrays=_votes_of_arrays,
    with_columns=True,
)
SOFT_LABELS = Layout(
    name="soft labels",
    table=SoftTable,
    roles=(
        Role(
            "soft",
            "soft",
            "True probabilities of class 1. With three classes or more: one column per class, or "
            "one column of lists.",
            _SOFT_NAMES,
            pattern=r"(soft|soft_label|soft_labels)_.+",
            is_number=True,
            by_class=True,
            noun="soft label",
        ),
    ),
    says="A row is an item with its true probability of class 1, or of each class.",
    count=_of_rows("tables_of_soft_labels"),
    asks="from_soft_labels",
    arrays=("soft_labels",),
    from_arrays=lambda soft, _, classes: SoftTable.from_arrays(soft, classes=classes),
)
ANNOTATIONS = Layout(
    name="annotations",
    table=VoteTable,
    roles=(
        ITEM,
        Role(
            "annotator",
            "annotator",
            "The person who gave the vote.",
            frozenset({"annotator", "annotator_id", "worker", "worker_id", "rater", "rater_id"})
            | {"coder", "coder_id", "judge", "judge_id", "reviewer", "reviewer_id", "labeler"}
            | {"labeler_id", "labeller", "user", "user_id", "participant", "username"}
            | {"completed_by", "annotated_by", "labeled_by", "labelled_by"},
            optional=True,
        ),
        Role(
            "vote",
            "vote",
            "The answer that this person gave.",
            frozenset({"vote", "answer", "annotation", "response", "rating", "judgment"})
            | {"judgement", "choice"},
            unsure_names=_LABEL_NAMES - _TRUE_NAMES,
            is_class=True,
        ),
    ),
    says="A row is the vote of one annotator on one item.",
    votes=_of_rows("votes_one_by_one"),
    asks="from_votes",
    row_is_item=False,
    rows_in=lambda table: int(table.totals @ table.counts),
    ballots=_of_rows("ballots_in_rows"),
)
ANNOTATORS = Layout(
    name="annotators",
    table=VoteTable,
    roles=(
        Role(
            "annotators",
            "annotators",
            "One column per annotator, blanks allowed: a,b,c or 'rater*'.",
            pattern=rf"({PEOPLE}|ann|vote|vote_of|label)(_?\d+|_[a-z])",
            is_class=True,
            several=True,
        ),
    ),
    says="A row is an item with one column of votes per annotator, blank where there is no vote.",
    votes=_of_rows("votes_side_by_side"),
    asks="from_votes",
    from_arrays=lambda raters, where, _: raters.table(where),
    ballots=_of_rows("ballots_side_by_side"),
)
LISTS = Layout(
    name="lists of votes",
    table=VoteTable,
    roles=(
        Role(
            "annotations",
            "annotations",
            "All votes on an item in one column: lists, or text such as 0;1;1.",
            frozenset({"annotations", "votes", "ratings", "answers", "responses", "judgments"})
            | {"judgements", "vote_list", "crowd_labels", "worker_labels", "annotator_labels"},
            unsure_names=frozenset({"labels", "label", "annotation", "vote", "answer", "response"}),
            is_class=True,
            is_list=True,
        ),
    ),
    says="A row is an item with the list of its votes.",
    votes=_of_rows("votes_in_lists"),
    asks="from_votes",
)


def _with_labels(layout: Layout, name: str, says: str) -> Layout:
    """Return votes next to one true label per item, whose shares are scores."""
    return replace(
        layout,
        name=f"{name} and labels",
        table=ScoreTable,
        roles=(*layout.roles, LABEL),
        says=says,
        arrays=(*layout.arrays, "labels") if layout.from_arrays else (),
        from_arrays=None,
        rows_in=lambda table: table.n,
        of_shares=True,
    )


VOTES_AND_LABELS = _with_labels(
    VOTES, "votes", "A row is an item with its votes and its one true label."
)
ANNOTATIONS_AND_LABELS = _with_labels(
    ANNOTATIONS,
    "annotations",
    "A row is the vote of one annotator on one item, with the item's one true label.",
)
ANNOTATORS_AND_LABELS = _with_labels(
    ANNOTATORS,
    "annotators",
    "A row is an item with one column of votes per annotator, and its one true label.",
)
COUNTS_AND_LABELS = _with_labels(
    COUNTS,
    "counts",
    "A row is an item with its number of votes for each class, and its one true label.",
)
LISTS_AND_LABELS = _with_labels(
    LISTS, "lists", "A row is an item with the list of its votes, and its one true label."
)
BESIDE_LABELS = (
    VOTES_AND_LABELS,
    COUNTS_AND_LABELS,
    ANNOTATIONS_AND_LABELS,
    ANNOTATORS_AND_LABELS,
    LISTS_AND_LABELS,
)
LAYOUTS = (SCORES, VOTES, COUNTS, SOFT_LABELS, ANNOTATIONS, ANNOTATORS, LISTS, *BESIDE_LABELS)


_RATING_NAMES = frozenset(
    {"rating", "score", "grade", "mark", "stars", "mos", "value", "response", "judgment", "points"}
    | {"judgement", "rating_value", "quality", "opinion", "slider", "human_score", "human_rating"}
)
_RATER_NAMES = frozenset(
    {"rater", "rater_id", "annotator", "annotator_id", "worker", "worker_id", "judge", "judge_id"}
    | {"reviewer", "reviewer_id", "coder", "coder_id", "user", "user_id", "participant", "listener"}
    | {"listener_id", "grader", "grader_id", "participant_id", "evaluator", "evaluator_id"}
    | {"respondent", "respondent_id"}
)
RATED = Role(
    "item",
    "item",
    "Column that names the item, if each row is one rating (see --rating).",
    ITEM.names
    | {"paper", "paper_id", "essay", "essay_id", "clip", "clip_id", "stimulus", "stimulus_id"}
    | {"submission", "submission_id", "wav", "segment_id", "response_id", "video_id", "product_id"},
    unsure_names=ITEM.unsure_names | {"file", "filename", "name", "system_id", "segment", "video"},
)
RATING = Role("rating", "rating", "The rating of a row.", _RATING_NAMES, is_number=True)
RATER = Role("rater", "rater", "The person who gave the rating.", _RATER_NAMES, optional=True)
SIDE_BY_SIDE = Role(
    "ratings",
    "ratings",
    "One column per rater, blanks allowed (a,b,c or 'rater*'); or one column with lists.",
    pattern=rf"({PEOPLE}|rating|score|r)(_?\d+|_[a-z])",
    several=True,
    is_number=True,
)
IN_LISTS = Role(
    "ratings",
    "ratings",
    "All ratings of an item in one column: lists, or text such as 5;6;3.",
    frozenset({"ratings", "scores", "grades", "marks", "responses", "opinions"}),
    is_list=True,
)


_of_rating = partial(
    Layout,
    table=RatingTable,
    asks="from_ratings",
    read_arrays=_of_ratings("read_arrays"),
    choose=_of_ratings("choose_columns"),
)
RATINGS_IN_ROWS = _of_rating(
    name="ratings in rows",
    roles=(RATED, RATING, RATER),
    says="A row is one person's rating of one item.",
    count=_of_ratings("count_rows"),
    row_is_item=False,
    rows_in=lambda table: table.ratings,
)
RATINGS_SIDE_BY_SIDE = _of_rating(
    name="ratings side by side",
    roles=(SIDE_BY_SIDE,),
    says="A row is an item with a column of ratings per rater, blank where there is none.",
    count=_of_ratings("count_columns"),
)
LISTS_OF_RATINGS = _of_rating(
    name="lists of ratings",
    roles=(IN_LISTS,),
    says="A row is an item with the list of its ratings.",
    count=_of_ratings("count_lists"),
)
OF_RATINGS = (RATINGS_IN_ROWS, RATINGS_SIDE_BY_SIDE, LISTS_OF_RATINGS)
EVERY_LAYOUT = (*LAYOUTS, *OF_RATINGS)


def of_kind(kind: str) -> tuple[Layout, ...]:
    """Return the layouts that make tables of a kind, but for votes that serve as scores."""
    return tuple(layout for layout in LAYOUTS if layout.kind == kind and not layout.of_shares)
