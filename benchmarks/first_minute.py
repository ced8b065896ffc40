"""The first minute of a new user, timed on a clean clone: `python -m benchmarks.first_minute`.

Clones the last commit into a temporary folder, makes a new virtual environment there, types what
results/first_minute.md shows, and writes that page again: the commands, what they print, and their
times as shares of the install's. Chromium takes pictures of the report, and of the app where the
clone has it, light and dark.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import RESULTS
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture, vote

if TYPE_CHECKING:
    from selenium.webdriver.remote.webdriver import WebDriver

ROOT = Path(__file__).parent.parent
PAGE = RESULTS / "first_minute.md"
FIGURES = ROOT / "docs" / "figures"
OWN = "mine.csv"
SCORED = "scored.csv"

HEAD = """# The first minute, timed

Written by `python -m benchmarks.first_minute`: a clean clone, a new virtual environment, and what a
new user types. Times are on the clock, as shares of the install's, which depends on the machine and
the network; all are from one run. [The start page](../../docs/index.md) has less of it, and the
same in Python.

"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a page: its name, what it shows, the element it begins with, and its pixels.

    A height of 0 is that of the page.
    """

    name: str
    alt: str
    begins: str = "body"
    width: int = 900
    height: int = 640


@dataclass(frozen=True, slots=True)
class Step:
    """What is typed, with a heading and a sentence for it."""

    name: str
    text: str
    commands: tuple[str, ...]
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Typed:
    """A command, what it printed, and how long it took, in seconds."""

    command: str
    output: str
    seconds: float


INSTALL = Step(
    "Install",
    "From the folder of the clone.",
    ("python3 -m venv .venv", ". .venv/bin/activate", "pip install --quiet '.[{extra}]'"),
)
STEPS = (
    Step(
        "The demo",
        "Every method on simulated data whose true floor is known.",
        ("errorfloor demo",),
    ),
    Step(
        "Your own file",
        f"`{OWN}` has 600 items, and how many of four people said yes to each. `look` shows what "
        "the file holds and what to type next.",
        (
            f"errorfloor look {OWN}",
            f"errorfloor estimate {OWN}",
            f"errorfloor headroom {OWN} --model-errors 110 --test-items 600 --same-labelling",
        ),
    ),
    Step(
        "A model's scores",
        f"`{SCORED}` has the same items, a model's confidence and one label each. Scores bound the "
        "floor from one side.",
        (
            f"errorfloor estimate {SCORED}",
            f"errorfloor headroom {SCORED} --model-errors 110 --test-items 600",
        ),
    ),
    Step(
        "The report",
        "One page to send to colleagues.",
        (
            f"errorfloor report {OWN} --model-errors 110 --test-items 600 --same-labelling "
            "-o report.html",
        ),
        (
            Picture(
                "report",
                "The first screen of the report: the answer in a sentence, the floor with its "
                "interval, the model, and what the interval assumes.",
            ),
            Picture(
                "report-figure",
                "A picture of the report: the model's error and the floor, with their intervals.",
                "figure",
            ),
        ),
    ),
)
APP = Step(
    "The app",
    "The same in the browser: drop the file on [the page](../../docs/app.md). The time is that "
    "until the page is there.",
    ("errorfloor app",),
    (
        Picture(
            "app",
            "The app with the file: its columns and what they are taken for, and the answer.",
            "#work",
            1200,
            800,
        ),
    ),
)


def write_own(folder: Path) -> None:
    """Write files as someone may have them: votes, and a model's confidence with one label."""
    data = gaussian_mixture(600, rng=1)
    votes = vote(data.soft_labels, 4, rng=2).tolist()
    lines = [f"t{item:04},{votes[item]},4" for item in range(600)]
    _write(folder / OWN, ["id,positives,total", *lines])
    seen = corrupt(data.soft_labels, 2, 0.7).round(3).tolist()
    words = ["yes" if label else "no" for label in data.labels.tolist()]
    rows = [f"t{item:04},{seen[item]},{words[item]}" for item in range(600)]
    _write(folder / SCORED, ["id,confidence,label", *rows])


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def typed(command: str, folder: Path, environment: Mapping[str, str]) -> Typed:
    """Run a line of the shell in a folder."""
    start = time.perf_counter()
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return Typed(command, done.stdout, time.perf_counter() - start)


def answers(folder: Path, environment: Mapping[str, str]) -> dict[str, list[Typed]]:
    """Type all steps where errorfloor is on the path."""
    write_own(folder)
    return {
        step.name: [typed(command, folder, environment) for command in step.commands]
        for step in STEPS
    }


def installed(folder: Path, extra: str) -> tuple[float, dict[str, str]]:
    """Install the clone into an environment of its own; return the seconds and its variables."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "VIRTUAL_ENV", "ERRORFLOOR_DATA")
    }
    environment["PATH"] = f"{folder / '.venv' / 'bin'}:{environment['PATH']}"
    make = typed(f"{sys.executable} -m venv .venv", folder, environment)
    command = INSTALL.commands[-1].format(extra=extra)
    install = typed(command, folder, environment)
    return make.seconds + install.seconds, environment


def share(lines: Sequence[Typed], install: float) -> str:
    """Return how long some commands took, next to the install."""
    return f"{100 * sum(line.seconds for line in lines) / install:.0f} %"


def section(step: Step, lines: Sequence[Typed]) -> str:
    """Return a step as Markdown: what was typed, what was printed, and the pictures."""
    shown = "".join(f"$ {line.command}\n{line.output}" for line in lines).rstrip()
    pictures = (f"![{one.alt}](../../docs/figures/{one.name}-light.png)" for one in step.pictures)
    return "\n\n".join([f"## {step.name}", step.text, f"```text\n{shown}\n```", *pictures])


def page(extra: str, install: float, found: Mapping[str, Sequence[Typed]]) -> str:
    """Return the page."""
    steps = [*STEPS, APP] if APP.name in found else STEPS
    rows = [f"| {step.name} | {share(found[step.name], install)} |" for step in steps]
    table = "\n".join(["| step | time |", "| --- | ---: |", "| Install | 100 % |", *rows])
    commands = "\n".join(line.format(extra=extra) for line in INSTALL.commands)
    first = f"## {INSTALL.name}\n\n{INSTALL.text}\n\n```text\n{commands}\n```"
    sections = (section(step, found[step.name]) for step in steps)
    return HEAD + "\n\n".join([table, first, *sections]) + "\n"


def photograph(address: str, pictures: Sequence[Picture], dropped: Path | None = None) -> None:
    """Save screens of a page, light and dark, with the answer to a file that is dropped there."""
    from base64 import b64decode
    from shutil import which

    from selenium import webdriver
    from selenium.webdriver.support.ui import WebDriverWait

    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    options.binary_location = which("chromium") or which("google-chrome") or ""
    service = webdriver.ChromeService(which("chromedriver"))
    browser = webdriver.Chrome(options=options, service=service)
    try:
        for theme in ("light", "dark"):
            media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            browser.get(address)
            if dropped is not None:
                browser.find_element("css selector", "input[type=file]").send_keys(str(dropped))
                WebDriverWait(browser, 60).until(is_answered)
            for one in pictures:
                size = {"width": one.width, "height": one.height or 100}
                size |= {"deviceScaleFactor": 1, "mobile": False}
                browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
                if not one.height:
                    size["height"] = browser.execute_script("return document.body.scrollHeight")
                    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
                browser.execute_script(f"document.querySelector('{one.begins}').scrollIntoView()")
                time.sleep(1)
                if dropped is not None:
                    WebDriverWait(browser, 60).until(is_answered)
                shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
                (FIGURES / f"{one.name}-{theme}.png").write_bytes(b64decode(shot["data"]))
    finally:
        browser.quit()


def is_answered(browser: WebDriver) -> bool:
    """Return whether the app has answered, pictures and all."""
    busy = browser.find_element("css selector", "#busy")
    said = any(words in browser.page_source for words in ("best possible", "is reachable"))
    return said and not busy.is_displayed()


def opened(folder: Path, environment: Mapping[str, str]) -> Typed:
    """Start the app, take its pictures, end it, and return how long it took to be there."""
    start = time.perf_counter()
    command = [*APP.commands[0].split(), "--no-browser"]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as app:
        assert app.stdout is not None
        address = app.stdout.readline().strip()
        taken = time.perf_counter() - start
        photograph(address, APP.pictures, folder / OWN)
        app.terminate()
    # The address holds a port and a secret of that run.
    shown = re.sub(r":\d+/[\w-]+", ":PORT/SECRET", address)
    return Typed(APP.commands[0], f"{shown}\n", taken)


def main() -> None:
    """Clone, install, type, and write the page and its pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "errorfloor"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
        extras = (folder / "pyproject.toml").read_text(encoding="utf-8")
        extra = "app" if re.search(r"^app = ", extras, re.MULTILINE) else "cli"
        install, environment = installed(folder, extra)
        found = answers(folder, environment)
        photograph((folder / "report.html").as_uri(), STEPS[-1].pictures)
        if extra == "app":
            found[APP.name] = [opened(folder, environment)]
        PAGE.write_text(page(extra, install, found), encoding="utf-8")


if __name__ == "__main__":
    main()
