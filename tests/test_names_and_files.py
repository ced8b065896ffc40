"""How names, classes and the beginnings of files are understood, case by case."""

import re

import pytest

import errorfloor as ef
from errorfloor._checks import argument
from errorfloor.data import classes, naming

SAID = (argument("labels"),)

# How text files are written


# Names of classes


def test_several_labels_in_one_entry_are_told_from_names_with_commas():
    def refused(*values, classes=None):
        try:
            naming.refuse_several(values, SAID, classes)
        except ef.InputError as error:
            return re.search(r"entry, (.*?)\. A floor", str(error))[1]
        return None

    assert refused("cat", "dog") is None
    assert refused("cat;dog", "cat") == "'cat;dog'"
    assert refused("cat;dog", "cat", classes=("cat", "cat;dog")) is None
    assert refused("cat;dog") is None
    assert refused("[cat, dog]") == "'[cat, dog]'"
    assert refused("Paris, Texas", "Paris") is None  # Texas is nowhere else
    assert refused("Paris, Texas", "Paris", "Texas") == "'Paris, Texas'"
    assert refused("a, b", "b, c", "a, c") == "'a, b'"
    assert refused(["a", "b"]) == "['a', 'b']"


# Lists of votes


def test_lists_have_between_one_and_a_thousand_votes():
    assert classes._names_of_places("v", 2, "votes") == ("v[0]", "v[1]")
    assert len(classes._names_of_places("v", 1000, "votes")) == 1000
    with pytest.raises(ef.InputError, match="has up to 1,001 votes in a row, and at most 1,000"):
        classes._names_of_places("v", 1001, "votes")
    with pytest.raises(ef.InputError, match="has no votes"):
        classes._names_of_places("v", 0, "votes")


def test_items_are_kept_as_they_came_and_put_in_order_by_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"item": list("bbaacc"), "annotator": [1, 2] * 3, "vote": [1, 1, 0, 1, 0, 0]}
    )
    found = ef.items(frame, symmetric=False)
    assert found.item.tolist() == ["a", "b", "c"]
    assert found.positives.tolist() == [1, 2, 0]
    plain = ef.items([1.0, 2, 0], 2, symmetric=False)
    assert plain.item.tolist() == [0, 1, 2]
    assert plain.positives.tolist() == [1, 2, 0]
    assert plain.contribution.tolist() == found.contribution.tolist()
    matrix = ef.items([[1, 1], [0, 2], [2, 0]], symmetric=False)
    assert matrix.positives.tolist() == [1, 2, 0]
