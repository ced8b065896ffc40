"""The study of images with a known floor: its truth, and its table, without any flow."""

import json

import numpy as np
import pytest

from benchmarks import flow
from errorfloor.datasets.synthetic import gaussian_classes

RNG = np.random.default_rng(1)
MEANS = 2 * np.eye(10)


def test_the_floor_by_draws_is_that_of_gaussian_classes():
    exact = gaussian_classes(1, means=MEANS, rng=0).floor
    assert flow.floors_of(MEANS, RNG, 40_000)[0] == pytest.approx(exact, abs=0.003)


def test_means_move_together_until_the_floor_is_met():
    share = flow.blend_for(MEANS, 0.3, RNG, draws=20_000)
    assert 0 < share < 1
    assert flow.floors_of(flow._blended(MEANS, share), RNG, 40_000)[1] == pytest.approx(
        0.3, abs=0.01
    )


def test_the_table_says_of_every_answer_whether_what_it_claims_holds(tmp_path):
    data = gaussian_classes(300, means=MEANS, rng=0)
    truth = flow.posterior(data.features, MEANS)
    floor = flow.floors_of(MEANS, RNG, 40_000)[1]
    about = {"seconds": 1, "steps": 2, "nats_per_pixel": -1.0, "inverse_off_by": 1e-6, "blend": 1}
    about |= {"whole": (0.1, floor), "ten": 0.1, "tops": floor, "classifier": 0.2}
    arrays = {"features": data.features, "labels": data.labels, "truth": truth, "scores": truth}
    np.savez(tmp_path / "flow-1.npz", **arrays, about=json.dumps(about))
    page = flow.judge(tmp_path)
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + 1 + 13
    claims = {row[0].lstrip("| "): row[4:] for row in rows[2:]}
    assert claims["true probabilities"][0] == "both"
    assert claims["a network's scores, isotonic"][0] == "high"
    assert claims["images, 1nn"][0] == "none"
    # A floor that is far below what is claimed is told as such.
    about["tops"] = 0.0
    np.savez(tmp_path / "flow-1.npz", **arrays, about=json.dumps(about))
    wrong = [line for line in flow.judge(tmp_path).splitlines() if "**no**" in line]
    assert any("true probabilities" in line for line in wrong)
