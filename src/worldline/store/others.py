"""A folder goes in; the files in it that are none of the store's own come out."""

from pathlib import Path

from worldline.store.journal import unfinished
from worldline.store.lock import lock_file
from worldline.store.parts import PARTS_FOLDER
from worldline.store.place import Place, half_written


def other_files(place: Place, manifest: str) -> list[str]:
    """What a folder holds beside parts, a journal, a lock and the half of a manifest that a kill
    may have left; a remote store is not looked through."""
    if place.is_remote:
        return []
    journal = place.journal
    beside = (journal, unfinished(journal), lock_file(journal))
    ours = {PARTS_FOLDER, half_written(manifest), *(path.name for path in beside)}
    return [path.name for path in Path(place.path).iterdir() if path.name not in ours]
