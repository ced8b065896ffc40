"""FeeBee on all sets of the paper, beside its printed scores, with noise told from difference.

Run `python -m benchmarks.feebee`, or `make feebee`, to write docs/feebee.md: some minutes. It
needs ERRORFLOOR_DATA.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import errorfloor as ef
from benchmarks import realdata, reference
from benchmarks.speed import machine
from errorfloor.calibration import Clip

DOCUMENT = Path(__file__).parent.parent / "docs" / "feebee.md"
EPS = float(np.finfo(float).eps)  # as betacal clips, and the paper with it
METHODS = tuple(reference.CALIBRATORS)
BETAS = ("beta", "beta-am", "beta-ab", "beta-a")
VARIANTS = BETAS[1:]  # printed as plain beta
LIMIT = 3  # standard errors of one run

Results: TypeAlias = dict[str, ef.FeeBeeResult]


@dataclass(frozen=True)
class Setting:
    """A set of the paper, the model error it was given, and its printed scores."""

    data: str
    model_error: float
    printed: str  # in the order of METHODS

    @property
    def published(self) -> dict[str, float]:
        """The printed score of each method."""
        return dict(zip(METHODS, map(float, self.printed.split()), strict=True))

    def run(self, methods: Sequence[str], *, repeats: int, clip: Clip) -> ef.FeeBeeResult:
        """Score methods; the noise is the same whatever the methods and the clipping."""
        return ef.feebee(
            realdata.load_table(self.data),
            methods=methods,
            model_error=self.model_error,
            repeats=repeats,
            clip=clip,
            rng=0,
        )


# The paper's tables of FeeBee scores. It gives the model errors of CIFAR-10 (0.05 %) and of the
# ICLR sets (their acceptance rates); that of Fashion-MNIST, and those of the best models that come
# with ChaosNLI, are in the settings of the authors' released code.
SETTINGS = {
    "CIFAR-10": Setting(
        "cifar10h",
        0.0005,
        "0.00307 0.00318 0.00253 0.00322 0.00329 0.02396 0.02401 0.02335 0.02400 0.00278",
    ),
    "Fashion-MNIST": Setting(
        "fashion_mnist_h",
        0.0049,
        "0.00240 0.00250 0.00825 0.00329 0.00373 0.08796 0.09055 0.08737 0.08878 0.00262",
    ),
    "SNLI": Setting(
        "chaosnli-snli",
        0.097094,
        "0.00292 0.00283 0.00356 0.00520 0.00714 0.01392 0.01452 0.01476 0.01370 0.00305",
    ),
    "MNLI": Setting(
        "chaosnli-mnli",
        0.143840,
        "0.00147 0.00210 0.00322 0.00421 0.00666 0.00380 0.00208 0.00143 0.00223 0.00154",
    ),
    "AbductiveNLI": Setting(
        "chaosnli-abductive",
        0.146867,
        "0.00118 0.00143 0.00362 0.00558 0.00813 0.05400 0.05204 0.04949 0.05537 0.00081",
    ),
    "ICLR2017-2025": Setting(
        "iclr",
        0.341588,
        "0.00013 0.00011 0.00016 0.00033 0.00056 0.00012 0.00014 0.00010 0.00017 0.00001",
    ),
    "ICLR2017": Setting(
        "iclr-2017",
        0.404082,
        "0.00508 0.00469 0.01086 0.01829 0.02915 0.00109 0.00120 0.00082 0.00200 0.00135",
    ),
    "ICLR2018": Setting(
        "iclr-2018",
        0.365510,
        "0.00166 0.00232 0.00517 0.00863 0.01586 0.00060 0.00062 0.00049 0.00097 0.00067",
    ),
    "ICLR2019": Setting(
        "iclr-2019",
        0.353770,
        "0.00120 0.00160 0.00352 0.00720 0.01114 0.00039 0.00035 0.00108 0.00066 0.00059",
    ),
    "ICLR2020": Setting(
        "iclr-2020",
        0.310438,
        "0.00085 0.00106 0.00137 0.00162 0.00181 0.00108 0.00078 0.00076 0.00056 0.00030",
    ),
    "ICLR2021": Setting(
        "iclr-2021",
        0.331149,
        "0.00098 0.00156 0.00183 0.00388 0.00621 0.00042 0.00026 0.00019 0.00017 0.00046",
    ),
    "ICLR2022": Setting(
        "iclr-2022",
        0.418036,
        "0.00064 0.00090 0.00205 0.00386 0.00684 0.00023 0.00031 0.00021 0.00010 0.00029",
    ),
    "ICLR2023": Setting(
        "iclr-2023",
        0.414821,
        "0.00034 0.00074 0.00143 0.00265 0.00509 0.00030 0.00020 0.00021 0.00008 0.00023",
    ),
    "ICLR2024": Setting(
        "iclr-2024",
        0.311209,
        "0.00022 0.00044 0.00090 0.00133 0.00270 0.00005 0.00006 0.00003 0.00006 0.00011",
    ),
    "ICLR2025": Setting(
        "iclr-2025",
        0.321528,
        "0.00024 0.00042 0.00060 0.00093 0.00158 0.00009 0.00015 0.00007 0.00007 0.00011",
    ),
}


def z_score(result: ef.FeeBeeResult, method: str, printed: float) -> float:
    """Return how many standard errors of one run a printed score is away from the mean of ours."""
    runs = result.runs(method)
    error = runs.std(ddof=1) * np.sqrt(1 + 1 / runs.size)
    off = max(abs(printed - runs.mean()) - 5e-6, 0)  # as far as five decimals tell
    return float(np.sign(printed - runs.mean()) * off / error)


if __name__ == "__main__":
    import sys
    for name, s in SETTINGS.items():
        t=time.perf_counter(); r=s.run(METHODS, repeats=int(sys.argv[1]), clip=EPS); t=time.perf_counter()-t
        print(name, f"{t:.1f}s", " ".join(f"{m} {r[m].score:.5f}/{s.published[m]:.5f} {z_score(r, 'beta' if m in VARIANTS else m, s.published[m]):+.1f};" for m in METHODS), f"oracle {r.oracle.score:.5f}", flush=True)
