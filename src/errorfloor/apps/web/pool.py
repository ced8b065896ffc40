"""Worker processes for all open pages: questions wait for one, and can be stopped."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from errorfloor.apps.web.limits import Limits, failure
from errorfloor.data.storage import remove

STOPPED = "Stopped."
_LAST = 5.0  # seconds that a process may take to end once it is killed
_numbers = count(1)


@dataclass(eq=False)
class Job:
    """A question of a page, how far it is, and what came of it."""

    page: str
    folder: Path  # of the page
    question: Mapping[str, Any]
    number: int = field(default_factory=lambda: next(_numbers))
    progress: dict[str, Any] = field(default_factory=dict)
    outcome: dict[str, Any] | None = None
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    began: float | None = None  # when a worker took it
    worker: Worker | None = None
    taken: bool = False  # whether a worker has begun with it

    @property
    def scratch(self) -> Path:
        """Where all that a worker writes for it lies; no upload has such a name."""
        return self.folder / f".job-{self.number}"

    @property
    def asked(self) -> bytes:
        """The question as a worker takes it."""
        given = {"folder": str(self.folder), "scratch": str(self.scratch), **self.question}
        return json.dumps(given).encode() + b"\n"

    def fail(self, message: str, **more: Any) -> None:
        """Set that nothing came of it, and why."""
        self.finish({"event": "failed", "message": message, **more})

    def stop(self) -> None:
        """End it, whatever it is doing."""
        if self.outcome is None:
            self.fail(STOPPED, stopped=True)
            if self.worker is not None:
                self.worker.kill()

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
            stdin.write(job.asked)
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
            if event["event"] == "taken":
                job.taken = True
            elif event["event"] == "progress":
                job.progress = event
            elif event["event"] in ("done", "failed"):
                return event

    async def _ended(self) -> str:
        """Say why the process ended."""
        await self.gone()
        code = self.process.returncode
        why = "it ended by itself"
        if code is not None and code < 0:
            name = {int(one): one.name for one in signal.Signals}.get(-code, str(-code))
            why = _WHY.get(name, f"by signal {name}")
        return (
            f"The process that reads your file and computes came to an end: {why}. "
            "The file is still there and the page goes on: try again, or change something."
        )

    def kill(self) -> None:
        """End the process at once."""
        self.killed = True
        with suppress(ProcessLookupError):
            self.process.kill()

    async def gone(self) -> None:
        """Wait until the process has ended, which speaks and listens no more."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), _LAST)
            return
        self.kill()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), _LAST)


_WHY = {  # by signals, of which not every system has all
    "SIGKILL": "it was killed, maybe because memory ran out",
    "SIGXCPU": "it took more computing time than the page allows itself",
}


class Pool:
    """A few workers for all pages."""

    def __init__(self, root: Path, limits: Limits) -> None:
        self.root, self.limits = root, limits
        self.workers: set[Worker] = set()
        self.starting = 0
        self.idle: list[Worker] = []
        self.free = asyncio.Condition()
        self.jobs: dict[Job, asyncio.Task[None]] = {}

    async def warm(self) -> None:
        """Start a worker before anybody asks; it also tidies up should the server be killed."""
        if self._has_room():
            with suppress(OSError):  # which the next question says
                worker = await self._start()
                async with self.free:
                    self.idle.append(worker)
                    self.free.notify()

    def submit(self, job: Job, before: Job | None) -> None:
        """Answer a question in the background, in place of the one that the page asked before."""
        task = asyncio.get_running_loop().create_task(self._serve(job, before))
        self.jobs[job] = task
        task.add_done_callback(lambda _: self.jobs.pop(job, None))

    async def stop(self, page: str) -> None:
        """End the questions of a page; then nothing is computed or written for it any more."""
        await self._end([job for job in self.jobs if job.page == page])

    async def close(self) -> None:
        """End all."""
        await self._end(list(self.jobs))
        for worker in self.workers:
            worker.kill()
        await asyncio.gather(*(worker.gone() for worker in self.workers))
        self.idle.clear()

    async def _end(self, jobs: Sequence[Job]) -> None:
        tasks = [self.jobs[job] for job in jobs]
        for job, task in zip(jobs, tasks, strict=True):
            job.stop()
            if job.worker is None:  # it waits for one
                task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _serve(self, job: Job, before: Job | None) -> None:
        try:
            if before is not None and before.outcome is None:
                await self._supersede(before)
            for last in (False,) * self.limits.workers + (True,):
                worker = await self._take(job)
                if worker is None:
                    break
                outcome = await self._answered(job, worker)
                if last or job.taken or not outcome.get("crashed"):
                    _log(outcome.pop("log", ""))
                    job.finish(outcome)
                    break  # else it had ended before it was asked, and another can answer
        except Exception as error:  # or the page would wait for ever
            _log(traceback.format_exc())
            job.fail(failure(error))
        if not self.workers:
            await self.warm()

    async def _answered(self, job: Job, worker: Worker) -> dict[str, Any]:
        """Return what a worker makes of a question, and what it wrote for it is gone."""
        job.worker, job.began = worker, time.monotonic()
        worker.pages.add(job.page)
        try:
            return await worker.run(job)
        except BaseException:
            worker.kill()  # what else it says would answer the next question
            raise
        finally:
            await self._give_back(worker, job)
            job.worker = None

    async def _supersede(self, before: Job) -> None:
        """Let the last question of the page come to its end, but not for long."""
        if before.worker is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(before.finished.wait(), self.limits.grace_seconds)
        before.stop()

    async def _take(self, job: Job) -> Worker | None:
        """Wait for a worker, if possible for the one that knows the file; None if stopped."""
        async with self.free:
            while job.outcome is None:
                self.workers -= {one for one in self.idle if not one.lives}
                self.idle = [one for one in self.idle if one.lives]
                if self.idle:
                    self.idle.sort(key=lambda one: (job.page not in one.pages, one.used))
                    return self.idle.pop(0)
                if self._has_room():
                    return await self._start()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.free.wait(), 1.0)
        return None

    def _has_room(self) -> bool:
        return len(self.workers) + self.starting < self.limits.workers

    async def _start(self) -> Worker:
        self.starting += 1
        try:
            worker = await Worker.start(self.root, self.limits)
        finally:
            self.starting -= 1
        self.workers.add(worker)
        return worker

    async def _give_back(self, worker: Worker, job: Job) -> None:
        worker.used = time.monotonic()
        if not worker.lives:
            await worker.gone()  # or it could still write
        remove(job.scratch)
        async with self.free:
            if worker.lives:
                self.idle.append(worker)
            else:
                self.workers.discard(worker)
            self.free.notify_all()


def _log(text: str) -> None:
    """Show on the terminal what went wrong inside, if there still is one."""
    if text:
        with suppress(OSError, ValueError):
            print(text, file=sys.stderr)
