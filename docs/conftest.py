"""Examples of the pages run where their readers are: in a folder with the files of the demo."""

import os

import pytest

from errorfloor.apps import demo

if "ERRORFLOOR_DATA" in os.environ:
    os.environ["ERRORFLOOR_DATA"] = os.path.abspath(os.environ["ERRORFLOOR_DATA"])


@pytest.fixture(scope="session")
def folder_of_readers(tmp_path_factory):
    """Write the files of the demo, as `errorfloor demo --save demo` does."""
    folder = tmp_path_factory.mktemp("reader")
    demo.save(folder / "demo")
    return folder


@pytest.fixture(autouse=True)
def where_readers_are(folder_of_readers, monkeypatch):
    """Type the examples of a page in that folder."""
    monkeypatch.chdir(folder_of_readers)
