"""The results of a payment at a point of sale, and codes to show. Hand over the goods only on
`Paid`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from . import models

TillState = Literal["asking", "checking", "cancelling"]
"""`asking`: the buyer is asked to pay. `checking`: the outcome is unknown, and the library
inquires. `cancelling`: the payment is being cancelled.
"""


class ByCodeOptions(TypedDict, total=False):
    """Options of a payment at a point of sale."""

    inquire_after_seconds: Sequence[float]
    """Pauses before each inquiry, in seconds (default 2, 3, 3, 5, 5, 5, 5, 5, 5). After the last
    inquiry, the payment is cancelled.
    """
    cancel_after_seconds: Sequence[float]
    """Pauses before a cancel is retried, in seconds (default 2, 3, 3, 5, 5)."""
    resend_after_seconds: Sequence[float]
    """Pauses before the same `pay` request for a code is retried, in seconds (default 2, 3)."""
    timeout: float
    """Seconds for each response (default 5)."""
    stop: Callable[[], bool]
    """Called between requests and during pauses, such as `threading.Event().is_set`. When it
    returns True, the payment is cancelled at once, and the result reports the outcome.
    """
    on_state: Callable[[TillState], object]
    """Called when the state changes, to inform the cashier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TillFacts:
    """The fields of every result."""

    payment_request_id: str
    """Your own id of the payment. It identifies the payment whatever the outcome."""
    payment_id: str | None
    advice: str
    """The recommended action."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid(TillFacts):
    """The payment succeeded: hand over the goods."""

    outcome: Literal["paid"] = "paid"
    result_code: str
    payment_time: str | None
    payment_amount: models.Amount | None
    actual_payment_amount: models.Amount | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined(TillFacts):
    """The payment failed: no money was taken, and none will be."""

    outcome: Literal["declined"] = "declined"
    result_code: str
    """The reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled(TillFacts):
    """The payment was cancelled: no money will be taken."""

    outcome: Literal["cancelled"] = "cancelled"
    result_code: str
    cancel_time: str | None
    money_back: bool | None
    """Whether money had been taken and is returned; None if this is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(TillFacts):
    """The outcome is unknown, and so is whether the payment is cancelled. Keep the id, and finish
    the payment with `finish_by_code`.
    """

    outcome: Literal["unknown"] = "unknown"
    result_code: str | None
    """The last result code, if there was a response."""
    cause: Exception | None
    """The error that occurred instead of the last response."""


TillResult = Paid | Declined | Cancelled | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCode:
    """A code or page with which a buyer can pay until `ends_at`. Pass it to `finish_by_code`."""

    outcome: Literal["open"] = "open"
    payment_request_id: str
    payment_id: str | None
    ends_at: str
    """The time of expiry in ISO 8601, by the clock of this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOrderCode(OpenCode):
    """A code to show to the buyer. The payment is not paid yet."""

    code_text: str = field(repr=False)
    """The content of the code to draw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedEntryCode(OpenCode):
    """A page for the buyer to open. The payment is not paid yet."""

    redirect_url: str = field(repr=False)
