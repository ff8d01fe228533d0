package settings

import "strings"

const (
	decimalDigits   = "0123456789"
	longestDuration = 9_007_199_254_740_991
)

type unit struct {
	name         string
	milliseconds int64
}

var units = []unit{{"d", 86_400_000}, {"h", 3_600_000}, {"m", 60_000}, {"s", 1_000}, {"ms", 1}}

// readDuration returns the milliseconds of a duration such as 1h30m.
func readDuration(word string) (int64, *mistake) {
	var total int64
	tooLong := false
	nextRank := 0
	position := 0
	for position < len(word) {
		var count int64
		start := position
		for position < len(word) && strings.IndexByte(decimalDigits, word[position]) >= 0 {
			if count <= longestDuration {
				count = count*10 + int64(word[position]-'0')
			}
			position++
		}
		rank := unitRank(word[position:])
		if position == start || rank < nextRank {
			return 0, &mistake{"bad-duration", position}
		}
		if count > (longestDuration-total)/units[rank].milliseconds {
			tooLong = true
		} else {
			total += count * units[rank].milliseconds
		}
		position += len(units[rank].name)
		nextRank = rank + 1
	}
	if tooLong {
		return 0, &mistake{"out-of-range", 0}
	}
	return total, nil
}

// unitRank returns the place in units of the unit that the text starts with, -1 if there is none.
func unitRank(text string) int {
	for rank := len(units) - 1; rank >= 0; rank-- {
		if strings.HasPrefix(text, units[rank].name) {
			return rank
		}
	}
	return -1
}
