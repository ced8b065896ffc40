"""Layouts are records, and columns are guessed only where one reading is possible."""

import dataclasses
from types import SimpleNamespace

import pytest

from errorfloor._checks import InputError, Mention
from errorfloor.data.columns import as_named, by_role, choose, layout_of
from errorfloor.data.files import find_data
from errorfloor.data.format_record import File
from errorfloor.data.formats import FORMATS, file_at, format_of
from errorfloor.data.layouts import (
    ANNOTATIONS,
    ANNOTATORS,
    BESIDE,
    BESIDE_LABELS,
    COUNTS,
    EVERY_LAYOUT,
    LAYOUTS,
    LISTS,
    SCORES,
    SOFT_LABELS,
    VOTES,
    joined,
    of_kind,
)
from errorfloor.data.options import ReadOptions
from errorfloor.data.tables import KINDS, ScoreTable, VoteTable


def numbers(columns):
    return dict.fromkeys(columns.split(), "number")


def test_the_records_of_layouts_are_whole_and_their_names_are_unlike():
    assert [layout.name for layout in LAYOUTS] == [
        "scores",
        "votes",
        "counts",
        "soft labels",
        "annotations",
        "annotators",
        "lists of votes",
        "votes and labels",
        "counts and labels",
        "annotations and labels",
        "annotators and labels",
        "lists and labels",
    ]
    assert {layout.kind for layout in EVERY_LAYOUT} == {kind.kind for kind in KINDS}
    roles = [role for layout in LAYOUTS for role in layout.roles]
    assert len({role.name for role in roles}) == len({role.argument for role in roles}) == 11
    for layout in LAYOUTS:
        assert layout.says.startswith("A row is ")
        assert layout.needed
        by_name = layout is ANNOTATORS  # arrays that have to be named
        assert layout.of_shares or by_name or (layout.from_arrays is None) == (layout.arrays == ())
    assert all(role.help.endswith(".") for role in roles)
    assert {role.name: role.argument for role in roles if role.name != role.argument} == {
        "votes": "positives",
        "total": "totals",
    }
    assert [layout for layout in LAYOUTS if layout.takes_positive] == [
        SCORES,
        ANNOTATIONS,
        ANNOTATORS,
        LISTS,
        *BESIDE_LABELS,
    ]


def test_roles_say_what_their_columns_hold():
    roles = {role.name: role for layout in LAYOUTS for role in (*layout.roles, *BESIDE)}

    def those(about):
        return {name for name, role in roles.items() if getattr(role, about)}

    assert those("is_number") == {"score", "votes", "total", "counts", "soft", "weight"}
    assert those("is_class") == {"label", "vote", "annotators", "annotations"}
    assert those("optional") == {"annotator", "weight", "cluster"}
    assert those("several") == {"annotators"}
    assert those("by_class") == {"score", "counts", "soft"}
    assert those("is_list") == {"annotations"}
    assert those("alone") == roles.keys() - {"counts"}
    assert those("may_be_number") == {"total"}


def test_layouts_say_how_their_rows_are_read():
    def those(about):
        return [layout for layout in LAYOUTS if getattr(layout, about)]

    one_by_one = [ANNOTATIONS, BESIDE_LABELS[2]]
    assert [layout for layout in LAYOUTS if not layout.row_is_item] == one_by_one
    side_by_side = [ANNOTATORS, BESIDE_LABELS[3]]
    lists = [LISTS, BESIDE_LABELS[4]]
    assert those("row_is_vote") == [
        layout for layout in LAYOUTS if layout in (*one_by_one, *side_by_side, *lists)
    ]
    assert those("of_lists") == lists
    assert those("of_classes") == [SCORES, COUNTS, SOFT_LABELS, BESIDE_LABELS[1]]
    assert those("told_by_kinds") == [SCORES]
    assert those("of_shares") == list(BESIDE_LABELS)
    assert {layout.name: layout.with_columns for layout in LAYOUTS if layout.from_arrays} == {
        "scores": None,
        "votes": False,
        "counts": True,
        "soft labels": None,
        "annotators": None,
    }
    assert [role.name for role in ANNOTATIONS.needed] == ["item", "vote"]
    assert of_kind("votes") == (VOTES, COUNTS, ANNOTATIONS, ANNOTATORS, LISTS)
    assert of_kind("scores") == (SCORES,)
    assert joined(["a", "b", "c"]) == ("a", " and ", "b", " and ", "c")
    assert joined(["a"]) == ("a",)
    assert joined([]) == ()


def test_layouts_count_the_rows_that_their_tables_were_made_of():
    scores = ScoreTable.from_arrays([0.2, 0.4, 0.4], [0, 1, 1]).without(2)
    assert SCORES.rows({"a": scores, "b": scores}) == 2 * (3 + 2)
    some = ScoreTable([0.2, 0.4], [[1, 0], [0, 2]], unlabelled=[4, 1])
    assert SCORES.rows({None: some}) == 3 + 5
    votes = VoteTable.from_arrays([1, 2, 2], [2, 3, 3]).without(1)
    assert VOTES.rows({None: votes}) == 3 + 1  # a row is an item
    assert ANNOTATIONS.rows({None: votes}) == 2 + 3 + 3 + 1  # a row is a vote
    assert ANNOTATORS.rows({None: votes}) == LISTS.rows({None: votes}) == 3 + 1
    assert all(layout.rows({None: scores}) == 5 for layout in BESIDE_LABELS)


@pytest.mark.parametrize("said", ["positive", "positive_from"])
def test_a_positive_class_goes_with_single_votes_and_labels(said):
    request = SimpleNamespace(options=ReadOptions(**{said: 0}))
    with pytest.raises(InputError, match=f"^`{said}` goes with .* `positives` and `totals`"):
        VOTES.tables(request)
    other = dataclasses.replace(SCORES, count=lambda given: {None: given})
    assert other.tables(request) == {None: request}
    plain = SimpleNamespace(options=ReadOptions())
    assert dataclasses.replace(VOTES, count=lambda given: {None: given}).tables(plain)


@pytest.mark.parametrize(
    ("columns", "layout", "taken"),
    [
        ("p y", SCORES, ["p", "y"]),
        ("Probability Y_true id", SCORES, ["Probability", "Y_true"]),
        ("k m", VOTES, ["k", "m"]),
        ("positives total text", VOTES, ["positives", "total"]),
        ("soft_label", SOFT_LABELS, ["soft_label"]),
        ("item_id worker label", ANNOTATIONS, ["item_id", "worker", "label"]),
        ("id worker label", ANNOTATIONS, ["id", "worker", "label"]),
        ("id item worker label", ANNOTATIONS, ["item", "worker", "label"]),
        ("id rater1 rater2", ANNOTATORS, [("rater1", "rater2")]),
    ],
)
def test_columns_are_guessed_by_names(columns, layout, taken):
    found = choose(numbers(columns), {}, LAYOUTS, "x.csv")
    assert found.layout is layout
    assert list(found.columns.values()) == taken
    assert list(found.columns) == [role.name for role in layout.roles]
    assert found.guessed == tuple(found.columns)


@pytest.mark.parametrize(
    "columns",
    ["a b", "p q", "p prob y", "soft label", "score label positives total", "p", "rater1"],
)
def test_columns_are_not_guessed_if_there_is_doubt(columns):
    kinds = numbers(columns)
    with pytest.raises(InputError, match="Cannot tell which columns to take") as raised:
        choose(kinds, {}, LAYOUTS, "x.csv")
    for column in kinds:
        assert f"{column} (number)" in str(raised.value)


def test_ways_to_name_columns_are_those_of_the_allowed_layouts():
    with pytest.raises(InputError) as raised:
        choose(numbers("a b c"), {}, (VOTES, ANNOTATORS), "x.csv")
    assert str(raised.value).endswith(
        "The columns of x.csv are a (number), b (number), c (number). Name them by\n"
        "  `positives='COL'` `totals='COL'`\n  `annotators=['COL', 'COL']`"
    )
    assert Mention("annotators", "['COL', 'COL']") in raised.value.parts


def test_long_lists_of_columns_are_cut_and_empty_ones_said():
    with pytest.raises(InputError, match=r"c39 \(number\) and 5 more\."):
        choose({f"c{i}": "number" for i in range(45)}, {}, LAYOUTS, "x.csv")
    with pytest.raises(InputError, match=r"There are no columns in x\.csv\."):
        choose({}, {}, LAYOUTS, "x.csv")


def test_an_annotator_is_filled_in_if_there_is_one_and_not_needed():
    given = {"vote": "v"}
    found = choose(numbers("item worker v"), given, LAYOUTS, "x.csv")
    assert found.columns == {"item": "item", "annotator": "worker", "vote": "v"}
    assert choose(numbers("item a b v"), given, LAYOUTS, "x.csv").guessed == ("item",)
    assert as_named({"item": "a", "vote": "b"}, LAYOUTS, ["a", "b", "worker"]).columns == {
        "item": "a",
        "vote": "b",
    }


def test_columns_of_different_layouts_are_refused():
    given = by_role({"score": "a", "positives": "b"})
    assert given == {"score": "a", "votes": "b"}
    with pytest.raises(InputError, match="`score` and `positives` cannot be used together here"):
        choose(numbers("a b"), given, LAYOUTS, "x.csv")
    with pytest.raises(InputError, match=r"`score` cannot be used here\. Name them by"):
        layout_of({"score": "a"}, (VOTES,))


def test_several_columns_may_be_patterns_and_lists_in_one_text():
    kinds = numbers("id a b c")
    for wanted in (["a", "b", "c"], ["c,a", "b"], ["[abc]"], ["a", "[bc]"]):
        found = choose(kinds, {"annotators": wanted}, LAYOUTS, "x.csv")
        assert found.columns == {"annotators": ("a", "b", "c")}
        assert found.guessed == ()
    assert as_named({"annotators": ["[abc]"]}, LAYOUTS, kinds) is None
    assert as_named({"annotators": ["c", "a"]}, LAYOUTS, kinds).arguments == {
        "annotators": ("c", "a")
    }
    with pytest.raises(InputError, match=r"is called 'carl' \(`annotators`\)"):
        choose(kinds, {"annotators": ["a,carl"]}, LAYOUTS, "x.csv")
    for wanted in ("a", [], ()):
        with pytest.raises(InputError, match="`annotators` must be a list of columns"):
            choose(kinds, {"annotators": wanted}, LAYOUTS, "x.csv")
    with pytest.raises(InputError, match="`annotators` has a column twice"):
        as_named({"annotators": ["a", "b", "a"]}, LAYOUTS, kinds)


def test_columns_that_are_all_named_need_no_look_at_the_rows():
    assert as_named({}, LAYOUTS, ["p", "y"]) is None
    assert as_named({"score": "p"}, LAYOUTS, ["p", "y"]) is None
    found = as_named({"score": "p", "label": "absent"}, LAYOUTS, ["p", "y"])
    assert found.columns == {"score": "p", "label": "absent"}  # whoever reads it will say so


# Formats.


def test_no_two_formats_have_the_same_name_or_suffix():
    names = [kind.name for kind in FORMATS]
    suffixes = [suffix for kind in FORMATS for suffix in kind.suffixes]
    assert len(set(names)) == len(names)
    assert len(set(suffixes)) == len(suffixes)


STARTS = {
    "csv": b"p,y\n0.1,1\n",
    "tsv": b"p\ty\n0.1\t1\n",
    "jsonl": b' {"p": 0.1}',
    "parquet": b"PAR1",
    "npz": b"PK\x03\x04",
    "excel": b"PK\x03\x04....[Content_Types].xml",
    "inspect": b"PK\x03\x04....header.json",
}


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_files_are_told_by_their_name_or_else_by_how_they_begin(kind, tmp_path):
    unnamed = tmp_path / "stdin"
    unnamed.write_bytes(STARTS[kind.name])
    assert format_of([file_at(str(unnamed))]) is kind
    for suffix in kind.suffixes:
        assert format_of([File(f"x{suffix.upper()}")]) is kind
        assert format_of([File(f"x{suffix}.gz")]) is kind
    assert format_of([file_at(str(unnamed))], kind.name) is kind


def test_formats_do_not_mix_and_may_be_named(tmp_path):
    with pytest.raises(InputError, match=r"different formats: csv, npz\. Pass .* with `format`"):
        format_of([File("a.csv"), File("b.npz")])
    with pytest.raises(InputError, match=r"`format` must be one of csv, .*; got 'cvs'\. Did"):
        format_of([File("a.csv")], "cvs")
    for name in ("a.csv", "b.tsv", "c.npz", "d.md"):
        (tmp_path / name).write_text("")
    found = {
        name: [path[-5:] for path in find_data(tmp_path, name)] for name in (None, "csv", "npz")
    }
    assert found == {
        None: ["a.csv", "b.tsv", "c.npz"],
        "csv": ["a.csv", "b.tsv"],
        "npz": ["c.npz"],
    }


def test_a_damaged_file_without_a_name_is_left_to_whoever_reads_it(tmp_path):
    path = tmp_path / "stdin"
    path.write_bytes(b"\x1f\x8bgarbage")
    assert format_of([file_at(str(path))]).name == "csv"
