"""Functions for splitting and joining: split, partition, join and the like."""

SPLIT_AND_JOIN = r"""
def string_split(text):
    if type(text) is not str:
        return FALLBACK
    words = []
    word = ''
    for character in text:
        if not character.isspace():
            word = word + character
        elif word != '':
            words.append(word)
            word = ''
    if word != '':
        words.append(word)
    return words

def string_split_at(text, sep):
    if type(text) is not str or type(sep) is not str or sep == '':
        return FALLBACK
    parts = []
    part = ''
    if len(sep) == 1:
        for character in text:
            if character != sep:
                part = part + character
            else:
                parts.append(part)
                part = ''
        parts.append(part)
        return parts
    following = 0
    last = len(text) - len(sep)
    for position in range(len(text)):
        if following <= position <= last and text[position] == sep[0]:
            length = 1
            while length < len(sep) and text[position + length] == sep[length]:
                length = length + 1
            if length == len(sep):
                parts.append(part)
                part = ''
                following = position + length
        if position >= following:
            part = part + text[position]
    parts.append(part)
    return parts

def string_split_at_most(text, sep, maxsplit):
    if type(text) is not str or type(sep) is not str or sep == '':
        return FALLBACK
    if type(maxsplit) is not int or abs(maxsplit) > 1000:
        return FALLBACK
    parts = []
    part = ''
    following = 0
    last = len(text) - len(sep)
    for position in range(len(text)):
        if following <= position <= last and text[position] == sep[0] and len(parts) != maxsplit:
            length = 1
            while length < len(sep) and text[position + length] == sep[length]:
                length = length + 1
            if length == len(sep):
                parts.append(part)
                part = ''
                following = position + length
        if position >= following:
            part = part + text[position]
    parts.append(part)
    return parts

def string_rsplit(text):
    if type(text) is not str:
        return FALLBACK
    words = []
    word = ''
    for character in text:
        if not character.isspace():
            word = word + character
        elif word != '':
            words.append(word)
            word = ''
    if word != '':
        words.append(word)
    return words

def string_rsplit_at(text, sep):
    if type(text) is not str or type(sep) is not str or sep == '':
        return FALLBACK
    parts = []
    part = ''
    first = len(sep) - 1
    following = len(text) - 1
    for position in range(len(text) - 1, -1, -1):
        if first <= position <= following and text[position] == sep[-1]:
            length = 1
            while length < len(sep) and text[position - length] == sep[-1 - length]:
                length = length + 1
            if length == len(sep):
                parts = [part] + parts
                part = ''
                following = position - length
        if position <= following:
            part = text[position] + part
    return [part] + parts

def string_rsplit_at_most(text, sep, maxsplit):
    if type(text) is not str or type(sep) is not str or sep == '':
        return FALLBACK
    if type(maxsplit) is not int or abs(maxsplit) > 1000:
        return FALLBACK
    parts = []
    part = ''
    first = len(sep) - 1
    following = len(text) - 1
    for position in range(len(text) - 1, -1, -1):
        if first <= position <= following and text[position] == sep[-1] and len(parts) != maxsplit:
            length = 1
            while length < len(sep) and text[position - length] == sep[-1 - length]:
                length = length + 1
            if length == len(sep):
                parts = [part] + parts
                part = ''
                following = position - length
        if position <= following:
            part = text[position] + part
    return [part] + parts

def string_splitlines(text):
    if type(text) is not str or not text.isascii() or '\r' in text:
        return FALLBACK
    lines = []
    line = ''
    for character in text:
        if character in ['\n', '\v', '\f', '\x1c', '\x1d', '\x1e']:
            lines.append(line)
            line = ''
        else:
            line = line + character
    if line != '':
        lines.append(line)
    return lines

def string_partition(text, sep):
    if type(text) is not str or type(sep) is not str or sep == '':
        return FALLBACK
    before = ''
    for position in range(len(text) - len(sep) + 1):
        if text[position] == sep[0]:
            length = 1
            while length < len(sep) and text[position + length] == sep[length]:
                length = length + 1
            if length == len(sep):
                after = ''
                for place in range(position + length, len(text)):
                    after = after + text[place]
                return (before, sep, after)
        before = before + text[position]
    return (text, '', '')

def string_rpartition(text, sep):
    if type(text) is not str or type(sep) is not str or sep == '':
        return FALLBACK
    for position in range(len(text) - len(sep), -1, -1):
        if text[position] == sep[0]:
            length = 1
            while length < len(sep) and text[position + length] == sep[length]:
                length = length + 1
            if length == len(sep):
                before = ''
                for place in range(position):
                    before = before + text[place]
                after = ''
                for place in range(position + length, len(text)):
                    after = after + text[place]
                return (before, sep, after)
    return ('', '', text)

def string_join(text, parts):
    if type(text) is not str or type(parts) is not list and type(parts) is not tuple:
        return FALLBACK
    result = ''
    between = ''
    for part in parts:
        if type(part) is not str:
            return FALLBACK
        result = result + between + part
        between = text
    return result

def string_join_all(text, parts):
    if type(text) is not str:
        return FALLBACK
    parts = list(parts)
    result = ''
    between = ''
    for part in parts:
        if type(part) is not str:
            return FALLBACK
        result = result + between + part
        between = text
    return result
"""
