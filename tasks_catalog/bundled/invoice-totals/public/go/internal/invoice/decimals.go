package invoice

import (
	"fmt"
	"strconv"
	"strings"
)

const longestWhole = 5

// parseHundredths returns the hundredths of the number that a word is, and whether it is one.
func parseHundredths(word string) (int64, bool) {
	unsigned := strings.TrimPrefix(word, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	if !isDigits(whole) || len(whole) > longestWhole || fraction != "" && !isDigits(fraction) {
		return 0, false
	}
	units, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	if unsigned != word {
		units = -units
	}
	return units, err == nil
}

// parseWhole returns the whole part of the number that a word is, and whether it is one.
func parseWhole(word string) (int64, bool) {
	units, ok := parseHundredths(word)
	return units / 100, ok
}

func formatHundredths(units int64) string {
	sign := ""
	if units < 0 {
		sign, units = "-", -units
	}
	return fmt.Sprintf("%s%d.%02d", sign, units/100, units%100)
}

func isDigits(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == ""
}
