"""
All methods next to the truth
=============================

Of simulated data the true floor is known, so one can see which methods find it, and which intervals
hold it. The scores are complete here: the true probabilities, distorted.
"""

import errorfloor as ef

data = ef.datasets.synthetic.gaussian_mixture(2_000, rng=1)
seen = data.corrupted(2, 0.7)
rows = ef.compare(seen.scores, seen.labels, complete=True, rng=0)

# %%
# ``corrupted`` takes the scores as they are, ``beta-ab`` and ``beta-a`` take 1/2 for 1/2; all are
# far off, with narrow intervals. An interval shows sampling noise. It cannot show that a method's
# assumption is wrong.

ef.plot.forest(rows, truth=data.floor)

# %%
# Closer, without them:

methods = [row.method for row in rows if row.value < 0.1]
ef.plot.forest([rows[method] for method in methods], truth=data.floor)

# %%
# The same as text:

print(rows)
