"""The response of an operation that the library has no type for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._answer import Answer
from ._model import Fields, object_of, written
from ._typing import Self
from .models.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyAnswer(Answer):
    """All fields but `result` are in `extra`, as JSON values; `answer["paymentId"]` reads one."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        fields = Fields(data)
        return cls(result=fields.take("result", object_of(Result)), extra=fields.rest())

    def to_dict(self) -> dict[str, Any]:
        return written({"result": self.result}, self.extra)

    def __getitem__(self, name: str) -> Any:
        return self.extra[name]
