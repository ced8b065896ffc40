"""What is answered today is answered tomorrow, where version 0.1.0 had no answer.

frozen/newer.py asks the questions, and says how answers are written again that change on purpose.
"""

import pytest
from frozen import kept, newer

from errorfloor.features import neighbours
from errorfloor.methods import cuts, ranks
from errorfloor.methods.rules import logs

KEPT = kept.read(newer.PATH)


def changes(name):
    return list(newer.changes(name, KEPT[name], newer.answer(name)))


@pytest.mark.parametrize("name", KEPT)
def test_answers_are_what_they_were(name):
    assert not changes(name)


AT_ONCE = ("scores, MANY", "features", "labels on some, many", "calibrate, many",
           "scores, TWO, isotonic, balanced-error", "scores, TWO, ranking")  # fmt: skip


@pytest.mark.parametrize("name", [name for name in KEPT if name.startswith(AT_ONCE)])
def test_answers_do_not_depend_on_how_much_is_taken_at_once(name, monkeypatch):
    for module, size in ((logs, "BLOCK"), (cuts, "_AT_ONCE"), (ranks, "_AT_ONCE")):
        monkeypatch.setattr(module, size, 70)
    monkeypatch.setattr(neighbours, "_CELLS", 70)
    assert not changes(name)
