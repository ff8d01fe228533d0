// Dividing a whole number of units over weights.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "decimals.hpp"

inline Units sum(const std::vector<Units>& figures) {
    return std::accumulate(figures.begin(), figures.end(), Units{0});
}

// One part for each weight (largest remainder); the parts add up to the units. The units are at
// most the sum of the weights, and no weight is negative.
inline std::vector<Units> allocate(Units units, const std::vector<Units>& weights) {
    std::vector<Units> parts(weights.size(), 0);
    Units total = sum(weights);
    if (total == 0) {
        return parts;
    }
    std::vector<Units> rests(weights.size(), 0);
    std::vector<std::size_t> order(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        parts[i] = units * weights[i] / total;
        rests[i] = units * weights[i] % total;
        order[i] = i;
    }
    // stable: what is equal in both stays in the order of the weights
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        if (rests[i] != rests[j]) {
            return rests[i] > rests[j];
        }
        return weights[i] > weights[j];
    });
    Units left = units - sum(parts);
    for (std::size_t i : order) {
        if (left-- <= 0) {
            break;
        }
        ++parts[i];
    }
    return parts;
}
