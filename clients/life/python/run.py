"""Runs the payment lifecycle: lifecycle-steps.ts names the steps, README.md describes them."""

from __future__ import annotations

import base64
import json
import os
import time
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tollgate_client import (
    ConnectionError,
    DeclinedError,
    GatewayError,
    HttpStatusError,
    IdempotencyConflictError,
    Money,
    NotFoundError,
    Notification,
    SignatureVerificationError,
    TimeoutError,
    Tollgate,
    new_request_id,
)
from tollgate_client.models import (
    AcceptDisputeRequest,
    ApplyTokenRequest,
    ChangeEndpointsRequest,
    DisputeNotification,
    Env,
    InquiryPaymentRequest,
    InquiryRefundRequest,
    NotifyUrl,
    Order,
    PaymentMethod,
    PaymentNotification,
    PaymentStatus,
    PayRequest,
    ProductCode,
    RefundNotification,
    RefundRequest,
    RefundStatus,
    RevokeRequest,
)

SETTINGS = os.environ
MAILBOX_URL = SETTINGS["MAILBOX_URL"]
PRICE = Money.of("EUR", "12.50").to_amount()


def client_at(base_url: str, timeout: float) -> Tollgate:
    return Tollgate(
        client_id=SETTINGS["CLIENT_ID"],
        environment="sandbox",
        key_version=int(SETTINGS["KEY_VERSION"]),
        private_key=Path(SETTINGS["PRIVATE_KEY_FILE"]),
        gateway_public_keys=Path(SETTINGS["GATEWAY_PUBLIC_KEY_FILE"]),
        base_url=base_url,
        timeout=timeout,
    )


client = client_at(SETTINGS["BASE_URL"], 30.0)
shaky = client_at(SETTINGS["PROXY_URL"], 2.0)


def pay_request() -> PayRequest:
    return PayRequest(
        product_code=ProductCode.CASHIER_PAYMENT,
        payment_request_id=new_request_id("life"),
        order=Order(
            reference_order_id="order-1001", order_description="Two coffees", order_amount=PRICE
        ),
        payment_amount=PRICE,
        payment_method=PaymentMethod(payment_method_type="GCASH"),
        payment_redirect_url="https://shop.example/thanks",
        payment_notify_url=f"{MAILBOX_URL}/notify?shop=1",
        env=Env(terminal_type="WEB"),
    )


request = pay_request()
payment_id = ""


def pay() -> None:
    global payment_id
    answer = client.payments.pay(request)
    check(answer.is_pending and answer.normal_url, answer)
    payment_id = answer.payment_id or ""


def approve() -> None:
    control(f"payments/{payment_id}/approve")
    paid = client.payments.wait_for_final(InquiryPaymentRequest(payment_id=payment_id), timeout=20)
    check(paid.payment_status is PaymentStatus.SUCCESS, paid)


def notification() -> None:
    told = hear(payment_id, "notifyPayment")
    check(isinstance(told.body, PaymentNotification), told)
    check(told.body.to_dict()["paymentRequestId"] == request.payment_request_id, told)
    check(told.subject == f"notifyPayment {payment_id}", told)


def refund_part() -> None:
    amount = Money.of("EUR", "2.50").to_amount()
    refund = RefundRequest(
        refund_request_id=new_request_id("refund"),
        payment_id=payment_id,
        refund_amount=amount,
        refund_notify_url=f"{MAILBOX_URL}/notify",
    )
    answer = client.payments.refund(refund)
    check(answer.is_success or answer.is_pending, answer)
    inquiry = InquiryRefundRequest(refund_request_id=refund.refund_request_id)
    final = client.payments.wait_for_final_refund(inquiry, timeout=20)
    check(final.refund_status is RefundStatus.SUCCESS and final.refund_amount == amount, final)


def refund_notification() -> None:
    told = hear(payment_id, "notifyRefund")
    is_done = isinstance(told.body, RefundNotification) and told.body.refund_status == "SUCCESS"
    check(is_done, told)


def inquiry() -> None:
    # The request is a dictionary, so that this form is tested, too.
    answer = client.payments.inquiry_payment({"paymentRequestId": request.payment_request_id})
    check(answer.payment_status is PaymentStatus.SUCCESS, answer)
    check([each.transaction_type for each in answer.transactions or []] == ["REFUND"], answer)


def feed() -> None:
    heard = [f"notifyPayment {payment_id}"]
    until = time.monotonic() + 20
    for event in client.tollgate.events(follow=True, stop=lambda: time.monotonic() > until):
        if event.subject != heard[-1]:
            continue
        if len(heard) == 2:
            return
        # All pages are read, so the next event arrives by the stream.
        other = client.payments.pay(pay_request()).payment_id
        control(f"payments/{other}/approve")
        heard.append(f"notifyPayment {other}")
    raise AssertionError(heard)


def repeat() -> None:
    again = client.payments.pay(request)
    check(again.is_success and again.payment_id == payment_id, again)


def conflict() -> None:
    more = Money.of("EUR", "13").to_amount()
    order = replace(request.order, order_amount=more)
    other = replace(request, order=order, payment_amount=more)
    expect(IdempotencyConflictError, lambda: client.payments.pay(other))


def declined() -> None:
    poor = in_store({"declines": "USER_BALANCE_NOT_ENOUGH"})
    error = expect(DeclinedError, lambda: client.payments.pay(poor))
    check(error.code == "USER_BALANCE_NOT_ENOUGH", error)
    check(error.request_id == poor["paymentRequestId"], error)


def not_found() -> None:
    nobody = InquiryPaymentRequest(payment_id="20260101000000")
    expect(NotFoundError, lambda: client.payments.inquiry_payment(nobody))


def in_store_payment() -> None:
    scanned = in_store({})
    answer = client.payments.pay(scanned)
    if answer.is_pending:
        known_by = InquiryPaymentRequest(payment_request_id=scanned["paymentRequestId"])
        check(client.payments.wait_for_final(known_by).payment_status == "SUCCESS", answer)
    else:
        check(answer.is_success, answer)


def authorization() -> None:
    state = new_request_id("state")
    client.authorizations.consult(
        {
            "customerBelongsTo": "GCASH",
            "authRedirectUrl": "https://shop.example/linked",
            "scopes": ["AGREEMENT_PAY"],
            "authState": state,
            "env": {"terminalType": "WEB"},
        }
    )
    agreed = control(f"authorizations/{state}/agree")
    code = parse_qs(urlsplit(agreed["redirectUrl"]).query)["authCode"][0]
    grant = ApplyTokenRequest(
        grant_type="AUTHORIZATION_CODE", customer_belongs_to="GCASH", auth_code=code
    )
    token = client.authorizations.apply_token(grant).access_token or ""
    method = PaymentMethod(payment_method_type="GCASH", payment_method_id=token)
    agreement = replace(
        pay_request(), product_code=ProductCode.AGREEMENT_PAYMENT, payment_method=method
    )
    check(token not in repr(agreement), "the token is not masked")
    paid = client.payments.pay(agreement)
    check(paid.is_success, paid)
    revoked = client.authorizations.revoke(RevokeRequest(access_token=token))
    check(revoked.is_success, revoked)


def dispute() -> None:
    paid_id = client.payments.pay(pay_request()).payment_id or ""
    control(f"payments/{paid_id}/approve")
    client.payments.wait_for_final({"paymentId": paid_id}, timeout=20)
    endpoint = NotifyUrl(notification_kind="notifyDispute", url=f"{MAILBOX_URL}/notify")
    client.tollgate.change_endpoints(ChangeEndpointsRequest(notify_urls=[endpoint]))
    control(f"payments/{paid_id}/dispute")
    told = hear(paid_id, "notifyDispute")
    assert isinstance(told.body, DisputeNotification)
    accepted = client.payments.accept_dispute(AcceptDisputeRequest(dispute_id=told.body.dispute_id))
    check(accepted.is_success, accepted)


ERRORS: dict[str, type[GatewayError]] = {
    "reset": ConnectionError,
    "hang": TimeoutError,
    "status-500": HttpStatusError,
    "truncate": ConnectionError,
}


def fault(kind: str) -> Callable[[], None]:
    def live() -> None:
        once = pay_request()
        spoil(kind)
        answer = shaky.payments.pay(once)
        check(answer.attempts == 2, answer)
        paid_once(once, answer.payment_id)

    return live


def fault_without_retries(kind: str) -> Callable[[], None]:
    def live() -> None:
        once = pay_request()
        spoil(kind)
        expect(ERRORS[kind], lambda: shaky.payments.pay(once, max_retries=0))
        paid_once(once, shaky.payments.pay(once).payment_id)

    return live


def tampered() -> None:
    once = pay_request()
    spoil("tamper")
    expect(SignatureVerificationError, lambda: shaky.payments.pay(once))
    paid_once(once, shaky.payments.pay(once).payment_id)


def in_store(buyer: dict[str, str]) -> Any:
    """The request for a buyer who shows a code at a point of sale."""
    store = {"referenceStoreId": "store-1", "storeName": "Coffee Lab, Harbour", "storeMCC": "5814"}
    online = pay_request().to_dict()
    return {
        **online,
        "productCode": "IN_STORE_PAYMENT",
        "order": {
            **online["order"],
            "merchant": {
                "referenceMerchantId": "m-1",
                "merchantName": "Coffee Lab",
                "merchantMCC": "5814",
                "store": store,
            },
            "env": {
                "storeTerminalId": "till-1",
                "storeTerminalRequestTime": "2026-11-15T09:30:00+00:00",
            },
        },
        "paymentMethod": {
            "paymentMethodType": "CONNECT_WALLET",
            "paymentMethodId": control("payment-codes", buyer)["paymentCode"],
        },
        "paymentFactor": {"inStorePaymentScenario": "PaymentCode"},
        "settlementStrategy": {"settlementCurrency": "EUR"},
    }


def paid_once(sent: PayRequest, found_id: str | None) -> None:
    """Checks that there is one payment, and one order at the provider, however often the request
    was sent.
    """
    known_by = InquiryPaymentRequest(payment_request_id=sent.payment_request_id)
    check(found_id and client.payments.inquiry_payment(known_by).payment_id == found_id, found_id)
    orders = control(f"orders?paymentId={found_id}", method="GET")["orders"]
    check(len(orders) <= 1, orders)


def control(path: str, body: dict[str, str] | None = None, method: str = "POST") -> Any:
    """Calls the sandbox provider's control API, which acts as the buyer."""
    secret = {"authorization": f"Bearer {SETTINGS['CONTROL_SECRET']}"}
    url = f"{SETTINGS['WALLET_URL']}/control/{path}"
    content = json.dumps(body or {}).encode() if method == "POST" else None
    with urllib.request.urlopen(
        urllib.request.Request(url, data=content, headers=secret, method=method)
    ) as answer:
        return json.loads(answer.read() or b"{}")


def spoil(kind: str) -> None:
    content = json.dumps({"kind": kind}).encode()
    urllib.request.urlopen(f"{SETTINGS['PROXY_URL']}/fault", data=content).close()


def hear(about: str, kind: str) -> Notification:
    """Waits for the webhook of this kind about a record, and verifies it."""
    for _ in range(100):
        with urllib.request.urlopen(f"{MAILBOX_URL}/mail?about={about}") as answer:
            mails = json.load(answer)
        for mail in mails:
            told = client.webhooks.construct(
                method=mail["method"],
                path=mail["path"],
                headers=[(name, value) for name, value in mail["headers"]],
                body=base64.b64decode(mail["bodyBase64"]),
            )
            if told.kind == kind:
                return told
        time.sleep(0.2)
    raise AssertionError(f"Nobody told {kind} of {about}.")


def check(holds: object, what: object) -> None:
    if not holds:
        raise AssertionError(str(what))


def expect(kind: type[GatewayError], act: Callable[[], object]) -> Any:
    try:
        answer = act()
    except GatewayError as error:
        check(type(error) is kind, f"{type(error).__name__}: {error}")
        return error
    raise AssertionError(f"No {kind.__name__}, but {answer}")


KINDS = ("reset", "hang", "status-500", "truncate")
STEPS: dict[str, Callable[[], None]] = {
    "pay": pay,
    "approve": approve,
    "notification": notification,
    "refund-part": refund_part,
    "refund-notification": refund_notification,
    "inquiry": inquiry,
    "feed": feed,
    "repeat": repeat,
    "conflict": conflict,
    "declined": declined,
    "not-found": not_found,
    "in-store": in_store_payment,
    "authorization": authorization,
    "dispute": dispute,
    **{f"fault-{kind}": fault(kind) for kind in KINDS},
    "fault-tamper": tampered,
    **{f"fault-{kind}-no-retries": fault_without_retries(kind) for kind in KINDS},
}

for name, live in STEPS.items():
    try:
        live()
        print(f"{name} ok", flush=True)
    except Exception as problem:  # noqa: BLE001 - A fault is a verdict too.
        words = " ".join(f"{type(problem).__name__}: {problem}".split())
        print(f"{name} FAILED {words}", flush=True)
