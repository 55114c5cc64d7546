"""Who looks on while calls are made: for traces and metrics."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from .clock import Clock
from .errors import CallFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedCall:
    """A call that begins."""

    operation: str
    """`payments/pay`."""
    request_id: str | None
    """Your own id of the request, such as its `payment_request_id`."""
    base_url: str
    """Where it goes, without the path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedEnd:
    """How a call has ended, with all of its attempts."""

    outcome: str
    """The result code, or the name of the error: `SUCCESS`, `TimeoutError`."""
    duration: float
    """Seconds."""
    attempts: int
    trace_id: str | None
    """The gateway's name for the call."""
    error: Exception | None
    """What was raised, if anything was."""


#: Is told when a call begins, and gives what is told how it has ended; or None. What it raises is dropped.
Observer = Callable[[ObservedCall], Callable[[ObservedEnd], object] | None]


class Watch:
    """One call, and who is told of its end. Who looks on must not make a payment fail."""

    def __init__(self, observer: Observer | None, call: ObservedCall, clock: Clock) -> None:
        self._clock = clock
        self._started = clock.now()
        self._tell: Callable[[ObservedEnd], object] | None = None
        if observer is not None:
            with suppress(Exception):
                self._tell = observer(call)

    def end(self, outcome: str, facts: CallFacts, error: Exception | None) -> None:
        if self._tell is None:
            return
        told = ObservedEnd(
            outcome=outcome,
            duration=self._clock.now() - self._started,
            attempts=facts.attempts or 0,
            trace_id=facts.trace_id,
            error=error,
        )
        with suppress(Exception):
            self._tell(told)
