"""
All methods beside the truth
============================

On made data the true floor is known, so one can see which methods find it, and which intervals
hold it.
"""

import errorfloor as ef

data = ef.datasets.synthetic.gaussian_mixture(2_000, rng=1)
seen = data.corrupted(2, 0.7)
rows = ef.compare(seen.scores, seen.labels, rng=0)

# %%
# ``corrupted`` believes the scores, ``beta-ab`` and ``beta-a`` believe that 1/2 means 1/2; both are
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
