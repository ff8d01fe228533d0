package textmerge

import (
	"strconv"
	"strings"
)

const largestSize = 40

// options is how one merge is done; mine, base and theirs are labels.
type options struct {
	compare string
	style   string
	size    int
	favour  string
	mine    string
	base    string
	theirs  string
}

func readOptions(words []string) (options, error) {
	o := options{compare: "exact", style: "short", size: 7, favour: "none", mine: "mine", base: "base", theirs: "theirs"}
	seen := map[string]int{}
	for _, word := range words {
		key, value, found := strings.Cut(word, "=")
		if !found || !o.set(key, value) {
			return options{}, refused("bad_option")
		}
		seen[key]++
	}
	for _, times := range seen {
		if times > 1 {
			return options{}, refused("repeated_option")
		}
	}
	return o, nil
}

// set tells whether there is such an option with such a value.
func (o *options) set(key, value string) bool {
	switch key {
	case "compare":
		o.compare = value
		return value == "exact" || value == "ends" || value == "trailing" || value == "all"
	case "style":
		o.style = value
		return value == "short" || value == "full"
	case "favour":
		o.favour = value
		return value == "none" || value == "mine" || value == "theirs"
	case "size":
		size, ok := readNumber(value, largestSize)
		o.size = size
		return ok && size > 0
	case "mine":
		o.mine = value
	case "base":
		o.base = value
	case "theirs":
		o.theirs = value
	default:
		return false
	}
	return true
}

// readNumber returns a number up to most and whether the word is one.
func readNumber(word string, most int) (int, bool) {
	digits := strings.Trim(word, "0123456789") == ""
	if word == "" || !digits || (word[0] == '0' && len(word) > 1) || len(word) > len(strconv.Itoa(most)) {
		return 0, false
	}
	number := 0
	for _, digit := range []byte(word) {
		number = number*10 + int(digit-'0')
	}
	return number, number <= most
}
