"""
Which classes no model can tell apart
=====================================

Some errors are nobody's fault: the classes overlap. CIFAR-10H has about 51 votes on each of 10,000
images of ten classes. They show which classes no model can tell apart that predicts one more vote.
"""

import matplotlib.pyplot as plt

import errorfloor as ef

try:
    data = ef.datasets.load_cifar10h()
    votes, classes, name = data.votes, data.classes, "CIFAR-10H"
except ef.datasets.MissingDataError:  # neither in a folder nor to be had from the network
    made = ef.datasets.synthetic.gaussian_ring(2_000, classes=6, rng=0)
    votes = ef.datasets.synthetic.vote_for_classes(made.soft_labels, 20, rng=0)
    classes, name = ["red", "orange", "yellow", "green", "blue", "violet"], "simulated data"

floor = ef.from_votes(counts=votes, classes=classes)
print(f"{name}: {floor}")

# %%
# The errors of the best rule there is, by true class and answer:

found = ef.confusion(floor)
print(found)

figure, ax = plt.subplots(figsize=(5.4, 4.2), layout="constrained")
ef.plot.confusion(found, ax=ax)

# %%
# How sure the best answer is, item by item. What is missing to 100 % adds up to the floor.

ef.plot.distribution(floor)
