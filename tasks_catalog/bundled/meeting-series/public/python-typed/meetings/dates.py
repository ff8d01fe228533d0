"""Days and minutes as plain numbers, in the Gregorian calendar.

A day is a number: 1 is 0001-01-01, a Monday. A minute is one too: the day times 1440, plus the minutes since midnight.
"""

MINUTES_PER_DAY = 1440
MONTH_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year: int, month: int) -> int:
    return 29 if month == 2 and is_leap(year) else MONTH_LENGTHS[month - 1]


def days_before_year(year: int) -> int:
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400


def day_number(year: int, month: int, day: int) -> int:
    return days_before_year(year) + sum(month_length(year, m) for m in range(1, month)) + day


def civil(day: int) -> tuple[int, int, int]:
    """Return the year, the month and the day of the month."""
    year = (day - 1) // 365 + 1
    while days_before_year(year) >= day:
        year -= 1
    rest = day - days_before_year(year)
    month = 1
    while rest > month_length(year, month):
        rest -= month_length(year, month)
        month += 1
    return year, month, rest


def weekday(day: int) -> int:
    """Return 0 for a Monday to 6 for a Sunday."""
    return (day - 1) % 7


def minute_text(minute: int) -> str:
    year, month, day = civil(minute // MINUTES_PER_DAY)
    hours, minutes = divmod(minute % MINUTES_PER_DAY, 60)
    return f"{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}"
