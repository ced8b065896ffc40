"""Answers that are kept in files: asked, shortened, compared with those of today, written anew."""

import argparse
import json
import math
import warnings
from typing import NamedTuple

import numpy as np

import errorfloor as ef

LONG = 12  # numbers, from which on only their sums are kept
# What an answer says of the question, and what it claims, which tests/test_claims.py asks.
ASKED = ("version", "source", "options", "seed", "claim", "best_of", "information")
REFUSED = "refused"
# Methods whose fits end near the best one.
ENDS_NEAR = ("beta", "platt", "mixture", "temperature", "vector", "offsets")


class Apart(NamedTuple):
    """How far a number may lie from the one that was kept."""

    relative: float
    absolute: float


EXACT = Apart(1e-12, 1e-12)  # sums in another order
FITTED = Apart(1e-9, 1e-9)  # BLAS threads change the last digits of logistic fits and mixtures


def is_fitted(names):
    """Tell whether one of these names, each a method or more, is of a fit that ends near the best.

    Numbers, which are places in lists, name nothing.
    """
    return any(isinstance(name, str) and name.startswith(ENDS_NEAR) for name in names)


def changes(was, is_now, apart, path=()):
    """Yield what is not as it was, each with where it is; `apart` says how far numbers may be."""
    if isinstance(was, dict) and isinstance(is_now, dict):
        for name in {**was, **is_now}:
            yield from changes(was.get(name), is_now.get(name), apart, (*path, name))
    elif isinstance(was, list) and isinstance(is_now, list) and len(was) == len(is_now):
        for i, pair in enumerate(zip(was, is_now, strict=True)):
            yield from changes(*pair, apart, (*path, i))
    elif not same(was, is_now, apart(path)):
        yield path, was, is_now


def same(was, is_now, apart):
    """Tell whether two values are the same, numbers up to what they may lie apart."""
    if not {type(was), type(is_now)} <= {int, float}:
        return was == is_now
    if math.isnan(was) or math.isnan(is_now):
        return math.isnan(was) and math.isnan(is_now)
    return math.isclose(was, is_now, rel_tol=apart.relative, abs_tol=apart.absolute)


def told(found):
    """Return changes as lines to read."""
    return [
        f"{' / '.join(map(str, path))}: {was} has become {is_now}" for path, was, is_now in found
    ]


def answer(question):
    """Return what a question finds, or that it is refused; statistical doubts are expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        try:
            return short(question())
        except ef.InputError:
            return REFUSED


def short(value):
    """Return plain values without sentences; of many numbers, how many and two sums."""
    if isinstance(value, dict):
        parts = {str(name): short(part) for name, part in value.items() if name not in ASKED}
        return {name: part for name, part in parts.items() if part is not None}
    if isinstance(value, np.ndarray | np.generic):
        return short(value.tolist())
    if isinstance(value, list | tuple):
        numbers = [one for one in value if isinstance(one, int | float)]
        if len(value) > LONG and len(numbers) == len(value):
            array = np.array(numbers, dtype=float)
            return [len(value), float(array.sum()), float(array @ np.linspace(-1, 1, array.size))]
        parts = [short(one) for one in value[:LONG]]
        return [part for part in parts if part is not None]
    if isinstance(value, str) and len(value.split()) > 2:
        return None
    return value


def read(path):
    """Return the answers of a file by the names of their questions; none where there is no file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(path, answers):
    """Write answers, one a line, so that a difference of files shows which have changed."""
    rows = (f"{json.dumps(name)}: {json.dumps(found)}" for name, found in answers.items())
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def keep(path, ask, add, description):
    """Add or rewrite answers of a file, as the command line says, and print what has changed.

    `ask` returns today's answer to the question of a name. `add` yields the names of questions that
    could be asked; it is given a function which returns the answer to the question of a name.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rewrite", metavar="PART", help="names that contain this are asked anew")
    parser.add_argument("--add", action="store_true", help="ask what the file does not have yet")
    options = parser.parse_args()
    answers = read(path)
    before = dict(answers)

    def asked(name):
        if name not in answers:
            answers[name] = ask(name)
        return answers[name]

    if options.add:
        for name in add(asked):
            asked(name)
    for name in before if options.rewrite is not None else ():
        if options.rewrite in name:
            answers[name] = ask(name)
    for name in answers.keys() - before.keys():
        print(f"{name}: added")
    kept = {name: answers[name] for name in before}
    for line in told(changes(before, kept, lambda path: EXACT)):
        print(line)
    if answers != before:
        write(path, answers)
