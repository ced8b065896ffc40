"""The command `mcp`: a server by which agents ask the same questions of files in named folders.

A tool is a command: its arguments are the command's options, and its answer is what the command
prints with --json, because a process of the command line gives it. Agents are not trusted with the
file system: the server passes on nothing but files in its folders, and the process that reads them
refuses all others once more.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from errorfloor import __version__
from errorfloor._checks import percentage
from errorfloor.apps.cli import process
from errorfloor.apps.cli.building import FILE, NEW_FILE, Command, examples, with_session
from errorfloor.apps.cli.session import REFUTED, REQUIREMENT, Failure, Session
from errorfloor.data.storage import FOLDERS, is_inside

TOOLS = ("look", "estimate", "headroom", "people", "agreement")
_EXTRA = "The server needs more ({}): pip install 'errorfloor[mcp]'."
_ANSWERED = (0, REQUIREMENT, REFUTED)  # exit codes of commands that printed an answer
_SECONDS = 600  # that a question may take
_OURS = {"as_json", "quiet"}  # options that say how to print
_RULES = """errorfloor says how good any model can get on labelled data.

1. Agreement between annotators is not the ceiling. Never compute a ceiling from kappa, from percent
   agreement, or from a model's agreement with people: ask `estimate` or `people`.
2. Begin with `look`, which says what a file holds and how to ask.
3. Repeat the `sentence` of an answer. "At most" and "at least" are one-sided claims: never state
   them as the floor or the ceiling.
4. An answer with `"refuted": true` is no finding. Say why, as its `findings` do.
5. The files are in: {folders}. No other file is read.
"""


@click.command(
    cls=Command,
    short_help="Let AI agents ask questions (an MCP server).",
    epilog=examples("errorfloor mcp demo"),
)
@click.argument("folders", metavar="FOLDER...", type=FILE, nargs=-1, required=True)
@with_session
def mcp(session: Session, folders: tuple[str, ...]) -> None:
    """Let an agent use the commands `look`, `estimate`, `headroom`, `people` and `agreement`.

    The server speaks the Model Context Protocol on standard input and output. It reads files in
    these folders only, writes none, and needs no network.
    """
    for folder in folders:
        if not os.path.isdir(folder):
            raise click.UsageError(f"There is no folder {folder!r}. Name one that has your files.")
    try:
        import anyio
        import mcp  # noqa: F401
    except ImportError as error:
        raise Failure(_EXTRA.format(error)) from error
    process.keep_running()
    anyio.run(_serve, tuple(map(os.path.realpath, folders)))


class RefusedError(Exception):
    """What a client asks for and does not get, with the reason."""


async def _serve(folders: tuple[str, ...]) -> None:
    """Answer until standard input ends."""
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server

    tools = [types.Tool(**described(name)) for name in TOOLS]

    async def list_tools(_: Any, __: Any) -> Any:
        return types.ListToolsResult(tools=tools)

    async def call_tool(_: Any, asked: Any) -> Any:
        try:
            words = words_of(asked.name, asked.arguments or {}, folders)
            code, out, err = await _answer(words, folders)
        except RefusedError as refused:
            code, out, err = 1, "", str(refused)
        texts = [out] if code in _ANSWERED else [err or out]
        texts += [err] if code in _ANSWERED[1:] and err else []
        content: list[Any] = [types.TextContent(type="text", text=text) for text in texts]
        answer = json.loads(out) if code in _ANSWERED else None
        return types.CallToolResult(
            content=content, structured_content=answer, is_error=code not in _ANSWERED
        )

    server = Server(
        "errorfloor",
        version=__version__,
        instructions=_RULES.format(folders=", ".join(folders)),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _answer(words: Sequence[str], folders: Sequence[str]) -> tuple[int, str, str]:
    """Run a command in a process of its own that can read these folders only."""
    import anyio

    with tempfile.TemporaryDirectory(prefix="errorfloor-mcp-") as scratch:
        allowed = json.dumps([*folders, os.path.realpath(scratch)])
        environment = {**os.environ, FOLDERS: allowed, "TMPDIR": scratch, "TEMP": scratch}
        environment |= {"TMP": scratch, "NO_COLOR": "1"}
        # Without -P a module next to the data could be taken for one of ours.
        command = [sys.executable, "-P", "-m", "errorfloor", *words]
        try:
            with anyio.fail_after(_SECONDS):
                done = await anyio.run_process(
                    command, check=False, env=environment, stdin=subprocess.DEVNULL
                )
        except TimeoutError:
            raise RefusedError(f"This takes more than {_SECONDS} seconds. Ask for less.") from None
    out, err = (text.decode("utf-8", "replace").strip() for text in (done.stdout, done.stderr))
    return done.returncode, out, err


# Tools: the commands, as a client sees them.


def _command(name: str) -> click.Command:
    from errorfloor.apps.cli.commands import cli

    return cli.commands[name]


def _options(command: click.Command) -> dict[str, click.Parameter]:
    """Return what a client may say, by name: all but how to print and where to write."""
    return {
        str(one.name): one
        for one in command.params
        if one.name not in _OURS and one.type is not NEW_FILE and not getattr(one, "hidden", False)
    }


def described(name: str) -> dict[str, Any]:
    """Return a tool as the protocol describes it."""
    command = _command(name)
    options = _options(command)
    return {
        "name": name,
        "title": command.short_help,
        "description": f"{command.short_help}\n\n{_plain(command.help or '')}",
        "input_schema": {
            "type": "object",
            "properties": {key: _schema(one) for key, one in options.items()},
            "required": [key for key, one in options.items() if one.required],
            "additionalProperties": False,
        },
    }


def _plain(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())


def _schema(option: click.Parameter) -> dict[str, Any]:
    """Return the JSON schema of one argument."""
    if isinstance(option, click.Argument):
        what = "Paths of files in the server's folders, relative to the first or in full."
        return {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": what}
    assert isinstance(option, click.Option)
    about = {"description": f"{option.help or ''} (on the command line {option.opts[-1]})".strip()}
    if option.is_flag:
        return {"type": "boolean", **about}
    one = {"type": ["string", "number"]}
    if option.multiple:
        return {"anyOf": [one, {"type": "array", "items": one}], **about}
    return {**one, **about}


# From what a client says to what would be typed.


def words_of(name: str, arguments: Mapping[str, Any], folders: Sequence[str]) -> list[str]:
    """Return what would be typed for a call, or refuse it."""
    if name not in TOOLS:
        raise RefusedError(f"There is no tool {name!r}. There are: {', '.join(TOOLS)}.")
    options = _options(_command(name))
    words, files = [name, "--json"], []
    for key, value in arguments.items():
        if key not in options:
            raise RefusedError(f"{name} has no argument {key!r}. It has: {', '.join(options)}.")
        option = options[key]
        if isinstance(option, click.Argument):
            files = [_file_or_number(name, one, folders) for one in _texts(key, value)]
        elif value is not None:
            words += _typed(key, option, value, folders)
    return [*words, "--", *files] if files else words


def _typed(
    key: str, option: click.Parameter, value: object, folders: Sequence[str]
) -> Iterator[str]:
    """Yield an option as it would be typed, in one word: what follows `=` is never an option."""
    assert isinstance(option, click.Option)
    if option.is_flag:
        if not isinstance(value, bool):
            raise RefusedError(f"{key} must be true or false.")
        names = option.opts if value else option.secondary_opts
        yield from names[-1:]
        return
    for text in _texts(key, value):
        inside = file_in(text, folders) if isinstance(option.type, click.Path) else text
        yield f"{option.opts[-1]}={inside}"


def _texts(key: str, value: object) -> list[str]:
    """Return one value or several as text."""
    values = value if isinstance(value, list) else [value]
    if any(isinstance(one, bool) or not isinstance(one, str | int | float) for one in values):
        raise RefusedError(f"{key} must be text or a number, or a list of them.")
    texts = [str(one) for one in values]
    if any("\0" in one for one in texts):
        raise RefusedError(f"{key} must not have characters of the code 0.")
    return texts


def _file_or_number(name: str, text: str, folders: Sequence[str]) -> str:
    """Return the path of a file; a known floor takes its place in `headroom`, as 0.05 or 5%."""
    if name == "headroom":
        try:
            return text if percentage(text) is not None else str(float(text))
        except ValueError:
            pass
    return file_in(text, folders)


def file_in(text: str, folders: Sequence[str]) -> str:
    """Return the full path of a file in the folders, without links, or refuse it.

    Only for files in the folders does the message say whether they exist.
    """
    foreign = "://" in text or text.startswith(("\\\\", "//")) or "\0" in text or not text
    path = "" if foreign else os.path.realpath(os.path.join(folders[0], text))
    if foreign or not is_inside(path, folders):
        raise RefusedError(
            f"{text!r} is outside the folders of this server. They are: {', '.join(folders)}."
        )
    if not os.path.isfile(path):
        raise RefusedError(f"There is no file {text!r}. Name files, not folders or patterns.")
    return path
