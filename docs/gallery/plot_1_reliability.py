"""
Scores that are distorted, and still in order
=============================================

A score of 0.7 is not a probability of 70 %. As long as scores are in the right order, one label an
item is enough to find out what each is worth.
"""

import errorfloor as ef

data = ef.datasets.synthetic.gaussian_mixture(5_000, rng=0)
seen = data.corrupted(2, 0.7)  # less confident than it should be, and 1/2 has become 0.7

# %%
# The reliability curve shows the share of positives at each score. The band holds for all scores
# at once, at 95 %, with no assumption but the order. Where it leaves the dotted line, scores are
# no probabilities.

curve = ef.reliability(seen.scores, seen.labels)
ef.plot.reliability(curve)

# %%
# So the floor must not be read from the scores as they are. With labels, scores of any kind bound
# it. These are complete, because they are the true probabilities on a distorted scale; declared as
# such, they give the floor itself, close to the truth.

print(ef.from_soft_labels(seen.scores, rng=0))
print(ef.from_scores(seen.scores, seen.labels, rng=0))
print(ef.from_scores(seen.scores, seen.labels, complete=True, rng=0))
print(f"the truth: {100 * data.floor:.2f} %")
