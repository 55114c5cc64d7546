"""Asks until there is an answer that stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from . import models
from ._answer import Answer
from ._call import Steps, call_steps
from ._options import CallOptions
from ._settings import Settings
from .errors import GatewayError, TimeoutError, is_passing

if TYPE_CHECKING:
    from . import params

    PaymentInquiry = models.InquiryPaymentRequest | params.InquiryPaymentRequestDict
    RefundInquiry = models.InquiryRefundRequest | params.InquiryRefundRequestDict

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 5.0
NOT_FINAL = {"PROCESSING", "PENDING"}

AnswerT = TypeVar("AnswerT", bound=Answer)


def payment_steps(
    settings: Settings, payment: PaymentInquiry, timeout: float
) -> Steps[models.InquiryPaymentResponse]:
    def inquire(options: CallOptions) -> Steps[models.InquiryPaymentResponse]:
        response = models.InquiryPaymentResponse
        return call_steps(settings, "payments/inquiryPayment", payment, response, options)

    return _wait(settings, "payment", inquire, lambda answer: answer.payment_status, timeout)


def refund_steps(
    settings: Settings, refund: RefundInquiry, timeout: float
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
