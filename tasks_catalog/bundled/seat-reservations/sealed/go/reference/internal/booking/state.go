package booking

import (
	"fmt"
	"strings"
)

// transaction knows versions of seats, by the names of the seats.
type transaction struct {
	venue string
	known map[string]int
}

func (t *transaction) learn(s *seat) {
	t.known[s.name()] = s.version
}

func (t *transaction) copy() *transaction {
	twin := &transaction{venue: t.venue, known: map[string]int{}}
	for name, version := range t.known {
		twin.known[name] = version
	}
	return twin
}

// ticketKey names a ticket of a client.
type ticketKey struct {
	client string
	ticket string
}

// state is all that steps can change.
type state struct {
	clock        int64
	venues       []*venue
	transactions map[string]*transaction
	tickets      map[ticketKey][]string
}

func newState() *state {
	return &state{transactions: map[string]*transaction{}, tickets: map[ticketKey][]string{}}
}

func (s *state) copy() *state {
	twin := newState()
	twin.clock = s.clock
	for _, each := range s.venues {
		twin.venues = append(twin.venues, each.copy())
	}
	for client, each := range s.transactions {
		twin.transactions[client] = each.copy()
	}
	for key, seats := range s.tickets {
		twin.tickets[key] = seats
	}
	return twin
}

// venue returns the venue of this name, or nil.
func (s *state) venue(name string) *venue {
	for _, each := range s.venues {
		if each.name == name {
			return each
		}
	}
	return nil
}

// advance lets all holds expire that end up to an instant and returns the event lines.
func (s *state) advance(at int64) []string {
	var events []string
	for {
		due, found := s.nextExpiry()
		if !found || due > at {
			break
		}
		for _, each := range s.venues {
			events = append(events, s.expire(each, due)...)
		}
	}
	s.clock = at
	return events
}

// promote grants each wish on the waiting list that can be met now and returns the event lines.
func (s *state) promote(v *venue, at int64) []string {
	var events []string
	for _, wish := range append([]*step(nil), v.waiting...) {
		seats := v.available(wish)
		if len(seats) == 0 || v.wouldExceed(wish.client, len(seats)) {
			continue
		}
		v.forgetWish(wish.client)
		until := at + wish.lasting
		for _, each := range seats {
			each.hold(wish.client, until)
			s.transactions[wish.client].learn(each)
		}
		events = append(events, fmt.Sprintf("promoted %d %s %s %d %s", at, v.name, wish.client, until, names(seats)))
	}
	return events
}

func (s *state) nextExpiry() (due int64, found bool) {
	for _, v := range s.venues {
		for _, each := range v.seats {
			if each.status == held && (!found || each.until < due) {
				due, found = each.until, true
			}
		}
	}
	return due, found
}

func (s *state) expire(v *venue, due int64) []string {
	var events []string
	for _, each := range v.seats {
		if each.status == held && each.until == due {
			events = append(events, fmt.Sprintf("expired %d %s %s %s", due, v.name, each.name(), each.client))
			each.free()
		}
	}
	return append(events, s.promote(v, due)...)
}

func names(seats []*seat) string {
	var all []string
	for _, each := range seats {
		all = append(all, each.name())
	}
	return strings.Join(all, " ")
}
