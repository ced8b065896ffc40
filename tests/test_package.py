"""Promises of the package as a whole: layers, imports, files by concept, the demo."""

import ast
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import errorfloor
from tools import generated
from tools.layers import LAYERS

ROOT = Path(errorfloor.__file__).parent

ALLOWED = {"errorfloor", "narwhals", "numpy", "scipy", *sys.stdlib_module_names}
# The engines themselves, which only functions for their own frames and files import.
ENGINES = {"dask", "duckdb", "openpyxl", "pandas", "polars", "pyarrow", "pyspark"}
# What the extra `data` brings, which only functions of the data sets import.
FETCHING = {"openreview", "pooch", "requests", "tqdm"}
# What pictures need, likewise.
DRAWING = {"matplotlib", "tqdm"}
# What the extra `cli` brings; click is loaded with the commands, the others by their functions.
COMMAND = {"click", "duckdb", "rich"}
# What the extra `features` brings.
NEIGHBOURS = {"faiss", "torch"}
# What the extra `app` brings, which only the page imports.
PAGE = {"starlette", "uvicorn"}
# What the extra `mcp` brings, which only its server imports.
AGENTS = {"anyio", "mcp"}
EXTRA = {
    "data": ENGINES,
    "features": NEIGHBOURS,
    "questions": {"sklearn"},  # where a model of it is given
    "datasets": FETCHING,
    "show": DRAWING | {"rich"},
    # A clone has the papers' figures next to the package.
    "apps": AGENTS | COMMAND | DRAWING | PAGE | {"papers"},
}


def test_extras_bring_what_their_texts_promise_and_say_from_which_version_on():
    with (ROOT.parents[1] / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    extras = project["optional-dependencies"]
    assert set(extras["excel"]) <= set(extras["cli"])  # the help says that Excel is read
    assert "errorfloor[cli]" in extras["app"]
    (together,) = extras["all"]
    assert together == "errorfloor[app,cli,excel,features,mcp]"
    assert {"all", "data", "docs", "dev", "paper", "spark", "test"} >= extras.keys() - {
        *together.removeprefix("errorfloor[").rstrip("]").split(",")
    }
    for name in ("cli", "features", "app", "excel"):
        for one in extras[name]:
            assert one.startswith("errorfloor[") or ">=" in one, one


@cache
def nodes(path):
    """Return all nodes of a module's tree, each after its parent."""
    return [*ast.walk(ast.parse(path.read_text()))]


@cache
def statements(path, at_import):
    """Return the nodes of a module but for those of type checkers, and those of functions if so."""
    found, inside = [], list(ast.iter_child_nodes(nodes(path)[0]))
    while inside:
        node = inside.pop()
        checked = isinstance(node, ast.If) and isinstance(node.test, ast.Name)
        if checked and node.test.id in ("TYPE_CHECKING", "_CHECKING"):
            inside += node.orelse
        elif not (at_import and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
            found.append(node)
            inside += ast.iter_child_nodes(node)
    return found


def imports(path, *, at_import=False):
    """Yield the modules a file imports, those of type checkers left out.

    With `at_import`, those of functions are left out as well.
    """
    for node in statements(path, at_import):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            if node.module == "errorfloor":
                yield from (
                    f"errorfloor.{alias.name}"
                    if (ROOT / f"{alias.name}.py").exists() or (ROOT / alias.name).is_dir()
                    else "errorfloor"
                    for alias in node.names
                )
            else:
                yield node.module


@cache
def modules():
    return sorted(ROOT.rglob("*.py"))


def layer_of(path):
    """Return the folder of a module, or the module itself where it is in none."""
    return path.relative_to(ROOT).with_suffix("").parts[0]


def named(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def functions(path):
    return (node for node in nodes(path) if isinstance(node, ast.FunctionDef))


def test_the_papers_figures_are_in_a_clone_and_say_so_elsewhere(monkeypatch, tmp_path):
    with pytest.raises(ImportError, match="package `papers` of a clone"):
        _ = errorfloor.paper.reproduce
    with pytest.raises(ImportError, match="package `papers` of a clone"):
        from errorfloor.paper import reproduce  # noqa: F401
    assert "paper" not in dir(errorfloor)
    errorfloor.paper.find_papers()  # of this clone
    installed = tmp_path / "site-packages" / "errorfloor" / "paper.py"
    monkeypatch.setattr(errorfloor.paper, "__file__", str(installed))
    with pytest.raises(ImportError, match="`make paper` or `errorfloor paper`"):
        errorfloor.paper.find_papers()


def test_the_wheel_has_no_figures_of_the_papers():
    with (ROOT.parents[1] / "pyproject.toml").open("rb") as file:
        build = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]
    assert "wheel" not in build  # so it is src/errorfloor and nothing else
    assert not [path for path in ROOT.rglob("*.py") if "figure_" in path.name]


def test_every_folder_and_module_has_its_layer():
    assert {layer_of(path) for path in modules()} == set(LAYERS)


def test_a_folder_imports_only_from_the_layers_before_it():
    assert not [
        f"{named(path)} imports {imported}"
        for path in modules()
        for imported in imports(path)
        if imported.split(".")[0] == "errorfloor"
        and LAYERS.index([*imported.split("."), "__init__"][1]) > LAYERS.index(layer_of(path))
    ]


def test_the_core_imports_nothing_beyond_numpy_scipy_and_narwhals():
    for path in modules():
        extra = EXTRA.get(layer_of(path), set())
        at_import = ALLOWED | (
            {"click"} if named(path).startswith(("apps.cli.", "apps.web.")) else set()
        )
        at_import |= PAGE if named(path).startswith("apps.web.") else set()
        libraries = {imported.split(".")[0] for imported in imports(path)}
        assert libraries <= ALLOWED | extra, named(path)
        if path.name != "__init__.py" or layer_of(path) != "apps":
            loaded = {name.split(".")[0] for name in imports(path, at_import=True)}
            assert loaded <= at_import, named(path)


def test_results_reach_what_shows_them_by_one_hook_only():
    # A module that is named in a string would escape the rule of layers.
    loading = {named(path) for path in modules() if "import_module" in path.read_text()}
    known = {"__init__", "_shown", "datasets.__init__", "results.__init__"}
    assert loading == known | {"show.plot"}


def test_functions_are_of_a_size_to_be_read_at_once():
    public = set(errorfloor.__all__) | {"read"}
    for module, node in ((path, node) for path in modules() for node in functions(path)):
        first = node.body[0]
        if ast.get_docstring(node) is not None:
            first = node.body[1] if len(node.body) > 1 else node.body[0]
        length = (node.end_lineno or 0) - first.lineno + 1
        assert length <= 40, f"{node.name} of {named(module)} has {length} lines"
        number = len(node.args.args) + len(node.args.kwonlyargs)
        public_door = node.name in public or layer_of(module) in ("data", "frames")
        assert public_door or number <= 11, (
            f"{node.name} of {named(module)} has {number} parameters"
        )


# Modules that only one other imports, and why they are not a part of it.
ALONE = {
    "data.documents": "It is loaded for JSON and workbooks alone.",
    "questions.cap": "What a model's error says about the floor is no part of asking.",
    "features.cuda": "It is loaded where a graphics card is asked for.",
    "features.leaks": "What gives labels away is no part of a question, whoever asks.",
    "features.sequence": "Prediction from the past is no part of a question, whoever asks.",
    "apps.cli": "It is what the command starts.",
    "apps.web.answering": "It is loaded once the process that answers is held to its limits.",
    "apps.web.form": "What is asked is a concept of its own, as what is answered is.",
    "datasets.synthetic": "It is public.",
    "intervals.crossed": "Limits of means are no part of a question, whoever asks.",
    "intervals.signs": "A test is no part of a question, whoever asks.",
    "frames": "It is public.",
    "show.html": "It is what notebooks show.",
    "show.terminal": "It is loaded on a terminal alone.",
    "show.report.pictures": "What a report draws is a concept of its own, as what it says is.",
}
# In one process, the first time not counted; comprehensions are no functions of their own.
MOST_MODULES, MOST_FUNCTIONS = 60, 498
MOST_IN_A_CHAIN = 22  # modules, each of which imports the next one when it is loaded


def importers():
    """Return which modules import each of them, at any place."""
    found = {named(path).removesuffix(".__init__"): set() for path in modules()}
    for path in modules():
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "errorfloor":
                home = node.module.removeprefix("errorfloor").lstrip(".")
                for alias in node.names:
                    inner = f"{home}.{alias.name}".lstrip(".")
                    found.get(inner, found.get(home, set())).add(named(path))
    return {name: by - {name, f"{name}.__init__"} for name, by in found.items()}


def gathers(importer, name):
    """Tell whether a module lists others: public names, commands, or the records of a folder."""
    folders = (name.rsplit(".", up)[0] for up in range(1, name.count(".") + 1))
    return importer in ("__init__", "apps.cli.commands", *(f"{one}.__init__" for one in folders))


def test_a_module_with_a_single_importer_is_there_for_a_reason():
    alone = {
        name
        for name, by in importers().items()
        if len(by) == 1 and not name.endswith("__main__") and not gathers(*by, name)
    }
    assert alone == ALONE.keys()


def loading():
    """Return which modules each of them imports when it is loaded."""
    names = {named(path).removesuffix(".__init__"): path for path in modules()}
    found = {name: set() for name in names}
    for name, path in names.items():
        tree = nodes(path)[0]
        inner = (node for node in tree.body if not isinstance(node, ast.If | ast.FunctionDef))
        for node in inner:
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "errorfloor":
                home = node.module.removeprefix("errorfloor").lstrip(".")
                parts = (f"{home}.{alias.name}".lstrip(".") for alias in node.names)
                found[name] |= {part if part in names else home for part in parts}
    return {name: {one for one in others if one in names} for name, others in found.items()}


def test_the_longest_chain_of_imports_does_not_grow():
    imports, longest = loading(), {}

    def chain(name):
        if name not in longest:
            longest[name] = (name, *max(map(chain, imports[name]), key=len, default=()))
        return longest[name]

    found = max(map(chain, imports), key=len)
    assert len(found) <= MOST_IN_A_CHAIN, " -> ".join(found)


TRACED = """
import contextlib, io, os, sys
from errorfloor.apps.cli.commands import cli

home, seen = os.path.dirname(sys.modules["errorfloor"].__file__), set()

def ask():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with contextlib.suppress(SystemExit):
            cli.main(["estimate", sys.argv[1]], standalone_mode=False)

def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(home) and code.co_name[0] != "<":
        seen.add((code.co_filename, code.co_qualname, code.co_firstlineno))

ask()
sys.setprofile(note)
ask()
sys.setprofile(None)
print(len({file for file, *_ in seen}), len(seen))
"""


def test_a_second_estimate_of_votes_passes_no_more_modules_and_functions_than_it_did(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("votes,total\n" + "".join(f"{k % 6},5\n" for k in range(200)))
    traced = [sys.executable, "-c", TRACED, str(path)]
    # What runs of others left among temporary files is looked at by functions of its own.
    own = os.environ | {"TMPDIR": str(tmp_path)}
    said = subprocess.run(traced, capture_output=True, text=True, check=True, env=own).stdout
    modules, functions = map(int, said.split())
    assert modules <= MOST_MODULES, said
    assert functions <= MOST_FUNCTIONS, said


def documented(module):
    """Yield the public functions and classes of a module, and the methods of the latter."""
    for name in module.__all__:
        value = getattr(module, name)
        if callable(value):
            yield f"{module.__name__}.{name}", value
        if inspect.isclass(value):
            own = (getattr(value, key) for key in vars(value) if not key.startswith("_"))
            yield from ((f"{name}.{one.__name__}", one) for one in own if inspect.isroutine(one))


def lacks(value):
    """Return lines that describe several parameters at once, and parameters without a line."""
    text = inspect.getdoc(value) or ""
    lines = text.splitlines()
    grouped = [line for line in lines if re.match(r"\*{0,2}\w+(, \*{0,2}\w+)+( :.*)?$", line)]
    found = [line for line in grouped if f"{line}\n    " in text]
    if inspect.isfunction(value) and "Parameters\n---" in text:
        names = {line.split(" : ")[0].strip("*") for line in lines} | {"self", "ax"}
        given = inspect.signature(value).parameters.values()
        columns = [one.name for one in given if one.kind is not one.VAR_KEYWORD]
        found += [name for name in columns if name not in names]
    return found


def test_every_parameter_is_described_on_a_line_of_its_own():
    modules = (errorfloor, errorfloor.datasets, errorfloor.frames, errorfloor.plot)
    public = dict(item for module in modules for item in documented(module))
    assert len(public) > 100
    assert {name: found for name, value in public.items() if (found := lacks(value))} == {}


@pytest.mark.parametrize("part", generated.PARTS, ids=lambda part: f"{part.document} {part.name}")
def test_generated_parts_of_the_documents_are_fresh(part):
    text = (generated.ROOT / part.document).read_text(encoding="utf-8")
    assert generated.renewed(text, part) == text, "stale: make generated"


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
    declared = set()
    for node in ast.walk(ast.parse((ROOT / "__init__.py").read_text())):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("errorfloor."):
            home = node.module.removeprefix("errorfloor.")
            declared |= {(home, alias.asname) for alias in node.names}
    assert declared == {(home, name) for home, names in errorfloor._HOME.items() for name in names}
    for name in errorfloor.__all__:
        assert getattr(errorfloor, name) is not None
        assert name in dir(errorfloor)
    for name in errorfloor._MODULES:
        assert getattr(errorfloor, name).__name__ == f"errorfloor.{name}"
    public = {name for name in dir(errorfloor) if not name.startswith("__")}
    assert public == {*errorfloor.__all__, *errorfloor._MODULES}
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
    from errorfloor.apps import demo

    demo.main()
    printed = capsys.readouterr().out
    for method in errorfloor.METHODS:
        assert f"{method} " in printed
    assert "true floor" in printed


# Best values of known probabilities are quicker by counts, which they are given without weights.
COUNTS_ALONE = ("metrics/record.py", "metrics/ranking.py")


def asks_for_weights(tree):
    """Yield what asks whether items weigh differently or belong together."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
            name = getattr(node.left, "attr", getattr(node.left, "id", ""))
            if name in ("weight", "cluster"):
                yield f"line {node.lineno}: {ast.unparse(node)}"


@pytest.mark.parametrize("code", ["cells.weight is None", "x if weight is not None else y"])
def test_what_asks_for_weights_is_found(code):
    assert list(asks_for_weights(ast.parse(code)))


def test_samples_alone_know_whether_items_weigh_differently_or_belong_together():
    found = {}
    for folder in ("methods", "metrics", "intervals"):
        for file in (ROOT / folder).rglob("*.py"):
            name = file.relative_to(ROOT).as_posix()
            asked = list(asks_for_weights(ast.parse(file.read_text(encoding="utf-8"))))
            if asked and name not in COUNTS_ALONE:
                found[name] = asked
    assert found == {}
