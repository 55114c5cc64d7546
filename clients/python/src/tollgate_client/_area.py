"""The base of the generated areas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar, cast

from ._answer import Answer
from ._model import Model
from ._options import CallOptions
from .errors import ConfigurationError

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
    """A group of operations."""

    def __init__(self, call: Caller) -> None:
        self._call = call


class AsyncArea:
    """A group of operations."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call


_OPTIONS = frozenset(CallOptions.__annotations__)


def asked_of(
    kind: type[Model], request: Model | Mapping[str, Any] | None, keywords: Mapping[str, Any]
) -> tuple[Model | Mapping[str, Any], CallOptions]:
    """Separates the request, given as an object or by its fields, from the options of the call."""
    fields = {name: value for name, value in keywords.items() if name not in _OPTIONS}
    options = {name: value for name, value in keywords.items() if name in _OPTIONS}
    if request is not None and fields:
        names = ", ".join(fields)
        raise ConfigurationError(
            f"A request and {names} were passed. Pass one or the other."
        )
    asked = kind(**fields) if request is None else request
    return asked, cast("CallOptions", options)
