"""Functions for predicates on strings: isalpha, startswith and the like."""

# Predicates that are true for a text if they are true for each of its characters.
CHARACTER_METHODS = (
    "isalpha",
    "isdigit",
    "isdecimal",
    "isnumeric",
    "isalnum",
    "isspace",
    "isascii",
    "isprintable",
)

CHARACTER_PREDICATE = """\
def string_{method}(text):
    if type(text) is not str or text == '':
        return FALLBACK
    for character in text:
        if not character.{method}():
            return False
    return True
"""

# Character by character only for ASCII: other scripts have titlecase letters.
PREDICATES = r"""
def string_isupper(text):
    if type(text) is not str or not text.isascii():
        return FALLBACK
    found = False
    for character in text:
        if character.islower():
            return False
        found = found or character.isupper()
    return found

def string_islower(text):
    if type(text) is not str or not text.isascii():
        return FALLBACK
    found = False
    for character in text:
        if character.isupper():
            return False
        found = found or character.islower()
    return found

def string_istitle(text):
    if type(text) is not str or not text.isascii():
        return FALLBACK
    found = False
    within = False
    for character in text:
        if character.isalpha() and character.islower() != within:
            return False
        within = character.isalpha()
        found = found or within
    return found

def string_startswith(text, prefix):
    if type(text) is not str or type(prefix) is not str and type(prefix) is not tuple:
        return FALLBACK
    prefixes = [prefix] if type(prefix) is str else prefix
    for each in prefixes:
        if type(each) is not str:
            return FALLBACK
        stop = min(len(each), len(text))
        length = 0
        while length < stop and text[length] == each[length]:
            length = length + 1
        if length == len(each):
            return True
    return False

def string_endswith(text, suffix):
    if type(text) is not str or type(suffix) is not str and type(suffix) is not tuple:
        return FALLBACK
    suffixes = [suffix] if type(suffix) is str else suffix
    for each in suffixes:
        if type(each) is not str:
            return FALLBACK
        stop = min(len(each), len(text))
        length = 0
        while length < stop and text[-1 - length] == each[-1 - length]:
            length = length + 1
        if length == len(each):
            return True
    return False
"""

CHARACTER_PREDICATES = "\n".join(
    CHARACTER_PREDICATE.format(method=method) for method in CHARACTER_METHODS
)
