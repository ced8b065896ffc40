"""Random numbers that can be had again: what a result keeps of the generator behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from errorfloor._checks import as_generator
from errorfloor._typing import RandomLike


@dataclass(frozen=True, slots=True)
class Seed:
    """Where the random numbers of a result started.

    Attributes
    ----------
    number : int or None
        The seed, drawn if none was given; None where a generator was given.
    generator : dict or None
        Kind, state and seed sequence of the generator that was given, as they were before.
    """

    number: int | None = None
    generator: Mapping[str, Any] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, rng: RandomLike) -> Seed:
        """Keep what it takes to begin again; None draws a seed."""
        if rng is None:
            return cls(int(np.random.SeedSequence().generate_state(1)[0]))
        generator = as_generator(rng)  # of whatever NumPy takes, such as a seed sequence
        if isinstance(rng, int | np.integer):
            return cls(int(rng))
        return cls(generator=_kept(generator.bit_generator))

    def begin(self) -> np.random.Generator:
        """Return a generator as it was when the result was computed."""
        if self.generator is None:
            return np.random.default_rng(self.number)
        kept = self.generator
        kind = getattr(np.random, kept["kind"])
        bits = kind(np.random.SeedSequence(**kept["sequence"])) if kept["sequence"] else kind()
        bits.state = kept["state"]
        return np.random.Generator(bits)

    def to_dict(self) -> int | dict[str, Any] | None:
        """Return the seed as plain values, ready for JSON."""
        return self.number if self.generator is None else dict(self.generator)


def _kept(bits: Any) -> dict[str, Any]:
    sequence = bits.seed_seq
    known = isinstance(sequence, np.random.SeedSequence)
    return {
        "kind": type(bits).__name__,
        "state": _plain(bits.state),
        "sequence": _plain(sequence.state) if known else None,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return list(value) if isinstance(value, tuple | range) else value


STREAMS = ("resamples", "folds", "halves", "blocks")


@dataclass(frozen=True, slots=True)
class Streams:
    """Generators for each purpose, so that no answer depends on what else is computed with it."""

    seeds: tuple[int, ...]

    @classmethod
    def of(cls, rng: np.random.Generator) -> Streams:
        """Draw the seeds of all purposes."""
        return cls(tuple(int(seed) for seed in rng.integers(2**63, size=len(STREAMS))))

    def for_(self, purpose: str) -> np.random.Generator:
        """Return the generator for one purpose, always from its start."""
        return np.random.default_rng(self.seeds[STREAMS.index(purpose)])
