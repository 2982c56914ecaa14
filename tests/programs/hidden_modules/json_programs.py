"""Small programs that use json; the calls are in the comment above each function."""

import json


# total_price('[{"price": 3}, {"price": 4.5}]'), total_price('[]'), total_price('[{"price": 10}]')
def total_price(text):
    total = 0
    for item in json.loads(text):
        total += item["price"]
    return total


# read_name('{"name": "Ada"}'), read_name('{}'), read_name('{"name": null}')
def read_name(text):
    data = json.loads(text)
    name = data.get("name")
    if name is None:
        return "unknown"
    return name.upper()


# is_valid('[1, 2]'), is_valid('[1, 2'), is_valid('tru')
def is_valid(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


# dump_pair('a', 1), dump_pair('quote"d', None), dump_pair('k', [True, 2.5])
def dump_pair(key, value):
    text = json.dumps({key: value})
    return text, len(text)


# sorted_keys({'b': 1, 'a': 2}), sorted_keys({}), sorted_keys({'z': [3], 'y': {'x': 0}})
def sorted_keys(data):
    text = json.dumps(data, sort_keys=True)
    return text


# compact([1, 2, 3]), compact({'a': None}), compact('text')
def compact(value):
    return json.dumps(value, separators=(",", ":"))


# same_data('{"a":1}', '{ "a" : 1 }'), same_data('[1]', '[1, 2]'), same_data('1', '1.0')
def same_data(left, right):
    if json.loads(left) == json.loads(right):
        return "same"
    return "different"


# depth('[[1, [2]], 3]'), depth('5'), depth('{"a": [1]}')
def depth(text):
    def measure(value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            return 1 + max(map(measure, value), default=0)
        return 0

    return measure(json.loads(text))


# count_types('[1, "a", null, true, 2]'), count_types('[]'), count_types('["x", "y"]')
def count_types(text):
    counts = {}
    for value in json.loads(text):
        name = type(value).__name__
        counts[name] = counts.get(name, 0) + 1
    return counts


# merge('{"a": 1}', '{"b": 2}'), merge('{"a": 1}', '{"a": 3}'), merge('{}', '{}')
def merge(first, second):
    data = json.loads(first)
    data.update(json.loads(second))
    return json.dumps(data)


# line_count({'a': 1, 'b': 2}), line_count([]), line_count([1, [2]])
def line_count(value):
    text = json.dumps(value, indent=2)
    return len(text.splitlines())


# round_trip((1, 2)), round_trip({1: 'a'}), round_trip([None, False])
def round_trip(value):
    back = json.loads(json.dumps(value))
    return back, back == value


# first_rows('{"id": 1}\n{"id": 2}\n\n{"id": 3}', 2), first_rows('', 1), first_rows('{"id": 9}', 5)
def first_rows(text, count):
    ids = []
    for line in text.splitlines():
        if line and len(ids) < count:
            ids.append(json.loads(line)["id"])
    return ids
