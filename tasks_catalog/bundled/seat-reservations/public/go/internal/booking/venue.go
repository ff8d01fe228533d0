package booking

import "strconv"

const (
	free   = "free"
	held   = "held"
	booked = "booked"
)

// seat is one numbered seat and who has it.
type seat struct {
	name    string
	status  string
	client  string
	version int
}

func (s *seat) change(status, client string) {
	s.status = status
	s.client = client
	s.version++
}

// venue holds the seats in plan order and the clients who wait for one.
type venue struct {
	seats   []*seat
	byName  map[string]*seat
	waiting []string
}

func newVenue() *venue {
	return &venue{byName: map[string]*seat{}}
}

func (v *venue) addRow(row string, count int) {
	for number := 1; number <= count; number++ {
		added := &seat{name: row + strconv.Itoa(number), status: free}
		v.seats = append(v.seats, added)
		v.byName[added.name] = added
	}
}

// freeAllOf frees what the client holds and returns the names of these seats.
func (v *venue) freeAllOf(client string) []string {
	var names []string
	for _, s := range v.seats {
		if s.status == held && s.client == client {
			s.change(free, "")
			names = append(names, s.name)
		}
	}
	return names
}
