"""Names that are loaded on first use: creating a hundred dataclasses takes 0.1 s."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(
    package: str, homes: Mapping[str, str], names: dict[str, Any]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Returns `__getattr__` and `__dir__` for a package whose names are loaded from its modules on
    first use.
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f".{homes[name]}", package), name)
        names[name] = value
        return value

    return load, lambda: sorted({*names, *homes})


class later:
    """A placeholder for a module that is loaded on first use, for example by `get_type_hints`."""

    def __init__(self, package: str | None, name: str) -> None:
        self._package = package
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(f".{self._name}", self._package), name)
