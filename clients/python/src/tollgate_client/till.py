"""How a payment at a till has ended, or what there is to show. A buyer leaves with the goods on `Paid`, and on nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from . import models

TillState = Literal["asking", "checking", "cancelling"]
"""`asking`: the buyer is asked to pay. `checking`: nobody knows yet, and the gateway is asked. `cancelling`: it is called off."""


class ByCodeOptions(TypedDict, total=False):
    """What a payment at a till may be told."""

    inquire_after_seconds: Sequence[float]
    """Pauses before each inquiry. When they are used up, the payment is cancelled.
    2, 3, 3, 5, 5, 5, 5, 5, 5 unless said otherwise."""
    cancel_after_seconds: Sequence[float]
    """Pauses before a cancel is repeated; 2, 3, 3, 5, 5 unless said otherwise."""
    resend_after_seconds: Sequence[float]
    """Pauses before the same `pay` is sent again for a code; 2, 3 unless said otherwise."""
    timeout: float
    """Seconds for each answer; 5 unless said otherwise."""
    stop: Callable[[], bool]
    """Is asked between calls and during pauses, such as `threading.Event().is_set`. When it says so, the payment is
    cancelled at once, and the result says how that went."""
    on_state: Callable[[TillState], object]
    """Is told what is being done, for the cashier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TillFacts:
    """What every result has."""

    payment_request_id: str
    """Your own id: whatever became of the payment, it is known by this one."""
    payment_id: str | None
    advice: str
    """What to do now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid(TillFacts):
    """The money was taken: hand over the goods."""

    outcome: Literal["paid"] = "paid"
    result_code: str
    payment_time: str | None
    payment_amount: models.Amount | None
    actual_payment_amount: models.Amount | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined(TillFacts):
    """Nothing was taken, and nothing will be."""

    outcome: Literal["declined"] = "declined"
    result_code: str
    """Why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled(TillFacts):
    """It was called off: nothing will be taken any more."""

    outcome: Literal["cancelled"] = "cancelled"
    result_code: str
    cancel_time: str | None
    money_back: bool | None
    """Whether money had been taken, and went back; None if nobody said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(TillFacts):
    """Nobody knows, not even whether it is cancelled. Keep the id, and finish it with `finish_by_code`."""

    outcome: Literal["unknown"] = "unknown"
    result_code: str | None
    """The last that was heard, if anything was."""
    cause: Exception | None
    """What came in place of the last answer."""


TillResult = Paid | Declined | Cancelled | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCode:
    """A code or a page that a buyer can pay with until `ends_at`. Pass it to `finish_by_code`."""

    outcome: Literal["open"] = "open"
    payment_request_id: str
    payment_id: str | None
    ends_at: str
    """ISO 8601, by the clock of this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOrderCode(OpenCode):
    """There is a code to show. Nothing is paid yet."""

    code_text: str = field(repr=False)
    """What the code says: draw it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedEntryCode(OpenCode):
    """There is a page to send the buyer to. Nothing is paid yet."""

    redirect_url: str = field(repr=False)
