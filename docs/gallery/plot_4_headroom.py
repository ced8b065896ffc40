"""
Can this model still improve?
=============================

A model with 5 errors in 10,000 looks too good for pictures on which people disagree. Is the test
set leaked? The answer depends on which label the floor is for.
"""

import errorfloor as ef

try:
    data = ef.datasets.load_cifar10h()
    scores, labels = data.scores, data.labels
    votes = data.vote_table
except ef.datasets.MissingDataError:  # neither in a folder nor to be had from the network
    made = ef.datasets.synthetic.gaussian_mixture(means=((0.0,), (6.5,)), rng=1)
    made = made.corrupted(2, 0.5).voted(50, rng=2)  # people are less sure than they could be
    scores, labels = made.scores, made.labels
    votes = made.vote_table

# %%
# Votes give the floor for predicting another *vote*. People saw pictures of 32 by 32 pixels; the
# labels of the set go back to before they were scaled down. If the test labels were votes, the
# model would be impossibly good:

people = ef.from_votes(votes)
verdict = ef.headroom(people, errors=5, n=10_000, same_labelling=True)
print(verdict)
ef.plot.headroom(verdict)

# %%
# For the set's own labels, the shares of votes are scores, and bound the floor. The model is as
# good as the best threshold on them. They cannot tell whether a model that sees more can do better:

own = ef.from_scores(scores, labels, rng=0)
verdict = ef.headroom(own, errors=5, n=10_000)
print(verdict)
ef.plot.headroom(verdict)

# %%
# And a weaker model, which can still gain something:

verdict = ef.headroom(own, errors=60, n=10_000)
print(verdict)
ef.plot.headroom(verdict)
