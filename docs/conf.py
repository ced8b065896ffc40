"""How Sphinx builds these pages: `make docs`, with warnings as errors and without a network."""

import os
import sys
from importlib.resources import files
from pathlib import Path

import errorfloor

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
# Pictures are drawn into files; what the pages say must not depend on a cluster's setting.
os.environ["MPLBACKEND"] = "Agg"

from pictures import scrape

project = "errorfloor"
author = "errorfloor's authors"
version = release = errorfloor.__version__
html_title = f"errorfloor {release}"

extensions = [
    "commands",
    "mathml",
    "myst_parser",
    "pictures",
    "reports",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_gallery.gen_gallery",
    "studies",
    "tidy",
]
exclude_patterns = ["_build", "gallery"]
html_extra_path = ["../llms.txt", "../SKILL.md"]  # for agents
templates_path = ["_templates"]

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
suppress_warnings = [
    "config.cache",  # sphinx-gallery's settings hold objects, which is its way
    "ref.footnote",  # a docstring lists its sources, cited in the text or not
]

# Names in single backticks are code, in docstrings as in Markdown.
default_role = "code"
smartquotes_action = "qe"  # not dashes: an option is --score
nitpicky = True
autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_context = {"at_the_top": errorfloor.__all__}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"exclude-members": "columns, rows"}
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

html_theme = "furo"
# A font with the sizes of brackets and roots, which not every reader's machine has: 1.5 MB.
html_static_path = ["_static", str(files("ziamath") / "fonts")]
html_css_files = ["errorfloor.css"]
html_copy_source = False
html_show_copyright = False
html_math_renderer = "mathml"
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "monokai"

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"\.py",
    "abort_on_example_error": True,
    "capture_repr": (),
    "image_scrapers": (scrape,),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
}
