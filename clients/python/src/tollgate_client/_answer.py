"""The members of every response in addition to its fields."""

from __future__ import annotations

# The first and the last import are for `get_type_hints` of inherited members.
from collections.abc import Mapping  # noqa: F401
from dataclasses import dataclass, field
from typing import Any  # noqa: F401

from ._model import Model
from .models.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Model):
    """A response with a valid signature."""

    result: Result
    trace_id: str | None = field(default=None, repr=False, compare=False)
    """The gateway's id of the request. Give it to support."""
    attempts: int = field(default=1, repr=False, compare=False)

    @property
    def is_success(self) -> bool:
        """`S`: success."""
        return self.result.result_status == "S"

    @property
    def is_pending(self) -> bool:
        """`U`: the outcome is unknown. Wait for the webhook, or inquire."""
        return self.result.result_status == "U"

    @property
    def is_failure(self) -> bool:
        """`F`: final failure. It can be true only with `raise_on_failure=False`."""
        return self.result.result_status == "F"
