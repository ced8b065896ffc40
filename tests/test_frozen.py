"""What version 0.1.0 answered, the code answers still, but for what was changed on purpose.

frozen/answers.py asks the questions. frozen/changed.json has what is answered otherwise, under a
sentence each that says why, and frozen/changed.py adds to it.
"""

import pytest
from frozen import answers, changed, kept
from needs import needs_data


def check(name, question):
    found = kept.told(changed.changes(name, question))
    assert not found, "\n".join([f"{len(found)} answers have changed", *found[:20]])


@pytest.mark.parametrize("name", changed.MADE)
def test_made_data_have_the_answers_of_version_0_1_0(name):
    check(name, answers.MADE[name])


@needs_data
@pytest.mark.parametrize("name", changed.REAL)
def test_real_sets_have_the_answers_of_version_0_1_0(name):
    check(name, answers.REAL[name])


def test_every_question_has_a_frozen_answer():
    assert list(answers.MADE) == list(changed.MADE)
    assert list(answers.REAL) == list(changed.REAL)


@pytest.mark.parametrize("why", changed.CHANGED)
def test_what_was_changed_is_a_place_in_an_answer_of_version_0_1_0(why):
    assert why.endswith(".")
    for place in changed.CHANGED[why]:
        part = changed.MADE | changed.REAL
        for name in place.split(" / ")[:-1]:
            part = part[int(name) if isinstance(part, list) else name]


@pytest.mark.parametrize(
    ("was", "is_now", "places"),
    [
        ({"beta": {"low": 0.25}}, {"beta": {"low": 0.25 + 1e-10}}, []),
        ({"isotonic": {"low": 0.25}}, {"isotonic": {"low": 0.25 + 1e-10}}, [("isotonic", "low")]),
        ({"limits": [0.1, 0.2]}, {"limits": [0.1]}, [("limits",)]),
        ({"limits": [0.1, None]}, {"limits": [0.1, 0.0]}, [("limits", 1)]),
        ({"limits": [0.1, float("nan")]}, {"limits": [0.1, 0.0]}, [("limits", 1)]),
        ({"by": "bca", "n": 3}, {"by": "honest"}, [("by",), ("n",)]),
        ({"value": True}, {"value": True, "more": 1}, [("more",)]),
        ("refused", {"value": 1}, [()]),
    ],
)
def test_a_changed_answer_is_found_with_its_place(was, is_now, places):
    found = kept.changes(was, is_now, changed.tolerance, ("scores",))
    assert sorted(path[1:] for path, _, _ in found) == places
    assert not list(kept.changes(was, was, changed.tolerance, ("scores",)))
