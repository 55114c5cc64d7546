"""The synchronous client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import models
from ._any_answer import AnyAnswer
from ._area import AnswerT, asked_of
from ._by_code import EndT, TillSteps, finish_steps, open_steps, pay_steps, show_steps
from ._call import Received, call_steps
from ._feed import EventsOptions, events, next_page
from ._lazy import later
from ._model import Model, plain
from ._options import CallOptions
from ._settings import ClientOptions, settings_of
from ._told import Event
from ._typing import Self, Unpack
from ._waits import inquiry_of, payment_steps, refund_steps
from .areas import Areas, PaymentsArea, TollgateArea
from .http_transport import HttpTransport
from .till import ByCodeOptions, OpenCode, OpenedEntryCode, ShownOrderCode, TillResult
from .transport import Transport, TransportRequest
from .webhooks import Webhooks

if TYPE_CHECKING:
    from . import keywords, params
else:
    keywords, params = later(__package__, "keywords"), later(__package__, "params")


class Tollgate(Areas):
    """A client of the gateway. Its operations are grouped by area as in the API:
    `client.payments.pay(…)`.

    Create one and share it: it keeps connections alive, and any number of threads may use it.
    """

    payments: Payments
    """Payments, online and in the store, and the operations that follow them."""
    tollgate: Feed
    """Tollgate's own operations, in addition to the interface."""
    webhooks: Webhooks
    """Receives webhooks."""

    def __init__(
        self, *, transport: Transport | None = None, **options: Unpack[ClientOptions]
    ) -> None:
        self._settings = settings_of(options)
        self._transport = transport or HttpTransport()
        super().__init__(self._call)
        self.payments = Payments(self)
        self.tollgate = Feed(self)
        self.webhooks = Webhooks(self._settings)

    def request(
        self, operation: str, body: Mapping[str, Any], **options: Unpack[CallOptions]
    ) -> AnyAnswer:
        """Calls any operation by its path, such as `payments/pay`. An operation that the library
        does not know is never retried.
        """
        return self._call(operation, body, AnyAnswer, options)

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Tollgate({self._settings.client_id!r}, {self._settings.base_url!r})"

    def _call(
        self,
        operation: str,
        request: Model | Mapping[str, Any],
        answer: type[AnswerT],
        options: CallOptions,
        /,
    ) -> AnswerT:
        return self._run(call_steps(self._settings, operation, request, answer, options))

    def _run(self, steps: TillSteps[EndT]) -> EndT:
        try:
            step = next(steps)
            while True:
                received: Received = None
                if not isinstance(step, TransportRequest):
                    self._settings.clock.sleep(step)
                else:
                    try:
                        received = self._transport.send(step)
                    except Exception as fault:  # noqa: BLE001 - A transport may raise anything.
                        received = fault
                step = steps.send(received)
        except StopIteration as end:
            value: EndT = end.value
            return value


class Payments(PaymentsArea):
    """Payments, online and in the store, and the operations that follow them."""

    def __init__(self, client: Tollgate) -> None:
        super().__init__(client._call)
        self._client = client

    def wait_for_final(
        self,
        payment: models.InquiryPaymentRequest | params.InquiryPaymentRequestDict | None = None,
        *,
        payment_id: str | None = None,
        payment_request_id: str | None = None,
        timeout: float = 60.0,
    ) -> models.InquiryPaymentResponse:
        """Polls a payment until it is SUCCESS, FAIL or CANCELLED.

        Raises `TimeoutError` if that takes too long; the payment itself continues.
        """
        fields = {"payment_id": payment_id, "payment_request_id": payment_request_id}
        asked = inquiry_of(models.InquiryPaymentRequest, payment, fields)
        return self._client._run(payment_steps(self._client._settings, asked, timeout))

    def wait_for_final_refund(
        self,
        refund: models.InquiryRefundRequest | params.InquiryRefundRequestDict | None = None,
        *,
        refund_id: str | None = None,
        refund_request_id: str | None = None,
        timeout: float = 60.0,
    ) -> models.InquiryRefundResponse:
        """Polls a refund until it is SUCCESS or FAIL."""
        fields = {"refund_id": refund_id, "refund_request_id": refund_request_id}
        asked = inquiry_of(models.InquiryRefundRequest, refund, fields)
        return self._client._run(refund_steps(self._client._settings, asked, timeout))

    def pay_by_code(
        self, request: models.PayRequest | params.PayRequestDict, **options: Unpack[ByCodeOptions]
    ) -> TillResult:
        """Takes a payment with the code that the buyer shows (`PaymentCode`).

        If there is no response, it inquires; if the outcome stays unknown, it cancels. It returns
        the final outcome. After the request is sent, it does not raise: every result has the
        payment's id.
        """
        return self._client._run(pay_steps(self._client._settings, request, options))

    def show_order_code(
        self, request: models.PayRequest | params.PayRequestDict, **options: Unpack[ByCodeOptions]
    ) -> ShownOrderCode | TillResult:
        """Gets a code for the buyer to scan (`OrderCode`), or a result with the reason if there is
        no code.

        Show the code, and wait with `finish_by_code`.
        """
        return self._client._run(show_steps(self._client._settings, request, options))

    def open_entry_code(
        self, request: models.PayRequest | params.PayRequestDict, **options: Unpack[ByCodeOptions]
    ) -> OpenedEntryCode | TillResult:
        """Gets a page for the buyer to open (`EntryCode`), or a result with the reason if there is
        no page.

        Send the buyer there, and wait with `finish_by_code`.
        """
        return self._client._run(open_steps(self._client._settings, request, options))

    def finish_by_code(
        self, payment: str | OpenCode, **options: Unpack[ByCodeOptions]
    ) -> TillResult:
        """Brings a payment to a final outcome: inquires, and then cancels.

        For an open code, it inquires until the code expires. For a `payment_request_id`, for
        example after `Unknown` or after a crash, it inquires at once and as often as `pay_by_code`
        does.
        """
        return self._client._run(finish_steps(self._client._settings, payment, options))


class Feed(TollgateArea):
    """Tollgate's own operations, in addition to the interface."""

    def __init__(self, client: Tollgate) -> None:
        super().__init__(client._call)
        self._client = client

    def events(self, **options: Unpack[EventsOptions]) -> Iterator[Event]:
        """Iterates over all webhooks, in order.

        An event is typed like a webhook and usable with `apply_once`. Store the `cursor` of each
        event in the transaction in which you apply the event, and continue from it:
        `events(from_cursor=cursor)`.
        """
        return events(self._client, options)

    def notifications(
        self,
        request: models.InquiryNotificationsRequest
        | params.InquiryNotificationsRequestDict
        | None = None,
        **fields: Unpack[keywords.InquiryNotificationsKeywords],
    ) -> Iterator[models.SentNotification]:
        """Iterates over all webhooks that the request selects, oldest first, page by page."""
        kind = models.InquiryNotificationsRequest
        asked, options = asked_of(kind, request, fields)
        next_request: models.InquiryNotificationsRequest | None = kind.from_dict(plain(asked))
        while next_request is not None:
            page = self.inquiry_notifications(next_request, **options)
            yield from page.notifications or ()
            next_request = next_page(next_request, page)
