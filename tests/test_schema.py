"""The JSON Schema of answers. tests/conftest.py compares every answer of all tests with it."""

import json
import math

import pytest
from click.testing import CliRunner

from errorfloor.apps.cli.commands import cli, path_of
from errorfloor.apps.cli.session import SCHEMA, Session

jsonschema = pytest.importorskip("jsonschema", reason="pip install -e '.[test]'")
from schemas import checked, commands, published, validator  # noqa: E402

from tools import schema  # noqa: E402


def answer(*arguments):
    done = CliRunner().invoke(cli, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def agreement():
    return answer("agreement", "--agree", "460", "--pairs", "500")


def test_the_schema_is_one_and_has_the_version_of_the_answers(agreement):
    jsonschema.Draft202012Validator.check_schema(published())
    assert path_of(SCHEMA).name == f"{SCHEMA.replace('/', '-')}.json"
    assert published()["properties"]["schema"] == {"const": agreement["schema"]}


def test_the_schema_has_every_command_that_answers_in_json():
    def leaves(group, path=()):
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                yield from leaves(command, (*path, name))
            elif any("--json" in one.opts for one in command.params):
                yield " ".join((*path, name))

    assert commands() == {*leaves(cli)} - {"mcp"}  # which speaks a protocol until it is ended


def test_the_command_prints_the_schema():
    done = CliRunner().invoke(cli, ["schema"])
    assert json.loads(done.stdout) == published()


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.update(schema="errorfloor/2"),
        lambda one: one.update(more=1),
        lambda one: one.pop("remarks"),
        lambda one: one["result"].update(value="0.1"),
        lambda one: one["result"].update(n=1.5),
        lambda one: one["result"].update(more=1),
        lambda one: one["result"].pop("claim"),
        lambda one: one["result"]["claim"].pop("limits"),
        lambda one: one.update(command="estimates"),
    ],
)
def test_what_does_not_follow_the_schema_is_found(change, agreement):
    changed = json.loads(json.dumps(agreement))
    checked(changed)
    change(changed)
    with pytest.raises(AssertionError, match="schema"):
        checked(changed)


def test_other_programs_accept_keys_that_were_added_later(agreement):
    changed = json.loads(json.dumps(agreement))
    changed["result"]["more"] = 1
    assert jsonschema.Draft202012Validator(published()).is_valid(changed)
    assert not validator().is_valid(changed)


def test_every_answer_of_the_tests_is_compared():
    session = Session("estimate", (), as_json=True, quiet=True)
    with pytest.raises(AssertionError, match="does not follow the schema"):
        session.show({"value": math.pi}, "")


# How it is made.


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ({"type": "integer"}, {"type": "number"}, {"type": "number"}),
        ({"type": "null"}, {"type": "string"}, {"type": ["null", "string"]}),
        ({"$ref": "#/a"}, {"type": "null"}, {"anyOf": [{"$ref": "#/a"}, {"type": "null"}]}),
        (
            {"type": "array"},
            {"type": "array", "items": {"type": "null"}},
            {"type": "array", "items": {"type": "null"}},
        ),
        (
            {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"type": "null"}}, "required": ["b"]},
            {
                "type": "object",
                "properties": {"a": {"type": "null"}, "b": {"type": "null"}},
                "required": [],
            },
        ),
    ],
)
def test_either_of_two_kinds_of_value_is_allowed(first, second, both):
    assert schema.joined(first, second) == both
    assert schema.joined(second, first) == both


def test_annotations_say_what_a_key_may_be():
    from errorfloor.results import Estimate

    assert schema.annotated(Estimate, "value") == {"type": "number"}
    assert schema.annotated(Estimate, "clusters") == {"type": ["integer", "null"]}
    assert schema.annotated(Estimate, "warnings") == {"type": "array", "items": {"type": "string"}}
    assert schema.annotated(Estimate, "high") == {"type": ["null", "number"]}
    assert schema.annotated(Estimate, "source") == {"type": "null"}  # or a record, as seen
    defined = published()["$defs"]
    assert defined["estimate"]["properties"]["n_effective"] == {"type": ["null", "number"]}
    for record in ("estimate", "votes_estimate", "verdict", "claim", "finding", "people", "look"):
        assert defined[record]["required"], record
