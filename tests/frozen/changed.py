"""Where answers are no longer those of version 0.1.0, on purpose: today's answers, by why.

changed.json has a sentence for each change that was meant, and under it the place of each answer
that it changed, with what it is now. made.json and real.json stay what version 0.1.0 answered.
`python tests/frozen/changed.py "Why."` adds all that differs now under this sentence, and prints;
with ERRORFLOOR_DATA set, that of real sets too.
"""

import json
import os
import sys
from copy import deepcopy
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # where this is no test but a command
from frozen import answers, kept

PATH = Path(__file__).with_name("changed.json")
MADE, REAL = (kept.read(PATH.with_name(f"{kind}.json")) for kind in ("made", "real"))
CHANGED = kept.read(PATH)
# Two distributions of almost the same likelihood can differ by more than their likelihoods do.
DISTRIBUTION = kept.Apart(1e-8, 1e-8)
BY_GRID = kept.Apart(1e-7, 1e-7)  # of CIFAR-10H, whose grid depends on the processor


def tolerance(path):
    """Return how far the number at a path of names may lie from the kept one."""
    if path[-1] in ("p_room", "p_beyond") and "betting" in str(path):
        return kept.FITTED  # found by searches for the level at which limits end
    if not kept.is_fitted(path):
        return kept.EXACT
    if path[0] == "votes, CIFAR-10H":
        return BY_GRID
    return DISTRIBUTION if "mixture fit" in path else kept.FITTED


def changes(name, question):
    """Yield what is neither as it was in version 0.1.0 nor recorded as changed."""
    was = deepcopy((MADE | REAL)[name])
    for places in CHANGED.values():
        for place, today in places.items():
            first, *ways = place.split(" / ")
            if first == name:
                put(was, ways, today)
    return kept.changes(was, answers.answer(question), tolerance, (name,))


def put(answer, ways, value):
    """Put a value at its place in an answer."""
    for way in ways[:-1]:
        answer = answer[int(way) if isinstance(answer, list) else way]
    answer[int(ways[-1]) if isinstance(answer, list) else ways[-1]] = value


def record(why):
    """Add what differs now under a sentence that says why."""
    asked = answers.MADE | (answers.REAL if "ERRORFLOOR_DATA" in os.environ else {})
    found = [change for name, question in asked.items() for change in changes(name, question)]
    new = {" / ".join(map(str, path)): is_now for path, _, is_now in found}
    older = {
        reason: {place: value for place, value in places.items() if place not in new}
        for reason, places in CHANGED.items()
    }
    write({**older, why: {**older.get(why, {}), **new}})
    print(*kept.told(found), sep="\n")


def write(changed):
    """Write places by reason, one a line."""
    parts = (
        f"{json.dumps(why)}: {{\n"
        + ",\n".join(f"{json.dumps(place)}: {json.dumps(value)}" for place, value in places.items())
        + "\n}"
        for why, places in changed.items()
        if places
    )
    PATH.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    record(sys.argv[1])
