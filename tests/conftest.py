import importlib.util
import os

import numpy as np
import pytest
from hypothesis import settings
from needs import NO_DATA

settings.register_profile("errorfloor", deadline=None, derandomize=True)
settings.load_profile("errorfloor")

# Some tests work in folders of their own.
if "ERRORFLOOR_DATA" in os.environ:
    os.environ["ERRORFLOOR_DATA"] = os.path.abspath(os.environ["ERRORFLOOR_DATA"])


def unit(nodeid):
    """Return the name of the tests that one worker runs in a row.

    Those of a file share what is slow to start or to make: a browser, built pages, reports, data.
    Those with Spark are one such unit, in whatever files they are; so are laws, which ask the same.
    """
    file = "Spark" if "[spark" in nodeid else nodeid.partition("::")[0]
    return "laws" if file.startswith("tests/test_laws") else file


# What takes longest for its number of tests, by which workers choose: begun late, one of them would
# be left with it at the end.
LONG = ("Spark", "tests/test_app_browser.py", "tests/test_docs.py", "tests/test_findings.py")


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers(config):
    """Start one worker more than there are cores: tests that wait for a program leave theirs."""
    return (yield) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give a worker that is idle the next tests that belong together."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return unit(nodeid)

        def _assign_work_unit(self, node):
            first = next((one for one in LONG if one in self.workqueue), next(iter(self.workqueue)))
            self.workqueue.move_to_end(first, last=False)
            super()._assign_work_unit(node)

    return Scheduler(config, log)


@pytest.fixture(scope="session", autouse=True)
def answers_follow_the_schema():
    """Compare every answer with --json of every test in this process with the published schema."""
    if not all(map(importlib.util.find_spec, ("jsonschema", "schemas"))):
        yield  # tests/test_schema.py says so
        return
    from schemas import checked

    from errorfloor.apps.cli.session import Session

    original = Session._object

    def compared(self, result):
        return checked(original(self, result))

    Session._object = compared
    yield
    Session._object = original


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)


def pytest_sessionfinish(session, exitstatus):
    """With ERRORFLOOR_NO_SKIPS set, a skipped test is a failure; only the real sets may lack."""
    if not os.environ.get("ERRORFLOOR_NO_SKIPS") or exitstatus != pytest.ExitCode.OK:
        return
    if hasattr(session.config, "workerinput"):
        return  # one worker of several, whose reports the main process has
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    reasons = {str(report.longrepr[2]) for report in reporter.stats.get("skipped", [])}
    if any(NO_DATA not in reason for reason in reasons):
        reporter.write_line("ERRORFLOOR_NO_SKIPS is set, but tests were skipped", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def folds_once(monkeypatch):
    """Draw folds once, where plain code does too; tests/test_repeats.py is about their mean."""
    monkeypatch.setattr("errorfloor.methods.fitted.Chosen.repeats", 1)
