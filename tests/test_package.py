"""Promises of the package as a whole: layers, imports, the demo."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import errorfloor

ROOT = Path(errorfloor.__file__).parent

# Data flows one way: a module imports only from those above it.
LAYERS = [
    "_typing",
    "_checks",
    "tables",
    "_engines",
    "_files",
    "_items",
    "_counting",
    "frames",
    "results",
    "_logistic",
    "_kuiper",
    "bounds",
    "calibration",
    "reliability_band",
    "resample",
    "floors",
    "intervals",
    "_vote_grid",
    "_vote_band",
    "_vote_likelihood",
    "mixture",
    "estimate",
    "decide",
    "label_noise",
    "datasets.__init__",
    "datasets.synthetic",
    "datasets.dataset",
    "datasets._download",
    "datasets.files",
    "datasets.cifar10h",
    "datasets.fashion_mnist_h",
    "datasets.chaosnli",
    "datasets._openreview",
    "datasets.iclr",
    "__init__",
    "plot._axes",
    "plot._estimates",
    "plot._scores",
    "plot._votes",
    "plot.__init__",
    "demo",
    "reporting._words",
    "reporting._blocks",
    "reporting._score_checks",
    "reporting._vote_checks",
    "reporting._diagnostics",
    "reporting._pictures",
    "reporting._reproduce",
    "reporting._svg",
    "reporting._html",
    "reporting._markdown",
    "reporting._summary",
    "reporting.__init__",
    "paper._check",
    "paper._style",
    "paper._sets",
    "paper._settings",
    "paper._forest",
    "paper._curves",
    "paper.figure_1",
    "paper.figure_2",
    "paper.figure_3",
    "paper.figure_5",
    "paper.figure_6",
    "paper.figure_7",
    "paper.figure_8",
    "paper.figure_9",
    "paper.figure_10",
    "paper.figure_11",
    "paper.figure_12",
    "paper.table_feebee",
    "paper.__init__",
    "paper._document",
    "paper.__main__",
    "cli._columns",
    "cli._session",
    "cli._input",
    "cli._options",
    "cli._text",
    "cli._sets",
    "cli._data",
    "cli._commands",
    "cli.__init__",
    "__main__",
]
ALLOWED = {"errorfloor", "narwhals", "numpy", "scipy", *sys.stdlib_module_names}
# The engines themselves, which only functions for their own frames import.
ENGINES = {"dask", "duckdb", "pandas", "polars", "pyarrow", "pyspark"}
# What the extra `data` brings, which only functions of the data sets import.
FETCHING = {"openreview", "pooch", "requests", "tqdm"}
# What the extra `paper` brings, likewise.
DRAWING = {"matplotlib", "tqdm"}
# What the extra `cli` brings; click is loaded with the commands, the others by their functions.
COMMAND = {"click", "duckdb", "rich"}
EXTRA = {
    "_engines": ENGINES,
    "_files": {"duckdb"},
    "cli": COMMAND,
    "datasets": FETCHING,
    "demo": DRAWING,
    "paper": DRAWING,
    "plot": DRAWING,
    "reporting": DRAWING,
}


def imports(path, *, at_import=False):
    """Yield the modules a file imports, those of type checkers left out.

    With `at_import`, those of functions are left out as well.
    """
    tree = ast.parse(path.read_text())
    skipped = {
        id(child)
        for node in ast.walk(tree)
        if (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        or (at_import and isinstance(node, ast.FunctionDef))
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
            above += ".__init__" if (ROOT / above.replace(".", "/")).is_dir() else ""
            assert LAYERS.index(above) < LAYERS.index(name), f"{name} imports {above}"


@pytest.mark.parametrize("name", LAYERS)
def test_the_core_imports_nothing_beyond_numpy_scipy_and_narwhals(name):
    path = modules()[name]
    extra = EXTRA.get(name.split(".")[0], set())
    at_import = ALLOWED | ({"click"} if name.startswith("cli._") else set())
    assert {imported.split(".")[0] for imported in imports(path)} <= ALLOWED | extra
    assert {imported.split(".")[0] for imported in imports(path, at_import=True)} <= at_import


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
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


def test_made_data_and_files_at_hand_need_no_library_for_fetching(tmp_path):
    loaded = run(
        "import sys, errorfloor as ef; ef.datasets.synthetic.label_flips(10)\n"
        f"try: ef.datasets.load_cifar10h(data_home={str(tmp_path)!r})\n"
        "except ef.datasets.MissingDataError: print(*sys.modules)"
    ).split()
    assert loaded
    assert not FETCHING & {name.split(".")[0] for name in loaded}


def test_the_number_of_threads_changes_last_digits_at_most():
    code = (
        "import json, errorfloor as ef;"
        "from errorfloor.datasets.synthetic import corrupt, gaussian_mixture;"
        "data = gaussian_mixture(3000, rng=0); scores = corrupt(data.soft_labels, 2, 0.7);"
        "rows = ef.compare(scores, data.labels, n_resamples=50, rng=0);"
        "print(json.dumps([[row.method, row.value, row.low, row.high] for row in rows]))"
    )
    one, two = (json.loads(run(code, OPENBLAS_NUM_THREADS=str(n))) for n in (1, 2))
    for first, second in zip(one, two, strict=True):
        assert first[1:] == pytest.approx(second[1:], rel=1e-9)
        if first[0].startswith(("corrupted", "isotonic", "hist")):
            assert first == second


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


def test_every_public_name_of_the_data_sets_loads_and_is_listed():
    datasets = errorfloor.datasets
    assert sorted(datasets._HOME) == sorted(datasets.__all__)
    for name in (*datasets.__all__, *datasets._MODULES):
        assert getattr(datasets, name) is not None
        assert name in dir(datasets)
    with pytest.raises(AttributeError, match="no attribute 'load_cifar10'"):
        datasets.load_cifar10  # noqa: B018


def test_the_demo_prints_every_method_and_the_true_floor(capsys):
    from errorfloor import demo

    demo.main()
    printed = capsys.readouterr().out
    for method in errorfloor.METHODS:
        assert f"{method} " in printed
    assert "true floor" in printed
