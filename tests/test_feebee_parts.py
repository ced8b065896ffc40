"""Parts of FeeBee, one by one: what may be asked for, and noise next to slow obvious code."""

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import feebee
from errorfloor.questions.feebee import check_means, known_error

ERROR, BALANCED, AUC = (MetricChoice(name).of(2) for name in ("error", "balanced-error", "auc"))


# What may be asked for


def test_a_known_model_is_at_least_as_good_as_a_constant_one():
    three = MetricChoice("error").of(3)
    for metric, classes, given, kept in (
        (ERROR, 2, (0.0, None), 0.0),
        (ERROR, 2, (0.5, None), 0.5),
        (ERROR, 2, (None, 0.3), 0.3),
        (three, 3, (2 / 3, None), 2 / 3),
        (BALANCED, 2, (0.5, None), 0.5),
        (BALANCED, 2, (None, 0.0), 0.0),
        (AUC, 2, (None, 1), 0.0),
        (AUC, 2, (None, 0.5), 0.5),
        (AUC, 2, (None, 0.8), pytest.approx(0.2)),
    ):
        assert known_error(metric, *given, classes) == kept
    for metric, classes, given, message in (
        (ERROR, 2, (0.51, None), r"`model_error` must lie in \[0, 0\.5\], got 0\.51"),
        (ERROR, 2, (-0.01, None), r"`model_error` must lie in \[0, 0\.5\]"),
        (ERROR, 2, (None, 0.6), r"`model_value` must lie in \[0, 0\.5\]"),
        (three, 3, (0.67, None), r"`model_error` must lie in \[0, 0\.667\]"),
        (BALANCED, 2, (0.51, None), r"`model_error` must lie in \[0, 0\.5\]"),
        (AUC, 2, (None, 0.49), r"`model_value` must lie in \[0\.5, 1\]"),
        (AUC, 2, (None, 1.01), r"`model_value` must lie in \[0\.5, 1\]"),
        (AUC, 2, (0.1, None), "`model_error` is no AUC"),
        (ERROR, 2, ("5%", None), "Divide percentages by 100; without a model, the share of the"),
        (ERROR, 2, (0.1, 0.1), "are two names of one thing"),
        (ERROR, 2, (None, None), "`model_error` is missing: .*the share of the rarer class is"),
        (three, 3, (None, None), "`model_error` is missing: .*one minus the share of the most fre"),
        (BALANCED, 2, (None, None), r"`model_value` is missing: .*0\.5 is what a constant one has"),
        (AUC, 2, (None, None), r"`model_value` is missing: .*0\.5 is what a constant one has"),
    ):
        with pytest.raises(ef.InputError, match=message):
            known_error(metric, *given, classes)


def test_means_of_noise_are_strictly_between_0_and_1():
    assert check_means(None) == pytest.approx(tuple(np.arange(1, 10) / 10))
    assert check_means(0.3) == (0.3,)
    assert check_means([0.01, 0.99]) == (0.01, 0.99)
    assert check_means(np.array([0.25, 0.5])) == (0.25, 0.5)
    for wrong in (0, 1, [0.0], [0.5, 1.0], [], "half", ["0.5"], {0.5}, [0.2, -0.1]):
        with pytest.raises(ef.InputError, match="`means` must be numbers between 0 and 1"):
            check_means(wrong)


def test_labels_of_both_classes_are_needed_for_other_metrics():
    feebee.check_both_classes(ef.ScoreTable.from_arrays([0.1, 0.2], [0, 1]), AUC)
    for label in (0, 1):
        table = ef.ScoreTable.from_arrays([0.1, 0.2], [label, label])
        with pytest.raises(ef.InputError, match="Balanced error needs labels of both"):
            feebee.check_both_classes(table, BALANCED)


def test_methods_of_other_metrics_have_an_answer_of_their_own_or_a_map():
    for name in ("ranking", "isotonic"):
        assert feebee.method_of(name, AUC).metrics == ("auc",)
    for name in ("platt", "hist-10", "hist-7", "beta"):  # any number of bins
        found = feebee.method_of(name, AUC)
        assert (found.name, found.metrics) == (name, ("error",))
    for name in ("isotonic-cf", "ppi", "isotonc", 3):
        with pytest.raises(ef.InputError, match=r"They are those for AUC\."):
            feebee.method_of(name, AUC)
    assert "ranking" not in feebee.methods_of(BALANCED)
