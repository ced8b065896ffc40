"""Results behave like numbers where people expect it, and names that people would guess work."""

import numpy as np
import pytest
from click.testing import CliRunner

import errorfloor as ef
from errorfloor import metrics
from errorfloor.apps.cli.commands import cli
from errorfloor.metrics.asked import Asked

pytestmark = [pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")]
SOFT = [0.1, 0.4, 0.8, 0.95]


def test_an_estimate_is_a_number_where_one_is_needed():
    found = ef.from_soft_labels(SOFT)
    assert float(found) == found.value
    assert f"{found:.3f}" == f"{found.value:.3f}"
    assert f"{found:.1%}" == f"{found.value:.1%}"
    assert f"{found}" == str(found)
    assert np.mean([float(found), float(found)]) == found.value


def test_estimates_are_compared_with_numbers_and_with_each_other_by_their_values():
    low, high = ef.from_soft_labels([0.05] * 9), ef.from_soft_labels([0.4] * 9)
    assert low < 0.1 < high
    assert high > low
    assert sorted([high, low]) == [low, high]
    assert max(low, high) is high
    assert low != 0.05  # results equal results only, and themselves
    with pytest.raises(TypeError):
        _ = low < "0.1"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("accuracy", "error"),
        ("balanced_accuracy", "balanced-error"),
        ("roc_auc", "auc"),
        ("AUROC", "auc"),
        ("ap", "average-precision"),
        ("f1_score", "f1"),
        ("matthews_corrcoef", "mcc"),
        ("brier_score", "brier"),
        ("cross-entropy", "log-loss"),
    ],
)
def test_metrics_are_found_by_the_names_that_people_know(name, meant):
    assert Asked(name).metric == meant
    found = ef.from_soft_labels(SOFT, metric=name)
    assert (found.metric, found.value) == (meant, ef.from_soft_labels(SOFT, metric=meant).value)


def test_no_metric_has_the_name_of_another():
    names = [name for one in metrics.METRICS for name in (one.name, *one.other_names)]
    assert len(set(names)) == len(names)


def test_a_model_may_be_given_by_its_accuracy(tmp_path):
    floor = ef.from_soft_labels(SOFT * 50)
    assert ef.headroom(floor, accuracy="70%", n=500).model_error == pytest.approx(0.3)
    by_error = ef.headroom(floor, model_error=0.3, n=500)
    assert ef.headroom(floor, accuracy=0.7, n=500).difference == pytest.approx(by_error.difference)
    with pytest.raises(ValueError, match="`accuracy` and `model_error` are both given"):
        ef.headroom(floor, accuracy=0.7, model_error=0.3, n=500)
    with pytest.raises(ValueError, match="`accuracy` must"):
        ef.headroom(floor, accuracy=70, n=500)
    path = tmp_path / "soft.csv"
    path.write_text("soft\n" + "".join(f"{p}\n" for p in SOFT * 50))
    given = ["--test-items", "500", "--json"]
    outputs = [
        CliRunner().invoke(cli, ["headroom", str(path), *model, *given]).stdout
        for model in (["--model-accuracy", "70%"], ["--model-error", "0.3"])
    ]
    assert outputs[0] == outputs[1] != ""
    both = ["--model-accuracy", "0.7", "--model-error", "0.3"]
    ran = CliRunner().invoke(cli, ["headroom", str(path), *both, *given])
    assert ran.exit_code == 2
    assert "either --model-errors, --model-error or --model-accuracy" in ran.output
