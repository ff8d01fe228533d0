package ledger

// Entry is one posting as one account sees it; its amount is less than zero if that account pays.
type Entry struct {
	At          int64
	Transaction string
	Other       string
	Amount      int64
	Balance     int64
}

// Hold is live from Made up to, but not including, Ends.
type Hold struct {
	Name    string
	Account *Account
	Amount  int64
	Made    int64
	Ends    int64
}

// IsLive tells whether the amount is held at an instant.
func (h *Hold) IsLive(at int64) bool { return h.Made <= at && at < h.Ends }

// Account keeps its entries in the order of booking, which is also the order of their instants.
type Account struct {
	Name      string
	Currency  string
	Overdraft int64
	Entries   []Entry
	Holds     []*Hold
}

// Balance returns the balance after all that was booked.
func (a *Account) Balance() int64 {
	if len(a.Entries) == 0 {
		return 0
	}
	return a.Entries[len(a.Entries)-1].Balance
}

// BalanceAt returns the balance after all that was booked at an instant or before.
func (a *Account) BalanceAt(at int64) int64 {
	balance := int64(0)
	for _, entry := range a.Entries {
		if entry.At <= at {
			balance = entry.Balance
		}
	}
	return balance
}

// HeldAt returns what is held at an instant.
func (a *Account) HeldAt(at int64) int64 {
	held := int64(0)
	for _, hold := range a.Holds {
		if hold.IsLive(at) {
			held += hold.Amount
		}
	}
	return held
}

func (a *Account) book(at int64, transaction, other string, amount int64) {
	a.Entries = append(a.Entries, Entry{at, transaction, other, amount, a.Balance() + amount})
}
