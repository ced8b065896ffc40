"""The pages build without a warning, and what they show runs."""

import importlib.util
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import errorfloor
from benchmarks import first_minute
from tools import pictures, words

ROOT = Path(__file__).parents[1]
GALLERY = sorted((ROOT / "docs" / "gallery").glob("*.py"))
ON_REAL_DATA = [script for script in GALLERY if "MissingDataError" in script.read_text()]
needs_sphinx = pytest.mark.skipif(
    importlib.util.find_spec("sphinx_gallery") is None, reason="the extra `docs` is not installed"
)


def run(*command, folder, **environment):
    found = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "Agg", **environment},
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@pytest.mark.parametrize(
    ("script", "real"),
    [*((script, True) for script in GALLERY), *((script, False) for script in ON_REAL_DATA)],
    ids=lambda value: getattr(value, "stem", value),
)
def test_each_picture_of_the_gallery_can_be_drawn(script, real, tmp_path, monkeypatch, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    # An empty folder of data means made data: nothing is fetched in a test.
    data = os.environ.get("ERRORFLOOR_DATA", str(tmp_path)) if real else str(tmp_path)
    monkeypatch.setenv("ERRORFLOOR_DATA", data)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out
    assert pyplot.get_fignums()
    pyplot.close("all")


# The tree of all pages next to each of them takes half of the time of building: once is enough. So
# does looking for garbage, of which there is little, a fifth of the rest.
ONE_NAVIGATION = """
import gc

gc.disable()


def setup(app):
    def without_tree(app, page, template, context, doctree):
        if page != "index":
            context.pop("toctree", None)

    app.connect("html-page-context", without_tree, priority=1)
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Build the pages in a folder of their own, with the gallery's text but without running it."""
    folder = tmp_path_factory.mktemp("pages")
    ignored = shutil.ignore_patterns("_build", "api", "auto_*", "__pycache__")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=ignored)
    beside = (ROOT / name for name in ("CHANGELOG.md", "SKILL.md", "llms.txt"))
    for path in (*beside, *(ROOT / "benchmarks").rglob("*.md")):
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    with (folder / "docs" / "conf.py").open("a", encoding="utf-8") as settings:
        settings.write(ONE_NAVIGATION)
    built = folder / "html"
    options = ("-n", "-W", "--keep-going", "-q", "-D", "plot_gallery=0")
    run("-m", "sphinx", *options, "docs", built, folder=folder)
    return built


@needs_sphinx
def test_pages_exist_for_every_public_name(pages):
    modules = {"errorfloor": errorfloor.__all__}
    for name in ("datasets", "plot"):
        modules[f"errorfloor.{name}"] = getattr(errorfloor, name).__all__
    for module, names in modules.items():
        for name in names:
            if not name.isupper():  # constants are named where they are used
                assert (pages / "api" / f"{module}.{name}.html").exists(), f"{module}.{name}"


@needs_sphinx
def test_pages_serve_what_agents_read(pages):
    for name in ("llms.txt", "SKILL.md"):
        assert (pages / name).read_bytes() == (ROOT / name).read_bytes()


@needs_sphinx
def test_pages_exist_for_every_command(pages):
    from errorfloor.apps.cli.commands import cli

    for name in cli.commands:
        text = (pages / "auto_commands" / f"{name}.html").read_text(encoding="utf-8")
        assert f"<h1>errorfloor {name}<" in text


@needs_sphinx
def test_pages_need_nothing_from_the_network_to_be_read(pages):
    for page in pages.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for loads in ('<script src="http', '<link rel="stylesheet" type="text/css" href="http'):
            assert loads not in text, page
        assert 'src="http' not in text, page
    assert "@import" not in (pages / "_static" / "errorfloor.css").read_text()


@needs_sphinx
def test_pages_have_a_picture_for_each_theme(pages):
    for name in ("index", "paper"):
        images = re.findall(r"<img [^>]*>", (pages / f"{name}.html").read_text(encoding="utf-8"))
        themes = [re.search(r"only-(light|dark)", image)[1] for image in images]
        assert themes == ["light", "dark"] * (len(images) // 2)
        assert images
    light, dark = (
        next(pages.rglob(f"works-1-items{number}.svg")).read_text(encoding="utf-8")
        for number in ("", "1")
    )
    assert "#ffffff" in light
    assert "#ffffff" not in dark


@needs_sphinx
def test_pages_have_a_report_for_each_kind_of_data(pages):
    framed = re.findall(r'<iframe [^>]*src="([^"]*)"', (pages / "reports.html").read_text())
    assert len(framed) >= 8
    for address in framed:
        text = (pages / address).read_text(encoding="utf-8")
        said = ("best possible", "is reachable", "gets an accuracy")
        assert any(words in text for words in said), address


def test_the_page_of_the_first_minute_shows_what_is_printed(tmp_path):
    program = tmp_path / "errorfloor"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m errorfloor "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    page = first_minute.PAGE.read_text(encoding="utf-8")
    found = first_minute.answers(tmp_path, environment)
    for step in first_minute.STEPS:
        assert first_minute.section(step, found[step.name]) in page


@needs_sphinx
def test_pages_have_formulas_in_mathml(pages):
    text = (pages / "theory" / "votes.html").read_text(encoding="utf-8")
    assert text.count("<math") > 100
    assert "$" not in text.split('<article role="main"')[1].split("<footer")[0]


@needs_sphinx
def test_pages_break_no_option_and_no_percentage(pages):
    text = (pages / "groups.html").read_text(encoding="utf-8")
    blocks = re.findall(r"<pre>(.*?)</pre>", text, re.DOTALL)
    assert any('<span class="pre">--group</span>' in block for block in blocks)
    assert "95\N{NO-BREAK SPACE}% of the time" in text
    assert "(<em>int</em>): " in (pages / "api" / "errorfloor.headroom.html").read_text("utf-8")


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs/tutorials").glob("*.md")), ids=lambda p: p.stem
)
def test_each_tutorial_has_a_picture_that_a_command_draws(path):
    shown = re.findall(r"!\[.+?\]\(../figures/([\w-]+)\.svg\)", path.read_text(encoding="utf-8"))
    assert shown
    assert set(shown) <= pictures.DRAWINGS.keys()


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


@needs_sphinx
def test_pages_of_studies_can_be_read_but_are_not_in_navigation_or_search(pages):
    study = "auto_benchmarks/results/votes"
    assert "Floors from few votes" in (pages / f"{study}.html").read_text(encoding="utf-8")
    assert f'href="{study}.html"' not in (pages / "index.html").read_text(encoding="utf-8")
    assert f'href="{study}.html"' in (pages / "coverage.html").read_text(encoding="utf-8")
    index = (pages / "searchindex.js").read_text(encoding="utf-8")
    assert "tutorials/votes" in index
    assert study not in index


def test_the_navigation_has_no_more_words_than_people_read():
    counts = {path: words.words(path) for path in words.navigation()}
    assert len(counts) > 40
    assert 20_000 < sum(counts.values()) <= words.MOST
    assert words.DOCS / "paper.md" not in counts


def test_code_and_formulas_are_not_words(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A title\n\none $x = 1$ two | - | <!-- no -->\n\n```pycon\n>>> 1\n```\n")
    assert words.words(page) == 4
