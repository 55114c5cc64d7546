"""The base of all models: unknown fields and values of the gateway are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ._typing import Self


class OpenEnum(str, Enum):
    """Known values and any other: `PaymentStatus("NEW")` is a `PaymentStatus` whose text is NEW.

    Members are strings, so `status == "SUCCESS"` and `status == PaymentStatus.SUCCESS` are
    equivalent.
    """

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = value
        unknown._value_ = value
        return unknown

    def __reduce_ex__(self, protocol: Any) -> tuple[type[Self], tuple[str]]:
        # Pickles by value. Some versions of Python pickle by name, and could not restore an unknown
        # value.
        return type(self), (self._value_,)

    @property
    def is_known(self) -> bool:
        return self._name_ in type(self).__members__

    def __str__(self) -> str:
        return str.__str__(self)

    def __format__(self, format_spec: str) -> str:
        return str.__format__(self, format_spec)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A part of a message. Fields that this version of the library does not know are in `extra`.

    It is immutable: `dataclasses.replace(request, order=order)` returns a changed copy.
    """

    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Reads JSON with wire names."""
        return cls(extra=Fields(data).rest())

    def to_dict(self) -> dict[str, Any]:
        """Writes JSON with wire names. Fields that are None are omitted."""
        return written({}, self.extra)


class Fields:
    """Reads the fields of a JSON object. Null is the same as absent."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._left = {name: value for name, value in data.items() if value is not None}

    def take(self, name: str, read: Callable[[Any], Any] | None = None) -> Any:
        value = self._left.pop(name, None)
        return value if value is None or read is None else read(value)

    def rest(self) -> dict[str, Any]:
        return self._left


# A value of an unexpected type is kept unchanged: a completed payment must not become an error.


def object_of(kind: type[Model]) -> Callable[[Any], Any]:
    return lambda value: kind.from_dict(value) if isinstance(value, Mapping) else value


def text_of(kind: type[OpenEnum]) -> Callable[[Any], Any]:
    return lambda value: kind(value) if isinstance(value, str) else value


def list_of(read: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    def read_all(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        found = (each for each in value if each is not None)
        return tuple(found if read is None else map(read, found))

    return read_all


def map_of(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read_all(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {name: read(each) for name, each in value.items() if each is not None}

    return read_all


def written(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as JSON, followed by the unknown fields."""
    known = {name: plain(value) for name, value in fields.items() if value is not None}
    return {**known, **{name: plain(value) for name, value in extra.items() if name not in known}}


def plain(value: Any) -> Any:
    """The value in JSON types."""
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items() if each is not None}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value if each is not None]
    return value
