"""Answers compared with the published JSON Schema, in which tests allow no key that it lacks."""

import json
from functools import cache

import jsonschema

from errorfloor.apps.cli.commands import path_of
from errorfloor.apps.cli.session import SCHEMA, _plain


@cache
def published():
    return json.loads(path_of(SCHEMA).read_text(encoding="utf-8"))


def closed(node):
    """Return a schema that allows only the keys that it names."""
    if isinstance(node, list):
        return [closed(one) for one in node]
    if not isinstance(node, dict):
        return node
    more = {"additionalProperties": False} if {"type", "properties"} <= node.keys() else {}
    return {key: closed(one) for key, one in node.items()} | more


@cache
def validator():
    return jsonschema.Draft202012Validator(closed(published()))


@cache
def commands():
    return {one["if"]["properties"]["command"]["const"] for one in published()["allOf"]}


def checked(answer):
    """Return an answer as it is, if it follows the schema."""
    plain = _plain(answer)
    if plain["command"] not in commands():
        raise AssertionError(f"The schema lacks the command {plain['command']}: make schema")
    error = jsonschema.exceptions.best_match(validator().iter_errors(plain))
    if error is not None:
        raise AssertionError(
            f"errorfloor {plain['command']} --json does not follow the schema, at "
            f"{error.json_path}: {error.message[:300]}. A new key: make schema. Any other change: "
            "a new version in SCHEMA as well."
        )
    return answer
