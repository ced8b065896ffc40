"""
Who follows the noise?
======================

The true floor of real data is not known. But labels can be made worse on purpose: redrawn by a coin
with probability r, they move the floor from F to r/2 + (1 - r) F. FeeBee measures how well a method
follows. It cannot show what the scores miss.
"""

import errorfloor as ef

try:
    data = ef.datasets.load_chaosnli("abductive")
    scores, labels = data.scores, data.labels
except ef.datasets.MissingDataError:  # neither in a folder nor to be had from the network
    made = ef.datasets.synthetic.gaussian_mixture(1_532, means=((0.0,), (2.5,)), rng=0)
    labels = made.labels
    scores = made.corrupted(0.4, 0.5).voted(100, rng=0).scores

# %%
# Between the bounds is where an estimate should stay; the upper one comes from the error of the
# best model known, here the upper limit for the best threshold on the scores.

model_error = ef.from_scores(scores, labels, rng=0).high
methods = ["isotonic", "hist-100", "beta", "platt"]
found = ef.feebee(scores, labels, methods=methods, model_error=model_error, rng=0)
print(found)

# %%
# ``hist-100`` falls below: a hundred bins have too few items each. The oracle knows the best
# threshold and has no fault but the noise of the redrawn labels; a score near its own cannot be
# told from perfect.

ef.plot.noise_curves(found, [*methods, "oracle"])
