"""The JSON Schema of every `--json` answer: `python -m tools.schema` writes it.

Records say what a key is: a field or a property of a result, with its annotation. Which keys an
answer has, and what values without an annotation look like, is seen in answers: those of the
examples on every help page, and of commands below that reach what they do not. A key that is in
all answers of a kind is required. Tests compare every answer that any of them asks for with the
file, so that a new key or kind of value cannot be forgotten.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
from click.testing import CliRunner

import errorfloor
from errorfloor.apps import demo
from errorfloor.apps.cli.commands import cli, path_of
from errorfloor.apps.cli.session import SCHEMA
from errorfloor.data.options import HOW_TO_READ

Node = dict[str, Any]
RECORD = "\0record"  # the key under which an answer says, while it is looked at, which record it is
# Objects whose keys are names of columns, classes, methods and the like, not words of ours.
BY_NAME = {
    *("columns", "counts", "curves", "facts", "models", "options", "checks", "positive", "levels"),
    *("classes", "votes"),
}
# Plain dictionaries that hold attributes of a record, by the key that they are under.
PARTS = {"labelled_only": "Estimate"}
# Values of other people's columns, and seeds, which may be the state of a generator.
NUMBER = {"type": "number"}
SCALAR = {"type": ["boolean", "null", "number", "string"]}
SCALAR_OR_LIST = {"type": ["array", "boolean", "null", "number", "object", "string"]}
# What has no upper limit is infinite in Python and null in JSON.
INFINITE = {"Reached"}
LOOSE: dict[str, Node] = {"group": SCALAR, "seed": {"type": ["integer", "null", "object"]}}
_FILES = {"type": "array", "items": {"type": "string"}}
# Commands that are not run below: the first is served until it is ended, the others need real sets.
BY_HAND: dict[str, dict[str, Node]] = {
    "app": {"address": {"type": "string"}},
    "data fetch": {"saved": {"type": ["null", "string"]}, "sets": {"type": "array"}},
    "data path": {"files": _FILES, "folder": {"type": "string"}},
}
# Served until it is ended, needs real sets or a network, or takes minutes.
NOT_RUN = ("app", "data fetch", "data path", "mcp", "paper", "schema")
MORE = (
    "paper figure-2 --out out",
    "estimate demo/votes.csv --interval none",
    "estimate demo/votes.csv --majority 3 --attainable 0.2",
    "estimate demo/scores.csv --positive 0",
    "estimate demo/scores.csv --group batch",
    "estimate odd.csv --score score --label label --weight weight --drop-missing",
    "estimate odd.csv --score score --label label --weight weight --cluster site --drop-missing",
    "estimate demo/scores.csv --interval bca --method beta",
    "estimate demo/scores.csv --complete",
    "estimate odd.csv --score score --label label --unlabelled",
    "estimate odd.csv --score score --label label --unlabelled --metric auc",
    "headroom odd.csv --score score --label label --prediction guess --drop-missing",
    "headroom demo/scores.csv --model-errors 98 --test-items 1000 --group batch --require room",
    "headroom demo/votes.csv --model-errors 98 --test-items 1000 --same-labelling "
    "--fail-unless saturated",
    "headroom demo/soft_labels.csv --metric cost --costs 1,5 --confusion '480,40;60,420'",
    "compare demo/scores.csv --method isotonic --method beta --group batch",
    "compare odd.csv --score score --label label --prediction guess,coin --drop-missing",
    "compare odd.csv --label label --prediction guess,coin --metric f1 --weight weight "
    "--cluster site --drop-missing --group batch",
    "feebee demo/scores.csv --metric auc --model-value 0.9 --method isotonic --levels 2",
    "report demo/scores.csv --group batch -o groups.json",
    "feebee demo/scores.csv --model-error 0.1 --method isotonic --levels 3 --group batch",
    "plan demo/scores.csv --target 0.02 --group batch",
    "report demo/votes.csv --model-errors 98 --test-items 1000 -o model.json",
    "card demo/votes.csv --model-errors 98 --test-items 1000",
    "card demo/models.csv --prediction careful,hasty",
    "people demo/models.csv --prediction careful,hasty",
    "estimate judged.csv --labels given.csv --on id",
    "estimate blank.csv --drop-missing --interval none",
    "look demo/ratings.csv",
    "look odd.csv",
    "look twice.csv",
    "ratings demo/ratings.csv",
    "ratings graded.csv --group school",
    "demo --save more",
    "demo",
)


@dataclass
class Seen:
    """What was seen of one kind of object: how often, and of each key how often and what."""

    times: int = 0
    keys: dict[str, Node] = field(default_factory=dict)
    often: dict[str, int] = field(default_factory=dict)

    def add(self, key: str, node: Node) -> None:
        """Add a value of a key."""
        self.keys[key] = joined(self.keys.get(key, {}), node)
        self.often[key] = self.often.get(key, 0) + 1

    def node(self) -> Node:
        """Return the schema of such an object."""
        always = sorted(key for key, times in self.often.items() if times == self.times)
        return {
            "type": "object",
            "properties": {key: self.keys[key] for key in sorted(self.keys)},
            "required": always,
        }


def joined(first: Node, second: Node) -> Node:
    """Return a schema of what is either."""
    if not first or first == second:
        return second
    if not second:
        return first
    kinds = {**_by_kind(first)}
    for kind, node in _by_kind(second).items():
        kinds[kind] = _same_kind(kinds[kind], node) if kind in kinds else node
    if "number" in kinds:
        kinds.pop("integer", None)
    nodes = [kinds[kind] for kind in sorted(kinds)]
    plain = [one["type"] for one in nodes if one.keys() == {"type"}]
    others = [one for one in nodes if one.keys() != {"type"}]
    if plain:
        others.append({"type": plain[0] if len(plain) == 1 else plain})
    return others[0] if len(others) == 1 else {"anyOf": others}


def _by_kind(node: Node) -> dict[str, Node]:
    """Return the parts of a schema by what they are of: a type, or a record."""
    if "anyOf" in node:
        return {kind: one for part in node["anyOf"] for kind, one in _by_kind(part).items()}
    if "$ref" in node:
        return {node["$ref"]: node}
    types = node["type"]
    return {types: node} if isinstance(types, str) else {one: {"type": one} for one in types}


def _same_kind(first: Node, second: Node) -> Node:
    if first == second or "$ref" in first:
        return first
    if first["type"] == "array":
        items = joined(first.get("items", {}), second.get("items", {}))
        return {"type": "array", **({"items": items} if items else {})}
    if first["type"] == "object" and "properties" in first:
        keys = {**first["properties"]}
        for key, node in second["properties"].items():
            keys[key] = joined(keys.get(key, {}), node)
        always = sorted({*first["required"]} & {*second["required"]})
        return {"type": "object", "properties": dict(sorted(keys.items())), "required": always}
    return first


def may_be_unknown(node: Node) -> Node:
    """Return the schema of a value of which no annotation says whether it is always known."""
    return joined(node, {"type": "null"}) if node == NUMBER else node


class Answers:
    """What was seen of all answers."""

    def __init__(self, kinds: dict[str, type]) -> None:
        self.kinds = kinds
        self.records: dict[str, Seen] = {}
        self.results: dict[str, Node] = {}
        self.whole = Seen()

    def add(self, answer: dict[str, Any]) -> None:
        """Add the answer of a command."""
        self.whole.times += 1
        command, result = answer["command"], answer["result"]
        if RECORD in result:
            self.node(result)
            node: Node = {"$ref": f"#/$defs/{_named(result[RECORD])}"}
        else:
            node = self.node(result)
        self.results[command] = joined(self.results.get(command, {}), node)
        for key, value in answer.items():
            if key not in ("schema", "command", "result"):
                self.whole.add(key, self.node(value, key))

    def node(self, value: Any, key: str = "") -> Node:
        """Return the schema of a value, and remember what it tells about records."""
        if isinstance(value, list):
            items: Node = {}
            for one in value:
                items = joined(items, self.node(one))
            return {"type": "array", **({"items": items} if items else {})}
        if not isinstance(value, dict):
            return {"type": _type(value)}
        if RECORD in value:
            seen = self.records.setdefault(value[RECORD], Seen())
            seen.times += 1
            for name, one in value.items():
                if name != RECORD:
                    seen.add(name, self.node(one, name))
            return {"$ref": f"#/$defs/{_named(value[RECORD])}"}
        if key in BY_NAME:
            return {"type": "object"}
        nodes = {name: may_be_unknown(self.node(one, name)) for name, one in sorted(value.items())}
        if key in PARTS:
            kind = self.kinds[PARTS[key]]
            nodes = {name: joined(one, annotated(kind, name)) for name, one in nodes.items()}
        return {"type": "object", "properties": nodes, "required": sorted(nodes)}


def _type(value: Any) -> str:
    if value is None:
        return "null"
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string")):
        if isinstance(value, kind):
            return name
    raise TypeError(value)


def _named(record: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", record).lower()


PLAIN = {
    "bool": "boolean",
    "float": "number",
    "int": "integer",
    "str": "string",
    "None": "null",
}


def annotated(kind: type, key: str) -> Node:
    """Return what the annotation of a field or of a property says, where it is of plain values."""
    for home in kind.__mro__:
        member = vars(home).get(key)
        told = (
            member.fget.__annotations__.get("return")
            if isinstance(member, property) and member.fget
            else vars(home).get("__annotations__", {}).get(key)
        )
        if told is not None:
            return _of_annotation(str(told))
    return {}


def _of_annotation(text: str) -> Node:
    """Return what an annotation says; of records and the like, only whether there may be none."""
    node: Node = {}
    for part in text.split(" | "):
        found = re.fullmatch(r"(?:tuple|list)\[(\w+)(?:, \.\.\.)?\]", part)
        if part in PLAIN:
            node = joined(node, {"type": PLAIN[part]})
        elif found and found[1] in PLAIN:
            node = joined(node, {"type": "array", "items": {"type": PLAIN[found[1]]}})
    return node


@contextmanager
def records_named() -> Iterator[dict[str, type]]:
    """Let each record say which it is, under a key of its dictionary; yields those that can."""
    kinds = {kind.__name__: kind for kind in _records()}
    with ExitStack() as stack:
        given = {kind: kind.to_dict for kind in kinds.values() if hasattr(kind, "to_dict")}
        for kind, to_dict in given.items():
            stack.enter_context(patch.object(kind, "to_dict", _naming(to_dict)))
        yield kinds


def _records() -> Iterator[type]:
    for name in errorfloor.__all__:
        getattr(errorfloor, name)  # loads its module
    for name in [name for name in sys.modules if name.startswith("errorfloor.")]:
        for one in vars(sys.modules[name]).values():
            if isinstance(one, type) and one.__module__ == name and is_dataclass(one):
                yield one


def _naming(original: Any) -> Any:
    def to_dict(self: Any) -> Any:
        plain = original(self)
        return {RECORD: type(self).__name__, **plain} if isinstance(plain, dict) else plain

    return to_dict


def examples(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the examples of every help page, without the name of the program."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from examples(command, (*path, name))
        for line in (command.epilog or "").splitlines():
            if found := re.fullmatch(r"\s*(?:cat (\S+) \| )?errorfloor ([a-z].*)", line):
                yield found[2].replace(" - ", f" {found[1]} ") if found[1] else found[2]


def answers(commands: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield what each of some commands answers."""
    for command in commands:
        done = CliRunner().invoke(cli, [*shlex.split(command), "--json"])
        if done.exit_code not in (0, 3, 4):
            print(f"errorfloor {command} --json\n{done.output}", flush=True)
            raise done.exception or SystemExit(1)
        yield json.loads(done.stdout)


def made() -> Node:
    """Return the schema."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, records_named() as kinds:
        found = Answers(kinds)
        os.chdir(folder)
        try:
            demo.save(Path("demo"))
            _write_odd_rows(Path("demo/scores.csv"), Path("odd.csv"))
            grades = Path("demo/ratings.csv").read_text().splitlines()
            lines = [f"{line},{'xy'[line.split(',')[0] > 'e050']}" for line in grades[1:]]
            Path("graded.csv").write_text("\n".join([f"{grades[0]},school", *lines]) + "\n")
            Path("twice.csv").write_text("item,annotator,vote\n1,a,1\n1,a,0\n2,b,1\n")
            Path("blank.csv").write_text("item,annotator,vote\n1,a,1\n1,b,0\n2,a,1\n2,b,\n")
            Path("judged.csv").write_text("id,score\n1,0.2\n2,0.7\n3,0.4\n")
            Path("given.csv").write_text("id,label\n1,0\n2,1\n3,0\n")
            lines = [line for line in examples() if not line.startswith(NOT_RUN)]
            for answer in answers([*lines, *MORE]):
                found.add(answer)
        finally:
            os.chdir(here)
    for name, seen in found.records.items():
        for key, node in seen.keys.items():
            told = annotated(kinds[name], key)
            told = {} if name in INFINITE else told
            seen.keys[key] = joined(node, told) if told else may_be_unknown(node)
        free = dict.fromkeys(HOW_TO_READ, SCALAR_OR_LIST) if name == "Source" else {}
        seen.keys |= {key: node for key, node in (LOOSE | free).items() if key in seen.keys}
    return _document(found)


def _write_odd_rows(scores: Path, odd: Path) -> None:
    """Write scores with weights and predictions, some of them without a label."""
    lines = ["score,label,batch,weight,guess,site,coin"]
    for i, line in enumerate(scores.read_text().splitlines()[1:600]):
        score, label, batch = line.split(",")
        told = label if i % 3 else ""
        lines.append(f"{score},{told},{batch},{1 + i % 4},{round(float(score))},{i // 5},{i % 2}")
    odd.write_text("\n".join(lines) + "\n")


def _document(found: Answers) -> Node:
    whole = found.whole.node()
    always = [key for key in whole["required"] if key != "schema"]
    results = found.results | {
        command: {"type": "object", "properties": keys} for command, keys in BY_HAND.items()
    }
    commands = [
        {
            "if": {"properties": {"command": {"const": command}}},
            "then": {"properties": {"result": node}},
        }
        for command, node in sorted(results.items())
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{SCHEMA.replace('/', ':')}",
        "title": SCHEMA,
        "description": "What `errorfloor COMMAND --json` prints. Keys may be added in later "
        "versions; any other change raises the number of the schema. Unknown values are null. "
        "Rates are fractions.",
        "type": "object",
        "properties": {
            "schema": {"const": SCHEMA},
            "command": {"type": "string"},
            **whole["properties"],
            "result": {"type": "object"},
        },
        "required": ["schema", "command", "result", *always],
        "allOf": commands,
        "$defs": {_named(name): seen.node() for name, seen in sorted(found.records.items())},
    }


def main() -> None:
    """Write the schema of today's answers."""
    path = path_of(SCHEMA)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(made(), indent=1) + "\n", encoding="utf-8")
    print(f"Wrote {path}.")


if __name__ == "__main__":
    main()
