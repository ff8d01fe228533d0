package ledger

import "fmt"

type entry struct {
	at          int64
	transaction string
	other       string
	amount      int64
	balance     int64
}

type account struct {
	overdraft int64
	balance   int64
	held      int64
	entries   []entry
}

func (a *account) available() int64 { return a.balance - a.held + a.overdraft }

func (a *account) book(at int64, transaction, other string, amount int64) {
	a.balance += amount
	a.entries = append(a.entries, entry{at, transaction, other, amount, a.balance})
}

type posting struct {
	payer  string
	payee  string
	amount int64
}

type hold struct {
	account string
	amount  int64
}

// book carries out postings, holds and reversals; an empty name means that the money is not there.
type book struct {
	accounts     map[string]*account
	transactions map[string][]posting
	holds        map[string]*hold
}

func newBook() *book {
	return &book{
		accounts:     map[string]*account{},
		transactions: map[string][]posting{},
		holds:        map[string]*hold{},
	}
}

func (b *book) open(name string, overdraft int64) { b.accounts[name] = &account{overdraft: overdraft} }

// post books the postings and returns the name of the transaction.
func (b *book) post(at int64, postings []posting) string {
	name := fmt.Sprintf("T%d", len(b.transactions)+1)
	for _, p := range postings {
		if b.accounts[p.payer].available() < p.amount {
			return ""
		}
		b.accounts[p.payer].book(at, name, p.payee, -p.amount)
		b.accounts[p.payee].book(at, name, p.payer, p.amount)
	}
	b.transactions[name] = postings
	return name
}

// hold sets an amount aside and returns the name of the hold.
func (b *book) hold(name string, amount int64) string {
	if b.accounts[name].available() < amount {
		return ""
	}
	made := fmt.Sprintf("H%d", len(b.holds)+1)
	b.holds[made] = &hold{name, amount}
	b.accounts[name].held += amount
	return made
}

// capture books what was held and returns the name of the transaction.
func (b *book) capture(at int64, name, payee string, amount int64) string {
	h := b.holds[name]
	if h.amount < amount {
		return ""
	}
	h.amount -= amount
	b.accounts[h.account].held -= amount
	return b.post(at, []posting{{h.account, payee, amount}})
}

// release frees what is still held and returns the name of the hold.
func (b *book) release(name string) string {
	h := b.holds[name]
	b.accounts[h.account].held -= h.amount
	h.amount = 0
	return name
}

// reverse books the opposite of a transaction and returns the name of the new one.
func (b *book) reverse(at int64, name string) string {
	var postings []posting
	for _, p := range b.transactions[name] {
		postings = append(postings, posting{p.payee, p.payer, p.amount})
	}
	return b.post(at, postings)
}
