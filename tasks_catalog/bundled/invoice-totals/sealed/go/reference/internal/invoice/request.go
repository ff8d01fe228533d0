package invoice

import (
	"strings"
	"unicode/utf8"
)

const (
	percentKind = "percent"
	amountKind  = "amount"

	longestName  = 12
	finest       = 3
	mostQuantity = 999_999_999
	mostPercent  = 100_000
)

var commands = map[string][]string{
	"currency": {"code", "digits"},
	"open":     {"doc", "code", "rounding"},
	"line":     {"doc", "line", "quantity", "price", "rate"},
	"discount": {"doc", "line", "kind", "value"},
	"rebate":   {"doc", "kind", "value"},
	"lines":    {"doc"},
	"total":    {"doc"},
}

var choices = map[string][]string{
	"digits":   {"0", "2", "3"},
	"rounding": {string(HalfUp), string(HalfEven)},
	"kind":     {percentKind, amountKind},
}

// Request is a command whose fields are all in their form and range.
type Request struct {
	Command string
	Words   map[string]string
	Numbers map[string]Decimal
}

// Parse reads one line; its error is a Refusal.
func Parse(line string) (Request, error) {
	words := strings.Split(line, " ")
	names, known := commands[words[0]]
	if !known {
		return Request{}, Refusal("unknown_command")
	}
	if len(words)-1 != len(names) {
		return Request{}, Refusal("wrong_fields")
	}
	r := Request{Command: words[0], Words: map[string]string{}, Numbers: map[string]Decimal{}}
	for i, name := range names {
		r.Words[name] = words[i+1]
	}
	for _, check := range []func() error{r.checkNames, r.checkChoices, r.readNumbers, r.checkRanges} {
		if err := check(); err != nil {
			return Request{}, err
		}
	}
	return r, nil
}

func (r Request) checkNames() error {
	for _, name := range []string{"code", "doc", "line"} {
		word, given := r.Words[name]
		if given && (word == "" || utf8.RuneCountInString(word) > longestName) {
			return Refusal("bad_name")
		}
	}
	return nil
}

func (r Request) checkChoices() error {
	for name, allowed := range choices {
		if word, given := r.Words[name]; given && !contains(allowed, word) {
			return Refusal("bad_word")
		}
	}
	return nil
}

func (r Request) readNumbers() error {
	for _, name := range []string{"quantity", "price", "rate", "value"} {
		word, given := r.Words[name]
		if !given {
			continue
		}
		number, ok := ParseDecimal(word)
		if !ok {
			return Refusal("bad_number")
		}
		r.Numbers[name] = number
	}
	return nil
}

func (r Request) checkRanges() error {
	for name, number := range r.Numbers {
		if !r.allowed(name, number) {
			return Refusal("out_of_range")
		}
	}
	return nil
}

func (r Request) allowed(name string, number Decimal) bool {
	switch {
	case name == "quantity":
		if number.Places > finest || number.Digits == 0 {
			return false
		}
		thousandths := number.Scaled(finest)
		return -mostQuantity <= thousandths && thousandths <= mostQuantity
	case name == "rate" || r.Words["kind"] == percentKind:
		return number.Places <= finest && number.Digits >= 0 && number.Scaled(finest) <= mostPercent
	default:
		return number.Digits >= 0
	}
}

func contains(words []string, wanted string) bool {
	for _, word := range words {
		if word == wanted {
			return true
		}
	}
	return false
}
