// Dividing a whole number of units over weights.

// Returns one part for each weight (largest remainder); the parts add up to `units`.
// `units` is at most the sum of the weights, and no weight is negative.
export function allocate(units: bigint, weights: readonly bigint[]): bigint[] {
  const total = sum(weights);
  if (total === 0n) {
    return weights.map(() => 0n);
  }
  const shares = weights.map((weight) => ({
    weight,
    part: (units * weight) / total,
    rest: (units * weight) % total,
  }));
  // sorting is stable: what is equal in both stays in the order of the weights
  const order = [...shares].sort(
    (one, other) => compare(other.rest, one.rest) || compare(other.weight, one.weight),
  );
  const left = Number(units - sum(shares.map((share) => share.part)));
  for (const share of order.slice(0, Math.max(left, 0))) {
    share.part += 1n;
  }
  return shares.map((share) => share.part);
}

export function sum(figures: readonly bigint[]): bigint {
  return figures.reduce((total, figure) => total + figure, 0n);
}

// For sorting in ascending order.
export function compare(one: bigint, other: bigint): number {
  if (one === other) {
    return 0;
  }
  return one < other ? -1 : 1;
}
