package meetings

const lastOfMonth = 0

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
	monday := first - weekday(first)
	weeks := (day - monday) / 7
	return weeks%r.interval == 0 && r.weekdays[weekday(day)]
}

type monthlyDay struct {
	interval int
	day      int
}

func (r monthlyDay) holds(day, first int) bool {
	_, _, dayOfMonth := civil(day)
	return monthsBetween(first, day)%r.interval == 0 && dayOfMonth == r.day
}

// monthlyWeekday has an ordinal from 1 to 5, or lastOfMonth.
type monthlyWeekday struct {
	interval int
	ordinal  int
	weekday  int
}

func (r monthlyWeekday) holds(day, first int) bool {
	if monthsBetween(first, day)%r.interval != 0 || weekday(day) != r.weekday {
		return false
	}
	year, month, dayOfMonth := civil(day)
	if r.ordinal == lastOfMonth {
		return dayOfMonth+7 > monthLength(year, month)
	}
	return (dayOfMonth-1)/7+1 == r.ordinal
}

func monthsBetween(first, day int) int {
	firstYear, firstMonth, _ := civil(first)
	year, month, _ := civil(day)
	return (year-firstYear)*12 + month - firstMonth
}

// seriesEnd is after so many occurrences or after a day, whichever is first.
type seriesEnd struct {
	count   int
	lastDay int
}

// originals returns the local minutes that the rule yields, in order.
func originals(start int, r rule, end seriesEnd) []int {
	first, clock := start/minutesPerDay, start%minutesPerDay
	var found []int
	for day := first; day <= end.lastDay && len(found) < end.count; day++ {
		if r.holds(day, first) {
			found = append(found, day*minutesPerDay+clock)
		}
	}
	return found
}
