"""Objects and changes of modules that a program in a group leaves behind for the next one.

The process of a group ends after a program that leaves something behind; the program is then
executed alone, and the following ones in a new process.
"""

import builtins
import encodings
import gc
import sys
import warnings
from _abc import _reset_caches as reset_caches  # type: ignore[import-not-found]
from _operator import is_
from _thread import _count as count_threads
from collections.abc import Callable, Iterable
from types import AsyncGeneratorType, CoroutineType, GeneratorType, ModuleType
from typing import Any

from .json_lines import OWN_BUILTINS
from .shared_process import SHARED_MODULES

__builtins__ = OWN_BUILTINS

_CONTAINERS = (dict, list, set)
_SUSPENDED_TYPES = (GeneratorType, CoroutineType, AsyncGeneratorType)


class InterpreterState:
    """The state of an interpreter before its first program; what exists then is never collected."""

    def __init__(self) -> None:
        for name in sorted(SHARED_MODULES):
            # A program imports them from here.
            __import__(name)
        modules = [sys.modules[name] for name in sorted(SHARED_MODULES)]
        objects = _public_objects(modules)
        types = [each for each in objects if isinstance(each, type)]
        self._abstract = [each for each in _with_subclasses(types) if hasattr(each, "_abc_impl")]
        self._clear_caches()
        # The first repr of a container makes an object that stays.
        repr([0])
        # Without the garbage of the imports.
        gc.collect()
        self._containers = _containers([*modules, *objects])
        self._contents = self._read_contents()
        self._builtins = list(vars(builtins).values())
        self._settings = _read_settings()
        self._collected = 0

    def note_settings(self) -> None:
        """Note the settings of this process, which are not those of the one that forked it."""
        self._settings = _read_settings()

    def begin(self, *, has_generators: bool) -> None:
        """Set the objects that exist before a program apart: collections ignore them."""
        if has_generators:
            self._collected = _count_collected()
        gc.freeze()

    def depends_on_collection(self) -> bool:
        """Whether a generator may be closed by a collection: alone, perhaps at another step."""
        if _count_collected() != self._collected:
            return True
        # After the end of a program, what is left is in a cycle.
        kinds = set(map(type, gc.get_objects()))
        return not kinds.isdisjoint(_SUSPENDED_TYPES)

    def is_unchanged(self, *, has_imports: bool, has_generators: bool) -> bool:
        """Whether nothing has changed since this object was made, and no object is left.

        Args:
            has_imports: Whether the program could reach the objects of modules.
            has_generators: Whether the program could have generators or coroutines.
        """
        if has_generators and self.depends_on_collection():
            return False
        if has_imports:
            self._clear_caches()
        # No finalizer of this program may run within the next one.
        gc.collect()
        # No comprehension, which would be a function and a cell among the objects.
        for each in gc.get_objects():
            # The caches of an abstract class are made when it is first used.
            if type(each) is not set or each:
                return False
        if has_imports and self._read_contents() != self._contents:
            return False
        return self._has_its_builtins() and _read_settings() == self._settings

    def _has_its_builtins(self) -> bool:
        values = vars(builtins).values()
        return len(values) == len(self._builtins) and all(map(is_, values, self._builtins))

    def _clear_caches(self) -> None:
        """Empty the caches that ordinary programs fill, and that a later one could read."""
        sys.modules["re"].purge()
        for clear in sys.modules["typing"]._cleanups:
            clear()
        for each in self._abstract:
            reset_caches(each)

    def _read_contents(self) -> "list[tuple[object, ...]]":
        """What modules and their objects refer to; no object of a program is left in it."""
        return [tuple(read()) for read in self._containers]


def _count_collected() -> int:
    """The number of objects that collections of cycles have found."""
    return sum([generation["collected"] for generation in gc.get_stats()])


def _public_objects(modules: "list[ModuleType]") -> "list[object]":
    """The objects of modules that are no modules, each once."""
    objects = {id(each): each for module in modules for each in vars(module).values()}
    return [each for each in objects.values() if not isinstance(each, ModuleType)]


def _with_subclasses(types: "list[type]") -> "list[type]":
    """Types and their subclasses, which a check of a subclass asks, each once."""
    types_by_id: dict[int, Any] = {id(each): each for each in types if each is not object}
    waiting = list(types_by_id.values())
    while waiting:
        for each in type.__subclasses__(waiting.pop()):
            if id(each) not in types_by_id:
                types_by_id[id(each)] = each
                waiting.append(each)
    return list(types_by_id.values())


def _containers(objects: "list[object]") -> "list[Callable[[], Iterable[object]]]":
    """Functions that read the namespaces of objects, and the containers in these namespaces."""
    containers = {id(each): each for each in objects if isinstance(each, _CONTAINERS)}
    for each in objects:
        names = getattr(each, "__dict__", None)
        if names is not None:
            containers[id(each)] = names
            containers |= {id(v): v for v in names.values() if isinstance(v, _CONTAINERS)}
    return [getattr(each, "values", None) or each.__iter__ for each in containers.values()]


def _read_settings() -> "tuple[object, ...]":
    return (
        len(sys.modules),
        # A codec that is not found is noted.
        len(encodings._cache),
        id(sys.stdout),
        gc.isenabled(),
        gc.get_threshold(),
        count_threads(),
        len(warnings.filters),
        sys.getrecursionlimit(),
        sys.getswitchinterval(),
    )
