"""A folder goes in; the files in it that are none of the store's own come out."""

from pathlib import Path

from worldline.store.journal import unfinished
from worldline.store.lock import lock_file
from worldline.store.parts import PARTS_FOLDER
from worldline.store.place import UNFINISHED, Place


def other_files(place: Place, manifest: str) -> list[str]:
    """What a folder holds beside parts, a journal, a lock and the half of a manifest that a kill
    may have left; a remote store is not looked through."""
    if place.is_remote:
        return []
    journal = place.journal
    beside = (journal, unfinished(journal), lock_file(journal))
    ours = {PARTS_FOLDER, *(path.name for path in beside)}
    names = [path.name for path in Path(place.path).iterdir()]
    return [name for name in names if name not in ours and not _is_half_of(manifest, name)]


def _is_half_of(manifest: str, name: str) -> bool:
    """Whether it was left by whoever was killed while writing that file."""
    return name.startswith(f"{manifest}.") and name.endswith(UNFINISHED)
