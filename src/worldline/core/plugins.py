"""Registry of named objects that installed packages extend with entry points."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from worldline.core.errors import WorldlineError

Item = TypeVar("Item")


class Registry(Mapping[str, Item]):
    """Items by name: first the built-in ones, then those of installed packages.

    A package adds an item with an entry point in the registry's group, for example in
    pyproject.toml:

        [project.entry-points."worldline.engines"]
        mine = "my_package.engine:FACTORY"

    Listing the names imports nothing; an item is imported at its first lookup. An entry point
    cannot replace a built-in item.
    """

    def __init__(
        self,
        group: str,
        built_in: Mapping[str, Item],
        *,
        error: type[WorldlineError],
        entries: Iterable[EntryPoint] = (),
    ) -> None:
        """Create a registry.

        Args:
            group: The group of entry points that extends it.
            built_in: Its own items.
            error: The error to raise if an entry point cannot be loaded.
            entries: Its own entry points, which are imported at their first lookup.
        """
        self.group = group
        self._items = dict(built_in)
        self._error = error
        self._own_entries = {entry.name: entry for entry in entries}

    def register(self, name: str, item: Item) -> None:
        """Add a built-in item whose module the registry's own module may not import."""
        self._items[name] = item

    @cached_property
    def _entry_points(self) -> dict[str, EntryPoint]:
        others = {entry.name: entry for entry in entry_points(group=self.group)}
        return {**self._own_entries, **others, **self._own_entries}

    def __getitem__(self, name: str) -> Item:
        if name not in self._items:
            self._items[name] = self._load(self._entry_points[name])
        return self._items[name]

    def __contains__(self, name: object) -> bool:
        return name in self._items or name in self._entry_points

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._items, *self._entry_points]))

    def __len__(self) -> int:
        return len(self._items.keys() | self._entry_points.keys())

    def _load(self, entry: EntryPoint) -> Item:
        try:
            item: Item = entry.load()
        # The import of another package may raise anything.
        except Exception as error:
            package = entry.dist.name if entry.dist else entry.module
            raise self._error(
                f"{entry.name!r} of {self.group} cannot be loaded from {entry.value}: {error!r}; "
                f"update or uninstall {package}"
            ) from error
        return item
