"""Items of libstdc++'s containers, by their layout in memory.

Not by its printers: they need types that the debug information of a program may lack.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Any

# Larger sizes are garbage: the container is not initialized.
MAX_ITEMS = 1 << 32
_DEQUE_BYTES = 512
_LISTS = ("list", "forward_list")
_MAPS = ("map", "multimap", "unordered_map", "unordered_multimap")
_SETS = ("set", "multiset", "unordered_set", "unordered_multiset")
# Reads bytes at an address.
Memory = Callable[[int, int], bytes]
# The addresses of the items of a container at an address; None if it is not initialized.
Items = Callable[[int], "Iterator[int] | None"]


def item_addresses(memory: Memory, name: str, type: Any) -> "Items | None":
    """The function that finds the items of a container; None for other classes.

    Args:
        memory: Reads bytes at an address.
        name: The name of the class, without namespace and arguments: "map".
        type: Its type.
    """
    if name in (*_MAPS, *_SETS):
        alignment = _alignment(name, type)
        if name.startswith("unordered_"):
            return lambda address: _hash_table(memory, address, alignment)
        return lambda address: _tree(memory, address, alignment)
    if name == "list":
        return lambda address: _list(memory, address)
    if name == "forward_list":
        return lambda address: _chain(memory, _word(memory, address), 8)
    if name == "deque":
        size = type.template_argument(0).sizeof
        return lambda address: _deque(memory, address, size)
    return None


def value_offset(type: Any) -> int:
    """The offset of the value after the key in the items of a map."""
    key, value = type.template_argument(0), type.template_argument(1)
    size, alignment = int(key.sizeof), int(value.alignof)
    return _aligned(size, alignment)


def _alignment(name: str, type: Any) -> int:
    count = 2 if name in _MAPS else 1
    return max(int(type.template_argument(index).alignof) for index in range(count))


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def _word(memory: Memory, address: int) -> int:
    return int.from_bytes(memory(address, 8), "little")


def _tree(memory: Memory, address: int, alignment: int) -> "Iterator[int] | None":
    """A red-black tree in order; a node has a color, parent, left and right, and then its value."""
    header = address + 8
    parent, first, count = struct.unpack("<8xQQ8xQ", memory(header, 40))
    if count > MAX_ITEMS or (count and not (parent and first)):
        return None
    return _tree_nodes(memory, header, first, count, _aligned(32, alignment))


def _tree_nodes(memory: Memory, header: int, node: int, count: int, offset: int) -> "Iterator[int]":
    for _ in range(count):
        if node == header:
            return
        yield node + offset
        right = _word(memory, node + 24)
        if right:
            node = right
            while left := _word(memory, node + 16):
                node = left
            continue
        parent = _word(memory, node + 8)
        while node == _word(memory, parent + 24):
            node, parent = parent, _word(memory, parent + 8)
        node = parent


def _hash_table(memory: Memory, address: int, alignment: int) -> "Iterator[int] | None":
    """A hash table: its nodes are a list, in the order of iteration."""
    first, count = struct.unpack("<16xQQ", memory(address, 32))
    if count > MAX_ITEMS or (count and not first):
        return None
    return _chain(memory, first, _aligned(8, alignment))


def _chain(memory: Memory, node: int, offset: int) -> "Iterator[int]":
    while node:
        yield node + offset
        node = _word(memory, node)


def _list(memory: Memory, address: int) -> "Iterator[int] | None":
    first, count = struct.unpack("<Q8xQ", memory(address, 24))
    if count > MAX_ITEMS or not first:
        return None
    return _list_nodes(memory, address, first)


def _list_nodes(memory: Memory, header: int, node: int) -> "Iterator[int]":
    while node != header:
        yield node + 16
        node = _word(memory, node)


def _deque(memory: Memory, address: int, size: int) -> "Iterator[int] | None":
    """A deque: a table of buffers, with the places of the first item and after the last one."""
    words = struct.unpack("<10Q", memory(address, 80))
    (item, _, end, buffer), (last, _, _, last_buffer) = words[2:6], words[6:10]
    if not words[0] or (last_buffer - buffer) // 8 > words[1]:
        return None
    return _deque_items(memory, item, end, buffer, last, size)


def _deque_items(
    memory: Memory, item: int, end: int, buffer: int, last: int, size: int
) -> "Iterator[int]":
    length = max(_DEQUE_BYTES // size, 1) * size
    while item != last:
        yield item
        item += size
        if item == end:
            buffer += 8
            item = _word(memory, buffer)
            end = item + length
