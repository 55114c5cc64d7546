"""What the generated areas are built on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from ._answer import Answer
from ._model import Model
from ._options import CallOptions

AnswerT = TypeVar("AnswerT", bound=Answer)


class Caller(Protocol):
    def __call__(
        self,
        operation: str,
        request: Model | Mapping[str, Any],
        answer: type[AnswerT],
        options: CallOptions,
        /,
    ) -> AnswerT: ...


class AsyncCaller(Protocol):
    async def __call__(
        self,
        operation: str,
        request: Model | Mapping[str, Any],
        answer: type[AnswerT],
        options: CallOptions,
        /,
    ) -> AnswerT: ...


class Area:
    """Operations that belong together."""

    def __init__(self, call: Caller) -> None:
        self._call = call


class AsyncArea:
    """Operations that belong together."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call
