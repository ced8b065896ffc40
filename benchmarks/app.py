"""Time the app: its start, a file of 10^7 rows, and twenty tabs at once.

Run `python -m benchmarks.app [ROWS]`, which writes `benchmarks/APP.md`. Times are given next to one
of the same run: that of `python -c "import numpy"`, of the command line on the same file, of one
tab. Tabs are clients that speak to the server as the page's script does.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).with_name("APP.md")
TABS = 20
TURNS = 5
STATE = {"role:score": "score", "role:label": "label"}
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "src")}


@dataclass(frozen=True, slots=True)
class Tab:
    """A client of the server, with a page of its own."""

    address: str
    page: str

    @classmethod
    def open(cls, address: str) -> Tab:
        """Open a page."""
        return cls(address, _asked(address, "POST", "pages")["page"])

    def wait(self, said: dict[str, Any]) -> dict[str, Any]:
        """Ask again until there is an answer, as the page does."""
        pause = 0.12
        while said["event"] == "progress":
            time.sleep(pause)
            pause = min(pause * 1.4, 1.0)
            said = _asked(self.address, "GET", f"pages/{self.page}/jobs/{said['job']}")
        if not said.get("answered"):
            raise RuntimeError(f"no answer: {json.dumps(said)[:500]}")
        return said

    def upload(self, path: Path) -> float:
        """Return the seconds from the start of an upload to its answer."""
        began = time.perf_counter()
        with path.open("rb") as file:
            self.wait(
                _asked(self.address, "POST", f"pages/{self.page}/file?name={path.name}", file)
            )
        return time.perf_counter() - began

    def answer(self, level: float) -> float:
        """Return the seconds that a change of the form takes."""
        began = time.perf_counter()
        state = {**STATE, "level": f"{level:.4f}"}
        body = json.dumps({"kind": "answer", "state": state}).encode()
        self.wait(_asked(self.address, "POST", f"pages/{self.page}/jobs", body))
        return time.perf_counter() - began


def _asked(address: str, method: str, path: str, body: Any = None) -> dict[str, Any]:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=600)
    headers = {"Origin": f"http://{parts.netloc}"}
    connection.request(method, parts.path + path, body, headers)
    said: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return said


@contextmanager
def running() -> Iterator[str]:
    """Start the app, and yield its address."""
    command = [sys.executable, "-m", "errorfloor", "app", "--no-browser", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()
        process.wait()


def started() -> float:
    """Return the seconds until the page is there."""
    began = time.perf_counter()
    with running() as address:
        parts = urlsplit(address)
        connection = http.client.HTTPConnection(parts.netloc, timeout=60)
        connection.request("GET", parts.path)
        assert connection.getresponse().status == 200
        taken = time.perf_counter() - began
        connection.close()
    return taken


def timed(*command: str) -> float:
    """Return the seconds that a command takes."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, *command], check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - began


def start_up() -> str:
    """Time the start next to the import of NumPy, the least of some turns each."""
    pairs = [(started(), timed("-c", "import numpy")) for _ in range(TURNS)]
    page, numpy = (min(column) for column in zip(*pairs, strict=True))
    return (
        f"The page is there after {page / numpy:.1f} times as long as `import numpy` takes "
        f"({page:.2f} s and {numpy:.2f} s; the least of {TURNS} turns each)."
    )


def large_file(folder: Path, rows: int) -> str:
    """Time a Parquet file through the page next to the command line."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    prob = rng.beta(0.5, 0.5, rows)
    table = pa.table({"score": prob, "label": (rng.random(rows) < prob).astype(np.int8)})
    path = folder / "large.parquet"
    pq.write_table(table, path)
    command = timed("-m", "errorfloor", "estimate", str(path))
    with running() as address:
        tab = Tab.open(address)
        page = tab.upload(path)
        again = tab.answer(0.9)
    size = path.stat().st_size / 2**20
    return (
        f"A Parquet file of {rows:,} rows ({size:.0f} MiB) is uploaded, read and answered in "
        f"{page / command:.1f} times the time that `errorfloor estimate` takes "
        f"({page:.1f} s and {command:.1f} s); another level then takes {again:.1f} s."
    )


def twenty_tabs(folder: Path) -> str:
    """Time small answers in one tab, and in twenty that ask at the same time."""
    rng = np.random.default_rng(0)
    prob = rng.random(1000)
    label = (rng.random(1000) < prob).astype(int)
    path = folder / "small.csv"
    lines = [f"{p:.4f},{y}" for p, y in zip(prob, label, strict=True)]
    path.write_text("\n".join(["score,label", *lines, ""]), encoding="utf-8")
    with running() as address, ThreadPoolExecutor(TABS) as threads:
        tabs = [Tab.open(address) for _ in range(TABS)]
        list(threads.map(lambda tab: tab.upload(path), tabs))
        levels = np.linspace(0.8, 0.99, TABS * TURNS * 2)
        alone = [tabs[0].answer(level) for level in levels[:TABS]]
        many: list[float] = []
        for turn in range(1, TURNS + 1):
            own = levels[turn * TABS : (turn + 1) * TABS]
            many += threads.map(lambda tab, level: tab.answer(level), tabs, own)
    one, middle, worst = float(np.median(alone)), float(np.median(many)), max(many)
    return (
        f"A change of the form on 1,000 rows is answered in {one:.2f} s in one tab (median). Where "
        f"{TABS} tabs ask at the same instant, {TURNS} times over, the median is "
        f"{middle / one:.1f} times and the worst {worst / one:.1f} times that "
        f"({middle:.2f} s and {worst:.2f} s) on {os.cpu_count()} cores."
    )


def main() -> None:
    """Write the results."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = [start_up(), large_file(folder, rows), twenty_tabs(folder)]
    head = (
        "# The app, timed",
        "<!-- results -->",
        "Measured by `python -m benchmarks.app`, next to times of the same run.",
    )
    text = "\n\n".join([*head, *(f"- {part}" for part in parts)]) + "\n"
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
