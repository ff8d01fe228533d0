// Package booking decides who gets which seat.
package booking

import (
	"fmt"
	"slices"
	"strings"
)

// Desk answers one line after the other.
//
// A step works on a copy of the state, which replaces the state if the step is carried out: a
// refused step must leave no trace, not even of the time that passed before it was judged.
type Desk struct {
	state *state
}

// NewDesk returns a desk without venues.
func NewDesk() *Desk {
	return &Desk{state: newState()}
}

// Answer returns the answer line of a step, with its event lines around it.
func (d *Desk) Answer(line string) []string {
	step, err := parse(line)
	if err != nil {
		return []string{err.Error()}
	}
	state := d.state.copy()
	lines, err := state.carryOut(step)
	if err != nil {
		return []string{err.Error()}
	}
	d.state = state
	return lines
}

func (s *state) carryOut(step *step) ([]string, error) {
	if step.operation == "venue" {
		answer, err := s.openVenue(step)
		return []string{answer}, err
	}
	if step.at < s.clock {
		return nil, refuse("time_backwards")
	}
	lines := s.advance(step.at)
	answer, err := s.answer(step)
	if err != nil {
		return nil, err
	}
	lines = append(lines, answer)
	for _, v := range s.venues {
		lines = append(lines, s.promote(v, step.at)...)
	}
	return lines, nil
}

func (s *state) answer(step *step) (string, error) {
	if step.operation == "begin" {
		return s.begin(step)
	}
	if step.operation == "confirm" {
		if seats, used := s.tickets[ticketKey{step.client, step.ticket}]; used {
			return confirmAgain(seats, step)
		}
	}
	t := s.transactions[step.client]
	if t == nil {
		return "", refuse("not_open")
	}
	v := s.venue(t.venue)
	switch step.operation {
	case "read":
		return read(t, v, step)
	case "hold":
		return hold(t, v, step)
	case "extend":
		return extend(v, step)
	case "release":
		return release(t, v, step)
	case "confirm":
		return s.confirm(t, v, step)
	case "cancel":
		return okLine(s.end(v, step.client)), nil
	}
	return wait(v, step)
}

func (s *state) openVenue(step *step) (string, error) {
	if s.venue(step.venue) != nil {
		return "", refuse("venue_exists")
	}
	v := &venue{name: step.venue, limit: step.limit}
	for _, row := range step.rows {
		for number := 1; number <= row.count; number++ {
			v.seats = append(v.seats, &seat{row: row.name, number: number, status: free})
		}
	}
	s.venues = append(s.venues, v)
	return fmt.Sprintf("ok %d", len(v.seats)), nil
}

func (s *state) begin(step *step) (string, error) {
	if s.venue(step.venue) == nil {
		return "", refuse("unknown_venue")
	}
	if s.transactions[step.client] != nil {
		return "", refuse("already_open")
	}
	s.transactions[step.client] = &transaction{venue: step.venue, known: map[string]int{}}
	return "ok", nil
}

func read(t *transaction, v *venue, step *step) (string, error) {
	seats, err := find(v, step)
	if err != nil {
		return "", err
	}
	var answers []string
	for _, each := range seats {
		t.learn(each)
		answers = append(answers, fmt.Sprintf("%s=%s/%d", each.name(), each.status, each.version))
	}
	return okLine(answers), nil
}

func hold(t *transaction, v *venue, step *step) (string, error) {
	if step.until <= step.at {
		return "", refuse("not_later")
	}
	seats, err := find(v, step)
	if err != nil {
		return "", err
	}
	if v.wouldExceed(step.client, step.wished()) {
		return "", refuse("over_limit")
	}
	for _, each := range seats {
		if !each.isFree() {
			return "", refuseFor("taken", each.name())
		}
	}
	if step.together > 0 {
		seats = v.sideBySide(step.together)
		if len(seats) == 0 {
			return "", refuse("no_room")
		}
	}
	for _, each := range seats {
		each.hold(step.client, step.until)
		t.learn(each)
	}
	return "ok " + names(seats), nil
}

func extend(v *venue, step *step) (string, error) {
	seats, err := findHeld(v, step)
	if err != nil {
		return "", err
	}
	for _, each := range seats {
		if step.until <= each.until {
			return "", refuseFor("not_longer", each.name())
		}
	}
	for _, each := range seats {
		each.until = step.until
	}
	return okLine(step.seats), nil
}

func release(t *transaction, v *venue, step *step) (string, error) {
	seats, err := findHeld(v, step)
	if err != nil {
		return "", err
	}
	for _, each := range seats {
		each.free()
		t.learn(each)
	}
	return okLine(step.seats), nil
}

func (s *state) confirm(t *transaction, v *venue, step *step) (string, error) {
	seats, err := find(v, step)
	if err != nil {
		return "", err
	}
	for _, each := range seats {
		if _, known := t.known[each.name()]; !known {
			return "", refuseFor("not_read", each.name())
		}
	}
	if v.countBookedBy(step.client)+len(seats) > v.limit {
		return "", refuse("over_limit")
	}
	for _, each := range seats {
		if each.version != t.known[each.name()] {
			return "", refuseFor("lost_update", each.name())
		}
	}
	for _, each := range seats {
		if !each.isFree() && !each.isHeldBy(step.client) {
			return "", refuseFor("taken", each.name())
		}
	}
	for _, each := range seats {
		each.book(step.client)
	}
	s.tickets[ticketKey{step.client, step.ticket}] = step.seats
	s.end(v, step.client)
	return okLine(step.seats), nil
}

func confirmAgain(seats []string, step *step) (string, error) {
	if !slices.Equal(seats, step.seats) {
		return "", refuse("ticket_used")
	}
	return okLine(step.seats), nil
}

func wait(v *venue, step *step) (string, error) {
	if v.isWaiting(step.client) {
		return "", refuse("already_waiting")
	}
	if _, err := find(v, step); err != nil {
		return "", err
	}
	if v.wouldExceed(step.client, step.wished()) {
		return "", refuse("over_limit")
	}
	if len(v.available(step)) > 0 {
		return "", refuse("not_needed")
	}
	v.waiting = append(v.waiting, step)
	return fmt.Sprintf("ok %d", len(v.waiting)), nil
}

// end ends the client's transaction and returns the names of the seats that this frees.
func (s *state) end(v *venue, client string) []string {
	var freed []string
	for _, each := range v.heldBy(client) {
		each.free()
		freed = append(freed, each.name())
	}
	v.forgetWish(client)
	delete(s.transactions, client)
	return freed
}

func find(v *venue, step *step) ([]*seat, error) {
	var seats []*seat
	for _, name := range step.seats {
		found := v.find(name)
		if found == nil {
			return nil, refuseFor("unknown_seat", name)
		}
		seats = append(seats, found)
	}
	return seats, nil
}

func findHeld(v *venue, step *step) ([]*seat, error) {
	seats, err := find(v, step)
	if err != nil {
		return nil, err
	}
	for _, each := range seats {
		if !each.isHeldBy(step.client) {
			return nil, refuseFor("not_held", each.name())
		}
	}
	return seats, nil
}

func okLine(parts []string) string {
	return strings.Join(append([]string{"ok"}, parts...), " ")
}
