"""Number from [0, 1) that notes what it is compared with.

In a systematic execution, `random.random()` returns it: a program that only compares the number
behaves in the same way for all numbers between two neighbouring thresholds.
"""

from math import inf, nextafter
from typing import Any

from .json_lines import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

# Positions in the row of a choice.
_THRESHOLDS, _IS_USED = -2, -1
# Methods through which more than the result of a comparison depends on the number.
_USES = (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod rdivmod pow "
    "rpow neg pos abs int float round trunc floor ceil str format hash eq ne"
)


class UnitNumber(float):
    """A float whose comparisons are noted in the row of its choice."""

    __slots__ = ("row",)
    row: "list[Any]"

    @classmethod
    def create(cls, value: float, row: "list[Any]") -> "UnitNumber":
        """A number with the row of its choice."""
        number = cls(value)
        number.row = row
        return number

    def _compare(self, other: Any, *, is_inclusive: bool) -> None:
        """Note a threshold: the smallest number for which the comparison has the other result."""
        if type(other) not in (int, float):
            self.row[_IS_USED] = True
            return
        start = nextafter(float(other), inf) if is_inclusive else float(other)
        threshold = [repr(start), repr(float(other))]
        if 0 < start < 1 and threshold not in self.row[_THRESHOLDS]:
            self.row[_THRESHOLDS].append(threshold)

    def __lt__(self, other: Any) -> Any:
        self._compare(other, is_inclusive=False)
        return float.__lt__(self, other)

    def __ge__(self, other: Any) -> Any:
        self._compare(other, is_inclusive=False)
        return float.__ge__(self, other)

    def __le__(self, other: Any) -> Any:
        self._compare(other, is_inclusive=True)
        return float.__le__(self, other)

    def __gt__(self, other: Any) -> Any:
        self._compare(other, is_inclusive=True)
        return float.__gt__(self, other)


def _using(name: str) -> Any:
    original = getattr(float, name, None)
    if name in ("__str__", "__format__"):
        original = getattr(float, name)

    def method(self: UnitNumber, *arguments: Any) -> Any:
        self.row[_IS_USED] = True
        return original(self, *arguments)  # type: ignore[misc]

    return method


for _name in _USES.split():
    if hasattr(float, f"__{_name}__"):
        setattr(UnitNumber, f"__{_name}__", _using(f"__{_name}__"))
