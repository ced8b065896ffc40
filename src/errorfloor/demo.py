"""Every method on the paper's synthetic set, beside the true floor: `python -m errorfloor.demo`."""

from errorfloor import compare
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture


def main() -> None:
    """Print the floors of all methods and how they compare with the truth."""
    data = gaussian_mixture(10_000, rng=0)
    scores = corrupt(data.soft_labels, 2, 0.7)
    print("10,000 items: scores distorted by f(p; 2, 0.7), one label each")
    print(compare(scores, data.labels, rng=0))
    print(f"true floor {100 * data.floor:.2f} %")


if __name__ == "__main__":
    main()
