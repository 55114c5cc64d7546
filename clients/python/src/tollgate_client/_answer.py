"""What every answer has beside the fields of the interface."""

from __future__ import annotations

# The first and the last are for `get_type_hints` of what is inherited.
from collections.abc import Mapping  # noqa: F401
from dataclasses import dataclass, field
from typing import Any  # noqa: F401

from ._model import Model
from .models.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Model):
    """An answer whose signature holds."""

    result: Result
    trace_id: str | None = field(default=None, repr=False, compare=False)
    """The gateway's name for the call: tell it to support."""
    attempts: int = field(default=1, repr=False, compare=False)

    @property
    def is_success(self) -> bool:
        """`S`: it happened."""
        return self.result.result_status == "S"

    @property
    def is_pending(self) -> bool:
        """`U`: nobody knows yet. Wait for the notification, or inquire."""
        return self.result.result_status == "U"

    @property
    def is_failure(self) -> bool:
        """`F`: it did not happen. Only with `raise_on_failure=False`."""
        return self.result.result_status == "F"
