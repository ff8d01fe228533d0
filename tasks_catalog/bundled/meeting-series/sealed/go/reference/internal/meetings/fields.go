package meetings

import (
	"strconv"
	"strings"
)

const (
	longestName   = 20
	firstYear     = 1900
	lastYear      = 2199
	largestOffset = 14 * 60
)

var weekdayNames = [7]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// fields reads the words of one command; settle tells what was wrong with any of them.
//
// A wrong form anywhere goes before a wrong range anywhere, so no word is refused before all are read.
type fields struct {
	badForm    bool
	outOfRange bool
}

func (f *fields) settle() error {
	if f.badForm {
		return Refused("bad_form")
	}
	if f.outOfRange {
		return Refused("out_of_range")
	}
	return nil
}

func (f *fields) name(word string) string {
	if len(word) < 1 || len(word) > longestName || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		f.badForm = true
	}
	return word
}

func (f *fields) number(word string, most int) int {
	if word == "" || !allDigits(word) || (word[0] == '0' && len(word) > 1) {
		f.badForm = true
		return 0
	}
	value := most + 1
	if len(word) <= len(strconv.Itoa(most)) {
		value = digits(word)
	}
	if value < 1 || value > most {
		f.outOfRange = true
	}
	return value
}

func (f *fields) date(word string) int {
	if !fits(word, "####-##-##") {
		f.badForm = true
		return 0
	}
	year, month, day := digits(word[:4]), digits(word[5:7]), digits(word[8:])
	if year < firstYear || year > lastYear || month < 1 || month > 12 ||
		day < 1 || day > monthLength(year, month) {
		f.outOfRange = true
		return 0
	}
	return dayNumber(year, month, day)
}

func (f *fields) local(word string) int {
	if !fits(word, "####-##-##T##:##") {
		f.badForm = true
		return 0
	}
	hours, minutes := digits(word[11:13]), digits(word[14:])
	if hours > 23 || minutes > 59 {
		f.outOfRange = true
	}
	return f.date(word[:10])*minutesPerDay + hours*60 + minutes
}

func (f *fields) instant(word string) int {
	if !strings.HasSuffix(word, "Z") {
		f.badForm = true
		return 0
	}
	return f.local(word[:len(word)-1])
}

func (f *fields) offset(word string) int {
	if !fits(word, "+##:##") && !fits(word, "-##:##") {
		f.badForm = true
		return 0
	}
	hours, minutes := digits(word[1:3]), digits(word[4:])
	size := hours*60 + minutes
	if minutes > 59 || size > largestOffset {
		f.outOfRange = true
	}
	if word[0] == '-' {
		return -size
	}
	return size
}

func (f *fields) transition(word string) transition {
	instant, offset, _ := strings.Cut(word, "/")
	return transition{at: f.instant(instant), offset: f.offset(offset)}
}

func (f *fields) weekday(word string) int {
	for number, name := range weekdayNames {
		if name == word {
			return number
		}
	}
	f.badForm = true
	return 0
}

func (f *fields) weekdays(word string) [7]bool {
	var chosen [7]bool
	for _, name := range strings.Split(word, ",") {
		chosen[f.weekday(name)] = true
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

func digits(word string) int {
	value := 0
	for _, digit := range []byte(word) {
		value = value*10 + int(digit-'0')
	}
	return value
}
