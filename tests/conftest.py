import os
import shutil

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("errorfloor", deadline=None, derandomize=True)
settings.load_profile("errorfloor")

# Some tests work in folders of their own.
if "ERRORFLOOR_DATA" in os.environ:
    os.environ["ERRORFLOOR_DATA"] = os.path.abspath(os.environ["ERRORFLOOR_DATA"])

NO_DATA = "ERRORFLOOR_DATA does not name the real sets"
needs_data = pytest.mark.skipif("ERRORFLOOR_DATA" not in os.environ, reason=NO_DATA)
needs_browser = pytest.mark.skipif(
    not (
        (shutil.which("chromium") or shutil.which("google-chrome")) and shutil.which("chromedriver")
    ),
    reason="Chromium and chromedriver are not on the path: apt-get install chromium-driver, or get "
    "both from your system's packages",
)


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)


def pytest_sessionfinish(session, exitstatus):
    """With ERRORFLOOR_NO_SKIPS set, a skipped test is a failure; only the real sets may lack."""
    if not os.environ.get("ERRORFLOOR_NO_SKIPS") or exitstatus != pytest.ExitCode.OK:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    reasons = {str(report.longrepr[2]) for report in reporter.stats.get("skipped", [])}
    if any(NO_DATA not in reason for reason in reasons):
        reporter.write_line("ERRORFLOOR_NO_SKIPS is set, but tests were skipped", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
