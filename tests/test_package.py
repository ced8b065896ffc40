"""Promises of the package as a whole: layers, imports, the demo."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import errorfloor
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture

ROOT = Path(errorfloor.__file__).parent

# Data flows one way: a module imports only from those above it.
LAYERS = [
    "_typing",
    "_checks",
    "tables",
    "results",
    "_logistic",
    "_kuiper",
    "bounds",
    "calibration",
    "resample",
    "floors",
    "intervals",
    "estimate",
    "decide",
    "label_noise",
    "datasets.__init__",
    "datasets.synthetic",
    "__init__",
    "demo",
]
ALLOWED = {"errorfloor", "narwhals", "numpy", "scipy", *sys.stdlib_module_names}


def imports(path):
    """Yield the modules a file imports, those of type checkers left out."""
    tree = ast.parse(path.read_text())
    skipped = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            if node.module == "errorfloor":
                yield from (
                    f"errorfloor.{alias.name}"
                    if (ROOT / f"{alias.name}.py").exists()
                    else "errorfloor"
                    for alias in node.names
                )
            else:
                yield node.module


def modules():
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in ROOT.rglob("*.py")
    }


def test_every_module_has_its_layer():
    assert sorted(modules()) == sorted(LAYERS)


@pytest.mark.parametrize("name", LAYERS)
def test_modules_import_only_from_the_layers_above(name):
    for imported in imports(modules()[name]):
        if imported == "errorfloor":
            assert LAYERS.index(name) > LAYERS.index("__init__")
        elif imported.startswith("errorfloor."):
            above = imported.removeprefix("errorfloor.")
            assert LAYERS.index(above) < LAYERS.index(name), f"{name} imports {above}"


@pytest.mark.parametrize("name", LAYERS)
def test_the_core_imports_nothing_beyond_numpy_scipy_and_narwhals(name):
    assert {imported.split(".")[0] for imported in imports(modules()[name])} <= ALLOWED


def run(code):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_using_the_core_loads_nothing_else():
    loaded = run(
        "import sys, numpy, scipy.optimize, scipy.special, narwhals; before = set(sys.modules);"
        "import errorfloor as ef;"
        "scores = [i / 99 for i in range(100)]; labels = [i % 7 > 3 for i in range(100)];"
        "ef.compare(scores, labels, methods=['isotonic', 'hist-5', 'beta', 'platt']);"
        "ef.calibrate(scores, labels); ef.from_soft_labels(scores, interval='betting');"
        "ef.feebee(scores, labels, model_error=0.5, levels=3);"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    ).split()
    assert set(loaded) <= ALLOWED


def test_importing_the_package_loads_no_library():
    loaded = run("import sys, errorfloor; print(*sys.modules)").split()
    assert "numpy" not in loaded
    assert "scipy" not in loaded


def test_every_public_name_loads_and_is_listed():
    assert sorted(name for names in errorfloor._HOME.values() for name in names) == sorted(
        errorfloor.__all__
    )
    for name in errorfloor.__all__:
        assert getattr(errorfloor, name) is not None
        assert name in dir(errorfloor)
    for name in errorfloor._MODULES:
        assert getattr(errorfloor, name).__name__ == f"errorfloor.{name}"
    with pytest.raises(AttributeError, match="no attribute 'from_score'"):
        errorfloor.from_score  # noqa: B018


def test_the_demo_prints_every_method_and_the_true_floor(capsys):
    from errorfloor import demo

    demo.main()
    printed = capsys.readouterr().out
    for method in errorfloor.METHODS:
        assert f"{method} " in printed
    assert "true floor" in printed


def test_the_synthetic_floor_is_the_mean_of_its_soft_labels():
    # n = 200,000: the standard error of the mean of min(p, 1 - p) is below 0.0003.
    for weights, means in [((0.6, 0.4), ((0.0, 0.0), (2.0, 2.0))), ((0.1, 0.9), ((1.0,), (0.0,)))]:
        data = gaussian_mixture(200_000, weights=weights, means=means, rng=1)
        floors = np.minimum(data.soft_labels, 1 - data.soft_labels)
        assert floors.mean() == pytest.approx(data.floor, abs=4 * floors.std() / np.sqrt(200_000))
        assert data.labels.mean() == pytest.approx(weights[1], abs=0.005)
    assert gaussian_mixture(5, means=((1.0,), (1.0,)), rng=0).floor == 0.4


def test_corruption_moves_one_half_to_b_and_keeps_order():
    p = np.linspace(0, 1, 101)
    distorted = corrupt(p, 2, 0.7)
    assert corrupt(np.array([0.5]), 2, 0.7)[0] == pytest.approx(0.7)
    assert (np.diff(distorted) > 0).all()
    assert distorted[[0, -1]].tolist() == [0, 1]
    # the inverse of beta calibration with slope a
    np.testing.assert_allclose(corrupt(corrupt(p, 2, 0.5), 0.5, 0.5), p, atol=1e-12)
