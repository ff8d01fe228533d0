package meetings

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

var errBadCommand = errors.New("refused bad_command")

// Planner keeps zones and series; it answers one command after the other.
type Planner struct {
	offsets  map[string]int
	series   map[string]*series
	commands map[string]func(words []string) ([]string, error)
}

// NewPlanner returns a planner that knows no zone and no series.
func NewPlanner() *Planner {
	p := &Planner{offsets: map[string]int{}, series: map[string]*series{}}
	p.commands = map[string]func([]string) ([]string, error){
		"zone":    p.zone,
		"meeting": p.meeting,
		"list":    p.list,
	}
	return p
}

// Answer returns the answer lines to a command.
func (p *Planner) Answer(line string) []string {
	words := strings.Split(line, " ")
	command, known := p.commands[words[0]]
	if !known {
		return []string{errBadCommand.Error()}
	}
	lines, err := command(words[1:])
	if err != nil {
		return []string{err.Error()}
	}
	return lines
}

func (p *Planner) zone(words []string) ([]string, error) {
	var f fields
	if len(words) < 2 {
		return nil, errBadCommand
	}
	name, offset := words[0], f.offset(words[1])
	if f.bad {
		return nil, errBadCommand
	}
	p.offsets[name] = offset
	return []string{fmt.Sprintf("zone %s %d", name, len(words)-2)}, nil
}

func (p *Planner) meeting(words []string) ([]string, error) {
	var f fields
	if len(words) < 8 {
		return nil, errBadCommand
	}
	name := words[0]
	offset, known := p.offsets[words[1]]
	start, minutes := f.local(words[2]), f.number(words[3])
	r, end := readRule(&f, words[4:len(words)-2]), readEnd(&f, words[len(words)-2], words[len(words)-1])
	if f.bad || !known {
		return nil, errBadCommand
	}
	found := originals(start, r, end)
	if len(found) == 0 {
		return nil, errBadCommand
	}
	p.series[name] = &series{name: name, offset: offset, minutes: minutes, originals: found}
	first, last := minuteText(found[0]), minuteText(found[len(found)-1])
	return []string{fmt.Sprintf("meeting %s %d %s %s", name, len(found), first, last)}, nil
}

func (p *Planner) list(words []string) ([]string, error) {
	var f fields
	if len(words) < 2 {
		return nil, errBadCommand
	}
	start, end := f.instant(words[0]), f.instant(words[1])
	if f.bad {
		return nil, errBadCommand
	}
	chosen := map[string]*series{}
	for _, name := range words[2:] {
		if p.series[name] == nil {
			return nil, errBadCommand
		}
		chosen[name] = p.series[name]
	}
	if len(chosen) == 0 {
		chosen = p.series
	}
	var found []occurrence
	for _, s := range chosen {
		found = append(found, s.overlapping(start, end)...)
	}
	sort.Slice(found, func(i, j int) bool { return listedBefore(found[i], found[j]) })
	lines := []string{fmt.Sprintf("list %d", len(found))}
	for _, o := range found {
		lines = append(lines, occurrenceLine(o))
	}
	return lines, nil
}

func listedBefore(a, b occurrence) bool {
	if a.start != b.start {
		return a.start < b.start
	}
	if a.end != b.end {
		return a.end < b.end
	}
	if a.series.name != b.series.name {
		return a.series.name < b.series.name
	}
	return a.original < b.original
}

func occurrenceLine(o occurrence) string {
	offset := o.series.offset
	return strings.Join([]string{
		instantText(o.start), instantText(o.end), o.series.name, minuteText(o.original),
		minuteText(o.start + offset), minuteText(o.end + offset),
	}, " ")
}

func readRule(f *fields, words []string) rule {
	kind, interval, rest := words[0], f.number(words[1]), words[2:]
	switch {
	case kind == "daily" && len(rest) == 0:
		return daily{interval}
	case kind == "weekly" && len(rest) == 1:
		return weekly{interval, f.weekdays(rest[0])}
	case kind == "monthly" && len(rest) == 2 && rest[0] == "day":
		return monthlyDay{interval, f.number(rest[1])}
	}
	f.expect(false)
	return nil
}

func readEnd(f *fields, kind, value string) seriesEnd {
	switch kind {
	case "count":
		return seriesEnd{count: f.number(value), day: lastDay}
	case "until":
		return seriesEnd{count: lastDay, day: f.date(value)}
	}
	f.expect(false)
	return seriesEnd{}
}
