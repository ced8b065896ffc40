"""Small faults that a program may have, as edits of its text: what `tools.mutants` tries.

An edit replaces one piece of a module. Docstrings, annotations, messages of errors, assertions,
decorators, `__repr__`, seeds and bodies that are there to be overridden are left alone, and so is
any statement whose first line says `# only for speed`: none of these makes an answer wrong. Nor
does `<` for `<=` where one side has a margin for rounding, which nothing meets to the last bit.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
}
COMPUTED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),  # not "/", which is the same where whole numbers divide evenly
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
EXTREMES = {"min": "max", "minimum": "maximum", "argmin": "argmax"}
EXTREMES |= {after: before for before, after in EXTREMES.items()}
# `zip(..., strict=True)` is an assertion, and `field(repr=False)` is about `__repr__`.
QUIET_KEYWORDS = {"repr", "strict"}
FOR_SPEED = "# only for speed"
MARGINS = {"ROUNDING", "_ROUNDING"}
LARGEST_MARGIN = 1e-6


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A piece of a text, from one byte to another, and what takes its place."""

    start: int
    end: int
    new: str


class Change(NamedTuple):
    """What names a fault, wherever it stands and however its line is written."""

    function: str  # or class, with those around it; nothing where it is in none
    operator: str  # what takes the place of what
    expression: str  # as it is with the fault, or the statement that is left out


class Text:
    """The text of a module, and where its nodes are."""

    def __init__(self, text: str) -> None:
        self.bytes = text.encode()
        self.lines = text.splitlines()
        self.starts = [0]
        for line in self.bytes.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    @cached_property
    def tree(self) -> ast.Module:
        """The module's syntax tree."""
        return ast.parse(self.bytes)

    def start(self, node: Any) -> int:
        """Return the byte where a node begins."""
        return int(self.starts[node.lineno - 1] + node.col_offset)

    def end(self, node: Any) -> int:
        """Return the byte behind a node."""
        return int(self.starts[node.end_lineno - 1] + node.end_col_offset)

    def of(self, node: Any) -> str:
        """Return the text of a node."""
        return self.bytes[self.start(node) : self.end(node)].decode()

    def all_of(self, node: Any, new: str) -> Edit:
        """Replace a whole node."""
        return Edit(self.start(node), self.end(node), new)

    def between(self, left: Any, right: Any, old: str, new: str) -> Edit:
        """Replace the operator that stands between two nodes."""
        start = self.end(left)
        gap = self.bytes[start : self.start(right)].decode("latin-1")
        place = start + re.sub(r"#[^\n]*", lambda note: " " * len(note[0]), gap).index(old)
        return Edit(place, place + len(old), new)

    def edited(self, *edits: Edit) -> str:
        """Return the text with edits that do not overlap."""
        changed = self.bytes
        for edit in sorted(edits, reverse=True):
            changed = changed[: edit.start] + edit.new.encode() + changed[edit.end :]
        return changed.decode()

    def change(self, *edits: Edit) -> Change:
        """Return what names a fault."""
        first, last = min(edits).start, max(edit.end for edit in edits)
        around = list(self._around(first, last))
        scopes = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
        function = ".".join(node.name for node in around if isinstance(node, scopes))
        if edits[0].new == "pass":
            return Change(function, "left out", ast.unparse(around[-1]))
        return Change(function, self._operator(edits), self._expression(around, edits))

    def _around(self, first: int, last: int) -> Iterator[ast.AST]:
        """Yield the nodes that hold a piece of the text, the largest first."""
        inside = list(ast.iter_child_nodes(self.tree))
        while inside:
            node = inside.pop()
            if not hasattr(node, "lineno"):
                inside += ast.iter_child_nodes(node)
            elif self.start(node) <= first and last <= self.end(node):
                yield node
                inside = list(ast.iter_child_nodes(node))

    def _operator(self, edits: tuple[Edit, ...]) -> str:
        old = [self.bytes[edit.start : edit.end].decode() for edit in edits]
        for sign in ("not", "~"):
            if old[0].startswith(sign) and edits[0].new.startswith("("):
                return f"{sign} left out"
        pairs = zip(old, edits, strict=True)
        return ", ".join(dict.fromkeys(f"{before} to {edit.new}" for before, edit in pairs))

    def _expression(self, around: list[ast.AST], edits: tuple[Edit, ...]) -> str:
        """Return the smallest expression that says more than the fault itself, with the fault."""
        span = min(edits).start, max(edit.end for edit in edits)
        for node in reversed(around):
            whole = self.start(node), self.end(node)
            if isinstance(node, ast.Attribute | ast.UnaryOp) or whole == span:
                continue
            if hasattr(node, "body") and not isinstance(node, ast.expr):
                break
            text = self.edited(*edits).encode()
            longer = len(text) - len(self.bytes)
            piece = text[whole[0] : whole[1] + longer].decode()
            try:  # what stands in brackets may be no expression without them
                return ast.unparse(ast.parse(piece if isinstance(node, ast.stmt) else f"({piece})"))
            except SyntaxError:
                continue
        return edits[0].new


Faults = Iterator[tuple[Edit, ...]]


def faults(text: str) -> list[tuple[Edit, ...]]:
    """Return every fault that a module may be given, each as edits, in the order of the text."""
    source = Text(text)
    skipped = _quiet(source.tree, source) | _first_bindings(source.tree)
    found = []
    for node in ast.walk(source.tree):
        make = FAULTS.get(type(node))
        if make is not None and id(node) not in skipped:
            found += [edits for edits in make(source, node) if edits]
    return sorted(set(found))


def _quiet(tree: ast.Module, source: Text) -> set[int]:
    """Return the nodes to leave alone, by their identity."""
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and FOR_SPEED in source.lines[node.lineno - 1]:
            roots.append(node)
        roots += _quiet_parts(node)
    return {id(child) for root in roots if root is not None for child in ast.walk(root)}


def _quiet_parts(node: ast.AST) -> list[ast.AST | None]:
    """Return what to leave alone of a node: all of it, some of its parts, or nothing."""
    match node:
        case ast.Assert() | ast.JoinedStr() | ast.FunctionDef(name="__repr__"):
            return [node]
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return [node]
        case ast.keyword(arg=str(name)) if name in QUIET_KEYWORDS:
            return [node]
        case ast.Raise(exc=ast.Name(id="NotImplementedError")):  # what nobody calls
            return [node]
        case ast.Call(func=ast.Attribute(attr="default_rng")):  # other draws of the same law
            return [*node.args]
        case ast.Raise():
            return [node.exc, node.cause]
        case ast.ClassDef():
            return [*node.decorator_list, *node.keywords]
        case ast.FunctionDef():
            return [*node.decorator_list, node.returns]
        case ast.arg() | ast.AnnAssign():
            return [node.annotation]
    return []


def _first_bindings(tree: ast.Module) -> set[int]:
    """Return the assignments without which a name does not exist, which any test finds."""
    first = set()
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef | ast.Module):
            continue
        bound = {node.arg for node in ast.walk(scope) if isinstance(node, ast.arg)}
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign):
                parts = (part for target in node.targets for part in ast.walk(target))
                names = {part.id for part in parts if isinstance(part, ast.Name)}
                if names - bound:
                    first.add(id(node))
                bound |= names
    return first


def _compared(source: Text, node: ast.Compare) -> Faults:
    sides = [node.left, *node.comparators]
    for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
        if type(operator) in COMPARED and not (_has_margin(left) or _has_margin(right)):
            yield (source.between(left, right, *COMPARED[type(operator)]),)


def _has_margin(side: ast.expr) -> bool:
    """Tell whether a side of a comparison has a margin for rounding."""
    return any(
        (isinstance(node, ast.Name) and node.id in MARGINS)
        or (isinstance(node, ast.Constant) and isinstance(node.value, float)
            and 0 < node.value <= LARGEST_MARGIN)
        for node in ast.walk(side)
    )  # fmt: skip


def _computed(source: Text, node: ast.BinOp) -> Faults:
    if type(node.op) in COMPUTED:
        yield (source.between(node.left, node.right, *COMPUTED[type(node.op)]),)


def _joined(source: Text, node: ast.BoolOp) -> Faults:
    words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    pairs = zip(node.values, node.values[1:], strict=False)
    yield tuple(source.between(left, right, *words) for left, right in pairs)


def _negated(source: Text, node: ast.UnaryOp) -> Faults:
    if isinstance(node.op, ast.Not | ast.Invert):
        yield (source.all_of(node, f"({source.of(node.operand)})"),)


def _constant(source: Text, node: ast.Constant) -> Faults:
    value = node.value
    if isinstance(value, bool):
        yield (source.all_of(node, str(not value)),)
    elif isinstance(value, int | float):
        other = type(value)(0) if value == 1 else value + 1
        yield (source.all_of(node, repr(other)),)


def _extreme(source: Text, node: ast.Call) -> Faults:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name in EXTREMES:
        end = source.end(node.func)
        yield (Edit(end - len(name), end, EXTREMES[name]),)


def _swapped(source: Text, node: ast.Return) -> Faults:
    if isinstance(node.value, ast.Tuple) and len(node.value.elts) > 1:
        first, second = node.value.elts[:2]
        if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
            texts = source.of(first), source.of(second)
            if texts[0] != texts[1]:
                yield source.all_of(first, texts[1]), source.all_of(second, texts[0])


def _deleted(source: Text, node: ast.stmt) -> Faults:
    value = getattr(node, "value", None)
    called = value is not None and any(isinstance(part, ast.Call) for part in ast.walk(value))
    if isinstance(node, ast.Raise | ast.AugAssign) or called:
        yield (source.all_of(node, "pass"),)


def _shifted(source: Text, node: ast.Slice) -> Faults:
    for end in (node.lower, node.upper):
        if end is not None and not isinstance(end, ast.Constant | ast.UnaryOp):
            yield (source.all_of(end, f"({source.of(end)}) + 1"),)


FAULTS: dict[type[ast.AST], Callable[[Text, Any], Faults]] = {
    ast.Compare: _compared,
    ast.BinOp: _computed,
    ast.BoolOp: _joined,
    ast.UnaryOp: _negated,
    ast.Constant: _constant,
    ast.Call: _extreme,
    ast.Return: _swapped,
    ast.Raise: _deleted,
    ast.Expr: _deleted,
    ast.Assign: _deleted,
    ast.AugAssign: _deleted,
    ast.Slice: _shifted,
}
