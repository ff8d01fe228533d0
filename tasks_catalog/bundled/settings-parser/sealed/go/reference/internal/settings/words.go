package settings

import (
	"strconv"
	"strings"
)

// mistake is what is wrong with a value. offset is its place in the word, from 0: before it stand ASCII characters only.
type mistake struct {
	kind   string
	offset int
}

// readWord returns the printed value of a word.
func readWord(word string) (string, *mistake) {
	if word == "true" || word == "false" {
		return word, nil
	}
	if !strings.Contains(decimalDigits+"-", word[:1]) {
		return "", &mistake{"unknown-word", 0}
	}
	if !strings.HasPrefix(strings.TrimPrefix(word, "-"), "0x") && strings.ContainsAny(word, "dhms") {
		milliseconds, wrong := readDuration(word)
		return strconv.FormatInt(milliseconds, 10) + "ms", wrong
	}
	number, wrong := readInteger(word)
	return strconv.FormatInt(number, 10), wrong
}
