"""Studies whose results are committed: speed, coverage."""
