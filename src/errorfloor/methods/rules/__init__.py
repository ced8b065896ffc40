"""Scores of many classes: rules that choose a class, and maps from scores to probabilities."""
