"""Studies whose results are committed: speed, coverage."""

from pathlib import Path

RESULTS = Path(__file__).parent / "results"  # tables of the studies, out of the documentation
