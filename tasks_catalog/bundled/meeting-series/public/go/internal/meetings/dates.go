// Package meetings holds series of meetings and works out when their occurrences take place.
package meetings

import "fmt"

// A day is a number: 1 is 0001-01-01, a Monday. A minute is one too: the day times 1440, plus
// the minutes since midnight.
const minutesPerDay = 1440

var monthLengths = [12]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func isLeap(year int) bool {
	return year%4 == 0 && (year%100 != 0 || year%400 == 0)
}

func monthLength(year, month int) int {
	if month == 2 && isLeap(year) {
		return 29
	}
	return monthLengths[month-1]
}

func daysBeforeYear(year int) int {
	past := year - 1
	return past*365 + past/4 - past/100 + past/400
}

func dayNumber(year, month, day int) int {
	number := daysBeforeYear(year) + day
	for m := 1; m < month; m++ {
		number += monthLength(year, m)
	}
	return number
}

// civil returns the year, the month and the day of the month.
func civil(day int) (int, int, int) {
	year := (day-1)/365 + 1
	for daysBeforeYear(year) >= day {
		year--
	}
	rest := day - daysBeforeYear(year)
	month := 1
	for rest > monthLength(year, month) {
		rest -= monthLength(year, month)
		month++
	}
	return year, month, rest
}

// weekday returns 0 for a Monday to 6 for a Sunday.
func weekday(day int) int { return (day - 1) % 7 }

func minuteText(minute int) string {
	year, month, day := civil(minute / minutesPerDay)
	clock := minute % minutesPerDay
	return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d", year, month, day, clock/60, clock%60)
}

func instantText(instant int) string { return minuteText(instant) + "Z" }
