import calendar
from datetime import date, timedelta

holidays = {date(2024, 5, 1), date(2024, 5, 9)}


def business_days(first, last):
    day = first
    while day <= last:
        if day.weekday() < 5 and day not in holidays:
            yield day
        day += timedelta(days=1)


may = list(business_days(date(2024, 5, 1), date(2024, 5, 31)))
print(calendar.month(2024, 5))
weeks = {}
for day in may:
    weeks.setdefault(day.isocalendar().week, []).append(day.day)
return {"count": len(may), "weeks": {str(k): v for k, v in weeks.items()}, "leap": [y for y in range(1896, 1910) if calendar.isleap(y)], "range": [int(n) for n in calendar.monthrange(2023, 2)]}
