package invoice

import "math/big"

// Rounding is how a document rounds.
type Rounding string

// The two ways to round.
const (
	HalfUp   Rounding = "half-up"
	HalfEven Rounding = "half-even"
)

// Divide returns numerator / divisor, its magnitude rounded; the divisor is greater than zero.
// What no int64 can hold comes back just above Largest, with its sign.
func (r Rounding) Divide(numerator *big.Int, divisor int64) int64 {
	d := big.NewInt(divisor)
	quotient, rest := new(big.Int).QuoRem(new(big.Int).Abs(numerator), d, new(big.Int))
	twice := rest.Lsh(rest, 1)
	tie := twice.Cmp(d) == 0
	if twice.Cmp(d) > 0 || tie && (r == HalfUp || quotient.Bit(0) == 1) {
		quotient.Add(quotient, big.NewInt(1))
	}
	magnitude := Largest + 1
	if quotient.IsInt64() {
		magnitude = quotient.Int64()
	}
	if numerator.Sign() < 0 {
		return -magnitude
	}
	return magnitude
}

func product(factors ...int64) *big.Int {
	result := big.NewInt(1)
	for _, factor := range factors {
		result.Mul(result, big.NewInt(factor))
	}
	return result
}
