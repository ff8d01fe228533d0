"""The order in which the checks of one state are asked. Pure, and the same on every machine."""

import hashlib
from math import factorial


def check_order(planned: tuple[str, ...], seed: str, repeat: int) -> tuple[str, ...]:
    """`planned` for the first repeat, and for every further one in an order of its own.

    No order comes twice before all have come. The same seed gives the same orders.
    """
    turn = (repeat - 1) % factorial(min(len(planned), 12))
    seen = {planned}
    order, draw = planned, 0
    while len(seen) <= turn:
        draw += 1
        order = tuple(sorted(planned, key=lambda check: _place(f"{seed}\n{draw}\n{check}")))
        seen.add(order)
    return order


def _place(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8")).digest()
