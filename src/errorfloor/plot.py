"""Pictures of computed values, on given axes.

Each function takes a result, draws it and returns the axes; it fits and saves nothing and leaves
matplotlib's settings alone. Fractions are drawn in per cent, with the unit on the axis. Without
axes a figure of pyplot is made, which notebooks show by themselves and scripts show with
`matplotlib.pyplot.show()`; close it when done. For files, and for several panels, pass axes of your
own, best in a figure with ``layout="constrained"``, which makes room for the legends.

Examples
--------
>>> import errorfloor as ef
>>> from matplotlib.figure import Figure
>>> figure = Figure(figsize=(3.4, 2), layout="constrained")
>>> found = ef.from_votes([0] * 60 + [1] * 10 + [2] * 30, 2)
>>> ax = ef.plot.forest([found], model_error=0.2, ax=figure.add_subplot())
>>> ax.get_xlabel()
'error floor, %, with 95 % intervals'
"""

from errorfloor.show.plot import *  # noqa: F403  # the names of `__all__`
from errorfloor.show.plot import __all__ as __all__
