import calendar
from datetime import date, timedelta

cal = calendar.Calendar(firstweekday=calendar.SUNDAY)
weeks = [[d or None for d in week] for week in cal.monthdayscalendar(2024, 2)]
print(calendar.TextCalendar(calendar.MONDAY).formatmonth(2024, 2), end="")


def easter(year):
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 19 * l) // 433
    month, day = divmod(h + l - 7 * m + 114, 31)
    return date(year, month, day + 1)


def nth_weekday(year, month, weekday, n):
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (n - 1))


return {"weeks": weeks, "easter": [easter(y).isoformat() for y in (2023, 2024, 2025)], "thanksgiving": nth_weekday(2024, 11, calendar.THURSDAY, 4).isoformat(), "friday13": [d.isoformat() for m in range(1, 13) if (d := date(2026, m, 13)).weekday() == 4], "names": [calendar.month_abbr[3], calendar.day_name[0]]}
