"""Names of the package: what `import worldline` exports, and unambiguous module names."""

import importlib
import pkgutil
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import worldline
from worldline.core import errors

# Modules that may share their name with another one, and why.
SHARED_NAMES = {
    "composition.py": "the benchmark `composition`, and its metrics",
    "legacy.py": "readers of old files, one in each package that has files",
    "strings.py": "the level `strings`, and the benchmark functions on strings",
}
# A command's file has the command's name.
COMMANDS = "interfaces/cli/"


def packages() -> list[ModuleType]:
    """Import all packages of worldline."""
    infos = pkgutil.walk_packages(worldline.__path__, "worldline.")
    return [worldline, *(importlib.import_module(info.name) for info in infos if info.ispkg)]


def test_every_error_is_exported() -> None:
    error_names = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.WorldlineError)
    }
    assert error_names > {"WorldlineError", "EngineError", "InputError"}
    assert error_names <= set(worldline.__all__)
    assert all(getattr(worldline, name) is getattr(errors, name) for name in error_names)


def test_exports_are_sorted_and_exist() -> None:
    assert worldline.__all__ == sorted(set(worldline.__all__))
    assert all(hasattr(worldline, name) for name in worldline.__all__)
    assert set(worldline.__all__) <= set(dir(worldline))


def test_no_package_exports_a_name_of_its_submodules() -> None:
    clashes = []
    for package in packages():
        for info in pkgutil.iter_modules(package.__path__):
            value = vars(package).get(info.name)
            is_exported = info.name in getattr(package, "__all__", ())
            if is_exported or (value is not None and not isinstance(value, ModuleType)):
                clashes.append(f"{package.__name__}.{info.name}")
    assert clashes == []


def test_no_two_modules_have_the_same_name() -> None:
    modules: dict[str, list[str]] = defaultdict(list)
    root = Path(worldline.__file__).parent
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if not path.name.startswith("__") and not name.startswith(COMMANDS):
            modules[path.name].append(name)
    duplicates = {name: paths for name, paths in modules.items() if len(paths) > 1}
    assert {name: duplicates[name] for name in duplicates.keys() - SHARED_NAMES.keys()} == {}
