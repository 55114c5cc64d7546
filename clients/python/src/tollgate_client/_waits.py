"""Polls until the status is final."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from . import models
from ._answer import Answer
from ._area import asked_of
from ._call import Steps, call_steps
from ._model import Model
from ._options import CallOptions
from ._settings import Settings
from .errors import GatewayError, TimeoutError, is_passing

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 5.0
NOT_FINAL = {"PROCESSING", "PENDING"}

AnswerT = TypeVar("AnswerT", bound=Answer)


def inquiry_of(
    kind: type[Model], inquiry: Model | Mapping[str, Any] | None, fields: Mapping[str, str | None]
) -> Model | Mapping[str, Any]:
    """Returns the inquiry request, which the caller gives as a request or by one of its ids."""
    asked, _ = asked_of(kind, inquiry, {name: each for name, each in fields.items() if each})
    return asked


def payment_steps(
    settings: Settings, payment: Model | Mapping[str, Any], timeout: float
) -> Steps[models.InquiryPaymentResponse]:
    def inquire(options: CallOptions) -> Steps[models.InquiryPaymentResponse]:
        response = models.InquiryPaymentResponse
        return call_steps(settings, "payments/inquiryPayment", payment, response, options)

    return _wait(settings, "payment", inquire, lambda answer: answer.payment_status, timeout)


def refund_steps(
    settings: Settings, refund: Model | Mapping[str, Any], timeout: float
) -> Steps[models.InquiryRefundResponse]:
    def inquire(options: CallOptions) -> Steps[models.InquiryRefundResponse]:
        response = models.InquiryRefundResponse
        return call_steps(settings, "payments/inquiryRefund", refund, response, options)

    return _wait(settings, "refund", inquire, lambda answer: answer.refund_status, timeout)


def _wait(
    settings: Settings,
    what: str,
    inquire: Callable[[CallOptions], Steps[AnswerT]],
    status_of: Callable[[AnswerT], Any],
    timeout: float,
) -> Steps[AnswerT]:
    until = settings.clock.now() + timeout
    pause = FIRST_PAUSE
    while True:
        status = "no answer"
        try:
            left = max(0.0, until - settings.clock.now())
            answer = yield from inquire({"deadline": left})
            status = status_of(answer) or "PROCESSING"
            if status not in NOT_FINAL:
                return answer
        except GatewayError as fault:
            if not is_passing(fault):
                raise
        if settings.clock.now() + pause > until:
            raise TimeoutError(f"The {what} is not final after {timeout:g} s: {status}.")
        yield pause
        pause = min(pause * 1.5, LONGEST_PAUSE)
