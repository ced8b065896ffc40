"""What to type for the same answer from features, in Python and on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from errorfloor.data.options import ARRAY
from errorfloor.results import FeaturesEstimate
from errorfloor.show.columns import options_in_python


def code_of(estimate: FeaturesEstimate) -> str:
    """Return the call that leads to the estimate; arrays and models by their arguments' names."""
    given = ", ".join([*_data(estimate), *_options(estimate)])
    return f"import errorfloor as ef\n\nfloor = ef.from_features({given})"


def command_of(estimate: FeaturesEstimate) -> str | None:
    """Return the command that leads to the same numbers, or None if none does."""
    source, seed = estimate.source, estimate.seed
    if source is None or not source.files or "label" not in source.columns:
        return None
    if (
        estimate.options["models"]
        or estimate.options["floor"]
        or seed is None
        or seed.number is None
    ):
        return None
    if source.options.cluster == ARRAY:
        return None
    words = ["errorfloor", "features", *source.files, "--label", source.columns["label"]]
    words += ["--features", ",".join(source.columns["features"])]
    words += [] if source.options.cluster is None else ["--cluster", source.options.cluster]
    for one in source.options.classes or ():
        words += ["--classes", one]
    words += ["--method", estimate.method, "--duplicates", estimate.options["duplicates"]]
    words += ["--level", str(estimate.options["level"]), "--seed", str(seed.number)]
    return shlex.join(words)


def _data(estimate: FeaturesEstimate) -> Iterator[str]:
    source = estimate.source
    if source is None or source.origin == "arrays":
        yield from ("X", "y")
    else:
        yield repr(source.files[0]) if source.files else "frame"
        yield f"label={source.columns['label']!r}" if "label" in source.columns else "y"
        yield f"features={source.columns['features']!r}"
    if source is not None:
        yield from options_in_python(source.options)


def _options(estimate: FeaturesEstimate) -> Iterator[str]:
    options, seed = estimate.options, estimate.seed
    yield f"method={estimate.method!r}"
    if options["models"]:
        yield "models=models"
    if options["floor"]:
        yield "floor=labels_floor"
        yield f"same_labelling={options['same_labelling']!r}"
    yield f"duplicates={options['duplicates']!r}"
    yield f"level={options['level']!r}"
    if seed is not None:
        yield "rng=rng" if seed.number is None else f"rng={seed.number}"
