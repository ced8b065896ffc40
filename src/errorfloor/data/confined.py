"""Processes that may read some folders only, because others say which files they read."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from errorfloor._checks import InputError

FOLDERS = "ERRORFLOOR_ONLY_FOLDERS"  # in the environment: a JSON list of paths without links


def folders() -> list[str] | None:
    """Return the folders that this process may read; None where it may read all."""
    given = os.environ.get(FOLDERS)
    return None if given is None else [str(one) for one in json.loads(given)]


def is_inside(path: str, within: Sequence[str]) -> bool:
    """Tell whether a path without links is in one of the folders."""
    return any(os.path.commonpath([path, one]) == one for one in within if _same_drive(path, one))


def _same_drive(path: str, other: str) -> bool:
    return os.path.splitdrive(path)[0].lower() == os.path.splitdrive(other)[0].lower()


def check_inside(files: Sequence[str]) -> None:
    """Refuse files that this process may not read, wherever links lead."""
    within = folders()
    if within is None:
        return
    for file in files:
        if not is_inside(os.path.realpath(file), within):
            raise InputError(f"{file!r} is outside the folders that may be read.")
