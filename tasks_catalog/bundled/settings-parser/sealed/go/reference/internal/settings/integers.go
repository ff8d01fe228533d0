package settings

import "strings"

const largestInteger = 9_007_199_254_740_991

// readInteger returns the number of an integer such as -1_000 or 0xff.
func readInteger(word string) (int64, *mistake) {
	position := 0
	if strings.HasPrefix(word, "-") {
		position = 1
	}
	negative := position > 0
	digits := decimalDigits
	if strings.HasPrefix(word[position:], "0x") {
		digits = hexadecimalDigits
		position += 2
	} else if strings.HasPrefix(word[position:], "0") && len(word) > position+1 {
		return 0, &mistake{"bad-number", position + 1}
	}
	var number int64
	digitMustFollow := true
	for ; position < len(word); position++ {
		switch {
		case strings.IndexByte(digits, word[position]) >= 0:
			if number <= largestInteger {
				number = number*base(digits) + digitValue(word[position])
			}
			digitMustFollow = false
		case word[position] == '_' && !digitMustFollow:
			digitMustFollow = true
		default:
			return 0, &mistake{"bad-number", position}
		}
	}
	if digitMustFollow {
		return 0, &mistake{"bad-number", position}
	}
	if number > largestInteger {
		return 0, &mistake{"out-of-range", 0}
	}
	if negative {
		number = -number
	}
	return number, nil
}

func base(digits string) int64 {
	if digits == decimalDigits {
		return 10
	}
	return 16
}

func digitValue(digit byte) int64 {
	switch {
	case digit >= 'a':
		return int64(digit-'a') + 10
	case digit >= 'A':
		return int64(digit-'A') + 10
	}
	return int64(digit - '0')
}
