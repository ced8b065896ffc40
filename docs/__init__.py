"""A package, so that its conftest.py and that of the tests have different names."""
