"""What is answered today is answered tomorrow, where version 0.1.0 had no answer.

frozen/newer.py asks the questions, and says how answers are written anew that change on purpose.
"""

import json
import math

import pytest
from frozen import newer

from errorfloor.features import lists
from errorfloor.methods import cuts, ranks
from errorfloor.methods.rules import logs

KEPT = json.loads(newer.PATH.read_text(encoding="utf-8"))
APART = 1e-5  # fits end near the best one, and not nearer
ROUNDING = 1e-8


def changes(was, is_now, path=()):
    """Yield where an answer is no longer what it was."""
    if isinstance(was, dict) and isinstance(is_now, dict) and was.keys() == is_now.keys():
        for name in was:
            yield from changes(was[name], is_now[name], (*path, name))
    elif isinstance(was, list) and isinstance(is_now, list) and len(was) == len(is_now):
        for i, pair in enumerate(zip(was, is_now, strict=True)):
            yield from changes(*pair, (*path, i))
    elif {type(was), type(is_now)} <= {int, float}:
        both = [math.inf if math.isnan(one) else one for one in (was, is_now)]
        if not math.isclose(*both, rel_tol=APART, abs_tol=ROUNDING):
            yield path, was, is_now
    elif was != is_now:
        yield path, was, is_now


def test_every_question_has_an_answer():
    assert list(newer.QUESTIONS) == list(KEPT)


@pytest.mark.parametrize("name", KEPT)
def test_answers_are_what_they_were(name):
    assert not list(changes(KEPT[name], newer.answer(newer.QUESTIONS[name])))


@pytest.mark.parametrize(
    ("was", "is_now"),
    [({"a": 1.0}, {"a": 1.001}), ({"a": 1}, {}), ([1, 2], [1]), ("bca", "basic"), (True, False)],
)
def test_changed_answers_are_found(was, is_now):
    assert not list(changes(was, was))
    assert list(changes(was, is_now))


AT_ONCE = ("scores, MANY", "features", "labels on some, many", "calibrate, many",
           "scores, TWO, isotonic, balanced-error", "scores, TWO, ranking")  # fmt: skip


@pytest.mark.parametrize("name", [name for name in KEPT if name.startswith(AT_ONCE)])
def test_answers_do_not_depend_on_how_much_is_taken_at_once(name, monkeypatch):
    for module, size in ((logs, "BLOCK"), (cuts, "_AT_ONCE"), (ranks, "_AT_ONCE")):
        monkeypatch.setattr(module, size, 70)
    monkeypatch.setattr(lists, "_CELLS", 70)
    assert not list(changes(KEPT[name], newer.answer(newer.QUESTIONS[name])))
