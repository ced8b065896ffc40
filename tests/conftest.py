import os
import shutil

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("errorfloor", deadline=None, derandomize=True)
settings.load_profile("errorfloor")

needs_data = pytest.mark.skipif(
    "ERRORFLOOR_DATA" not in os.environ, reason="ERRORFLOOR_DATA does not name the real sets"
)
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
