package booking

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	longestName  = 12
	latest       = 1_000_000_000_000
	largestLimit = 99
	largestCount = 99
)

var layouts = map[string][]string{
	"venue":   {"venue", "limit", "rows"},
	"begin":   {"at", "client", "venue"},
	"read":    {"at", "client", "seats"},
	"hold":    {"at", "client", "until", "wish"},
	"extend":  {"at", "client", "until", "seats"},
	"release": {"at", "client", "seats"},
	"confirm": {"at", "client", "ticket", "seats"},
	"cancel":  {"at", "client"},
	"wait":    {"at", "client", "lasting", "wish"},
}

var repeated = map[string]bool{"rows": true, "seats": true, "wish": true}

type row struct {
	name  string
	count int
}

// step is one line taken apart; the fields that its operation lacks are empty.
type step struct {
	operation string
	at        int64
	client    string
	venue     string
	ticket    string
	limit     int
	until     int64
	lasting   int64
	rows      []row
	seats     []string
	together  int
}

// wished is how many seats are asked for.
func (s *step) wished() int {
	if s.together > 0 {
		return s.together
	}
	return len(s.seats)
}

func parse(line string) (*step, error) {
	if line == "" {
		return nil, refuse("empty_line")
	}
	fields := strings.Split(line, " ")
	layout, ok := layouts[fields[0]]
	if !ok {
		return nil, refuse("unknown_step")
	}
	s := &step{operation: fields[0]}
	fields = fields[1:]
	last := len(layout) - 1
	more := len(fields) - len(layout)
	if more < 0 || (more > 0 && !repeated[layout[last]]) {
		return nil, refuse("wrong_fields")
	}
	for position, text := range fields {
		name := layout[min(position, last)]
		if name == "wish" && (more > 0 || !strings.HasPrefix(text, "+")) {
			name = "seats"
		}
		if err := s.take(name, text); err != nil {
			return nil, err
		}
	}
	return s, s.refuseDuplicates()
}

func (s *step) take(name, text string) (err error) {
	switch name {
	case "at":
		s.at, err = parseNumber(text, 0, latest)
	case "until":
		s.until, err = parseNumber(text, 0, latest)
	case "lasting":
		s.lasting, err = parseNumber(text, 1, latest)
	case "limit":
		var limit int64
		limit, err = parseNumber(text, 1, largestLimit)
		s.limit = int(limit)
	case "client":
		s.client, err = parseName(text)
	case "venue":
		s.venue, err = parseName(text)
	case "ticket":
		s.ticket, err = parseName(text)
	case "rows":
		letters, digits, found := strings.Cut(text, ":")
		count, ok := parseCount(digits)
		if !found || !isRow(letters) || !ok {
			return refuse("bad_row")
		}
		s.rows = append(s.rows, row{letters, count})
	case "seats":
		digits := strings.TrimLeft(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if _, ok := parseCount(digits); !ok || !isRow(strings.TrimSuffix(text, digits)) {
			return refuse("bad_seat")
		}
		s.seats = append(s.seats, text)
	case "wish":
		count, ok := parseCount(strings.TrimPrefix(text, "+"))
		if !ok {
			return refuse("bad_seat")
		}
		s.together = count
	}
	return err
}

func parseNumber(text string, least, most int64) (int64, error) {
	number, ok := wholeNumber(text)
	if !ok || number < least || number > most {
		return 0, refuse("bad_number")
	}
	return number, nil
}

func parseName(text string) (string, error) {
	length := utf8.RuneCountInString(text)
	if length < 1 || length > longestName {
		return "", refuse("bad_name")
	}
	return text, nil
}

func parseCount(text string) (int, bool) {
	number, ok := wholeNumber(text)
	return int(number), ok && number >= 1 && number <= largestCount
}

// wholeNumber reads digits without a sign and without leading zeros.
func wholeNumber(text string) (int64, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" || (text[0] == '0' && text != "0") {
		return 0, false
	}
	number, err := strconv.ParseInt(text, 10, 64)
	return number, err == nil
}

func isRow(text string) bool {
	return len(text) >= 1 && len(text) <= 2 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func (s *step) refuseDuplicates() error {
	seen := map[string]bool{}
	for _, each := range s.rows {
		if seen[each.name] {
			return refuseFor("duplicate", each.name)
		}
		seen[each.name] = true
	}
	for _, name := range s.seats {
		if seen[name] {
			return refuseFor("duplicate", name)
		}
		seen[name] = true
	}
	return nil
}
