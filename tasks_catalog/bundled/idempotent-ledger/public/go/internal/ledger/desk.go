// Package ledger answers ledger commands.
package ledger

import (
	"fmt"
	"strconv"
	"strings"
)

const longestNumber = 15

var (
	refused = []string{"refused bad_command"}
	lengths = map[string]int{
		"account": 4, "hold": 7, "capture": 7, "release": 5, "reverse": 5, "balance": 3, "statement": 4,
	}
)

// Desk keeps the book and the answers to keys; it answers one command line after the other.
type Desk struct {
	book    *book
	answers map[string][]string
}

// NewDesk returns a desk that knows no account.
func NewDesk() *Desk { return &Desk{book: newBook(), answers: map[string][]string{}} }

// Answer carries out one command and returns the lines of its answer.
func (d *Desk) Answer(line string) []string {
	words := strings.Split(line, " ")
	if words[0] == "post" {
		if len(words) < 7 || len(words)%3 != 1 {
			return refused
		}
	} else if lengths[words[0]] != len(words) {
		return refused
	}
	switch words[0] {
	case "account":
		return d.account(words[1], words[3])
	case "balance":
		return d.balance(words[2])
	case "statement":
		return d.statement(words[1], words[2], words[3])
	}
	key := words[3]
	if _, known := d.answers[key]; !known {
		d.answers[key] = d.carryOut(words[0], words[1], words[4:])
	}
	return d.answers[key]
}

func (d *Desk) account(name, word string) []string {
	overdraft, ok := number(word)
	if !ok {
		return refused
	}
	d.book.open(name, overdraft)
	return []string{"ok"}
}

func (d *Desk) balance(name string) []string {
	a, known := d.book.accounts[name]
	if !known {
		return refused
	}
	return []string{fmt.Sprintf("balance %d held %d available %d", a.balance, a.held, a.available())}
}

func (d *Desk) statement(from, to, name string) []string {
	a, known := d.book.accounts[name]
	start, startOK := number(from)
	end, endOK := number(to)
	if !known || !startOK || !endOK {
		return refused
	}
	var entries []string
	for _, e := range a.entries {
		if start <= e.at && e.at <= end {
			entries = append(entries, fmt.Sprintf("entry %d %s %s %d %d", e.at, e.transaction, e.other, e.amount, e.balance))
		}
	}
	head := fmt.Sprintf("statement %d opening 0 closing %d", len(entries), a.balance)
	return append([]string{head}, entries...)
}

func (d *Desk) carryOut(command, instant string, words []string) []string {
	at, ok := number(instant)
	if !ok {
		return refused
	}
	switch command {
	case "post":
		return d.post(at, words)
	case "hold":
		return d.hold(words[0], words[1])
	case "capture":
		return d.capture(at, words[0], words[1], words[2])
	case "release":
		if _, known := d.book.holds[words[0]]; !known {
			return refused
		}
		return answer(d.book.release(words[0]))
	default:
		if _, known := d.book.transactions[words[0]]; !known {
			return refused
		}
		return answer(d.book.reverse(at, words[0]))
	}
}

func (d *Desk) post(at int64, words []string) []string {
	var postings []posting
	for i := 0; i < len(words); i += 3 {
		amount, ok := number(words[i+2])
		if !d.has(words[i]) || !d.has(words[i+1]) || !ok {
			return refused
		}
		postings = append(postings, posting{words[i], words[i+1], amount})
	}
	return answer(d.book.post(at, postings))
}

func (d *Desk) hold(name, word string) []string {
	amount, ok := number(word)
	if !d.has(name) || !ok {
		return refused
	}
	return answer(d.book.hold(name, amount))
}

func (d *Desk) capture(at int64, name, payee, word string) []string {
	amount, ok := number(word)
	if _, known := d.book.holds[name]; !known || !d.has(payee) || !ok {
		return refused
	}
	return answer(d.book.capture(at, name, payee, amount))
}

func (d *Desk) has(name string) bool {
	_, known := d.book.accounts[name]
	return known
}

func answer(name string) []string {
	if name == "" {
		return []string{"declined insufficient_funds"}
	}
	return []string{"ok " + name}
}

func number(word string) (int64, bool) {
	if word == "" || len(word) > longestNumber || strings.Trim(word, "0123456789") != "" {
		return 0, false
	}
	value, err := strconv.ParseInt(word, 10, 64)
	return value, err == nil
}
