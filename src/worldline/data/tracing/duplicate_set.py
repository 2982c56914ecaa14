"""Compact set of 64-bit hashes, to detect duplicate programs."""

from array import array

_INITIAL_SLOTS = 1 << 16


class DuplicateSet:
    """Open-addressing hash set of 64-bit numbers, at 13 to 27 bytes per number.

    A Python set takes about five times as much memory; a hundred million programs have to fit.
    """

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * _INITIAL_SLOTS))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, number: int) -> bool:
        """Add a number, and return whether it was new."""
        # 0 marks an empty slot.
        number = number or 1
        index = self._find(self._slots, number)
        if self._slots[index]:
            return False
        self._slots[index] = number
        self._count += 1
        if self._count * 5 > len(self._slots) * 3:
            self._grow()
        return True

    @staticmethod
    def _find(slots: "array[int]", number: int) -> int:
        """Index of the slot that contains a number, or of the empty slot for it."""
        mask = len(slots) - 1
        index = number & mask
        while slots[index] and slots[index] != number:
            index = (index + 1) & mask
        return index

    def _grow(self) -> None:
        slots = array("Q", bytes(16 * len(self._slots)))
        for number in self._slots:
            if number:
                slots[self._find(slots, number)] = number
        self._slots = slots
