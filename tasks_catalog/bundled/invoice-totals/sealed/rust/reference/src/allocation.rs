//! Dividing a whole number of units over weights.

use std::cmp::Reverse;

/// Returns one part for each weight (largest remainder); the parts add up to `units`.
/// `units` is at most the sum of the weights, and no weight is negative.
pub fn allocate(units: i128, weights: &[i128]) -> Vec<i128> {
    let total: i128 = weights.iter().sum();
    if total == 0 {
        return vec![0; weights.len()];
    }
    let mut parts: Vec<i128> = weights.iter().map(|weight| units * weight / total).collect();
    let rests: Vec<i128> = weights.iter().map(|weight| units * weight % total).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    // sorting is stable: what is equal in both stays in the order of the weights
    order.sort_by_key(|&i| Reverse((rests[i], weights[i])));
    let left = units - parts.iter().sum::<i128>();
    for &i in order.iter().take(left.max(0) as usize) {
        parts[i] += 1;
    }
    parts
}
