"""Reads a key from the environment: its text from a variable, or its file from the variable with
the suffix `_FILE`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from .errors import ConfigurationError, InvalidKeyError

_Key = TypeVar("_Key")


def key_from(
    variable: str, read: Callable[[str], _Key], variables: Mapping[str, str] = os.environ
) -> _Key | None:
    """Returns None if neither variable is set. If both are set, it raises, because the choice would
    be ambiguous.
    """
    text, file = variables.get(variable), variables.get(f"{variable}_FILE")
    if text and file:
        raise ConfigurationError(f"{variable} and {variable}_FILE are both set. Set one of them.")
    if not file:
        return read(text) if text else None
    found = _text_of(file, f"{variable}_FILE")
    try:
        return read(found)
    except InvalidKeyError as error:
        message = f"{error.message} ({variable}_FILE: {file})"
        raise InvalidKeyError(error.reason, message) from None


def _text_of(file: str, variable: str) -> str:
    if not os.path.exists(file):
        raise ConfigurationError(
            f"{variable} names {file}, but this file does not exist. Working directory: {os.getcwd()}."
        )
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        raise ConfigurationError(
            f"{variable} names {file}, which cannot be read: "
            "it is not a file, or this program has no permission to read it."
        ) from None
