"""Mutation testing itself: the faults it makes, and whether it tells killed ones from survivors."""

import ast

import pytest

from tools import mutants
from tools.mutations import Text, faults

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
from tiny.numbers import capped

def test_capped():
    assert capped(3) == (3, False)
    assert capped(12) == (10, True)
    with pytest.raises(ValueError):
        capped(-6)
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
    return mutants.Project(tmp_path, "tiny", {"": ("numbers",)}, copied=("src", "tests"))


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
        ("y = 2  # only for speed", []),
        ("y += f(2)", ["pass", "y += f(3)"]),
        ("refuse(a)", ["pass"]),
        ("y: Literal[1] = 'ä' * n", ["y: Literal[1] = 'ä' / n"]),
        ("def __repr__(self): return 1 + 1", []),
        ("if TYPE_CHECKING: y = 1", []),
        ("def f(): raise NotImplementedError", []),
        ("y = np.random.default_rng(0)", []),
        ("@lru_cache(3)\ndef f(x: Array[1] = 2) -> Array[1]: ...",
         ["def f(x: Array[1] = 3) -> Array[1]: ..."]),
        ("def f(a): a = g(a); b = g(a)", ["def f(a): pass; b = g(a)"]),
    ],
)  # fmt: skip
def test_each_kind_of_fault(line, expected):
    assert sorted(after(line)) == sorted(expected)


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


def test_killed_and_surviving_mutants_are_told_apart_and_nothing_is_left_behind(
    tiny, tmp_path, monkeypatch
):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(mutants.tempfile, "tempdir", str(scratch))
    by_line = {mutant.after: mutant for mutant in tiny.mutants("numbers.py", 100, 0)}
    chosen = [by_line[line] for line in ("pass", "high = x >= LIMIT[0]", "if x < -6 and x != 0.5:")]
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    equivalent = frozenset({chosen[2].change})
    (score,) = mutants.scores(tiny, {"numbers.py": chosen}, equivalent, jobs=1)
    assert (score.mutants, score.killed, score.equivalent) == (3, 1, 1)
    assert [mutant.after for mutant in score.survivors] == ["high = x >= LIMIT[0]"]
    assert str(score).split() == ["numbers.py", "3", "1", "1", "50%"]
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before
    assert tiny.path("numbers.py").read_text() == TINY


def test_tests_that_fail_without_any_mutant_kill_none(tiny):
    tiny.path("numbers.py").write_text(TINY.replace("10", "9"))
    mutant = tiny.mutants("numbers.py", 1, 0)
    (score,) = mutants.scores(tiny, {"numbers.py": mutant}, jobs=1)
    assert score.failing
    assert score.killed == 0
    assert "tests fail without any mutant" in str(score)
    assert mutants.total([score]).mutants == 0


def test_kept_answers_are_compared_last_where_they_tell_something():
    tests = {"": ("numbers",), "deep/": ("deep", "numbers")}
    project = mutants.Project(mutants.ROOT, "tiny", tests, {"kept": ("deep/a", "b")})
    names = {module: project.tests_of(module) for module in ("b.py", "deep/a.py", "deep/b.py")}
    assert names == {
        "b.py": ("tests/test_numbers.py", "tests/test_kept.py"),
        "deep/a.py": ("tests/test_deep.py", "tests/test_numbers.py", "tests/test_kept.py"),
        "deep/b.py": ("tests/test_deep.py", "tests/test_numbers.py"),
    }


def test_every_module_of_the_core_has_tests_and_every_equivalent_mutant_exists():
    project = mutants.Project(mutants.ROOT, "errorfloor", mutants.TESTS, mutants.KEPT)
    known = {}
    for module in project.modules(mutants.CORE):
        for file in project.tests_of(module):
            assert (mutants.ROOT / file).exists(), file
        known[module] = {mutant.change for mutant in project.mutants(module, 10**6, 0)}
    for module, before, changed in mutants.known_equivalent():
        assert (module, before, changed) in known[module], (module, before)
