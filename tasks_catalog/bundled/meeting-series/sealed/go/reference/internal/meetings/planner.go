package meetings

import (
	"fmt"
	"sort"
	"strings"
)

const (
	mostMinutes     = 10080
	mostInterval    = 1000
	mostOccurrences = 10000
	transitionGap   = 48 * 60
)

// Planner keeps zones and series; it answers one command after the other.
type Planner struct {
	zones    map[string]*zone
	series   map[string]*series
	commands map[string]func(words []string) ([]string, error)
}

// NewPlanner returns a planner that knows no zone and no series.
func NewPlanner() *Planner {
	p := &Planner{zones: map[string]*zone{}, series: map[string]*series{}}
	p.commands = map[string]func([]string) ([]string, error){
		"zone":      p.zone,
		"meeting":   p.meeting,
		"skip":      p.skip,
		"move":      p.move,
		"restore":   p.restore,
		"list":      p.list,
		"conflicts": p.conflicts,
	}
	return p
}

// Answer returns the answer lines to a command.
func (p *Planner) Answer(line string) []string {
	words := strings.Split(line, " ")
	command, known := p.commands[words[0]]
	if !known {
		return []string{Refused("unknown_command").Error()}
	}
	lines, err := command(words[1:])
	if err != nil {
		return []string{err.Error()}
	}
	return lines
}

func (p *Planner) zone(words []string) ([]string, error) {
	if len(words) < 2 {
		return nil, Refused("wrong_arguments")
	}
	var f fields
	name, offset := f.name(words[0]), f.offset(words[1])
	var transitions []transition
	for _, word := range words[2:] {
		transitions = append(transitions, f.transition(word))
	}
	if err := f.settle(); err != nil {
		return nil, err
	}
	for i := 1; i < len(transitions); i++ {
		if transitions[i].at < transitions[i-1].at+transitionGap {
			return nil, Refused("transition_order")
		}
	}
	if p.zones[name] != nil {
		return nil, Refused("zone_exists")
	}
	p.zones[name] = &zone{offset: offset, transitions: transitions}
	return []string{fmt.Sprintf("zone %s %d", name, len(transitions))}, nil
}

func (p *Planner) meeting(words []string) ([]string, error) {
	if len(words) < 8 {
		return nil, Refused("wrong_arguments")
	}
	var f fields
	name, zoneName := f.name(words[0]), f.name(words[1])
	start, minutes := f.local(words[2]), f.number(words[3], mostMinutes)
	r, err := readRule(&f, words[4:len(words)-2])
	if err != nil {
		return nil, err
	}
	end, err := readEnd(&f, words[len(words)-2], words[len(words)-1])
	if err != nil {
		return nil, err
	}
	if err := f.settle(); err != nil {
		return nil, err
	}
	if p.series[name] != nil {
		return nil, Refused("series_exists")
	}
	if p.zones[zoneName] == nil {
		return nil, Refused("unknown_zone")
	}
	found := originals(start, r, end)
	if len(found) == 0 {
		return nil, Refused("no_occurrence")
	}
	p.series[name] = newSeries(name, p.zones[zoneName], minutes, found)
	first, last := minuteText(found[0]), minuteText(found[len(found)-1])
	return []string{fmt.Sprintf("meeting %s %d %s %s", name, len(found), first, last)}, nil
}

func (p *Planner) skip(words []string) ([]string, error) {
	if len(words) != 2 {
		return nil, Refused("wrong_arguments")
	}
	s, original, err := p.named(&fields{}, words)
	if err != nil {
		return nil, err
	}
	if err := s.skip(original); err != nil {
		return nil, err
	}
	return []string{"skipped " + words[0] + " " + words[1]}, nil
}

func (p *Planner) move(words []string) ([]string, error) {
	if len(words) != 3 && len(words) != 4 {
		return nil, Refused("wrong_arguments")
	}
	var f fields
	local, minutes := f.local(words[2]), 0
	if len(words) == 4 {
		minutes = f.number(words[3], mostMinutes)
	}
	s, original, err := p.named(&f, words)
	if err != nil {
		return nil, err
	}
	if err := s.move(original, local, minutes); err != nil {
		return nil, err
	}
	return []string{"moved " + words[0] + " " + words[1] + " " + instantText(s.occurrence(original).start)}, nil
}

func (p *Planner) restore(words []string) ([]string, error) {
	if len(words) != 2 {
		return nil, Refused("wrong_arguments")
	}
	s, original, err := p.named(&fields{}, words)
	if err != nil {
		return nil, err
	}
	if err := s.restore(original); err != nil {
		return nil, err
	}
	return []string{"restored " + words[0] + " " + words[1] + " " + instantText(s.occurrence(original).start)}, nil
}

// named reads a series and an original, and settles them with whatever else was read.
func (p *Planner) named(f *fields, words []string) (*series, int, error) {
	name, original := f.name(words[0]), f.local(words[1])
	if err := f.settle(); err != nil {
		return nil, 0, err
	}
	if p.series[name] == nil {
		return nil, 0, Refused("unknown_series")
	}
	return p.series[name], original, nil
}

func (p *Planner) list(words []string) ([]string, error) {
	if len(words) < 2 {
		return nil, Refused("wrong_arguments")
	}
	var f fields
	start, end := f.instant(words[0]), f.instant(words[1])
	for _, word := range words[2:] {
		f.name(word)
	}
	if err := f.settle(); err != nil {
		return nil, err
	}
	if start >= end {
		return nil, Refused("empty_window")
	}
	names := distinct(words[2:])
	if len(names) == 0 {
		names = p.allNames()
	}
	var found []occurrence
	for _, name := range names {
		if p.series[name] == nil {
			return nil, Refused("unknown_series")
		}
		found = append(found, p.series[name].overlapping(start, end)...)
	}
	sort.Slice(found, func(i, j int) bool { return listedBefore(found[i], found[j]) })
	lines := []string{fmt.Sprintf("list %d", len(found))}
	for _, o := range found {
		lines = append(lines, occurrenceLine(o))
	}
	return lines, nil
}

func (p *Planner) allNames() []string {
	var names []string
	for name := range p.series {
		names = append(names, name)
	}
	return names
}

func distinct(names []string) []string {
	seen := map[string]bool{}
	var first []string
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			first = append(first, name)
		}
	}
	return first
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
	zone := o.series.zone
	return strings.Join([]string{
		instantText(o.start), instantText(o.end), o.series.name, minuteText(o.original),
		minuteText(zone.local(o.start)), minuteText(zone.local(o.end)),
	}, " ")
}

func (p *Planner) conflicts(words []string) ([]string, error) {
	if len(words) != 4 {
		return nil, Refused("wrong_arguments")
	}
	var f fields
	name, other := f.name(words[0]), f.name(words[1])
	start, end := f.instant(words[2]), f.instant(words[3])
	if err := f.settle(); err != nil {
		return nil, err
	}
	if start >= end {
		return nil, Refused("empty_window")
	}
	if p.series[name] == nil || p.series[other] == nil {
		return nil, Refused("unknown_series")
	}
	if name == other {
		return nil, Refused("same_series")
	}
	clashes := clashesOf(p.series[name], p.series[other], start, end)
	lines := []string{fmt.Sprintf("conflicts %d", len(clashes))}
	for _, c := range clashes {
		lines = append(lines, strings.Join([]string{
			instantText(c.begin), instantText(c.finish), minuteText(c.first), minuteText(c.second),
		}, " "))
	}
	return lines, nil
}

func readRule(f *fields, words []string) (rule, error) {
	kind, interval, rest := words[0], f.number(words[1], mostInterval), words[2:]
	switch {
	case kind == "daily" && len(rest) == 0:
		return daily{interval}, nil
	case kind == "weekly" && len(rest) == 1:
		return weekly{interval, f.weekdays(rest[0])}, nil
	case kind == "monthly" && len(rest) == 2 && rest[0] == "day":
		return monthlyDay{interval, f.number(rest[1], 31)}, nil
	case kind == "monthly" && len(rest) == 3 && rest[0] == "nth" && rest[1] == "last":
		return monthlyWeekday{interval, lastOfMonth, f.weekday(rest[2])}, nil
	case kind == "monthly" && len(rest) == 3 && rest[0] == "nth":
		return monthlyWeekday{interval, f.number(rest[1], 5), f.weekday(rest[2])}, nil
	}
	return nil, Refused("wrong_arguments")
}

func readEnd(f *fields, kind, value string) (seriesEnd, error) {
	switch kind {
	case "count":
		return seriesEnd{count: f.number(value, mostOccurrences), lastDay: lastDay}, nil
	case "until":
		return seriesEnd{count: lastDay, lastDay: f.date(value)}, nil
	}
	return seriesEnd{}, Refused("wrong_arguments")
}
