"""Dividing a whole number of units over weights."""


def allocate(units, weights):
    """Return one part for each weight (largest remainder); the parts add up to `units`.

    `units` is at most the sum of the weights, and no weight is negative.
    """
    total = sum(weights)
    if total == 0:
        return [0] * len(weights)
    parts = [units * weight // total for weight in weights]
    rests = [units * weight % total for weight in weights]
    # sorting is stable: what is equal in both stays in the order of the weights
    order = sorted(range(len(weights)), key=lambda i: (-rests[i], -weights[i]))
    for i in order[: units - sum(parts)]:
        parts[i] += 1
    return parts
