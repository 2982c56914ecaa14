"""Operations as they are misread; appended to a changed program and executed in the sandbox.

Each function is copied alone, so it uses nothing but built-in names and its own imports.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,var-annotated"


def _misread_now(first, last, _count=[-1]):  # noqa: B006
    """Whether this evaluation of the changed operation, counted from 0, is one to change."""
    _count[0] += 1
    return first <= _count[0] <= last


def _misread_last_index(sequence, item):
    """The last position of an item."""
    if isinstance(sequence, str):
        return sequence.rindex(item)
    return len(sequence) - 1 - sequence[::-1].index(item)


def _misread_strip_one(text, characters, sides):
    """Strip one character only."""
    kinds = " \t\n\r\x0b\x0c" if characters is None else characters
    if "l" in sides and text[:1] and text[0] in kinds:
        text = text[1:]
    if "r" in sides and text[-1:] and text[-1] in kinds:
        text = text[:-1]
    return text


def _misread_folded(value):
    """A value without upper case: a string, or the strings in a container."""
    if isinstance(value, str):
        return value.lower()
    if isinstance(value, (list, tuple, set)):
        return type(value)(v.lower() if isinstance(v, str) else v for v in value)
    if isinstance(value, dict):
        return {k.lower() if isinstance(k, str) else k: v for k, v in value.items()}
    return value


def _misread_overlapping_count(sequence, item):
    """Count overlapping matches."""
    if not isinstance(sequence, str):
        return sequence.count(item)
    return sum(sequence.startswith(item, i) for i in range(len(sequence)))


def _misread_remove(items, item, which):
    """Remove the last match, or all matches."""
    places = [i for i, other in enumerate(items) if other == item]
    if not places:
        raise ValueError("list.remove(x): x not in list")
    for place in reversed(places[-1:] if which == "last" else places):
        del items[place]


def _misread_first_item(mapping):
    """Remove and return the first item of a dict."""
    key = next(iter(mapping))
    return key, mapping.pop(key)


def _misread_values(mapping):
    """The values of a dict; anything else as it is."""
    return mapping.values() if isinstance(mapping, dict) else mapping


def _misread_items(mapping):
    """The items of a dict; anything else as it is."""
    return mapping.items() if isinstance(mapping, dict) else mapping


def _misread_first_wins(*arguments, **named):
    """A dict that keeps the first value of each key."""
    result = {}
    for argument in (*arguments, named):
        pairs = argument.items() if isinstance(argument, dict) else argument
        for key, value in pairs:
            result.setdefault(key, value)
    return result


def _misread_update_missing(mapping, other):
    """Update only the missing keys of a dict."""
    if not isinstance(mapping, dict):
        mapping.update(other)
        return
    for key, value in dict(other).items():
        mapping.setdefault(key, value)


def _misread_move_to_end(mapping, key, value):
    """Assign to a key, which becomes the last."""
    if isinstance(mapping, dict):
        mapping.pop(key, None)
    mapping[key] = value


def _misread_unstable(items, key=None, reverse=False):
    """Sort with equal items in the reverse order."""
    backwards = list(items)[::-1]
    return sorted(backwards, key=key, reverse=reverse)


def _misread_last_extreme(function, items, key=None):
    """The last of several equal minima or maxima."""
    return function(list(items)[::-1], key=key)


def _misread_modulo(a, b):
    """The remainder with the sign of the dividend."""
    if isinstance(a, str) or not b:
        return a % b
    remainder = abs(a) % abs(b)
    return -remainder if a < 0 else remainder


def _misread_quotient(a, b):
    """The quotient rounded towards zero."""
    quotient = abs(a) // abs(b)
    return -quotient if (a < 0) != (b < 0) else quotient


def _misread_stale(name, value, _values={}):  # noqa: B006
    """The value of the evaluation before; the first is right."""
    previous = _values.get(name, value)
    _values[name] = value
    return previous


def _misread_rows(items, count):
    """Repeat a list, each item a copy of its own."""
    import copy

    if not isinstance(items, list) or not isinstance(count, int):
        return items * count
    return [copy.deepcopy(item) for _ in range(count) for item in items]


def _misread_receiver(receiver, name, *arguments, **named):
    """Call a method that returns nothing; return its receiver."""
    getattr(receiver, name)(*arguments, **named)
    return receiver


def _misread_fresh_defaults(function):
    """A function whose default values are new at every call."""
    import copy
    import functools

    defaults = copy.deepcopy(function.__defaults__)

    @functools.wraps(function)
    def with_fresh_defaults(*arguments, **named):
        function.__defaults__ = copy.deepcopy(defaults)
        return function(*arguments, **named)

    return with_fresh_defaults


def _misread_copy(value):
    """A copy of a container; anything else as it is."""
    return value.copy() if isinstance(value, (list, dict, set)) else value
