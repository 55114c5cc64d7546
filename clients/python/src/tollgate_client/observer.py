"""Observers of calls: for traces and metrics."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from .clock import Clock
from .errors import CallFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedCall:
    """A call that starts."""

    operation: str
    """`payments/pay`."""
    request_id: str | None
    """Your own id of the request, such as its `payment_request_id`."""
    base_url: str
    """The gateway's base URL, without the path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedEnd:
    """The end of a call, with all of its attempts."""

    outcome: str
    """The result code, or the name of the error: `SUCCESS`, `TimeoutError`."""
    duration: float
    """Seconds."""
    attempts: int
    trace_id: str | None
    """The gateway's id of the request."""
    error: Exception | None
    """The exception that the call raised, if any."""


#: Called when a call starts; returns a function that is called when the call ends, or None.
#: Exceptions of an observer are ignored.
Observer = Callable[[ObservedCall], Callable[[ObservedEnd], object] | None]


class Watch:
    """Reports the start and the end of one call. An observer that fails must not make a payment
    fail.
    """

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
