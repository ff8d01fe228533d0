package meetings

import (
	"strconv"
	"strings"
)

const (
	firstYear = 1900
	lastYear  = 2199
)

var weekdayNames = [7]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// fields reads the words of one command and remembers whether any of them was bad.
type fields struct {
	bad bool
}

func (f *fields) expect(condition bool) bool {
	if !condition {
		f.bad = true
	}
	return condition
}

func (f *fields) number(word string) int {
	if !f.expect(len(word) <= 9 && word != "" && allDigits(word)) {
		return 1
	}
	value, _ := strconv.Atoi(word)
	if !f.expect(value > 0) {
		return 1
	}
	return value
}

func (f *fields) date(word string) int {
	if !f.expect(fits(word, "####-##-##")) {
		return 1
	}
	year, _ := strconv.Atoi(word[:4])
	month, _ := strconv.Atoi(word[5:7])
	day, _ := strconv.Atoi(word[8:])
	if !f.expect(year >= firstYear && year <= lastYear && month >= 1 && month <= 12) ||
		!f.expect(day >= 1 && day <= monthLength(year, month)) {
		return 1
	}
	return dayNumber(year, month, day)
}

func (f *fields) local(word string) int {
	if !f.expect(fits(word, "####-##-##T##:##")) {
		return 1
	}
	hours, _ := strconv.Atoi(word[11:13])
	minutes, _ := strconv.Atoi(word[14:])
	return f.date(word[:10])*minutesPerDay + hours*60 + minutes
}

func (f *fields) instant(word string) int {
	f.expect(strings.HasSuffix(word, "Z"))
	return f.local(strings.TrimSuffix(word, "Z"))
}

func (f *fields) offset(word string) int {
	if !f.expect(fits(word, "+##:##") || fits(word, "-##:##")) {
		return 0
	}
	hours, _ := strconv.Atoi(word[1:3])
	minutes, _ := strconv.Atoi(word[4:])
	if word[0] == '-' {
		return -(hours*60 + minutes)
	}
	return hours*60 + minutes
}

func (f *fields) weekdays(word string) [7]bool {
	var chosen [7]bool
	for _, name := range strings.Split(word, ",") {
		known := false
		for number, weekdayName := range weekdayNames {
			if weekdayName == name {
				chosen[number] = true
				known = true
			}
		}
		f.expect(known)
	}
	return chosen
}

// fits tells whether the word is the pattern, with a digit for every #.
func fits(word, pattern string) bool {
	if len(word) != len(pattern) {
		return false
	}
	for i := range pattern {
		if pattern[i] == '#' && !allDigits(word[i:i+1]) || pattern[i] != '#' && word[i] != pattern[i] {
			return false
		}
	}
	return true
}

func allDigits(word string) bool { return strings.Trim(word, "0123456789") == "" }
