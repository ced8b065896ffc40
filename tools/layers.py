"""The layers of the package: data flows one way, so each imports only from those before it.

An entry is a folder of `src/errorfloor`, or a module next to the folders.
"""

LAYERS = (
    "_typing",
    "_checks",
    "_keywords",
    "_numbers",
    "_shown",  # names what shows results, by which they need not import it
    "_references",
    "data",
    "metrics",
    "methods",
    "features",
    "intervals",
    "results",
    "checks",
    "bounds",
    "questions",
    "datasets",
    "__init__",
    "show",
    "frames",
    "plot",
    "testing",
    "paper",
    "apps",
    "__main__",
)
