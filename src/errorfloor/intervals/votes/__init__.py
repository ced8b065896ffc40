"""Intervals from votes."""
