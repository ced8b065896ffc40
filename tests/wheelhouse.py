"""A package index without a network: wheels that lead to what is installed here.

A wheel of the house has the name, the version and the requirements of an installed distribution,
and one file, which puts a folder on the path that has this distribution and no other. So pip, pipx
and uv resolve, make environments and install as they do from the package index, and a package finds
there what it and its dependencies declare, and nothing else that happens to be installed.
"""

import base64
import hashlib
import re
import sys
import zipfile
from importlib.metadata import Distribution, distributions
from pathlib import Path

KEPT = ("Name", "Version", "Requires-Dist", "Requires-Python", "Provides-Extra")


def make(house: Path) -> Path:
    """Write a wheel for everything that is installed, and return the folder of the wheels."""
    wheels = house / "wheels"
    wheels.mkdir(parents=True)
    seen = {"errorfloor"}
    for one in distributions():
        if one.files and (name := normal(one.name)) not in seen:
            seen.add(name)
            _write(one, house, wheels)
    return wheels


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def _write(one: Distribution, house: Path, wheels: Path) -> None:
    name, version = normal(one.name), one.version
    folder = house / "installed" / name
    folder.mkdir(parents=True)
    for top in {Path(str(file)).parts[0] for file in one.files or ()}:
        target = Path(str(one.locate_file(top)))
        if top != ".." and not top.endswith(".dist-info") and target.exists():
            (folder / top).symlink_to(target)
    info = f"{name}-{version}.dist-info"
    known = one.metadata
    lines = [f"{key}: {value}" for key in KEPT for value in known.get_all(key) or ()]
    files = {
        f"{name}_installed.pth": f"{folder}\n",
        f"{info}/METADATA": "\n".join(["Metadata-Version: 2.1", *lines, ""]),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: errorfloor\n"
        "Root-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{path},{_digest(text)},{len(text.encode())}" for path, text in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""])
    with zipfile.ZipFile(wheels / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def alone(house: Path) -> dict[str, str]:
    """Return the variables by which pip, pipx and uv see the wheels of this house only."""
    wheels = str(house / "wheels")
    return {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": wheels,
        "PIP_NO_COMPILE": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_CONFIG_FILE": "/dev/null",
        "UV_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "UV_NO_CONFIG": "1",
        "UV_FIND_LINKS": wheels,
        "UV_PYTHON": sys.executable,  # what is installed here is for this one
        "UV_PYTHON_DOWNLOADS": "never",
    }
