"""The client that waits for its answers."""

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
    """A client of the gateway. Its operations are grouped as in the interface: `client.payments.pay(…)`.

    Make one and share it: it keeps connections, and any number of threads may use it.
    """

    payments: Payments
    """Paying, online and in the store, and what comes after."""
    tollgate: Feed
    """Beyond the interface: Tollgate's own operations."""
    webhooks: Webhooks
    """Notifications: what the gateway tells by itself."""

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
        """Calls any operation by its path, such as `payments/pay`.

        One that the library does not know is never repeated.
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
    """Paying, online and in the store, and what comes after."""

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
        """Asks about a payment until it is SUCCESS, FAIL or CANCELLED.

        Raises `TimeoutError` when that takes too long; the payment goes on all the same.
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
        """Asks about a refund until it is SUCCESS or FAIL."""
        fields = {"refund_id": refund_id, "refund_request_id": refund_request_id}
        asked = inquiry_of(models.InquiryRefundRequest, refund, fields)
        return self._client._run(refund_steps(self._client._settings, asked, timeout))

    def pay_by_code(
        self, request: models.PayRequest | params.PayRequestDict, **options: Unpack[ByCodeOptions]
    ) -> TillResult:
        """Takes a payment with the code that the buyer shows (`PaymentCode`).

        Asks when there is no answer, cancels when nobody tells, and says how it ended. Once the
        request is sent, it raises nothing: the id is in every result.
        """
        return self._client._run(pay_steps(self._client._settings, request, options))

    def show_order_code(
        self, request: models.PayRequest | params.PayRequestDict, **options: Unpack[ByCodeOptions]
    ) -> ShownOrderCode | TillResult:
        """Gets a code for the buyer to scan (`OrderCode`); or the result why there is none.

        Show it, and wait with `finish_by_code`.
        """
        return self._client._run(show_steps(self._client._settings, request, options))

    def open_entry_code(
        self, request: models.PayRequest | params.PayRequestDict, **options: Unpack[ByCodeOptions]
    ) -> OpenedEntryCode | TillResult:
        """Gets the page to send the buyer to (`EntryCode`); or the result why there is none.

        Send the buyer there, and wait with `finish_by_code`.
        """
        return self._client._run(open_steps(self._client._settings, request, options))

    def finish_by_code(
        self, payment: str | OpenCode, **options: Unpack[ByCodeOptions]
    ) -> TillResult:
        """Brings a payment to its end: asks, and then cancels.

        For an open code it asks until that ends. For a `payment_request_id`, as after `Unknown` or
        when the till has crashed, it asks at once and as often as `pay_by_code` does.
        """
        return self._client._run(finish_steps(self._client._settings, payment, options))


class Feed(TollgateArea):
    """Beyond the interface: Tollgate's own operations."""

    def __init__(self, client: Tollgate) -> None:
        super().__init__(client._call)
        self._client = client

    def events(self, **options: Unpack[EventsOptions]) -> Iterator[Event]:
        """Everything that you are told by notification, in order.

        An event is typed like a notification, and as good for `apply_once`. Keep the `cursor` of each in
        the transaction in which you apply it, and go on from there: `events(from_cursor=cursor)`.
        """
        return events(self._client, options)

    def notifications(
        self,
        request: models.InquiryNotificationsRequest
        | params.InquiryNotificationsRequestDict
        | None = None,
        **fields: Unpack[keywords.InquiryNotificationsKeywords],
    ) -> Iterator[models.SentNotification]:
        """All notifications that the request asks for, the oldest first, page after page."""
        kind = models.InquiryNotificationsRequest
        asked, options = asked_of(kind, request, fields)
        next_request: models.InquiryNotificationsRequest | None = kind.from_dict(plain(asked))
        while next_request is not None:
            page = self.inquiry_notifications(next_request, **options)
            yield from page.notifications or ()
            next_request = next_page(next_request, page)
