package booking

import "strconv"

const (
	free   = "free"
	held   = "held"
	booked = "booked"
)

// seat is one numbered seat. Its client and its end mean something only while the status calls for them.
type seat struct {
	row     string
	number  int
	status  string
	client  string
	until   int64
	version int
}

func (s *seat) name() string {
	return s.row + strconv.Itoa(s.number)
}

func (s *seat) isFree() bool {
	return s.status == free
}

func (s *seat) isHeldBy(client string) bool {
	return s.status == held && s.client == client
}

func (s *seat) hold(client string, until int64) {
	s.change(held, client, until)
}

func (s *seat) book(client string) {
	s.change(booked, client, 0)
}

func (s *seat) free() {
	s.change(free, "", 0)
}

func (s *seat) change(status, client string, until int64) {
	s.status = status
	s.client = client
	s.until = until
	s.version++
}

// venue holds the seats in plan order, and the wait steps that were not granted yet in order of arrival.
type venue struct {
	name    string
	limit   int
	seats   []*seat
	waiting []*step
}

func (v *venue) copy() *venue {
	twin := &venue{name: v.name, limit: v.limit}
	for _, each := range v.seats {
		seat := *each
		twin.seats = append(twin.seats, &seat)
	}
	twin.waiting = append(twin.waiting, v.waiting...)
	return twin
}

// find returns the seat of this name, or nil.
func (v *venue) find(name string) *seat {
	for _, each := range v.seats {
		if each.name() == name {
			return each
		}
	}
	return nil
}

func (v *venue) heldBy(client string) []*seat {
	var seats []*seat
	for _, each := range v.seats {
		if each.isHeldBy(client) {
			seats = append(seats, each)
		}
	}
	return seats
}

func (v *venue) countBookedBy(client string) int {
	count := 0
	for _, each := range v.seats {
		if each.status == booked && each.client == client {
			count++
		}
	}
	return count
}

// wouldExceed tells whether so many seats on top of what the client has are too many.
func (v *venue) wouldExceed(client string, wished int) bool {
	return len(v.heldBy(client))+v.countBookedBy(client)+wished > v.limit
}

func (v *venue) isWaiting(client string) bool {
	for _, wish := range v.waiting {
		if wish.client == client {
			return true
		}
	}
	return false
}

func (v *venue) forgetWish(client string) {
	var others []*step
	for _, wish := range v.waiting {
		if wish.client != client {
			others = append(others, wish)
		}
	}
	v.waiting = others
}

// available returns the seats that a wish would get now; none if it cannot be met completely.
func (v *venue) available(wish *step) []*seat {
	if wish.together > 0 {
		return v.sideBySide(wish.together)
	}
	var seats []*seat
	for _, name := range wish.seats {
		found := v.find(name)
		if !found.isFree() {
			return nil
		}
		seats = append(seats, found)
	}
	return seats
}

// sideBySide returns the first seats of the shortest gap that is long enough; none if there is no such gap.
func (v *venue) sideBySide(count int) []*seat {
	var chosen []*seat
	for _, gap := range v.gaps() {
		if len(gap) >= count && (chosen == nil || len(gap) < len(chosen)) {
			chosen = gap
		}
	}
	if chosen == nil {
		return nil
	}
	return chosen[:count]
}

func (v *venue) gaps() [][]*seat {
	var gaps [][]*seat
	var gap []*seat
	for _, each := range v.seats {
		if len(gap) > 0 && (!each.isFree() || each.row != gap[0].row) {
			gaps = append(gaps, gap)
			gap = nil
		}
		if each.isFree() {
			gap = append(gap, each)
		}
	}
	if len(gap) > 0 {
		gaps = append(gaps, gap)
	}
	return gaps
}
