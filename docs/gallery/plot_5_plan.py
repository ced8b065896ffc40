"""
What to collect next
====================

Three people have looked at 300 items. Should they look at more items, or should more people look
at these?
"""

import numpy as np

import errorfloor as ef

try:
    data = ef.datasets.load_chaosnli("mnli")
    positives, totals = data.positives[:300], data.totals[:300]
except ef.datasets.MissingDataError:  # neither in a folder nor to be had from the network
    made = ef.datasets.synthetic.gaussian_mixture(300, means=((0.0,), (1.5,)), rng=0)
    made = made.voted(100, rng=0)
    positives, totals = made.positives, np.full(300, 100)

three = np.random.default_rng(0).hypergeometric(positives, totals - positives, 3)
pilot = ef.VoteTable.from_arrays(three, 3)
print(ef.from_votes(pilot))

# %%
# To read a text costs as much as two votes on it. What is the cheapest way to an interval five
# points wide?

found = ef.plan(pilot, target=0.05, cost_per_item=0.10, cost_per_vote=0.05)
print(found)

# %%
# Each cell is the width to be expected. Right of the line the target is reached. With two or three
# votes more items, to the right, soon stop to help; more votes, upwards, still do.

ef.plot.plan(found)

# %%
# With scores there is one label per item, and one question: how many items? More of them never take
# the bound below what the best threshold on the scores gets.

scores = ef.datasets.synthetic.gaussian_mixture(500, rng=0).score_table
found = ef.plan(scores, target=0.01)
print(found.advice)
ef.plot.plan(found)
