package settings

import (
	"fmt"
	"strings"
)

const longestInteger = 15

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
	if word == "" || !strings.Contains(decimalDigits, word[:1]) {
		return "", &mistake{"syntax", 0}
	}
	if strings.ContainsAny(word, "dhms") {
		milliseconds, wrong := readDuration(word)
		return fmt.Sprintf("%dms", milliseconds), wrong
	}
	if len(word) > longestInteger || strings.Trim(word, decimalDigits) != "" {
		return "", &mistake{"bad-number", 0}
	}
	return word, nil
}
