// Dividing a whole number of units over weights.

// Returns one part for each weight (largest remainder); the parts add up to `units`.
// `units` is at most the sum of the weights, and no weight is negative.
export function allocate(units, weights) {
  const total = sum(weights);
  if (total === 0n) {
    return weights.map(() => 0n);
  }
  const parts = weights.map((weight) => (units * weight) / total);
  const rests = weights.map((weight) => (units * weight) % total);
  // sorting is stable: what is equal in both stays in the order of the weights
  const order = [...weights.keys()].sort(
    (i, j) => compare(rests[j], rests[i]) || compare(weights[j], weights[i]),
  );
  const left = Number(units - sum(parts));
  for (const i of order.slice(0, Math.max(left, 0))) {
    parts[i] += 1n;
  }
  return parts;
}

export function sum(figures) {
  return figures.reduce((total, figure) => total + figure, 0n);
}

// For sorting in ascending order.
export function compare(one, other) {
  if (one === other) {
    return 0;
  }
  return one < other ? -1 : 1;
}
