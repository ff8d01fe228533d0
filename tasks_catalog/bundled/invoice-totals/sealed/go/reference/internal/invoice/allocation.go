package invoice

import (
	"math/big"
	"sort"
)

// Allocate returns one part for each weight (largest remainder); the parts add up to units.
// units is at most the sum of the weights, and no weight is negative.
func Allocate(units int64, weights []int64) []int64 {
	parts := make([]int64, len(weights))
	total := sum(weights)
	if total == 0 {
		return parts
	}
	rests := make([]int64, len(weights))
	order := make([]int, len(weights))
	left := units
	for i, weight := range weights {
		part, rest := new(big.Int).QuoRem(product(units, weight), big.NewInt(total), new(big.Int))
		parts[i], rests[i], order[i] = part.Int64(), rest.Int64(), i
		left -= parts[i]
	}
	// stable: what is equal in both stays in the order of the weights
	sort.SliceStable(order, func(a, b int) bool {
		i, j := order[a], order[b]
		if rests[i] != rests[j] {
			return rests[i] > rests[j]
		}
		return weights[i] > weights[j]
	})
	for _, i := range order {
		if left <= 0 {
			break
		}
		parts[i]++
		left--
	}
	return parts
}

func sum(numbers []int64) int64 {
	total := int64(0)
	for _, number := range numbers {
		total += number
	}
	return total
}
