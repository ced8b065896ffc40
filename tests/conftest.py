import os

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("errorfloor", deadline=None, derandomize=True)
settings.load_profile("errorfloor")

needs_data = pytest.mark.skipif(
    "ERRORFLOOR_DATA" not in os.environ, reason="ERRORFLOOR_DATA does not name the real sets"
)


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)
