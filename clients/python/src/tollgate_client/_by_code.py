"""Payments at a point of sale: inquires if there is no response, cancels if the outcome stays
unknown, and returns the outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from . import models
from ._answer import Answer
from ._call import Received, call_steps
from ._model import Model, plain
from ._options import CallOptions
from ._settings import Settings, not_negative
from ._wire_time import parse_wire_time, to_wire_time
from .errors import ConfigurationError, ResultError, code_facts
from .till import (
    ByCodeOptions,
    Cancelled,
    Declined,
    OpenCode,
    OpenedEntryCode,
    Paid,
    ShownOrderCode,
    TillResult,
    TillState,
    Unknown,
)
from .transport import TransportRequest

#: The request of a payment: a request object, or a dictionary with wire names.
Payment = Model | Mapping[str, Any]
EndT = TypeVar("EndT")
AnswerT = TypeVar("AnswerT", bound=Answer)
OpenT = TypeVar("OpenT", bound=OpenCode)

#: The steps of a payment at a point of sale, like the steps of a call, but with any result type.
TillSteps = Generator[TransportRequest | float, Received, EndT]

INQUIRE_AFTER = (2, 3, 3, 5, 5, 5, 5, 5, 5)
CANCEL_AFTER = (2, 3, 3, 5, 5)
RESEND_AFTER = (2, 3)
# The lifetime of an order code or entry code, if the response does not state one.
USUAL_LIFE = 180.0
#: The longest time in seconds until a stop takes effect.
STOP_WITHIN = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard(Generic[AnswerT]):
    """The outcome of a call: a signed response, or a failure, which contains no information about
    money.
    """

    answer: AnswerT | None = None
    code: str | None = None
    fault: Exception | None = None

    @property
    def is_success(self) -> bool:
        return self.answer is not None and self.answer.is_success

    @property
    def is_failure(self) -> bool:
        return self.answer is not None and self.answer.is_failure


class Till:
    """One payment with its options."""

    def __init__(self, settings: Settings, payment_request_id: object, options: ByCodeOptions) -> None:
        if not isinstance(payment_request_id, str) or not payment_request_id:
            raise ConfigurationError("The paymentRequestId is missing.")
        self.settings = settings
        self.id = payment_request_id
        self.payment_id: str | None = None
        """The ids that responses have returned so far."""
        self.inquire_after = _pauses(
            "inquire_after_seconds", options.get("inquire_after_seconds", INQUIRE_AFTER)
        )
        self.cancel_after = _pauses(
            "cancel_after_seconds", options.get("cancel_after_seconds", CANCEL_AFTER)
        )
        self.resend_after = _pauses(
            "resend_after_seconds", options.get("resend_after_seconds", RESEND_AFTER)
        )
        self.timeout = options.get("timeout", 5.0)
        self._stop = options.get("stop")
        self._on_state = options.get("on_state")
        self._state: TillState | None = None
        self._has_stopped = False

    def is_stopped(self) -> bool:
        self._has_stopped = self._has_stopped or (self._stop is not None and self._stop())
        return self._has_stopped

    def say(self, state: TillState) -> None:
        if state == self._state:
            return
        self._state = state
        if self._on_state is not None:
            # An error in `on_state` must not make a payment fail.
            with suppress(Exception):
                self._on_state(state)

    def rest(self, seconds: float) -> Generator[float, Received, None]:
        left = seconds
        while left > 0 and not self.is_stopped():
            step = left if self._stop is None else min(left, STOP_WITHIN)
            yield step
            left -= step

    def call(self, operation: str, request: Any, response: type[AnswerT]) -> TillSteps[Heard[AnswerT]]:
        """Converts errors to missing responses: no error after a request was sent may stop the
        point of sale from finding the outcome.
        """
        # This module does its own retries.
        options: CallOptions = {"timeout": self.timeout, "max_retries": 0, "raise_on_failure": False}
        try:
            answer = yield from call_steps(self.settings, operation, request, response, options)
        except ConfigurationError:
            raise
        except Exception as fault:  # noqa: BLE001 - Whatever it is, the payment may have been made.
            return Heard(fault=fault, code=fault.code if isinstance(fault, ResultError) else None)
        self.payment_id = getattr(answer, "payment_id", None) or self.payment_id
        return Heard(answer=answer, code=str(answer.result.result_code))

    def pay(self, request: Mapping[str, Any]) -> TillSteps[Heard[models.PayResponse]]:
        if self.is_stopped():
            return Heard()
        return (yield from self.call("payments/pay", request, models.PayResponse))

    def inquire(self) -> TillSteps[Heard[models.InquiryPaymentResponse]]:
        asked = {"paymentRequestId": self.id}
        response = models.InquiryPaymentResponse
        return (yield from self.call("payments/inquiryPayment", asked, response))


def _pauses(name: str, given: Iterable[float]) -> list[float]:
    return [not_negative(name, seconds) for seconds in given]


def pay_steps(settings: Settings, payment: Payment, options: ByCodeOptions) -> TillSteps[TillResult]:
    request = _checked(payment, "pay_by_code", "PaymentCode")
    till = Till(settings, request.get("paymentRequestId"), options)
    till.say("asking")
    heard = yield from till.pay(request)
    if heard.answer and heard.is_success:
        return _paid(till, heard.answer)
    if heard.is_failure:
        return _declined(till, heard.code)
    till.say("asking" if heard.code == "PAYMENT_IN_PROCESS" else "checking")
    return (yield from _settle(till, till.inquire_after))


def show_steps(
    settings: Settings, payment: Payment, options: ByCodeOptions
) -> TillSteps[ShownOrderCode | TillResult]:
    request = _checked(payment, "show_order_code", "OrderCode")
    till = Till(settings, request.get("paymentRequestId"), options)

    def opened(answer: models.PayResponse) -> ShownOrderCode | None:
        form = answer.order_code_form
        if not isinstance(form, models.OrderCodeForm) or not form.code_details:
            return None
        texts = [code for code in form.code_details if code.display_type == "TEXT"]
        return ShownOrderCode(
            payment_request_id=till.id,
            payment_id=till.payment_id,
            ends_at=_ends_at(till, answer, form.expire_time),
            code_text=(texts or form.code_details)[0].code_value,
        )

    return (yield from _open(till, request, opened))


def open_steps(
    settings: Settings, payment: Payment, options: ByCodeOptions
) -> TillSteps[OpenedEntryCode | TillResult]:
    request = _checked(payment, "open_entry_code", "EntryCode")
    till = Till(settings, request.get("paymentRequestId"), options)

    def opened(answer: models.PayResponse) -> OpenedEntryCode | None:
        form = answer.redirect_action_form
        if not isinstance(form, models.RedirectActionForm):
            return None
        return OpenedEntryCode(
            payment_request_id=till.id,
            payment_id=till.payment_id,
            ends_at=_ends_at(till, answer, request.get("paymentExpiryTime")),
            redirect_url=form.redirect_url,
        )

    return (yield from _open(till, request, opened))


def finish_steps(
    settings: Settings, payment: str | OpenCode, options: ByCodeOptions
) -> TillSteps[TillResult]:
    if not isinstance(payment, OpenCode):
        till = Till(settings, payment, options)
        till.say("checking")
        return (yield from _settle(till, [0, *till.inquire_after]))
    till = Till(settings, payment.payment_request_id, options)
    until = parse_wire_time(payment.ends_at)
    if until is None:
        raise ConfigurationError(f"ends_at is not a time: {payment.ends_at}.")
    till.say("asking")
    return (yield from _settle(till, _pauses_until(until, till)))


def _checked(payment: Payment, call: str, scenario: str) -> dict[str, Any]:
    """Checks the kind of the request: for each kind of code, `S` has a different meaning, so a
    request of another kind is rejected.
    """
    request: dict[str, Any] = plain(payment)
    factor = request.get("paymentFactor")
    said = factor.get("inStorePaymentScenario") if isinstance(factor, Mapping) else None
    if said != scenario:
        raise ConfigurationError(
            f"{call} requires a payment whose paymentFactor.inStorePaymentScenario is {scenario}, "
            f"and not {said or 'absent'}."
        )
    return request


def _open(
    till: Till, request: dict[str, Any], opened_by: Callable[[models.PayResponse], OpenT | None]
) -> TillSteps[OpenT | TillResult]:
    """Sends the same request until there is a code. If there is no code, it makes sure that no
    payment stays open.
    """
    till.say("asking")
    for pause in [0, *till.resend_after]:
        yield from till.rest(pause)
        heard = yield from till.pay(request)
        if heard.is_failure:
            return _declined(till, heard.code)
        if not heard.answer or not heard.is_success:
            continue
        opened = opened_by(heard.answer)
        if opened:
            return opened
        # A response without a code means that the payment was paid before, or that it is final.
        till.say("checking")
        return (yield from _settle(till, [0, *till.inquire_after]))
    return (yield from _cancel(till))


def _pauses_until(until: float, till: Till) -> Iterator[float]:
    """Repeats the last pause until the code expires. One more inquiry follows, because the buyer
    may have paid at the last moment.
    """
    clock = till.settings.clock
    usual = iter(till.inquire_after)
    pause = 5.0
    while True:
        pause = next(usual, pause)
        yield min(pause, max(0.0, until - clock.now()))
        if clock.now() >= until:
            return


def _settle(till: Till, pauses: Iterable[float]) -> TillSteps[TillResult]:
    """Inquires after each pause. If the outcome is still unknown, cancels the payment."""
    for pause in pauses:
        yield from till.rest(pause)
        if till.is_stopped():
            break
        asked = yield from till.inquire()
        end = _end_of(till, asked)
        if end:
            return end
        # A payment that the gateway does not know may still be in transit. After any other
        # rejection, more inquiries are useless.
        if asked.is_failure and asked.code != "ORDER_NOT_EXIST":
            break
        status = asked.answer.payment_status if asked.answer and asked.is_success else "SUCCESS"
        till.say("checking" if status == "SUCCESS" else "asking")
    return (yield from _cancel(till))


def _cancel(till: Till) -> TillSteps[TillResult]:
    till.say("cancelling")
    request = {"paymentRequestId": till.id}
    last: Heard[models.CancelResponse] = Heard()
    is_in_doubt = False
    for pause in [0, *till.cancel_after]:
        # After a stop, the remaining steps run without pauses.
        if pause > 0:
            yield pause
        last = yield from till.call("payments/cancel", request, models.CancelResponse)
        if last.answer and last.is_success:
            asked = yield from till.inquire()
            return _cancelled(till, last.answer, asked.answer if asked.is_success else None)
        if not last.is_failure:
            is_in_doubt = True
            continue
        end = _end_of(till, (yield from till.inquire()))
        # After a cancel without a response, `paid` is not final, because the cancel may still take
        # effect.
        if end and not (is_in_doubt and isinstance(end, Paid)):
            return end
    return Unknown(
        payment_request_id=till.id,
        payment_id=till.payment_id,
        advice="Keep the goods and the id. Call finish_by_code with the id until the outcome is known.",
        result_code=last.code,
        cause=last.fault,
    )


def _end_of(till: Till, asked: Heard[models.InquiryPaymentResponse]) -> TillResult | None:
    """The final outcome in an inquiry; None as long as there is none."""
    answer = asked.answer
    if not answer or not asked.is_success:
        return None
    if answer.payment_status == "SUCCESS" and not _is_going_back(answer):
        return _paid(till, answer)
    if answer.payment_status == "FAIL":
        return _declined(till, answer.payment_result_code or "PROCESS_FAIL")
    if answer.payment_status == "CANCELLED":
        return _cancelled(till, None, answer)
    return None


def _is_going_back(answer: models.InquiryPaymentResponse) -> bool:
    """A cancel is in progress: the payment stays paid until its payment provider has confirmed the
    reversal.
    """
    return any(
        isinstance(each, models.Transaction)
        and each.transaction_type == "CANCEL"
        and each.transaction_status == "PROCESSING"
        for each in answer.transactions or []
    )


def _paid(till: Till, answer: models.PayResponse | models.InquiryPaymentResponse) -> Paid:
    return Paid(
        payment_request_id=till.id,
        payment_id=till.payment_id,
        advice=_advice("SUCCESS"),
        result_code="SUCCESS",
        payment_time=answer.payment_time,
        payment_amount=answer.payment_amount,
        actual_payment_amount=answer.actual_payment_amount,
    )


def _declined(till: Till, code: str | None) -> Declined:
    return Declined(
        payment_request_id=till.id,
        payment_id=till.payment_id,
        advice=_advice(code or ""),
        result_code=code or "",
    )


def _cancelled(
    till: Till,
    answer: models.CancelResponse | None,
    asked: models.InquiryPaymentResponse | None,
) -> Cancelled:
    """`asked` is the result of the inquiry after the cancel. Only this inquiry shows whether money
    is returned.
    """
    return Cancelled(
        payment_request_id=till.id,
        payment_id=till.payment_id,
        advice=_advice("ORDER_IS_CANCELED"),
        result_code="ORDER_IS_CANCELED",
        cancel_time=answer.cancel_time if answer else None,
        money_back=bool(asked.payment_time or asked.transactions) if asked else None,
    )


def _advice(code: str) -> str:
    known = code_facts(code)
    return known.advice if known else ""


def _ends_at(till: Till, answer: models.PayResponse, end: str | None) -> str:
    """Computes the expiry from the remaining lifetime of the code, because the gateway's clock may
    differ from the local clock (clock skew).
    """
    now = till.settings.clock.now()
    ends = parse_wire_time(end or "")
    created = parse_wire_time(answer.payment_create_time or "")
    life = USUAL_LIFE if ends is None else max(0.0, ends - (now if created is None else created))
    return to_wire_time(now + life)
