"""Instructions of a function: where it returns, and which rows only continue a statement."""

import re

import gdb

_RETURN = re.compile(r"(repz? )?ret")
_JUMP = re.compile(r"j\w+\s+(0x[\da-f]+)?")
# The next instruction is not reached from these.
_ENDS = re.compile(
    r"jmp|(repz? )?ret|ud2|hlt|call.*(<_Unwind_Resume|<__cxa_|<abort|<__assert_fail|throw)"
)


class Instructions:
    """The instructions of a function.

    Attributes:
        returns: The addresses of its `ret` instructions.
    """

    def __init__(self, start: int, end: int) -> None:
        listing = gdb.selected_inferior().architecture().disassemble(start, end - 1)
        self.returns = [each["addr"] for each in listing if _RETURN.match(each["asm"])]
        # Addresses that are reached from elsewhere than the instruction before.
        self._entries: set[int] = set()
        self._jumps = {each["addr"] for each in listing if each["asm"].startswith("jmp")}
        previous = ""
        for each in listing:
            if _ENDS.match(previous):
                self._entries.add(each["addr"])
            jump = _JUMP.match(each["asm"])
            if jump is not None and jump[1] is not None:
                self._entries.add(int(jump[1], 16))
            previous = each["asm"]

    def first_rows(self, rows: "dict[int, int]", *, with_jumps: bool) -> "dict[int, int]":
        """The rows without those that are reached only from the row before, of the same line.

        Args:
            rows: The addresses of the rows, and the lines on which their statements begin.
            with_jumps: Whether rows are kept that only jump elsewhere.
        """
        if not with_jumps:
            rows = {pc: line for pc, line in rows.items() if pc not in self._jumps}
        kept: dict[int, int] = {}
        before: int | None = None
        for pc, line in sorted(rows.items()):
            is_next = before is not None and rows[before] == line
            if not is_next or any(before < each <= pc for each in self._entries):  # type: ignore[operator]
                kept[pc] = line
            before = pc
        return kept
