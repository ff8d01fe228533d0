package ledger

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	longestName         = 20
	latest        int64 = 999_999_999_999
	largest       int64 = 999_999_999_999_999
	longestNumber       = 15
)

// A field is a name unless it has a largest value.
type field struct {
	name     string
	smallest int64
	largest  int64
}

var (
	postingFields = []field{{name: "payer"}, {name: "payee"}, {name: "amount", smallest: 1, largest: largest}}
	at            = field{name: "at", largest: latest}
	amount        = field{name: "amount", smallest: 1, largest: largest}
	commands      = map[string][]field{
		"account":   {{name: "account"}, {name: "currency"}, {name: "overdraft", largest: largest}},
		"post":      keyed(),
		"hold":      keyed(field{name: "account"}, amount, field{name: "until", largest: latest}),
		"capture":   keyed(field{name: "hold"}, field{name: "payee"}, amount),
		"release":   keyed(field{name: "hold"}),
		"reverse":   keyed(field{name: "transaction"}),
		"balance":   {at, {name: "account"}},
		"statement": {{name: "start", largest: latest}, {name: "end", largest: latest}, {name: "account"}},
	}
)

func keyed(more ...field) []field {
	return append([]field{at, {name: "client"}, {name: "key"}}, more...)
}

// Posting moves an amount between two accounts, which are named.
type Posting struct {
	Payer  string
	Payee  string
	Amount int64
}

// Request is a command whose fields are all in their form and range.
type Request struct {
	Command  string
	Names    map[string]string
	Numbers  map[string]int64
	Postings []Posting
	// Content is what a repeat has in common with the first command.
	Content string
}

// IsKeyed tells whether the command moves money.
func (r Request) IsKeyed() bool {
	_, given := r.Names["key"]
	return given
}

// Parse reads one line; its error is a Refused.
func Parse(line string) (Request, error) {
	words := strings.Split(line, " ")
	command, words := words[0], words[1:]
	fields, known := commands[command]
	if !known {
		return Request{}, Refused("unknown_command")
	}
	named := len(fields)
	if command == "post" {
		fields = withPostings(fields, len(words))
	}
	if len(words) != len(fields) || command == "post" && len(fields) == named {
		return Request{}, Refused("wrong_fields")
	}
	numbers, err := readNumbers(fields, words)
	if err != nil {
		return Request{}, err
	}
	r := Request{Command: command, Names: map[string]string{}, Numbers: map[string]int64{}}
	for i, f := range fields[:named] {
		if f.largest > 0 {
			r.Numbers[f.name] = numbers[i]
		} else {
			r.Names[f.name] = words[i]
		}
	}
	for i := named; i < len(fields); i += len(postingFields) {
		r.Postings = append(r.Postings, Posting{words[i], words[i+1], numbers[i+2]})
	}
	if command == "statement" && r.Numbers["start"] > r.Numbers["end"] {
		return Request{}, Refused("out_of_range")
	}
	r.Content = command + " " + strings.Join(words[1:], " ")
	return r, nil
}

func withPostings(fields []field, words int) []field {
	all := append([]field(nil), fields...)
	for len(all)+len(postingFields) <= words {
		all = append(all, postingFields...)
	}
	return all
}

func readNumbers(fields []field, words []string) ([]int64, error) {
	for i, f := range fields {
		if f.largest == 0 && (words[i] == "" || utf8.RuneCountInString(words[i]) > longestName) {
			return nil, Refused("bad_name")
		}
	}
	for i, f := range fields {
		if f.largest > 0 && !isNumber(words[i]) {
			return nil, Refused("bad_number")
		}
	}
	numbers := make([]int64, len(fields))
	for i, f := range fields {
		if f.largest == 0 {
			continue
		}
		if len(words[i]) > longestNumber {
			return nil, Refused("out_of_range")
		}
		number, err := strconv.ParseInt(words[i], 10, 64)
		if err != nil || number < f.smallest || number > f.largest {
			return nil, Refused("out_of_range")
		}
		numbers[i] = number
	}
	return numbers, nil
}

func isNumber(word string) bool {
	if word == "" || strings.Trim(word, "0123456789") != "" {
		return false
	}
	return word == "0" || word[0] != '0'
}
