// Package booking decides who gets which seat.
package booking

import (
	"strconv"
	"strings"
)

const refused = "refused bad_step"

// Desk keeps the venues and which one each client is in.
type Desk struct {
	venues  map[string]*venue
	venueOf map[string]string
}

// NewDesk returns a desk without venues.
func NewDesk() *Desk {
	return &Desk{venues: map[string]*venue{}, venueOf: map[string]string{}}
}

// Answer carries out the step on one line and returns the lines of its answer.
func (d *Desk) Answer(line string) []string {
	fields := strings.Split(line, " ")
	if len(fields) < 3 {
		return []string{refused}
	}
	if fields[0] == "venue" {
		return []string{d.openVenue(fields[1], fields[3:])}
	}
	return []string{d.carryOut(fields[0], fields[2], fields[3:])}
}

func (d *Desk) openVenue(name string, rows []string) string {
	v := newVenue()
	for _, field := range rows {
		row, count, _ := strings.Cut(field, ":")
		v.addRow(row, number(count))
	}
	d.venues[name] = v
	return "ok " + strconv.Itoa(len(v.seats))
}

func (d *Desk) carryOut(operation, client string, rest []string) string {
	if operation == "begin" {
		return d.begin(client, rest)
	}
	name, ok := d.venueOf[client]
	if !ok {
		return refused
	}
	v := d.venues[name]
	switch operation {
	case "read":
		return read(v, rest)
	case "hold":
		return change(v, afterFirst(rest), free, "", held, client)
	case "extend":
		return change(v, afterFirst(rest), held, client, held, client)
	case "release":
		return change(v, rest, held, client, free, "")
	case "confirm":
		return d.confirm(v, client, afterFirst(rest))
	case "cancel":
		delete(d.venueOf, client)
		return okLine(v.freeAllOf(client))
	case "wait":
		v.waiting = append(v.waiting, client)
		return "ok " + strconv.Itoa(len(v.waiting))
	}
	return refused
}

func (d *Desk) begin(client string, rest []string) string {
	if len(rest) == 0 || d.venues[rest[0]] == nil {
		return refused
	}
	d.venueOf[client] = rest[0]
	return "ok"
}

func read(v *venue, names []string) string {
	var answers []string
	for _, name := range names {
		s := v.byName[name]
		if s == nil {
			return refused
		}
		answers = append(answers, name+"="+s.status+"/"+strconv.Itoa(s.version))
	}
	return okLine(answers)
}

func change(v *venue, names []string, status, owner, newStatus, newOwner string) string {
	for _, name := range names {
		s := v.byName[name]
		if s == nil || s.status != status || s.client != owner {
			return refused
		}
		if newStatus != status {
			s.change(newStatus, newOwner)
		}
	}
	return okLine(names)
}

func (d *Desk) confirm(v *venue, client string, names []string) string {
	for _, name := range names {
		s := v.byName[name]
		if s == nil || s.status == booked {
			return refused
		}
		s.change(booked, client)
	}
	v.freeAllOf(client)
	delete(d.venueOf, client)
	return okLine(names)
}

// number is the number that a field holds; 0 if it holds none.
func number(text string) int {
	if len(text) > 2 || strings.Trim(text, "0123456789") != "" {
		return 0
	}
	value, _ := strconv.Atoi(text)
	return value
}

func afterFirst(fields []string) []string {
	return fields[min(1, len(fields)):]
}

func okLine(parts []string) string {
	return strings.Join(append([]string{"ok"}, parts...), " ")
}
