"""Functions for changes of case and padding: upper, title, center and the like."""

# Character by character only for ASCII: lower() of a final sigma depends on its neighbours.
CASE = r"""
def string_upper(text):
    if type(text) is not str:
        return FALLBACK
    result = ''
    for character in text:
        result = result + character.upper()
    return result

def string_lower(text):
    if type(text) is not str or not text.isascii():
        return FALLBACK
    result = ''
    for character in text:
        result = result + character.lower()
    return result

def string_casefold(text):
    if type(text) is not str or not text.isascii():
        return FALLBACK
    result = ''
    for character in text:
        result = result + character.lower()
    return result

def string_swapcase(text):
    if type(text) is not str or not text.isascii():
        return FALLBACK
    result = ''
    for character in text:
        if character.isupper():
            result = result + character.lower()
        else:
            result = result + character.upper()
    return result

def string_capitalize(text):
    if type(text) is not str or not text.isascii() or text == '':
        return FALLBACK
    result = text[0].upper()
    for position in range(1, len(text)):
        result = result + text[position].lower()
    return result

def string_title(text):
    if type(text) is not str or not text.isascii():
        return FALLBACK
    result = ''
    within = False
    for character in text:
        if within:
            result = result + character.lower()
        else:
            result = result + character.upper()
        within = character.isalpha()
    return result
"""

PAD = r"""
def string_ljust{with_}(text, width{parameter}):
    if type(text) is not str or type(width) is not int or abs(width) > 1000{guard}:
        return FALLBACK
    result = text
    while len(result) < width:
        result = result + {fill}
    return result

def string_rjust{with_}(text, width{parameter}):
    if type(text) is not str or type(width) is not int or abs(width) > 1000{guard}:
        return FALLBACK
    result = text
    while len(result) < width:
        result = {fill} + result
    return result

def string_center{with_}(text, width{parameter}):
    if type(text) is not str or type(width) is not int or abs(width) > 1000{guard}:
        return FALLBACK
    missing = max(width - len(text), 0)
    left = missing // 2
    if missing % 2 == 1 and width % 2 == 1:
        left = left + 1
    result = ''
    for place in range(left):
        result = result + {fill}
    result = result + text
    for place in range(missing - left):
        result = result + {fill}
    return result
"""

ZFILL = r"""
def string_zfill(text, width):
    if type(text) is not str or type(width) is not int or abs(width) > 1000:
        return FALLBACK
    sign = ''
    digits = text
    if text != '' and text[0] in ['+', '-']:
        sign = text[0]
        digits = ''
        for position in range(1, len(text)):
            digits = digits + text[position]
    while len(sign) + len(digits) < width:
        digits = '0' + digits
    return sign + digits
"""

CASE_AND_PAD = "\n".join(
    (
        CASE,
        PAD.format(with_="", parameter="", guard="", fill="' '"),
        PAD.format(
            with_="_with",
            parameter=", fillchar",
            guard=" or type(fillchar) is not str or len(fillchar) != 1",
            fill="fillchar",
        ),
        ZFILL,
    )
)
