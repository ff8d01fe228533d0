package ledger

import "fmt"

type transaction struct {
	postings   []Posting
	isReversal bool
	isReversed bool
}

// Book keeps accounts, transactions and holds. Every change is made whole or not at all; the errors
// are Refused or Declined.
type Book struct {
	accounts     map[string]*Account
	transactions map[string]*transaction
	holds        map[string]*Hold
}

// NewBook returns an empty book.
func NewBook() *Book {
	return &Book{
		accounts:     map[string]*Account{},
		transactions: map[string]*transaction{},
		holds:        map[string]*Hold{},
	}
}

// Open opens an account.
func (b *Book) Open(name, currency string, overdraft int64) error {
	if _, known := b.accounts[name]; known {
		return Refused("account_exists")
	}
	b.accounts[name] = &Account{Name: name, Currency: currency, Overdraft: overdraft}
	return nil
}

// Account returns the account of that name.
func (b *Book) Account(name string) (*Account, error) {
	account, known := b.accounts[name]
	if !known {
		return nil, Refused("unknown_account")
	}
	return account, nil
}

// Post books a batch and returns the name of its transaction.
func (b *Book) Post(at int64, postings []Posting) (string, error) {
	if err := b.checkPostings(postings); err != nil {
		return "", err
	}
	return b.book(at, &transaction{postings: postings}, nil)
}

// Hold sets an amount aside and returns the name of the hold.
func (b *Book) Hold(at int64, name string, amount, until int64) (string, error) {
	if until <= at {
		return "", Refused("until_passed")
	}
	account, err := b.Account(name)
	if err != nil {
		return "", err
	}
	if account.Balance()-account.HeldAt(at)-amount+account.Overdraft < 0 {
		return "", Declined("insufficient_funds")
	}
	hold := &Hold{fmt.Sprintf("H%d", len(b.holds)+1), account, amount, at, until}
	b.holds[hold.Name] = hold
	account.Holds = append(account.Holds, hold)
	return hold.Name, nil
}

// Capture books what was held, or a part of it, and returns the name of the transaction.
func (b *Book) Capture(at int64, name, payee string, amount int64) (string, error) {
	hold, known := b.holds[name]
	if !known {
		return "", Refused("unknown_hold")
	}
	postings := []Posting{{hold.Account.Name, payee, amount}}
	if err := b.checkPostings(postings); err != nil {
		return "", err
	}
	if !hold.IsLive(at) {
		return "", Declined("hold_ended")
	}
	if amount > hold.Amount {
		return "", Declined("more_than_held")
	}
	captured, err := b.book(at, &transaction{postings: postings}, hold)
	if err != nil {
		return "", err
	}
	hold.Ends = at
	return captured, nil
}

// Release ends a hold and returns its name.
func (b *Book) Release(at int64, name string) (string, error) {
	hold, known := b.holds[name]
	if !known {
		return "", Refused("unknown_hold")
	}
	if !hold.IsLive(at) {
		return "", Declined("hold_ended")
	}
	hold.Ends = at
	return name, nil
}

// Reverse books the opposite of a transaction and returns the name of the new one.
func (b *Book) Reverse(at int64, name string) (string, error) {
	undone, known := b.transactions[name]
	if !known {
		return "", Refused("unknown_transaction")
	}
	if undone.isReversal {
		return "", Declined("not_reversible")
	}
	if undone.isReversed {
		return "", Declined("already_reversed")
	}
	var postings []Posting
	for i := len(undone.postings) - 1; i >= 0; i-- {
		p := undone.postings[i]
		postings = append(postings, Posting{p.Payee, p.Payer, p.Amount})
	}
	reversal, err := b.book(at, &transaction{postings: postings, isReversal: true}, nil)
	if err != nil {
		return "", err
	}
	undone.isReversed = true
	return reversal, nil
}

func (b *Book) checkPostings(postings []Posting) error {
	for _, p := range postings {
		if b.accounts[p.Payer] == nil || b.accounts[p.Payee] == nil {
			return Refused("unknown_account")
		}
	}
	for _, p := range postings {
		if p.Payer == p.Payee {
			return Refused("same_account")
		}
	}
	for _, p := range postings {
		if b.accounts[p.Payer].Currency != b.accounts[p.Payee].Currency {
			return Refused("currency_mismatch")
		}
	}
	return nil
}

func (b *Book) book(at int64, booked *transaction, freed *Hold) (string, error) {
	if err := b.checkFunds(at, booked.postings, freed); err != nil {
		return "", err
	}
	name := fmt.Sprintf("T%d", len(b.transactions)+1)
	b.transactions[name] = booked
	for _, p := range booked.postings {
		b.accounts[p.Payer].book(at, name, p.Payee, -p.Amount)
		b.accounts[p.Payee].book(at, name, p.Payer, p.Amount)
	}
	return name, nil
}

// checkFunds takes the hold that is being captured, if any, as ended.
func (b *Book) checkFunds(at int64, postings []Posting, freed *Hold) error {
	balances := map[*Account]int64{}
	for _, p := range postings {
		for _, account := range []*Account{b.accounts[p.Payer], b.accounts[p.Payee]} {
			balances[account] = account.Balance()
		}
	}
	for _, p := range postings {
		balances[b.accounts[p.Payer]] -= p.Amount
		balances[b.accounts[p.Payee]] += p.Amount
	}
	for account, balance := range balances {
		held := account.HeldAt(at)
		if freed != nil && freed.Account == account {
			held -= freed.Amount
		}
		if balance-held+account.Overdraft < 0 {
			return Declined("insufficient_funds")
		}
	}
	for _, balance := range balances {
		if balance > largest || balance < -largest {
			return Declined("overflow")
		}
	}
	return nil
}
