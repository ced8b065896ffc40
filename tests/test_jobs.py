"""Jobs as new users have them, by their transcripts."""

import re
from dataclasses import replace

import pytest

from tests.jobs import (
    ANSWER,
    FIRST,
    FRESH,
    JOBS,
    LATER,
    NEWCOMERS,
    PASTE,
    PLACE,
    STOP,
    STRANGERS,
    transcript,
)


@pytest.fixture(scope="module")
def kept():
    return {text.split(":")[0]: text for text in PLACE.read_text().split("\n# ")}


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_a_job_ends_as_its_transcript_says(job, kept):
    shown = transcript(job)
    first = job is JOBS[0]
    assert (
        shown.strip()
        == kept[f"# {job.name}" if first else job.name].join(["" if first else "# ", ""]).strip()
    )
    code = int(shown.rstrip()[:-1].rpartition("[")[2])
    assert (code in (0, 3)) == (job.ends == ANSWER)
    if job.ends != ANSWER:  # the last line is what to type
        assert re.search(r"\n  (errorfloor |.* \| errorfloor )", shown)


def test_at_least_eighteen_are_done_at_the_first_try_and_none_is_a_dead_end():
    for jobs in (FIRST, FRESH):
        assert len(jobs) == 20
        assert sum(job.ends in (ANSWER, STOP) for job in jobs) >= 18
        assert {job.ends for job in jobs} <= {ANSWER, STOP, PASTE}
    for jobs in (LATER, NEWCOMERS):
        assert sum(job.ends in (ANSWER, STOP) for job in jobs) == len(jobs) - 1


@pytest.mark.parametrize(
    "job", [job for job in STRANGERS if job.ends == PASTE], ids=lambda one: one.name
)
def test_the_first_command_that_a_job_is_answered_with_works(job):
    line = re.search(r"\n  (errorfloor .*)", transcript(job))
    assert transcript(replace(job, typed=line[1])).endswith("[0]\n")
