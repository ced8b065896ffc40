"""What is answered today over the whole product is answered tomorrow.

frozen/product.py asks the questions, and says how answers are written again that change on purpose.
"""

from itertools import groupby

import pytest
from frozen import kept, product

KEPT = kept.read(product.PATH)
IN_ORDER = sorted(KEPT, key=product.place_of)  # what asks for the same estimate in a row
GROUPS = {name: list(part) for name, part in groupby(IN_ORDER, product.group_of)}


@pytest.mark.parametrize("group", GROUPS)
def test_answers_are_what_they_were(group):
    found = [
        change
        for name in GROUPS[group]
        for change in product.changes(name, KEPT[name], product.answer(name))
    ]
    assert not found, "\n".join([f"{len(found)} numbers have changed", *kept.told(found)[:20]])
