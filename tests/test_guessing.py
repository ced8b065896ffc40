"""Columns that nobody named: what their names and kinds tell, one rule at a time."""

import pytest

from errorfloor._checks import Mention
from errorfloor.data.columns import (
    ChosenColumns,
    fitting,
    fitting_kind,
    likely_readings,
    mentioned,
    names_an_id,
    one_for_each,
    simple,
)
from errorfloor.data.layouts import (
    ANNOTATIONS,
    ANNOTATORS,
    BESIDE_LABELS,
    COUNTS,
    LAYOUTS,
    LISTS,
    SCORES,
    SOFT_LABELS,
    VOTES,
)

SCORE, LABEL = SCORES.roles
(CLASS_COUNTS,) = COUNTS.roles
(LIST,) = LISTS.roles
ITEM, ANNOTATOR, VOTE = ANNOTATIONS.roles


def kinds_of(text):
    """Return kinds by name from words such as p:number; without a kind they are numbers."""
    pairs = (word.partition(":") for word in text.split())
    return {name: kind or "number" for name, _, kind in pairs}


def readings(text, allowed=LAYOUTS):
    return [
        (one.layout.name, dict(one.columns)) for one in likely_readings(kinds_of(text), allowed)
    ]


def test_names_are_compared_in_small_letters_without_signs():
    assert simple("  True Label! ") == "true_label"
    assert simple("P(hat)") == "p_hat"
    assert simple("_y_") == "y"
    assert simple(7) == "7"


@pytest.mark.parametrize("name", ["", "id", "IDs", "Row number", "column00", "user_id", "x.index"])
def test_names_of_ids(name):
    assert names_an_id(name)


@pytest.mark.parametrize("name", ["idea", "score", "column1", "rows", "id_of_it"])
def test_names_of_no_ids(name):
    assert not names_an_id(name)


def test_sure_names_go_before_unsure_ones_and_patterns_are_for_several_columns():
    assert fitting(ITEM, ["id", "task_id", "text"]) == ["task_id"]
    assert fitting(ITEM, ["id", "task", "text"]) == ["id", "task"]
    assert fitting(ITEM, ["text"]) == []
    (annotators,) = ANNOTATORS.roles
    assert fitting(annotators, ["rater1", "id", "Rater B", "annotator"]) == ["rater1", "Rater B"]
    # Of classes a pattern is looked at elsewhere.
    assert fitting(SCORE, ["p_cat", "prob", "confidence"]) == ["prob"]
    assert fitting(SCORE, ["p_cat", "confidence"]) == ["confidence"]


def test_columns_have_the_kind_that_their_role_asks_for():
    kinds = kinds_of("a b:text c:list d:votes e:other votes:list Labels:list answers:other")
    every = list(kinds)
    assert fitting_kind(LABEL, every, kinds) == every  # a row with several is refused later
    assert fitting_kind(SCORE, every, kinds) == every  # one for each class may be lists
    assert fitting_kind(VOTES.roles[0], every, kinds) == ["a", "b", "e", "answers"]
    # Lists of votes by what they hold; others by a sure name only.
    assert fitting_kind(LIST, every, kinds) == ["d", "votes", "answers"]
    assert fitting_kind(LIST, ["votes"], {"votes": "number"}) == []
    assert fitting_kind(LIST, ["a"], {"a": "votes"}) == ["a"]
    # Numbers of votes for each class lie in lists, but not under a name of votes that repeat.
    assert fitting_kind(CLASS_COUNTS, every, kinds) == ["c", "d", "e", "votes", "Labels", "answers"]
    both = {"votes": "votes", "counts": "votes"}
    assert fitting_kind(CLASS_COUNTS, [*both], both) == ["counts"]


def test_columns_of_classes_begin_alike():
    def found(text, role=CLASS_COUNTS):
        return one_for_each(role, kinds_of(text))

    assert found("n_cat n_dog text:text") == ("n_cat", "n_dog")
    assert found("id n_cat N-Dog n_cow") == ("n_cat", "N-Dog", "n_cow")
    assert found("n_cat") == ()
    assert found("n_cat votes_dog") == ()
    assert found("n_cat n_dog votes_cow") == ("n_cat", "n_dog")
    assert found("n_cat n_dog votes_cat votes_dog") == ()  # either may be meant
    assert found("n_cat:text n_dog") == ()
    assert found("n_cat:text n_dog n_cow") == ("n_dog", "n_cow")
    assert found("n_positive n_negative") == ("n_positive", "n_negative")
    assert found("n_positive n_votes") == ()
    assert found("n_votes n_cat") == ()
    assert found("p_cat p_dog y", SCORE) == ("p_cat", "p_dog")
    assert found("p_cat p_hat y", SCORE) == ()  # a score of its own


def test_names_of_all_roles_leave_one_reading():
    assert readings("p y:text") == [("scores", {"score": "p", "label": "y"})]
    assert readings("soft") == [("soft labels", {"soft": "soft"})]
    assert readings("votes total") == [("votes", {"votes": "votes", "total": "total"})]
    assert readings("item worker answer:text") == [
        ("annotations", {"item": "item", "annotator": "worker", "vote": "answer"})
    ]
    assert readings("rater1 rater2 id") == [("annotators", {"annotators": ("rater1", "rater2")})]
    assert readings("rater1 id") == []
    three = ("rater1", "rater2", "rater3")
    assert readings(" ".join(three)) == [("annotators", {"annotators": three})]
    assert readings("p prob y") == []  # two scores
    assert readings("votes:votes") == [("lists of votes", {"annotations": "votes"})]
    assert readings("counts:list") == [("counts", {"counts": "counts"})]


def test_votes_beside_labels_are_never_guessed():
    assert readings("votes total y", BESIDE_LABELS) == []
    assert readings("votes total y") == [("votes", {"votes": "votes", "total": "total"})]


def test_names_of_classes_are_looked_at_where_no_column_has_a_whole_name():
    assert readings("p_cat p_dog y:text") == [
        ("scores", {"score": ("p_cat", "p_dog"), "label": "y"})
    ]
    assert readings("p_cat p_dog") == []  # no label
    assert readings("p_cat p_dog y:text truth:text") == []  # or two
    assert readings("n_cat n_dog") == [("counts", {"counts": ("n_cat", "n_dog")})]
    assert readings("soft_cat soft_dog") == [("soft labels", {"soft": ("soft_cat", "soft_dog")})]
    # A whole name goes first.
    assert readings("p y p_cat p_dog") == [("scores", {"score": "p", "label": "y"})]


def test_an_annotator_is_not_needed():
    assert readings("item vote x:text z:text") == [
        ("annotations", {"item": "item", "vote": "vote"})
    ]
    assert readings("id vote x:text z:text") == []  # the item is not sure
    assert readings("item label x:text z:text") == []  # nor the vote
    assert readings("item item_id vote x:text") == []
    assert readings("y x:text z:text") == []


def test_two_columns_are_told_by_their_kinds():
    scores = [("scores", {"score": "a", "label": "b"})]
    assert readings("a b:text") == scores
    assert readings("b:boolean a") == scores
    assert readings("a b:text id user_id:text") == scores
    assert readings("a b") == []
    assert readings("a:text b:text") == []
    assert readings("a b:list") == []
    assert readings("a b:text c:text") == []
    assert readings("a b:text c:other") == []
    assert readings("y b:text") == []  # a label that is a number
    assert readings("a score:text") == []  # a score that is text
    assert readings("worker b:text") == []  # no score
    assert readings("a item:text") == []  # no label
    assert readings("p b:text") == [("scores", {"score": "p", "label": "b"})]
    assert readings("a b:text", (VOTES, SOFT_LABELS)) == []


def test_a_confidence_is_a_score_only_where_there_is_no_other_reading():
    assert readings("confidence label:text") == [
        ("scores", {"score": "confidence", "label": "label"})
    ]
    assert readings("item worker label:text confidence") == [
        ("annotations", {"item": "item", "annotator": "worker", "vote": "label"})
    ]
    assert len(readings("item worker label:text score")) == 2


def test_what_is_chosen_is_told_by_arguments():
    chosen = ChosenColumns(VOTES, {"votes": "k", "total": 3}, ("votes",))
    assert chosen.arguments == {"positives": "k", "totals": 3}
    assert chosen.used == {"k", 3}
    assert chosen.mentions == (Mention("positives", "'k'"),)
    both = ChosenColumns(SCORES, {"score": ("a", "b"), "label": "y"}, ("score", "label"))
    assert both.used == {"a", "b", "y"}
    assert both.mentions == (Mention("score", "['a', 'b']"), " ", Mention("label", "'y'"))
    assert mentioned([]) == ()
    assert ChosenColumns(SCORES, {}).guessed == ()


def test_where_all_columns_are_needed_their_kinds_count_as_well_as_their_names():
    assert [name for name, _ in readings("annotations:votes", [LISTS])] == [LISTS.name]
    assert readings("annotations", [LISTS]) == []
