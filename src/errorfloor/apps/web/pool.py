"""Worker processes for all open pages: questions wait for one, and can be stopped."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from errorfloor.apps.web.limits import Limits

STOPPED = "Stopped."
_numbers = count(1)


@dataclass(eq=False)
class Job:
    """A question of a page, how far it is, and what came of it."""

    page: str
    question: Mapping[str, Any]
    number: int = field(default_factory=lambda: next(_numbers))
    progress: dict[str, Any] = field(default_factory=dict)
    outcome: dict[str, Any] | None = None
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    began: float | None = None  # when a worker took it
    worker: Worker | None = None

    def finish(self, outcome: dict[str, Any]) -> None:
        """Set what came of it, once."""
        if self.outcome is None:
            self.outcome = outcome
            self.finished.set()


class Worker:
    """A process, and the pages that it answered: it may still have what their files say."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.pages: set[str] = set()
        self.used = 0.0
        self.killed = False

    @property
    def lives(self) -> bool:
        """Whether it can take another question."""
        return not self.killed and self.process.returncode is None

    @classmethod
    async def start(cls, root: Path, limits: Limits) -> Worker:
        """Start a process of its own, whose folder is not where it looks for modules."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "errorfloor.apps.web.worker"),
            *(str(root), json.dumps(asdict(limits))),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=limits.answer_bytes,
            start_new_session=True,  # Ctrl-C is for the server, which ends it
        )
        return cls(process)

    async def run(self, job: Job) -> dict[str, Any]:
        """Return what came of a question; progress is noted in it."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        with suppress(ConnectionError):
            stdin.write(json.dumps(job.question).encode() + b"\n")
            await stdin.drain()
        while True:
            try:
                line = await stdout.readline()
            except ValueError:  # longer than the limit
                self.kill()
                return {"event": "failed", "message": "The answer is too long for a page."}
            if not line.endswith(b"\n"):
                return {"event": "failed", "message": await self._ended(), "crashed": True}
            event: dict[str, Any] = json.loads(line)
            if event["event"] == "progress":
                job.progress = event
            elif event["event"] in ("done", "failed"):
                return event

    async def _ended(self) -> str:
        """Say why the process ended."""
        code = await self.process.wait()
        why = "it ended by itself"
        if code < 0:
            number = -code
            names = {signal.SIGKILL: "it was killed, maybe because memory ran out"}
            if hasattr(signal, "SIGXCPU"):
                names[signal.SIGXCPU] = "it took more computing time than the page allows itself"
            why = names.get(signal.Signals(number), f"by signal {signal.Signals(number).name}")
        return (
            f"The process that reads your file and computes came to an end: {why}. "
            "The file is still there and the page goes on: try again, or change something."
        )

    def kill(self) -> None:
        """End the process at once."""
        self.killed = True
        with suppress(ProcessLookupError):
            self.process.kill()


class Pool:
    """A few workers for all pages."""

    def __init__(self, root: Path, limits: Limits) -> None:
        self.root, self.limits = root, limits
        self.idle: list[Worker] = []
        self.number = 0  # of workers there are, or that are being started
        self.free = asyncio.Condition()
        self.tasks: set[asyncio.Task[None]] = set()

    async def warm(self) -> None:
        """Start a worker before anybody asks."""
        if self.number < self.limits.workers:
            self.number += 1
            worker = await Worker.start(self.root, self.limits)
            async with self.free:
                self.idle.append(worker)
                self.free.notify()

    def submit(self, job: Job, before: Job | None) -> None:
        """Answer a question in the background, in place of the one that the page asked before."""
        task = asyncio.get_running_loop().create_task(self._serve(job, before))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def stop(self, job: Job) -> None:
        """End a question, whatever it is doing."""
        job.finish({"event": "failed", "message": STOPPED, "stopped": True})
        if job.worker is not None:
            job.worker.kill()

    async def close(self) -> None:
        """End all."""
        for task in list(self.tasks):
            task.cancel()
        for worker in self.idle:
            worker.kill()
            with suppress(Exception):
                await worker.process.wait()
        self.idle.clear()

    async def _serve(self, job: Job, before: Job | None) -> None:
        if before is not None and before.outcome is None:
            await self._supersede(before)
        worker = await self._take(job)
        if worker is None:
            return
        job.worker, job.began = worker, time.monotonic()
        worker.pages.add(job.page)
        try:
            outcome = await worker.run(job)
        except asyncio.CancelledError:
            worker.kill()
            raise
        finally:
            job.worker = None
            await asyncio.shield(self._give_back(worker))
        if outcome.get("log"):
            print(outcome.pop("log"), file=sys.stderr)
        job.finish(outcome)

    async def _supersede(self, before: Job) -> None:
        """Let the last question of the page come to its end, but not for long."""
        if before.worker is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(before.finished.wait(), self.limits.grace_seconds)
        if before.outcome is None:
            await self.stop(before)

    async def _take(self, job: Job) -> Worker | None:
        """Wait for a worker, if possible for the one that knows the file; None if stopped."""
        async with self.free:
            while job.outcome is None:
                lost = [one for one in self.idle if not one.lives]
                self.idle = [one for one in self.idle if one.lives]
                self.number -= len(lost)
                if self.idle:
                    self.idle.sort(key=lambda one: (job.page not in one.pages, one.used))
                    return self.idle.pop(0)
                if self.number < self.limits.workers:
                    self.number += 1
                    return await Worker.start(self.root, self.limits)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.free.wait(), 1.0)
        return None

    async def _give_back(self, worker: Worker) -> None:
        worker.used = time.monotonic()
        async with self.free:
            if worker.lives:
                self.idle.append(worker)
            else:
                self.number -= 1
            self.free.notify_all()
