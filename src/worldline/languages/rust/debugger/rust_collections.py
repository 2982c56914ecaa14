"""Collections of Rust's standard library: where their items are."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...native.debugger.memory_reader import UNINITIALIZED, Reader
from .rust_types import find_field, find_pointer, last_name

if TYPE_CHECKING:
    from .rust_reader import RustReader

_LEAF = "alloc::collections::btree::node::LeafNode<"
_MAX_ITEMS = 1 << 24
_MAX_HEIGHT = 16


def collection_items(reader: "RustReader", type: Any, name: str) -> "Reader | None":
    """The reader of a collection; None if it is not one."""
    create = {
        "Vec": _vec,
        "String": _string,
        "OsString": _string,
        "PathBuf": _string,
        "BinaryHeap": _heap,
        "VecDeque": _deque,
        "LinkedList": _linked_list,
        "HashMap": _hash_table,
        "HashSet": _hash_table,
        "BTreeMap": _tree,
        "BTreeSet": _tree,
    }.get(name)
    return None if create is None else create(reader, type)


def _word(reader: "RustReader", address: int) -> int:
    return int.from_bytes(reader.memory(address, 8), "little")


def _places(type: Any, *names: str) -> "list[int] | None":
    """The offsets of fields; None if one does not exist."""
    place = [find_field(type, name) for name in names]
    return [each[1] for each in place if each is not None] if all(place) else None


def _vec(reader: "RustReader", type: Any) -> "Reader | None":
    pointer, places = find_pointer(type), _places(type, "len")
    if pointer is None or places is None:
        return None
    item, at, length_at = type.template_argument(0), pointer[1], places[0]

    def read(address: int) -> str:
        return reader.items(item, _word(reader, address + at), _word(reader, address + length_at))

    return read


def _string(reader: "RustReader", type: Any) -> "Reader | None":
    pointer, places = find_pointer(type), _places(type, "len")
    if pointer is None or places is None:
        return None
    at, length_at = pointer[1], places[0]
    return lambda address: reader.string(
        _word(reader, address + at), _word(reader, address + length_at)
    )


def _heap(reader: "RustReader", type: Any) -> "Reader | None":
    place = find_field(type, "data")
    if place is None:
        return None
    read = reader.reader(place[0])
    return lambda address: read(address + place[1])


def _deque(reader: "RustReader", type: Any) -> "Reader | None":
    pointer, places = find_pointer(type), _places(type, "head", "len", "cap")
    if pointer is None or places is None:
        return None
    item, at = type.template_argument(0).strip_typedefs(), pointer[1]

    def read(address: int) -> str:
        head, length, capacity = (_word(reader, address + place) for place in places)
        start = _word(reader, address + at)
        if length > _MAX_ITEMS or (length and not item.sizeof) or (length > capacity):
            return UNINITIALIZED
        return reader.enclosed(
            (
                reader.read_inner(item, start + (head + n) % capacity * item.sizeof)
                for n in range(length)
            ),
            "[",
            "]",
        )

    return read


def _linked_list(reader: "RustReader", type: Any) -> "Reader | None":
    places, node = _places(type, "head", "len"), find_pointer(type)
    if places is None or node is None:
        return None
    following, element = find_field(node[0], "next"), find_field(node[0], "element")
    if following is None or element is None:
        return None

    def addresses(address: int) -> Iterator[int]:
        place = _word(reader, address + places[0])
        for _ in range(min(_word(reader, address + places[1]), _MAX_ITEMS)):
            yield place + element[1]
            place = _word(reader, place + following[1])

    return lambda address: reader.enclosed(
        (reader.read_inner(element[0], place) for place in addresses(address)), "[", "]"
    )


def _hash_table(reader: "RustReader", type: Any) -> "Reader | None":
    """A HashMap or HashSet: the items in the order in which they are iterated."""
    places = _places(type, "bucket_mask", "ctrl", "items")
    table = _find_table(type)
    if places is None or table is None:
        return None
    pair = table.template_argument(0).strip_typedefs()
    size = pair.sizeof

    def addresses(address: int) -> "Iterator[int] | None":
        mask, control, count = (_word(reader, address + place) for place in places)
        if count > _MAX_ITEMS or mask > _MAX_ITEMS or count > mask + 1:
            return None
        return _full_buckets(reader, control, mask + 1 if count else 0, size)

    is_set = last_name(type) == "HashSet"
    return _entries(reader, pair, addresses, is_set=is_set)


def _find_table(type: Any) -> Any:
    """The type `RawTable<(K, V)>` in a HashMap or HashSet."""
    while type is not None and not (type.name or "").startswith("hashbrown::raw::RawTable<"):
        inner = [field for field in type.fields() if field.name in ("base", "map", "table")]
        type = inner[0].type.strip_typedefs() if inner else None
    return type


def _full_buckets(reader: "RustReader", control: int, count: int, size: int) -> Iterator[int]:
    for index, byte in enumerate(reader.memory(control, count)):
        if byte < 0x80:
            yield control - (index + 1) * size


def _entries(reader: "RustReader", pair: Any, addresses: Any, *, is_set: bool) -> Reader:
    """The entries of a map, or the items of a set, whose values are `()`."""
    key, value = pair.fields()[:2]

    def text(place: int) -> str:
        name = reader.read_inner(key.type, place + key.bitpos // 8)
        if is_set:
            return name
        return f"{name}: {reader.read_inner(value.type, place + value.bitpos // 8)}"

    def read(address: int) -> str:
        places = addresses(address)
        if places is None:
            return UNINITIALIZED
        return reader.enclosed((text(place) for place in places), "{", "}")

    return read


def _tree(reader: "RustReader", type: Any) -> "Reader | None":
    """A BTreeMap or BTreeSet."""
    leaf, places = find_pointer(type, _LEAF), _places(type, "height", "length")
    if leaf is None or places is None:
        return None
    node, at = leaf
    fields = {field.name: field for field in node.fields()}
    key, value = (node.template_argument(n).strip_typedefs() for n in (0, 1))
    keys, values, length_at = (fields[name].bitpos // 8 for name in ("keys", "vals", "len"))
    edges = -(-node.sizeof // 8) * 8

    def slots(place: int, height: int) -> "Iterator[tuple[int, int]]":
        count = int.from_bytes(reader.memory(place + length_at, 2), "little")
        for index in range(count):
            if height:
                yield from slots(_word(reader, place + edges + 8 * index), height - 1)
            yield (place + keys + index * key.sizeof, place + values + index * value.sizeof)
        if height:
            yield from slots(_word(reader, place + edges + 8 * count), height - 1)

    def text(slot: "tuple[int, int]") -> str:
        name = reader.read_inner(key, slot[0])
        return name if is_set else f"{name}: {reader.read_inner(value, slot[1])}"

    is_set = last_name(type) == "BTreeSet"

    def read(address: int) -> str:
        root = _word(reader, address + at)
        height, length = (_word(reader, address + place) for place in places)
        if not length or not root:
            return "{}"
        if height > _MAX_HEIGHT or length > _MAX_ITEMS:
            return UNINITIALIZED
        return reader.enclosed((text(slot) for slot in slots(root, height)), "{", "}")

    return read
