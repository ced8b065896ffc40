"""Every method on the paper's synthetic set, beside the true floor: `python -m errorfloor.demo`."""

import numpy as np

from errorfloor import Comparison, compare, from_soft_labels, from_votes
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture


def main() -> None:
    """Print the floors of all methods and whether their intervals hold the true one."""
    data = gaussian_mixture(10_000, rng=0)
    votes = np.random.default_rng(0).binomial(50, data.soft_labels)
    scores = corrupt(data.soft_labels, 2, 0.7)
    rows = Comparison(
        (
            from_soft_labels(data.soft_labels, rng=0),
            from_votes(votes, 50, rng=0),
            *compare(scores, data.labels, rng=0),
        )
    )
    head, *lines = str(rows).splitlines()
    print("10,000 items of two Gaussian classes. clean: true probabilities; plugin: 50 votes each;")
    print("all others: scores distorted by f(p; 2, 0.7) and one label each. 95 % intervals.\n")
    print(f"{head:<50} true floor {100 * data.floor:.2f} %")
    for row, line in zip(rows, lines, strict=True):
        held = row.interval is not None and row.interval.low <= data.floor <= row.interval.high
        print(f"{line:<50} {'inside' if held else 'missed'}")


if __name__ == "__main__":
    main()
