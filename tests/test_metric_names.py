"""A metric is one record: nothing outside `metrics` goes by what a metric is called."""

import ast
from pathlib import Path

import pytest

import errorfloor as ef
from errorfloor import metrics

SOURCE = Path(ef.__file__).parent
# TEMPORARY: folders that still go by names. Empty this list, then delete it.
NOT_YET = ("methods", "intervals")
# Also words for other things: they count next to something that is called a metric only.
ORDINARY = {"error", "cost"}
FILES = [
    path
    for path in sorted(SOURCE.rglob("*.py"))
    if path.relative_to(SOURCE).parts[0] not in ("metrics", *NOT_YET)
]
CONSTANTS = {
    name
    for path in (SOURCE / "metrics").glob("*.py")
    for node in ast.parse(path.read_text()).body
    if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("Metric(")
    for name in [ast.unparse(node.targets[0])]
}


def is_metric(node):
    """Tell whether an expression is the record of a certain metric."""
    return (isinstance(node, ast.Name) and node.id in CONSTANTS) or (
        isinstance(node, ast.Attribute) and node.attr in CONSTANTS
    )


def is_name(node, beside=""):
    """Tell whether an expression is the name of a certain metric."""
    if isinstance(node, ast.Attribute) and node.attr == "name":
        return is_metric(node.value)
    if not isinstance(node, ast.Constant) or node.value not in metrics.names():
        return False
    return node.value not in ORDINARY or "metric" in beside


def goes_by_names(tree):
    """Yield expressions that compare with a certain metric, or that list or key by metrics."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                sides, text = [node.left, *node.comparators], ast.unparse(node)
                if any(is_name(side, text) or is_metric(side) for side in sides):
                    yield node
            case ast.MatchValue() if is_name(node.value, "metric"):
                yield node.value
            case ast.Dict() if any(is_name(key) for key in node.keys):
                yield node
            case ast.Tuple() | ast.List() | ast.Set() if any(map(is_name, node.elts)):
                yield node
            case ast.DictComp() if is_name(node.key):
                yield node


def test_every_metric_has_a_constant():
    assert len(CONSTANTS) == len(metrics.METRICS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_goes_by_the_name_of_a_metric(path):
    found = goes_by_names(ast.parse(path.read_text()))
    assert [f"line {node.lineno}: {ast.unparse(node)[:80]}" for node in found] == []


@pytest.mark.parametrize(
    "code",
    [
        "metric.name == ERROR.name",
        "metric != metrics.ERROR.name",
        "estimate.metric == 'error'",
        "name in ('auc', 'f1')",
        "metric is ERROR",
        "{BALANCED.name: 1}",
        "{'log-loss': 1}",
        "KNOWN = (AUC.name,)",
        "match metric:\n    case 'error':\n        pass",
    ],
)
def test_what_goes_by_names_is_found(code):
    assert list(goes_by_names(ast.parse(code)))
