"""Grammar of generated programs: weighted templates of expressions and updates, by value type.

`program_builder` explains the placeholders. Each level selects the templates that it needs.
"""

from collections.abc import Iterable, Sequence

from worldline.data.generation.program_builder import Templates

TemplateTable = dict[str, list[tuple[int, str]]]

NUMBERS: Templates = {
    "int": [
        (5, "<int> + <int>"), (4, "<int> - <int>"), (2, "<int> + <k>"), (2, "<int> - <n>"),
        (3, "<int> * <m>"), (2, "<int> * <int>"), (2, "<int> // <m>"), (3, "<int> % <m>"),
        (1, "<int> // <r.int>"), (1, "<int> % <r.int>"), (1, "-<int>"), (1, "abs(<int>)"),
        (1, "max(<int>, <int>)"), (1, "min(<int>, <int>)"), (1, "<n> - <int>"),
        (1, "<int> + <int> * <m>"), (1, "(<int> + <int>) * <m>"), (1, "(<int> - <int>) // <m>"),
    ],
    "bool": [
        (3, "<int> > <int>"), (3, "<int> < <int>"), (2, "<int> == <int>"), (1, "<int> != <int>"),
        (2, "<int> >= <k>"), (2, "<int> <= <k>"), (1, "<int> % 2 == 0"), (1, "<int> % <m> == 1"),
        (1, "<int> > <k>"),
        (1, "<n> < <r.int> < <big>"), (1, "not <r.bool>"),
    ],
}  # fmt: skip
LOGIC: Templates = {
    "bool": [
        (2, "<bool> and <bool>"), (2, "<bool> or <bool>"), (1, "not (<bool>)"),
        (1, "<r.int> > <int> and <r.int> < <k>"), (1, "<r.int> % 2 == 0 or <r.int> > <k>"),
        (1, "<r.int> % <m> == 0 and <r.int> != <int>"),
    ],
}  # fmt: skip
CHOICES: Templates = {
    "int": [(3, "<int> if <bool> else <int>")],
    "str": [(3, "<str> if <bool> else <str>"), (1, "<w> if <bool> else <w>")],
}
FLOATS: Templates = {
    "float": [
        (3, "<int> / <h>"), (2, "<float> + <q>"), (2, "<float> - <float>"), (1, "<float> * <m>"),
        (1, "<float> / 2"), (1, "<int> * <q>"), (1, "<float> + <int>"), (1, "round(<float>, 1)"),
    ],
    "int": [(1, "int(<r.float>)"), (1, "round(<r.float>)")],
    "bool": [(1, "<r.float> > <q>"), (1, "<r.float> < <int>")],
}  # fmt: skip
STRINGS: Templates = {
    "str": [
        (5, "<str> + <str>"), (2, "<str> + <c>"), (1, "<c> + <str>"), (2, "<str>.upper()"),
        (2, "<str>.lower()"), (1, "<str>.title()"), (1, "<str>.capitalize()"),
        (1, "<str>.swapcase()"), (4, "<str>.replace(<c>, <c>)"), (1, "<str>.replace(<c>, '')"),
        (1, "<str>.replace(<c>, <w>)"), (1, "<str>.strip()"), (2, "<str>.strip(<c>)"),
        (1, "<str>.lstrip(<c>)"), (1, "<str>.rstrip(<c>)"), (3, "<str>[<i>:]"), (3, "<str>[:<j>]"),
        (2, "<str>[<i>:<j>]"), (3, "<str>[::-1]"), (1, "<str>[-<n>:]"), (1, "<str>[:-<n>]"),
        (2, "<str>[<i>]"), (1, "<str>[-1]"), (1, "<str>[::2]"), (1, "<str>[1::2]"),
        (2, "<str> * <j>"), (1, "<c> * <n>"), (1, "str(<r.int>)"), (1, "<str> + str(<int>)"),
        (1, "<str>.split(<c>)[0]"), (1, "<str>[<r.int>]"), (1, "<str>[:<r.int>]"),
        (1, "<str>[len(<1>) // 2:]"), (1, "<str>.removeprefix(<c>)"),
    ],
    "int": [
        (4, "len(<str>)"), (4, "<str>.count(<c>)"), (3, "<str>.find(<c>)"), (1, "<str>.rfind(<c>)"),
        (1, "len(<str>) + <int>"), (1, "len(<str>) - <str>.count(<c>)"),
        (1, "ord(<str>[0]) - ord('a')"),
    ],
    "bool": [
        (3, "<c> in <str>"), (2, "<str>.startswith(<c>)"), (2, "<str>.endswith(<c>)"),
        (2, "<str> == <str>"), (1, "<str>.isalpha()"), (1, "<str>.isdigit()"),
        (1, "<str>.islower()"), (1, "<str>.isupper()"), (2, "len(<str>) > <n>"),
        (1, "<c> not in <str>"), (1, "<str> == <1>[::-1]"), (1, "<str> < <str>"),
        (1, "<str>[0] == <c>"),
    ],
}  # fmt: skip
PIECES: Templates = {
    "strs": [
        (3, "<str>.split(<c>)"), (2, "<str>.split()"), (1, "<str>.split(' ')"), (2, "list(<str>)"),
        (1, "[<str>, <str>]"), (1, "<strs>[1:]"), (1, "<strs>[::-1]"), (1, "sorted(<strs>)"),
        (1, "sorted(<str>)"), (1, "<strs> + [<str>]"), (1, "<str>.split(',')"),
        (1, "[<str>.upper(), <str>[:<j>]]"),
    ],
    "str": [
        (3, "''.join(<strs>)"), (2, "<c>.join(<strs>)"), (1, "' '.join(<strs>)"),
        (1, "'-'.join(<str>)"), (1, "''.join(sorted(<str>))"), (2, "<r.strs>[<i>]"),
        (1, "<r.strs>[-1]"),
    ],
    "int": [(2, "len(<r.strs>)"), (1, "<r.strs>.count(<c>)")],
    "bool": [(1, "<c> in <r.strs>"), (1, "len(<r.strs>) > <n>")],
}  # fmt: skip
LISTS: Templates = {
    "ints": [
        (2, "[<int>, <int>, <int>]"), (2, "[<int>, <int>]"), (3, "<ints> + [<int>]"),
        (2, "<ints> + <ints>"), (2, "<ints>[<i>:]"), (2, "<ints>[:<j>]"), (2, "<ints>[::-1]"),
        (3, "sorted(<ints>)"), (1, "list(range(<n>))"), (1, "[<int>] * <j>"),
        (1, "list(reversed(<ints>))"), (1, "sorted(<ints>, reverse=True)"), (1, "[<int>] + <ints>"),
        (1, "<ints>[<i>:<j>]"), (1, "<ints>[1:] + <1>[:1]"), (1, "<r.ints>.copy()"),
        (1, "<r.ints>"),
    ],
    "int": [
        (3, "len(<ints>)"), (3, "sum(<ints>)"), (2, "max(<ints>)"), (2, "min(<ints>)"),
        (4, "<ints>[<i>]"), (2, "<ints>[-1]"), (1, "<ints>.count(<int>)"), (1, "<ints>[-2]"),
        (1, "<r.ints>.index(<int>)"), (1, "<ints>[0] + <1>[-1]"), (1, "<r.ints>.pop()"),
        (1, "<r.ints>[<r.int>]"), (1, "max(<ints>) - min(<1>)"), (1, "<ints>[<int> % len(<1>)]"),
    ],
    "bool": [
        (3, "<int> in <ints>"), (1, "len(<ints>) > <n>"), (1, "<int> not in <ints>"),
        (1, "<ints>[0] > <int>"), (1, "<ints> == <1>[::-1]"), (1, "sum(<ints>) > <k>"),
    ],
}  # fmt: skip
DICTS: Templates = {
    "dict": [
        (2, "{<key>: <int>, <key>: <int>}"), (1, "{<key>: <int>}"), (1, "dict(<r.dict>)"),
        (1, "{**<r.dict>, <key>: <int>}"),
    ],
    "int": [
        (4, "<r.dict>.get(<key>, <i>)"), (3, "<r.dict>[<key>]"), (2, "len(<r.dict>)"),
        (2, "sum(<r.dict>.values())"), (1, "max(<r.dict>.values())"),
        (1, "<r.dict>.get(<key>, -1)"),
    ],
    "bool": [(3, "<key> in <r.dict>"), (1, "<r.dict>.get(<key>, 0) > <n>")],
    "strs": [
        (1, "list(<r.dict>)"), (1, "list(<r.dict>.keys())"), (1, "sorted(<r.dict>)"),
        (1, "[<key>, <key>]"), (1, "<r.strs> + [<key>]"),
    ],
    "ints": [(1, "list(<r.dict>.values())"), (1, "sorted(<r.dict>.values())")],
}  # fmt: skip
SETS: Templates = {
    "set": [
        (2, "set(<ints>)"), (1, "{<int>, <int>}"), (1, "<set> | {<int>}"), (1, "<set> & <set>"),
        (1, "<set> - {<int>}"), (1, "<set> | <set>"),
    ],
    "int": [(2, "len(<r.set>)"), (1, "sum(<r.set>)"), (1, "max(<r.set>)")],
    "ints": [(2, "sorted(<r.set>)")],
    "bool": [(2, "<int> in <r.set>")],
}  # fmt: skip
PAIRS: Templates = {
    "pair": [
        (2, "(<int>, <int>)"), (1, "(<int>, <int>, <int>)"), (1, "<r.pair>[::-1]"),
        (1, "<r.pair> + (<int>,)"),
    ],
    "int": [(3, "<r.pair>[0]"), (2, "<r.pair>[1]"), (1, "sum(<r.pair>)"), (1, "len(<r.pair>)")],
    "bool": [(1, "<int> in <r.pair>")],
}  # fmt: skip

# Statements that update a variable, by its type.
UPDATES: Templates = {
    "int": [
        (5, "<v.int> += <int>"), (4, "<v.int> -= <int>"), (2, "<v.int> *= <m>"),
        (1, "<v.int> //= <m>"), (1, "<v.int> %= <m>"), (1, "<v.int> += 1"), (1, "<v.int> -= <n>"),
    ],
    "float": [(2, "<v.float> += <q>"), (1, "<v.float> -= <int>"), (1, "<v.float> /= 2")],
    "str": [(3, "<v.str> += <str>"), (2, "<v.str> += <c>"), (1, "<v.str> = <c> + <1>")],
    "ints": [
        (6, "<v.ints>.append(<int>)"), (2, "<v.ints>.insert(<i>, <int>)"), (2, "<v.ints>.pop()"),
        (2, "<v.ints>.pop(<i>)"), (2, "<v.ints>.reverse()"), (2, "<v.ints>.sort()"),
        (2, "<v.ints>.extend(<ints>)"), (4, "<v.ints>[<i>] = <int>"), (2, "<v.ints>[-1] = <int>"),
        (1, "<v.ints>[<i>] += <int>"), (1, "del <v.ints>[<i>]"), (1, "<v.ints> += [<int>]"),
        (1, "<v.ints>.remove(<1>[<i>])"), (1, "<v.ints>.sort(reverse=True)"),
        (1, "<v.ints>[<i>], <1>[-1] = <1>[-1], <1>[<2>]"),
    ],
    "strs": [
        (3, "<v.strs>.append(<str>)"), (1, "<v.strs>.reverse()"), (1, "<v.strs>.sort()"),
        (1, "<v.strs>.pop()"), (1, "<v.strs>.insert(0, <str>)"), (1, "<v.strs>[<i>] = <str>"),
    ],
    "dict": [
        (5, "<v.dict>[<key>] = <int>"), (2, "<v.dict>[<key>] += <int>"), (1, "<v.dict>.pop(<key>)"),
        (2, "<v.dict>[<key>] = <1>.get(<2>, 0) + <int>"), (1, "del <v.dict>[<key>]"),
        (1, "<v.dict>.update({<key>: <int>})"), (1, "<v.dict>.setdefault(<key>, <int>)"),
        (2, "<v.dict>[<r.str>] = <1>.get(<2>, 0) + 1"),
    ],
    "set": [(3, "<v.set>.add(<int>)"), (1, "<v.set>.discard(<int>)")],
}  # fmt: skip


def merge(*tables: Templates) -> TemplateTable:
    """Merge the templates of several tables."""
    merged: TemplateTable = {}
    for table in tables:
        for value_type, templates in table.items():
            merged.setdefault(value_type, []).extend(templates)
    return merged


def select_types(table: Templates, value_types: Iterable[str]) -> TemplateTable:
    """Select the templates of some value types."""
    selected = set(value_types)
    return {
        value_type: list(templates)
        for value_type, templates in table.items()
        if value_type in selected
    }


def scale_weights(templates: Sequence[tuple[int, str]], factor: int) -> list[tuple[int, str]]:
    """Multiply the weights of templates."""
    return [(weight * factor, template) for weight, template in templates]
