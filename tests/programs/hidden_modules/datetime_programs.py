"""Small programs that use datetime; the calls are in the comment above each function."""

import datetime


# days_between('2024-01-01', '2024-03-01'), days_between('2023-02-28', '2023-02-28'), days_between('2024-12-25', '2025-01-01')
def days_between(first, second):
    start = datetime.date.fromisoformat(first)
    end = datetime.date.fromisoformat(second)
    return (end - start).days


# weekday_name(2024, 5, 17), weekday_name(2000, 1, 1), weekday_name(2023, 12, 31)
def weekday_name(year, month, day):
    names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    number = datetime.date(year, month, day).weekday()
    return names[number]


# add_days('2024-02-28', 2), add_days('2023-12-31', 1), add_days('2024-03-10', -10)
def add_days(text, count):
    day = datetime.date.fromisoformat(text) + datetime.timedelta(days=count)
    return day.isoformat()


# is_weekend(2024, 5, 18), is_weekend(2024, 5, 20), is_weekend(2024, 6, 2)
def is_weekend(year, month, day):
    if datetime.date(year, month, day).weekday() >= 5:
        return "weekend"
    return "workday"


# parse_day('17.05.2024'), parse_day('1.1.1999'), parse_day('not a day')
def parse_day(text):
    try:
        moment = datetime.datetime.strptime(text, "%d.%m.%Y")
    except ValueError:
        return None
    return (moment.year, moment.month, moment.day)


# minutes(1, 30), minutes(0, 0), minutes(25, 5)
def minutes(hours, rest):
    span = datetime.timedelta(hours=hours, minutes=rest)
    return span.total_seconds() / 60


# format_day(2024, 5, 7), format_day(1999, 12, 31), format_day(2001, 1, 1)
def format_day(year, month, day):
    return datetime.date(year, month, day).strftime("%d/%m/%y")


# next_month(2024, 12), next_month(2023, 1), next_month(2024, 2)
def next_month(year, month):
    first = datetime.date(year, month, 1)
    later = first + datetime.timedelta(days=31)
    return later.replace(day=1).isoformat()


# is_leap(2024), is_leap(2023), is_leap(1900)
def is_leap(year):
    try:
        datetime.date(year, 2, 29)
    except ValueError:
        return False
    return True


# age('2000-05-17', '2024-05-16'), age('2000-05-17', '2024-05-17'), age('1999-01-01', '2000-12-31')
def age(born, today):
    first = datetime.date.fromisoformat(born)
    last = datetime.date.fromisoformat(today)
    years = last.year - first.year
    if (last.month, last.day) < (first.month, first.day):
        years -= 1
    return years


# clock(3661), clock(59), clock(86399)
def clock(seconds):
    text = str(datetime.timedelta(seconds=seconds))
    return text.zfill(8)


# latest(['2024-01-05', '2023-12-31']), latest(['2020-02-29']), latest(['2021-01-01', '2021-01-02', '2020-12-31'])
def latest(texts):
    best = None
    for text in texts:
        day = datetime.date.fromisoformat(text)
        if best is None or day > best:
            best = day
    return best.isoformat()


# day_of_year(2024, 3, 1), day_of_year(2023, 3, 1), day_of_year(2023, 12, 31)
def day_of_year(year, month, day):
    return datetime.date(year, month, day).timetuple().tm_yday
