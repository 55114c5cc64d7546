"""Names that are loaded when they are first used: making a hundred dataclasses takes a tenth of a second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(
    package: str, homes: Mapping[str, str], names: dict[str, Any]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package with these names, of which some live in modules of it."""

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f".{homes[name]}", package), name)
        names[name] = value
        return value

    return load, lambda: sorted({*names, *homes})


class later:
    """Stands for a module of a package that is loaded when something of it is first used, such as by `get_type_hints`."""

    def __init__(self, package: str | None, name: str) -> None:
        self._package = package
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(f".{self._name}", self._package), name)
