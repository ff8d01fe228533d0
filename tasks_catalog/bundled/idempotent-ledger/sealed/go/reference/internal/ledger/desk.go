// Package ledger answers ledger commands.
package ledger

import (
	"errors"
	"fmt"
)

// Desk answers one command line after the other: it has the clock and the keys.
type Desk struct {
	book  *Book
	keys  *Keys
	clock int64
}

// NewDesk returns a desk that knows no account.
func NewDesk() *Desk { return &Desk{book: NewBook(), keys: &Keys{uses: map[keyOf]use{}}} }

// Answer carries out one command and returns the lines of its answer.
func (d *Desk) Answer(line string) []string {
	request, err := Parse(line)
	if err != nil {
		return []string{err.Error()}
	}
	answer, err := d.answer(request)
	if err != nil {
		return []string{err.Error()}
	}
	return answer
}

func (d *Desk) answer(request Request) ([]string, error) {
	if request.IsKeyed() {
		answer, err := d.keyed(request)
		return []string{answer}, err
	}
	name := request.Names["account"]
	if request.Command == "account" {
		return []string{"ok"}, d.book.Open(name, request.Names["currency"], request.Numbers["overdraft"])
	}
	account, err := d.book.Account(name)
	if err != nil {
		return nil, err
	}
	if request.Command == "balance" {
		return []string{balance(account, request.Numbers["at"])}, nil
	}
	return statement(account, request.Numbers["start"], request.Numbers["end"]), nil
}

func (d *Desk) keyed(request Request) (string, error) {
	at, client, key := request.Numbers["at"], request.Names["client"], request.Names["key"]
	if at < d.clock {
		return "", Refused("time_backwards")
	}
	answer, remembered, err := d.keys.Recall(client, key, at, request.Content)
	if err != nil {
		return "", err
	}
	if !remembered {
		answer, err = d.carryOut(request, at)
		if err != nil {
			return "", err
		}
		d.keys.Remember(client, key, at, request.Content, answer)
	}
	// only now: nothing above has been refused
	d.clock = at
	return answer, nil
}

// carryOut returns an answer also if the command is declined; its error is a Refused.
func (d *Desk) carryOut(request Request, at int64) (string, error) {
	name, err := d.apply(request, at)
	var declined Declined
	if errors.As(err, &declined) {
		return declined.Error(), nil
	}
	return "ok " + name, err
}

func (d *Desk) apply(request Request, at int64) (string, error) {
	names, numbers := request.Names, request.Numbers
	switch request.Command {
	case "post":
		return d.book.Post(at, request.Postings)
	case "hold":
		return d.book.Hold(at, names["account"], numbers["amount"], numbers["until"])
	case "capture":
		return d.book.Capture(at, names["hold"], names["payee"], numbers["amount"])
	case "release":
		return d.book.Release(at, names["hold"])
	default:
		return d.book.Reverse(at, names["transaction"])
	}
}

func balance(account *Account, at int64) string {
	balance, held := account.BalanceAt(at), account.HeldAt(at)
	return fmt.Sprintf("balance %d held %d available %d", balance, held, balance-held+account.Overdraft)
}

func statement(account *Account, start, end int64) []string {
	answer := []string{""}
	opening := account.BalanceAt(start - 1)
	closing := opening
	for _, e := range account.Entries {
		if e.At < start || e.At >= end {
			continue
		}
		closing = e.Balance
		answer = append(answer, fmt.Sprintf("entry %d %s %s %d %d", e.At, e.Transaction, e.Other, e.Amount, e.Balance))
	}
	answer[0] = fmt.Sprintf("statement %d opening %d closing %d", len(answer)-1, opening, closing)
	return answer
}
