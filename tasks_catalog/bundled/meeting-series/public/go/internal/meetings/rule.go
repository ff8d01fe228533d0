package meetings

var lastDay = dayNumber(2199, 12, 31)

// rule tells on which days a series that starts on the day first has occurrences.
type rule interface {
	holds(day, first int) bool
}

type daily struct{ interval int }

func (r daily) holds(day, first int) bool { return (day-first)%r.interval == 0 }

type weekly struct {
	interval int
	weekdays [7]bool
}

func (r weekly) holds(day, first int) bool {
	weeks := (day - first) / 7
	return weeks%r.interval == 0 && r.weekdays[weekday(day)]
}

type monthlyDay struct {
	interval int
	day      int
}

func (r monthlyDay) holds(day, first int) bool {
	year, month, dayOfMonth := civil(day)
	firstYear, firstMonth, _ := civil(first)
	months := (year-firstYear)*12 + month - firstMonth
	return months%r.interval == 0 && dayOfMonth == smaller(r.day, monthLength(year, month))
}

// seriesEnd is after so many occurrences or before a day, whichever is first.
type seriesEnd struct {
	count int
	day   int
}

// originals returns the local minutes that the rule yields, in order.
func originals(start int, r rule, end seriesEnd) []int {
	first, clock := start/minutesPerDay, start%minutesPerDay
	var found []int
	for day := first; day < end.day && len(found) < end.count; day++ {
		if r.holds(day, first) {
			found = append(found, day*minutesPerDay+clock)
		}
	}
	return found
}

func smaller(a, b int) int {
	if a < b {
		return a
	}
	return b
}
