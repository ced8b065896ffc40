"""Mutation testing itself: the faults it makes, and whether it tells killed ones from survivors."""

import ast
from collections import Counter

import pytest

from tools import mutants, traced
from tools.mutations import Text, faults

MOST_EXCUSED = 120

TINY = '''"""A module with one function."""

LIMIT: tuple[int, ...] = (10,)


def capped(x: float) -> tuple[float, bool]:
    """Return x, at most 10, and whether it was more than -1."""
    assert x == x
    if x < -5 and x != 0.5:
        raise ValueError(f"{x} is below {-5 + 0}.")
    high = x > LIMIT[0]
    return min(x, LIMIT[0]), high
'''

TESTS = """
import pytest
from tiny import numbers
from tiny.numbers import capped

@pytest.fixture(scope="module")
def small():
    return capped(3)

def test_small(small):
    assert small == (3, False)

@pytest.mark.parametrize("x", [11, 12])
def test_large(x):
    assert capped(x) == (10, True)

def test_refused():
    with pytest.raises(ValueError):
        capped(-6)

def test_nothing(small):
    pass

def test_wrong():
    assert capped(11) == (11, True)
"""


def after(text):
    """Return the changed lines of every fault."""
    made = [Text(text).edited(*edits) for edits in faults(text)]
    lines = text.splitlines()
    return [
        " | ".join(b.strip() for a, b in zip(lines, new.splitlines(), strict=True) if a != b)
        for new in made
    ]


@pytest.fixture
def tiny(tmp_path):
    package = tmp_path / "src" / "tiny"
    package.mkdir(parents=True)
    (tmp_path / "tests").mkdir()
    (package / "__init__.py").write_text("")
    (package / "numbers.py").write_text(TINY)
    (tmp_path / "tests" / "test_numbers.py").write_text(TESTS)
    return mutants.Project(tmp_path, "tiny", copied=("src", "tests"), loaded=())


@pytest.fixture
def trace(tiny, tmp_path):
    return traced.trace(tmp_path, "tiny", ["tests/test_numbers.py"], tmp_path / "kept", jobs=1)


def test_faults_are_one_small_change_each_of_what_can_change_an_answer():
    assert after(TINY) == [
        "LIMIT: tuple[int, ...] = (11,)",
        "if x <= -5 and x != 0.5:",
        "if x < -6 and x != 0.5:",
        "if x < -5 or x != 0.5:",
        "if x < -5 and x == 0.5:",
        "if x < -5 and x != 1.5:",
        "pass",
        "high = x >= LIMIT[0]",
        "high = x > LIMIT[1]",
        "return max(x, LIMIT[0]), high",
        "return high, min(x, LIMIT[0])",
        "return min(x, LIMIT[1]), high",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y = a + b", ["y = a - b"]),
        ("y = (a) - (b)", ["y = (a) + (b)"]),
        ("y = a * b / c", ["y = a / b / c", "y = a * b * c"]),
        ("y = a <= b >= c", ["y = a < b >= c", "y = a <= b > c"]),
        ("y = a or b or c", ["y = a and b and c"]),
        ("y = a and not b", ["y = a or not b", "y = a and (b)"]),
        ("y = f(~a) & b", ["y = f((a)) & b", "y = f(~a) | b"]),
        ("y = True", ["y = False"]),
        ("y = 0", ["y = 1"]),
        ("y = 1.0", ["y = 0.0"]),
        ("y = a.min()", ["y = a.max()"]),
        ("y = np.maximum(a, b)", ["y = np.minimum(a, b)"]),
        ("y = a[:n]", ["y = a[:(n) + 1]"]),
        ("y = zip(a, b, strict=True)", []),
        ("y = a // b", ["y = a * b"]),
        ("y = a <= b + ROUNDING", ["y = a <= b - ROUNDING"]),
        ("y = a <= 1e-9", ["y = a <= 1.000000001"]),
        ("y = a < 1e-5", ["y = a <= 1e-5", "y = a < 1.00001"]),
        ("y = 2  # only for speed", []),
        ("y += f(2)", ["pass", "y += f(3)"]),
        ("refuse(a)", ["pass"]),
        ("y: Literal[1] = 'ä' * n", ["y: Literal[1] = 'ä' / n"]),
        ("def __repr__(self): return 1 + 1", []),
        ("if TYPE_CHECKING: y = 1", []),
        ("def f(): raise NotImplementedError", []),
        ("def f(): return a, a", []),
        ("y = np.random.default_rng(0)", []),
        ("@lru_cache(3)\ndef f(x: Array[1] = 2) -> Array[1]: ...",
         ["def f(x: Array[1] = 3) -> Array[1]: ..."]),
        ("def f(a): a = g(a); b = g(a)", ["def f(a): pass; b = g(a)"]),
    ],
)  # fmt: skip
def test_each_kind_of_fault(line, expected):
    assert sorted(after(line)) == sorted(expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y = a.min() < 1", {("min to max", "a.max()"), ("< to <=", "a.min() <= 1"),
                             ("1 to 0", "a.min() < 0")}),
        ("y = x[:n]", {("n to (n) + 1", "x[:n + 1]")}),
        ("y = x[:, 0]", {("0 to 1", "x[:, 1]")}),
        ("y = -5 * a", {("5 to 6", "-6 * a"), ("* to /", "-5 / a")}),
        ("y = a and not b", {("and to or", "a or not b"), ("not left out", "a and b")}),
        ("if not a: pass", {("not left out", "(a)")}),
        ("refuse( a,\n  'b')", {("left out", "refuse(a, 'b')")}),
        ("y = [f(2) for x in z]", {("2 to 3", "f(3)")}),
    ],
)  # fmt: skip
def test_faults_are_named_by_operator_and_expression_however_their_line_is_written(line, expected):
    for text in (line, line.replace("y = ", "longer_name = (\n    ", 1) + "\n)" * ("y =" in line)):
        source = Text(text)
        found = {source.change(*edits) for edits in faults(text)}
        assert {(one.operator, one.expression) for one in found} == expected
        assert {one.function for one in found} == {""}


def test_faults_are_named_by_their_function():
    text = "class A:\n    n = 2\n\n    def f(self):\n        def g(x=3):\n            return 4\n"
    source = Text(text)
    found = [source.change(*edits) for edits in faults(text)]
    assert [one.function for one in found] == ["A", "A.f.g", "A.f.g"]
    assert [one.expression for one in found] == ["n = 3", "4", "return 5"]
    assert mutants.place_of("votes/many.py") == "votes.many"
    assert mutants.place_of("votes/__init__.py") == "votes"


def test_an_operator_is_not_looked_for_in_a_comment():
    text = "y = (\n    a  # a - b\n    - b\n)"
    assert after(text) == ["+ b"]


def test_the_same_seed_gives_the_same_mutants_and_all_of_them_are_programs(tiny):
    first, again, other = (tiny.mutants("numbers.py", 5, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len({mutant.change for mutant in first}) == 5
    for mutant in tiny.mutants("numbers.py", 100, 0):
        ast.parse(mutant.text)
        assert mutant.text != TINY
        assert TINY.splitlines()[mutant.line - 1].strip() == mutant.before
    assert len(tiny.mutants("numbers.py", 100, 0)) == 12


def names(tests):
    return [test.removeprefix("tests/test_numbers.py::test_") for test in tests]


def test_tests_are_known_by_the_lines_they_run(tiny, trace):
    path = tiny.path("numbers.py")
    lines = {line.strip(): number for number, line in enumerate(TINY.splitlines(), 1)}
    by_line = {
        line: names(trace.tests_of(path, TINY, number)) for line, number in lines.items() if line
    }
    shared = {"small", "nothing"}  # by what both are given; the test that fails anyway is left out
    assert set(by_line['raise ValueError(f"{x} is below {-5 + 0}.")']) == {"refused"}
    assert set(by_line["high = x > LIMIT[0]"]) == {"large[11]", "large[12]", *shared}
    everything = {"large[11]", "large[12]", "refused", *shared}
    assert set(by_line["if x < -5 and x != 0.5:"]) == everything
    assert set(by_line["def capped(x: float) -> tuple[float, bool]:"]) == everything
    assert set(by_line["LIMIT: tuple[int, ...] = (10,)"]) == everything
    # The second case of a test comes after the first cases of all.
    assert by_line["if x < -5 and x != 0.5:"][-1].startswith("large")


def test_what_runs_when_a_module_is_loaded_is_told_by_the_modules_that_import_it(tmp_path):
    files = {
        "src/few/__init__.py": "",
        "src/few/records.py": "def double(x):\n    return 2 * x\n\nLIMIT = double(3)\n",
        "src/few/user.py": "from few.records import LIMIT\n\ndef f():\n    return LIMIT\n",
        "src/few/stranger.py": "def g():\n    return 0\n",
        "tests/conftest.py": "",
        "tests/test_few.py": "def test_g(): from few.stranger import g; assert g() == 0\n"
        "def test_f(): from few.user import f; assert f() == 6\n"  # which loads both
        "def test_again(): from few.user import f; assert f() > 5\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = traced.trace(tmp_path, "few", ["tests/test_few.py"], tmp_path / "kept", jobs=1)
    records = tmp_path / "src/few/records.py"
    for line in (1, 2, 4):
        told = found.tests_of(records, records.read_text(), line)
        assert told == [f"tests/test_few.py::test_{name}" for name in ("f", "again")]


def test_lines_are_found_anew_only_where_something_changed(tiny, tmp_path, monkeypatch):
    ran = []
    run = traced._run
    monkeypatch.setattr(traced, "_run", lambda *asked: (ran.append(asked[2]), run(*asked)))
    other = tmp_path / "tests" / "test_other.py"
    other.write_text("def test_other(): pass")
    files = ["tests/test_numbers.py", "tests/test_other.py"]
    numbers, unused = tiny.path("numbers.py"), tiny.path("unused.py")
    changes = [(None, files), (None, []), (other, files[1:]), (unused, []), (numbers, files[:1])]
    for change, expected in changes:
        if change is not None:
            text = change.read_text() if change == numbers else ""
            change.write_text(text + "def test_new(): pass")
        ran.clear()
        found = traced.trace(tmp_path, "tiny", files, tmp_path / "kept", jobs=1)
        assert ran == expected
    assert "tests/test_other.py::test_new" in found.seconds


def test_as_many_tests_are_chosen_as_fit_into_the_time(tiny, trace):
    (mutant, *_) = tiny.mutants("numbers.py", 1, 0)
    trace.seconds = dict.fromkeys(trace.seconds, 1.0) | {"tests/test_numbers.py::test_nothing": 9.0}
    chosen = mutants.selection(trace, tiny.path("numbers.py"), mutant, seconds=2.5)
    assert [len(tests) for tests in chosen.tests.values()] == [2]
    assert chosen.seconds == 2.0
    whole = mutants.selection(trace, tiny.path("numbers.py"), mutant, seconds=100)
    assert sum(len(tests) for tests in whole.tests.values()) == 5


def test_files_with_the_most_tests_of_a_line_are_run_first():
    tests = {
        f"{name}.py": [f"{name}.py::test_{n}" for n in range(n)] for n, name in enumerate("abcde")
    }
    (first, of_first), (last, of_last) = mutants.Selection(tests).stages()
    assert first == ["e.py", "d.py", "c.py"]
    assert last == ["b.py", "a.py"]
    assert of_first[:4] == tests["e.py"]
    assert of_last == tests["b.py"]
    assert list(mutants.Selection({"a.py": None}).stages()) == [(["a.py"], None)]
    assert list(mutants.Selection({}).stages()) == []


def test_killed_and_surviving_mutants_are_told_apart_and_nothing_is_left_behind(
    tiny, trace, tmp_path, monkeypatch
):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(mutants.tempfile, "tempdir", str(scratch))
    by_line = {mutant.after: mutant for mutant in tiny.mutants("numbers.py", 100, 0)}
    chosen = [by_line[line] for line in ("pass", "high = x >= LIMIT[0]", "if x < -6 and x != 0.5:")]
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    equivalent = frozenset({chosen[2].change})

    def select(mutant):
        return mutants.selection(trace, tiny.path("numbers.py"), mutant, 20)

    (score,) = mutants.scores(tiny, {"numbers.py": chosen}, select, equivalent, jobs=1)
    assert (score.mutants, score.killed, score.equivalent) == (3, 1, 1)
    assert [mutant.after for mutant in score.survivors] == ["high = x >= LIMIT[0]"]
    assert str(score).split() == ["numbers.py", "3", "1", "1", "50.0%"]
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before
    assert tiny.path("numbers.py").read_text() == TINY
    assert str(mutants.total([score, score])).split() == ["all", "6", "2", "2", "50.0%"]


def test_what_fails_without_the_mutant_kills_none(tiny):
    chosen = {"numbers.py": tiny.mutants("numbers.py", 2, 0)}
    (tiny.root / "tests" / "test_absent.py").write_text("import absent")
    for selected in (
        {"tests/test_numbers.py": ["tests/test_numbers.py::test_wrong"]},
        {"tests/test_numbers.py": [], "tests/test_absent.py": []},
        {"tests/test_numbers.py": []},
        {},
    ):
        named = mutants.Selection(selected)
        (score,) = mutants.scores(tiny, chosen, lambda mutant, named=named: named, jobs=1)
        assert score.killed == 0
        assert len(score.survivors) == 2


def test_behind_what_fails_without_the_mutant_the_other_tests_are_run(tiny, capsys):
    (mutant,) = (one for one in tiny.mutants("numbers.py", 100, 0) if one.after == "pass")
    tests = [f"tests/test_numbers.py::test_{name}" for name in ("wrong", "refused")]
    named = mutants.Selection({"tests/test_numbers.py": tests})
    (score,) = mutants.scores(tiny, {"numbers.py": [mutant]}, lambda mutant: named, jobs=1)
    assert score.killed == 1
    assert capsys.readouterr().err == f"Without a fault too: {tests[0]}\n"


@pytest.mark.parametrize(
    ("after", "killed"),
    [("LIMIT: tuple[int, ...] = (10,", True), ("while x == 12: pass", True), ("x = x + 0", False)],
)
def test_modules_that_do_not_load_or_never_end_are_killed(tiny, monkeypatch, after, killed):
    before = (
        "assert x == x" if killed is False or "while" in after else "LIMIT: tuple[int, ...] = (10,)"
    )
    mutant = mutants.Mutant("numbers.py", 1, before, after, TINY.replace(before, after))
    ids = [f"tests/test_numbers.py::test_large[{x}]" for x in (11, 12)]
    monkeypatch.setattr(mutants, "LEAST_SECONDS", 1)
    named = mutants.Selection({"tests/test_numbers.py": ids}, seconds=0.0)
    (score,) = mutants.scores(tiny, {"numbers.py": [mutant]}, lambda mutant: named, jobs=1)
    assert score.killed == killed


def test_every_equivalent_mutant_exists_and_is_one():
    project = mutants.Project(mutants.ROOT, "errorfloor")
    argued = mutants.known_equivalent()
    places = {
        ".".join(change.function.split(".")[:end]) for change in argued for end in range(1, 9)
    }
    known = Counter(
        mutant.change
        for module in project.modules(mutants.CORE)
        if mutants.place_of(module) in places
        for mutant in project.mutants(module, 10**6, 0)
    )
    assert not [change for change in argued if known[change] != 1]
    assert len(argued) <= MOST_EXCUSED


def test_files_that_are_never_run_exist():
    assert all((mutants.ROOT / file).exists() for file in mutants.UNTRACED)
