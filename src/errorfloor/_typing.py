"""Names for the array types that pass between modules."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bools: TypeAlias = NDArray[np.bool_]
Counts: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
# A string, because numpy.random takes a tenth of the time to import this package.
RandomLike: TypeAlias = "int | np.integer[Any] | np.random.Generator | None"
