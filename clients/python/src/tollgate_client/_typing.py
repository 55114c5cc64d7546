"""Annotations that Python 3.10 does not have. `typing.get_type_hints` finds them here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Self, Unpack
elif sys.version_info >= (3, 11):
    from typing import NotRequired, Self, Unpack
else:

    class _Inner:
        """Returns the type in the brackets; only type checkers use the rest."""

        def __class_getitem__(cls, inner: Any) -> Any:
            return inner

    NotRequired = Unpack = _Inner
    Self = Any

__all__ = ["NotRequired", "Self", "Unpack"]
