"""Names for the array types that pass between modules."""

from typing import TYPE_CHECKING, Any, ForwardRef, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bools: TypeAlias = NDArray[np.bool_]
Counts: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
if TYPE_CHECKING:
    RandomLike: TypeAlias = int | np.integer[Any] | np.random.Generator | None
else:
    # Evaluated when asked for: numpy.random takes a tenth of the time to import this package.
    RandomLike = ForwardRef("int | np.integer[Any] | np.random.Generator | None", module=__name__)
