"""What tests need that not every machine has."""

import os
import shutil

import pytest

NO_DATA = "ERRORFLOOR_DATA does not name the real sets"
needs_data = pytest.mark.skipif("ERRORFLOOR_DATA" not in os.environ, reason=NO_DATA)
needs_browser = pytest.mark.skipif(
    not (
        (shutil.which("chromium") or shutil.which("google-chrome")) and shutil.which("chromedriver")
    ),
    reason="Chromium and chromedriver are not on the path: apt-get install chromium-driver, or get "
    "both from your system's packages",
)
