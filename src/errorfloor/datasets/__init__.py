"""Data to try the estimators on."""
