"""Every method on the paper's synthetic set, beside the true floor: `python -m errorfloor.demo`."""

import numpy as np

from errorfloor import Comparison, compare, from_soft_labels, from_votes
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture


def main() -> None:
    """Print the floors of all methods and whether their intervals hold the true one."""
    data = gaussian_mixture(10_000, rng=0)
    fifty, three = (np.random.default_rng(0).binomial(m, data.soft_labels) for m in (50, 3))
    scores = corrupt(data.soft_labels, 2, 0.7)
    rows = Comparison(
        (
            from_soft_labels(data.soft_labels, rng=0),
            from_votes(fifty, 50, method="plugin", rng=0),
            from_votes(three, 3),
            *compare(scores, data.labels, rng=0),
        )
    )
    head, *lines = str(rows).splitlines()
    print("10,000 items of two Gaussian classes. clean: their true probabilities; plugin: 50 votes")
    print("each; mixture: 3 votes each; all others: scores distorted by f(p; 2, 0.7) and one label")
    print("each. 95 % intervals.\n")
    print(f"{head:<54} true floor {100 * data.floor:.2f} %")
    for row, line in zip(rows, lines, strict=True):
        held = row.interval is not None and row.interval.low <= data.floor <= row.interval.high
        print(f"{line:<54} {'inside' if held else 'missed'}")


if __name__ == "__main__":
    main()
