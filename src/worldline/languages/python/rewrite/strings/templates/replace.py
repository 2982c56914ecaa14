"""Functions for replacements and slices: replace, translate, removeprefix and the like."""

REPLACE = r"""
def string_replace(text, old, new):
    if type(text) is not str or type(old) is not str or type(new) is not str or old == '':
        return FALLBACK
    result = ''
    if len(old) == 1:
        for character in text:
            if character == old:
                character = new
            result = result + character
        return result
    following = 0
    last = len(text) - len(old)
    for position in range(len(text)):
        if following <= position <= last and text[position] == old[0]:
            length = 1
            while length < len(old) and text[position + length] == old[length]:
                length = length + 1
            if length == len(old):
                result = result + new
                following = position + length
        if position >= following:
            result = result + text[position]
    return result

def string_replace_at_most(text, old, new, count):
    if type(text) is not str or type(old) is not str or type(new) is not str or old == '':
        return FALLBACK
    if type(count) is not int or abs(count) > 1000:
        return FALLBACK
    result = ''
    following = 0
    last = len(text) - len(old)
    for position in range(len(text)):
        if following <= position <= last and text[position] == old[0] and count != 0:
            length = 1
            while length < len(old) and text[position + length] == old[length]:
                length = length + 1
            if length == len(old):
                result = result + new
                following = position + length
                count = count - 1
        if position >= following:
            result = result + text[position]
    return result

def string_translate(text, table):
    if type(text) is not str or type(table) is not dict:
        return FALLBACK
    result = ''
    for character in text:
        new = table.get(ord(character), character)
        if type(new) is int and 0 <= new <= 1114111:
            new = chr(new)
        if type(new) is str:
            result = result + new
        elif new is not None:
            return FALLBACK
    return result

def string_expandtabs(text):
    if type(text) is not str:
        return FALLBACK
    result = ''
    column = 0
    for character in text:
        if character == '\t':
            result = result + ' ' * (8 - column % 8)
            column = 0
        else:
            result = result + character
            column = column + 1
        if character == '\n' or character == '\r':
            column = 0
    return result

def string_expandtabs_to(text, tabsize):
    if type(text) is not str or type(tabsize) is not int or not 0 < tabsize <= 1000:
        return FALLBACK
    result = ''
    column = 0
    for character in text:
        if character == '\t':
            result = result + ' ' * (tabsize - column % tabsize)
            column = 0
        else:
            result = result + character
            column = column + 1
        if character == '\n' or character == '\r':
            column = 0
    return result

def string_removeprefix(text, prefix):
    if type(text) is not str or type(prefix) is not str or len(prefix) > len(text):
        return FALLBACK
    for position in range(len(prefix)):
        if text[position] != prefix[position]:
            return text
    result = ''
    for position in range(len(prefix), len(text)):
        result = result + text[position]
    return result

def string_removesuffix(text, suffix):
    if type(text) is not str or type(suffix) is not str or len(suffix) > len(text):
        return FALLBACK
    stop = len(text) - len(suffix)
    for position in range(len(suffix)):
        if text[stop + position] != suffix[position]:
            return text
    result = ''
    for position in range(stop):
        result = result + text[position]
    return result

def string_slice(text, start, stop):
    if type(text) is not str:
        return FALLBACK
    if start is not None and type(start) is not int or stop is not None and type(stop) is not int:
        return FALLBACK
    if start is None:
        start = 0
    if stop is None:
        stop = len(text)
    if start < 0:
        start = max(start + len(text), 0)
    if stop < 0:
        stop = max(stop + len(text), 0)
    stop = min(stop, len(text))
    result = ''
    for position in range(start, stop):
        result = result + text[position]
    return result

def string_slice_step(text, start, stop, step):
    if type(text) is not str or type(step) is not int or step == 0:
        return FALLBACK
    if start is not None and type(start) is not int or stop is not None and type(stop) is not int:
        return FALLBACK
    if step > 0:
        lowest = 0
        highest = len(text)
    else:
        lowest = -1
        highest = len(text) - 1
    if start is None:
        start = lowest if step > 0 else highest
    elif start < 0:
        start = max(start + len(text), lowest)
    if stop is None:
        stop = highest if step > 0 else lowest
    elif stop < 0:
        stop = max(stop + len(text), lowest)
    result = ''
    for position in range(min(start, highest), min(stop, highest), step):
        result = result + text[position]
    return result

def string_reversed(text):
    if type(text) is not str:
        return FALLBACK
    result = ''
    for character in text:
        result = character + result
    return result
"""
