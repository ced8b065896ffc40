"""
From 2 annotators to 50
=======================

How many people have to look at an item? Plain vote shares need about fifty. The fitted distribution
is near with two or three, and its interval says how much they leave open. ChaosNLI has 100 votes on
each of 1,514 items, from which fewer can be drawn.
"""

import matplotlib.pyplot as plt
import numpy as np

import errorfloor as ef

try:
    data = ef.datasets.load_chaosnli("snli")
    positives, totals, name = data.positives, data.totals, "ChaosNLI (SNLI)"
except ef.datasets.MissingDataError:  # neither in a folder nor to be had from the network
    made = ef.datasets.synthetic.gaussian_mixture(1_514, means=((0.0,), (2.0,)), rng=0)
    made = made.voted(100, rng=0)
    positives, totals, name = made.positives, np.full(1_514, 100), "simulated data"

everything = ef.from_votes(positives, totals)
print(f"{name}, all votes: {everything}")

# %%
# Two, three, five ... of the votes, drawn at random:

rng = np.random.default_rng(0)
numbers = [2, 3, 5, 10, 20, 50]
drawn = {m: rng.hypergeometric(positives, totals - positives, m) for m in numbers}
found = [ef.from_votes(some, m) for m, some in drawn.items()]

figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
place = np.arange(len(numbers))
low, value, high = 100 * np.array([(each.low, each.value, each.high) for each in found]).T
plain = [100 * each.plugin for each in found]
ax.vlines(place, low, high, color="C0", alpha=0.4, linewidth=6, label="95 % interval")
ax.plot(place, value, "o", color="C0", label="mixture")
ax.plot(place, plain, "x", color="C3", label="plain vote shares")
ax.axhline(100 * everything.value, color="0.4", linewidth=1, label="all 100 votes")
ax.set_xticks(place, [str(m) for m in numbers])
ax.set(xlabel="votes per item", ylabel="error floor, %", ylim=(0, None))
ax.legend(ncols=2, fontsize="small")

# %%
# Plain shares are too low, by a third with two or three votes. The mixture is near, and its
# interval says what so few votes leave open: a range of floors, however many items.
#
# This is what it fitted to three votes. Vote shares can only be 0, 1/3, 2/3 and 1; the
# distribution behind them is smooth, and the dark parts, the errors of the best classifier, add up
# to the floor.

ef.plot.distribution(found[1])

# %%
# How far plain shares can be off, for any number of votes:

ef.plot.bias_bounds(ef.bounds.bias_curves(estimate=everything))
