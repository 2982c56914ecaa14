"""Random wrong values of the same kind, and as far from the actual value as a predicted one."""

import ast
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from worldline.analysis.diagnosis import edit_distance
from worldline.core.util.seeded_random import SeededRandom

# Integers are drawn from at least this distance around the actual one.
_MIN_DISTANCE = 5
_DIGITS = "0123456789"


def random_wrong_value(
    actual: str, predicted: str, visible: Sequence[str], random: SeededRandom
) -> str:
    """Draw a wrong value, as text.

    - An integer: uniform at a distance of at most |predicted - actual|, or 5 if that is more.
    - A string: in half of the draws, as many random edits as separate the two values; in the other
      half, a random piece of a visible string, reversed in one of four.
    - A list, a tuple, a dict or a set: as many random edits of items, or a random piece, likewise.
      If a single item differs, in half of the draws one item is replaced by a random wrong one.
    - A bool: the other one. Anything else: random edits of its text.

    If the predicted value has another type, it is drawn around the predicted value.

    Args:
        actual: The actual value.
        predicted: The predicted value.
        visible: Strings that the executed line could read.
        random: The source of random choices.
    """
    right, wrong = _parse(actual), _parse(predicted)
    if right is _UNKNOWN or wrong is _UNKNOWN:
        distance = edit_distance(actual, predicted) or 1
        return _edit_text(actual, distance, sorted({*actual, *predicted}), random)
    return repr(_draw(right, wrong, visible, random))


_UNKNOWN = object()


# All draws for a sample parse the same two values; none changes them.
@lru_cache(maxsize=64)
def _parse(text: str) -> Any:
    try:
        # A text such as `1or` makes Python's parser warn.
        with warnings.catch_warnings(action="ignore"):
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return _UNKNOWN


def _draw(right: Any, wrong: Any, visible: Sequence[str], random: SeededRandom) -> Any:
    if isinstance(wrong, bool) or wrong is None:
        return not right if isinstance(right, bool) else wrong
    if type(right) is not type(wrong):
        right = wrong
    match right:
        case int():
            reach = max(_MIN_DISTANCE, abs(wrong - right))
            offset = random.between(1, reach)
            return right + (offset if random.below(2) else -offset)
        case float():
            text = _edit_text(
                repr(right), edit_distance(repr(right), repr(wrong)) or 1, _DIGITS, random
            )
            value = _parse(text)
            return float(value) if isinstance(value, int | float) else right
        case str():
            return _draw_string(right, wrong, visible, random)
        case list() | tuple():
            return type(right)(_draw_items(list(right), list(wrong), visible, random))
        case dict():
            items = _draw_items(list(right.items()), list(wrong.items()), visible, random)
            return dict(item for item in items if len(item) == 2 and _is_hashable(item[0]))
        case set():
            items = _draw_items(sorted(right, key=repr), sorted(wrong, key=repr), visible, random)
            return {item for item in items if _is_hashable(item)}
    return right


def _draw_string(right: str, wrong: str, visible: Sequence[str], random: SeededRandom) -> str:
    texts = [text for text in (right, *visible) if text]
    if texts and random.below(2):
        text = random.pick(texts)
        ends = sorted((random.between(0, len(text)), random.between(0, len(text))))
        piece = text[ends[0] : ends[1]]
        return piece if random.below(4) else piece[::-1]
    alphabet = sorted({*right, *wrong, *"".join(visible)}) or ["a"]
    return _edit_text(right, edit_distance(right, wrong) or 1, alphabet, random)


def _edit_text(text: str, distance: int, alphabet: Sequence[str], random: SeededRandom) -> str:
    characters = list(text)
    for _ in range(min(distance, 2 * len(text) + 2)):
        kind = random.below(3) if characters else 0
        if kind == 0:
            characters.insert(random.between(0, len(characters)), random.pick(alphabet))
        elif kind == 1:
            del characters[random.below(len(characters))]
        else:
            characters[random.below(len(characters))] = random.pick(alphabet)
    return "".join(characters)


def _draw_items(
    right: list[Any], wrong: list[Any], visible: Sequence[str], random: SeededRandom
) -> list[Any]:
    distance = _item_distance(right, wrong)
    pairs = zip(right, wrong, strict=False)
    pair = next(((a, b) for a, b in pairs if repr(a) != repr(b)), None)
    if pair and len(right) == len(wrong) and distance == 1 and random.below(2):
        alike = [i for i, item in enumerate(right) if type(item) is type(pair[0])]
        place = random.pick(alike)
        item = right[place]
        changed = _draw(pair[0], pair[1], visible, random)
        changed = changed if item is pair[0] else _draw(item, _like(item, pair), visible, random)
        return [*right[:place], changed, *right[place + 1 :]]
    if right and not random.below(4):
        ends = sorted((random.between(0, len(right)), random.between(0, len(right))))
        piece = right[ends[0] : ends[1]]
        return piece if random.below(4) else piece[::-1]
    items, others = list(right), [*right, *wrong]
    for _ in range(min(distance, 2 * len(right) + 2)):
        kind = random.below(4) if items else 0
        place = random.below(len(items)) if items else 0
        if kind == 0 and others:
            items.insert(random.between(0, len(items)), random.pick(others))
        elif kind == 1:
            del items[place]
        elif kind == 2:
            items[place] = random.pick(others)
        elif items:
            other = random.below(len(items))
            items[place], items[other] = items[other], items[place]
    return items


def _like(item: Any, pair: tuple[Any, Any]) -> Any:
    """A wrong value for an item, as far from it as the pair is apart."""
    if isinstance(item, int) and isinstance(pair[1], int) and isinstance(pair[0], int):
        return item + pair[1] - pair[0]
    return pair[1]


def _item_distance(right: Sequence[Any], wrong: Sequence[Any]) -> int:
    """The edit distance of two sequences of items."""
    codes: dict[str, str] = {}
    texts = [
        "".join(codes.setdefault(repr(item), chr(0x4E00 + len(codes))) for item in items)
        for items in (right, wrong)
    ]
    return edit_distance(*texts) or 1


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
