"""Small programs that use statistics; the calls are in the comment above each function."""

import statistics


# average([1, 2, 3, 4]), average([10]), average([2.5, 3.5])
def average(values):
    mean = statistics.mean(values)
    return mean


# above_mean([1, 2, 9]), above_mean([5, 5]), above_mean([0, 10, 20, 30])
def above_mean(values):
    mean = statistics.mean(values)
    return [value for value in values if value > mean]


# middle([3, 1, 2]), middle([4, 1, 3, 2]), middle([7])
def middle(values):
    return statistics.median(values)


# common([1, 2, 2, 3]), common(['a', 'b', 'b']), common([5])
def common(values):
    return statistics.mode(values)


# spread([2, 4, 4, 4, 5, 5, 7, 9]), spread([1, 1]), spread([1, 3])
def spread(values):
    return round(statistics.pstdev(values), 3)


# safe_mean([]), safe_mean([3, 5]), safe_mean([1])
def safe_mean(values):
    try:
        return statistics.mean(values)
    except statistics.StatisticsError:
        return 0


# low_and_high([1, 2, 3, 4]), low_and_high([5, 1]), low_and_high([2, 2, 8, 9])
def low_and_high(values):
    low = statistics.median_low(values)
    high = statistics.median_high(values)
    if low == high:
        return (low,)
    return (low, high)


# variance([1, 2, 3, 4, 5]), variance([2, 2, 2]), variance([1, 5])
def variance(values):
    return statistics.variance(values)


# modes([1, 1, 2, 2, 3]), modes(['x']), modes([])
def modes(values):
    found = statistics.multimode(values)
    return sorted(found)


# outliers([1, 2, 2, 3, 50]), outliers([1, 2, 3]), outliers([10, 10, 10, 0])
def outliers(values):
    center = statistics.median(values)
    far = []
    for value in values:
        if abs(value - center) > 5:
            far.append(value)
    return far


# grade([80, 90, 100]), grade([40, 50]), grade([70])
def grade(points):
    mean = statistics.fmean(points)
    if mean >= 85:
        return "A"
    if mean >= 60:
        return "B"
    return "C"


# harmonic([40, 60]), harmonic([1, 1, 1]), harmonic([2, 6])
def harmonic(values):
    return round(statistics.harmonic_mean(values), 2)


# skewed([1, 1, 10]), skewed([1, 2, 3]), skewed([1, 9, 9])
def skewed(values):
    difference = statistics.mean(values) - statistics.median(values)
    if difference > 0:
        return "right"
    if difference < 0:
        return "left"
    return "even"
