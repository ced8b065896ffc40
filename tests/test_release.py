"""What is uploaded: the wheel and the sdist, installed without a network."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import wheelhouse

import errorfloor
from tools import dist, versions

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

for needed in ("build", "hatchling", "pipx", "twine", "uv"):
    pytest.importorskip(needed, reason=f"{needed} is not installed: pip install -e '.[test]'")

VOTES = "positives,total\n" + "0,3\n0,3\n1,3\n2,3\n3,3\n3,3\n" * 40


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return dist.build(tmp_path_factory.mktemp("dist"), isolated=False)


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    folder = tmp_path_factory.mktemp("house") / "house"
    wheelhouse.make(folder)
    return folder


@pytest.fixture
def offline(house, tmp_path):
    """The variables of an environment where nothing comes from the network."""
    return {**dist.homes(tmp_path), **wheelhouse.alone(house)}


def said_of_the_version():
    """Yield where the version is written, and what it says there."""
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    yield "CITATION.cff", re.search(r"^version: (\S+)$", citation, flags=re.MULTILINE)[1]
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
    yield "recipe", re.search(r'^  version: "(\S+)"$', recipe, flags=re.MULTILINE)[1]


def test_all_places_have_the_version_of_the_package():
    assert dict(said_of_the_version()) == dict.fromkeys(
        ("CITATION.cff", "recipe"), errorfloor.__version__
    )


def test_the_changelog_has_the_version_or_says_that_it_is_not_released():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first = re.search(r"^## (.+)$", changes, flags=re.MULTILINE)[1]
    dated = re.fullmatch(re.escape(errorfloor.__version__) + r" \(\d{4}-\d\d-\d\d\)", first)
    assert dated or first == "Unreleased"


def test_the_metadata_say_what_people_search_for():
    for word in ("noise ceiling", "inter-annotator agreement", "LLM judge", "human performance"):
        assert word in PROJECT["keywords"]
    assert versions.pythons() == ("3.11", "3.12", "3.13", "3.14")
    assert PROJECT["requires-python"] == f">={versions.pythons()[0]}"
    for address in PROJECT["urls"].values():
        assert address.startswith("https://")


def test_the_archives_pass_twine(built):
    done = subprocess.run(
        [sys.executable, "-m", "twine", "--no-color", "check", "--strict", *built],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 2


def test_the_wheel_holds_what_users_need_and_no_more(built):
    assert dist.not_needed(built.wheel) == []
    with zipfile.ZipFile(built.wheel) as archive:
        names = set(archive.namelist())
    source = ROOT / "src"
    files = {
        path.relative_to(source).as_posix()
        for path in (source / "errorfloor").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert {name for name in names if ".dist-info/" not in name} == files
    assert "errorfloor/py.typed" in names
    assert built.wheel.stat().st_size < dist.LARGEST
    assert re.match(r"\S+\.whl: \d\.\d\d MB, \d+ files, ", dist.described(built.wheel))


def test_what_no_user_needs_is_found(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.whl", "w") as archive:
        for name in ("errorfloor/a.py", "errorfloor/a.pyc", "tests/a.py", "x.dist-info/RECORD"):
            archive.writestr(name, "")
    assert dist.not_needed(tmp_path / "x.whl") == ["errorfloor/a.pyc", "tests/a.py"]


def test_building_again_gives_the_same_bytes(built, tmp_path):
    again = dist.build(tmp_path, isolated=False)
    assert again.wheel.read_bytes() == built.wheel.read_bytes()
    assert again.sdist.read_bytes() == built.sdist.read_bytes()


def test_the_first_minute_works_from_the_installed_wheel(built, offline, tmp_path):
    program = dist.install("pip", built.wheel, tmp_path, offline)
    code = "import errorfloor; print(errorfloor.__file__, errorfloor.__version__)"
    inside = str(tmp_path / "venv" / "bin" / "python")
    printed = dist.typed([inside, "-c", code], tmp_path, offline).split()
    assert Path(printed[0]).is_relative_to(tmp_path / "venv")  # not of the checkout
    assert printed[1] == errorfloor.__version__
    dist.type_first_minute(program, tmp_path, offline)


@pytest.mark.parametrize("program", ["pipx", "uvx"])
def test_a_command_of_its_own_is_installed_by_the_line_in_readme(program, built, offline, tmp_path):
    start = dist.install(program, built.wheel, tmp_path, offline)
    (tmp_path / "votes.csv").write_text(VOTES)
    assert "The best possible accuracy" in dist.typed([*start, "votes.csv"], tmp_path, offline)


def test_what_readme_shows_and_is_not_printed_is_found(tmp_path):
    with pytest.raises(SystemExit, match="README shows of errorfloor demo"):
        dist.type_first_minute(["echo"], tmp_path, {})


def test_a_plain_install_says_the_lines_to_type(built, offline, tmp_path):
    inside = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    pip = [sys.executable, "-m", "pip", "--python", inside, "install", str(built.wheel)]
    dist.typed(pip, tmp_path, offline)
    done = subprocess.run(
        [tmp_path / "venv" / "bin" / "errorfloor", "my votes.csv", "--json"],
        env=dist.environment(offline),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0].startswith("error: the command line needs packages that a plain install leaves")
    assert "No module named 'click'" in lines[0]
    assert lines[1].strip() == dist.install_lines()["pip"]
    assert lines[3].strip() == dist.install_lines()["pipx"].replace("install", "install --force")
    ran = "uvx --from 'errorfloor[cli]' errorfloor"
    assert dist.install_lines()["uvx"] == f"{ran} votes.csv"
    assert lines[4].strip() == f"{ran} 'my votes.csv' --json"
    # What a plain install is for works.
    code = "import errorfloor as ef; print(ef.from_votes([0, 0, 1, 2, 3, 3] * 40, 3).sentence)"
    assert "best possible accuracy" in dist.typed([inside, "-c", code], tmp_path, offline)


# Other versions of what the package needs.


def test_the_lowest_version_of_every_dependency_is_said():
    for one in PROJECT["dependencies"]:
        assert ">=" in one, one


def test_direct_dependencies_are_told_from_others():
    lines = "numpy==1.26.0\nsix==1.17.0\nclick==8.2.0\n"
    assert list(versions.direct(lines)) == ["numpy==1.26.0", "click==8.2.0"]


def test_the_interpreter_is_the_lowest_or_the_newest_that_is_found(monkeypatch, capsys):
    have = {"3.11": "/a", "3.13": "/b"}
    monkeypatch.setattr(versions, "_found", have.get)
    assert versions.interpreter("lowest") == "/a"
    assert versions.interpreter("newest") == "/b"
    assert capsys.readouterr().out == "Python 3.14 was not found here.\n"
    del have["3.11"]
    with pytest.raises(SystemExit, match=r"Python 3\.11 was not found"):
        versions.interpreter("lowest")


def test_files_that_are_tested_with_other_versions_exist():
    full = versions.chosen(full=True)
    for name in (*versions.chosen(full=False), *full):
        assert (ROOT / name).exists(), name
    assert "tests/test_docs.py" not in full
    assert len(full) > 60


# The recipe for conda.

CONDA_NAMES = {"duckdb": "python-duckdb", "matplotlib": "matplotlib-base"}


def as_conda(requirement):
    name, bounds = re.fullmatch(r"([\w-]+)(.*)", requirement).groups()
    return f"{CONDA_NAMES.get(name, name)} {bounds}"


def test_the_recipe_renders_with_the_versions_and_dependencies_of_the_project():
    rattler_build = pytest.importorskip("rattler_build", reason="pip install py-rattler-build")
    recipe = rattler_build.Stage0Recipe.from_file(str(ROOT / "recipe" / "recipe.yaml"))
    (rendered,) = (one.recipe.to_dict() for one in recipe.render())
    extras = PROJECT["optional-dependencies"]
    assert rendered["package"] == {"name": "errorfloor", "version": errorfloor.__version__}
    needed = [as_conda(one) for one in PROJECT["dependencies"] + extras["cli"]]
    lowest = PROJECT["requires-python"]
    assert sorted(rendered["requirements"]["run"]) == sorted([*needed, f"python {lowest}"])
    optional = [one for one in extras["app"] + extras["features"] if "errorfloor[" not in one]
    assert sorted(rendered["requirements"]["run_constraints"]) == sorted(map(as_conda, optional))
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert {*map(as_conda, build["requires"])} <= {*rendered["requirements"]["host"]}
    scripts = [f"{name} = {start}" for name, start in PROJECT["scripts"].items()]
    assert rendered["build"]["python"]["entry_points"] == scripts
    assert rendered["build"]["noarch"] == "python"
    assert rendered["about"]["license"] == PROJECT["license"]
    assert rendered["about"]["summary"] == PROJECT["description"]
    assert (ROOT / rendered["about"]["license_file"][0]).exists()
