"""Floors from votes for three classes or more."""
