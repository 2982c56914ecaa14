"""Numbers go in; whether each is new comes out, at some 13 to 27 bytes a number."""

from array import array

_FIRST = 1 << 16


class Seen:
    """A set of 64-bit numbers. Python's own takes about five times the memory, and one of a
    hundred million programs has to fit."""

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * _FIRST))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, number: int) -> bool:
        """Put a number in; whether it was not there yet."""
        # 0 is a free slot.
        number = number or 1
        place = self._find(self._slots, number)
        if self._slots[place]:
            return False
        self._slots[place] = number
        self._count += 1
        if self._count * 5 > len(self._slots) * 3:
            self._grow()
        return True

    @staticmethod
    def _find(slots: "array[int]", number: int) -> int:
        """Where a number is, or would be."""
        last = len(slots) - 1
        place = number & last
        while slots[place] and slots[place] != number:
            place = (place + 1) & last
        return place

    def _grow(self) -> None:
        slots = array("Q", bytes(16 * len(self._slots)))
        for number in self._slots:
            if number:
                slots[self._find(slots, number)] = number
        self._slots = slots
