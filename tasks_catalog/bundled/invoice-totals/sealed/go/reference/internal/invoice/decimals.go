package invoice

import (
	"strconv"
	"strings"
)

const (
	longestWhole    = 12
	longestFraction = 6
)

// Decimal is the number Digits / 10^Places, with as many places as were written.
type Decimal struct {
	Digits int64
	Places int
}

// Scaled returns the number in units of 10^-places; places is at least its own.
func (d Decimal) Scaled(places int) int64 { return d.Digits * powerOfTen(places-d.Places) }

// ParseDecimal returns the number that a word is, and whether it is one.
func ParseDecimal(word string) (Decimal, bool) {
	unsigned := strings.TrimPrefix(word, "-")
	whole, fraction, pointed := strings.Cut(unsigned, ".")
	if !isDigits(whole, longestWhole) || pointed && !isDigits(fraction, longestFraction) {
		return Decimal{}, false
	}
	digits, err := strconv.ParseInt(whole+fraction, 10, 64)
	if err != nil {
		return Decimal{}, false
	}
	if unsigned != word {
		digits = -digits
	}
	return Decimal{Digits: digits, Places: len(fraction)}, true
}

// FormatDecimal writes units of 10^-places with exactly that many places.
func FormatDecimal(units int64, places int) string {
	sign := ""
	if units < 0 {
		sign, units = "-", -units
	}
	digits := strconv.FormatInt(units, 10)
	if missing := places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	if places == 0 {
		return sign + digits
	}
	point := len(digits) - places
	return sign + digits[:point] + "." + digits[point:]
}

// FormatShortest writes units of 10^-places without needless zeros; places is at least 1.
func FormatShortest(units int64, places int) string {
	return strings.TrimSuffix(strings.TrimRight(FormatDecimal(units, places), "0"), ".")
}

func isDigits(word string, longest int) bool {
	if word == "" || len(word) > longest {
		return false
	}
	return strings.Trim(word, "0123456789") == ""
}

func powerOfTen(exponent int) int64 {
	power := int64(1)
	for ; exponent > 0; exponent-- {
		power *= 10
	}
	return power
}
