"""Imports of the program that give placeholders instead of modules.

Only imports of the program's own files: the modules that it imports get the actual ones.
"""

import builtins
import importlib
import sys
from typing import Any

from .assumed_session import AssumedSession
from .json_lines import OWN_BUILTINS
from .placeholders import Placeholder, program_frame

__builtins__ = OWN_BUILTINS

# Stands for every module that is not installed.
MISSING = "missing"
_import = builtins.__import__
_import_module = importlib.import_module


class AssumedImports:
    """Import functions in which some names are placeholders."""

    def __init__(self, names: "list[str]", session: AssumedSession, *, folders: "list[str]"):
        """`names`: modules, dotted functions, built-in functions, and perhaps `missing`."""
        self.session = session
        self.folders = tuple(folders)
        self.is_missing_assumed = MISSING in names
        self.names = {name for name in names if name != MISSING and not hasattr(builtins, name)}
        self.placeholders: dict[str, Placeholder] = {}
        self.stated: set[str] = set()
        for name in names:
            if hasattr(builtins, name):
                setattr(builtins, name, Placeholder(session, name))
        builtins.__import__ = self.import_name  # type: ignore[assignment]
        importlib.import_module = self.import_module

    def import_name(
        self,
        name: str,
        globals: "dict[str, Any] | None" = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        """As `__import__`."""
        if level or not self._is_program(globals):
            return _import(name, globals, locals, fromlist, level)
        assumed = self._assumed_prefix(name)
        if assumed is None:
            try:
                imported = _import(name, globals, locals, fromlist, level)
            except ModuleNotFoundError as error:
                if not self._is_missing(error, name):
                    raise
                assumed = error.name
                self.names.add(assumed)  # type: ignore[arg-type]
            else:
                self._replace_functions(name)
                return imported
        top = self._top(name, assumed)  # type: ignore[arg-type]
        return self._placeholder(name) if fromlist else top

    def import_module(self, name: str, package: "str | None" = None) -> Any:
        """As `importlib.import_module`."""
        frame = program_frame()
        if name.startswith(".") or frame is None or not self._is_program(frame.f_globals):
            return _import_module(name, package)
        return self.import_name(name, frame.f_globals, None, ("*",))

    def _is_program(self, namespace: "dict[str, Any] | None") -> bool:
        if namespace is None:
            return False
        if namespace.get("__name__") in ("__main__", "program"):
            return True
        file = namespace.get("__file__")
        return bool(self.folders) and isinstance(file, str) and file.startswith(self.folders)

    def _assumed_prefix(self, name: str) -> "str | None":
        """The assumed name that a module is, or is in: "torch.nn" -> "torch"."""
        parts = name.split(".")
        prefixes = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        return next((prefix for prefix in prefixes if prefix in self.names), None)

    def _is_missing(self, error: ModuleNotFoundError, name: str) -> bool:
        """Whether the module itself is not installed, and not one that it imports."""
        missing = error.name
        return (
            self.is_missing_assumed
            and missing is not None
            and (name == missing or name.startswith(f"{missing}."))
        )

    def _top(self, name: str, assumed: str) -> Any:
        """What `import name` binds: the placeholder, or the real package that contains it."""
        if name not in self.stated:
            self.stated.add(name)
            self.session.add_statement(f"import {name}")
        package, dot, attribute = assumed.rpartition(".")
        if not dot:
            return self._placeholder(assumed)
        _import_module(package)
        setattr(sys.modules[package], attribute, self._placeholder(assumed))
        return sys.modules[package.partition(".")[0]]

    def _placeholder(self, name: str) -> Placeholder:
        if name not in self.placeholders:
            self.placeholders[name] = Placeholder(self.session, name)
        return self.placeholders[name]

    def _replace_functions(self, imported: str) -> None:
        """Replace the assumed functions of a real module, and of its packages."""
        for name in sorted(self.names):
            module, dot, function = name.rpartition(".")
            is_imported = bool(dot) and f"{imported}.".startswith(f"{module}.")
            if is_imported and name not in self.stated and hasattr(sys.modules[module], function):
                self.stated.add(name)
                self.session.add_statement(f"import {module}")
                setattr(sys.modules[module], function, self._placeholder(name))
