"""Takes a payment at a point of sale: `python in_store.py CODE`, with the code in the buyer's
wallet.
"""

import sys
from datetime import datetime, timezone

from tollgate_client import Money, Tollgate, new_request_id
from tollgate_client.models import (
    InStorePaymentScenario,
    Merchant,
    Order,
    PaymentFactor,
    PaymentMethod,
    PayRequest,
    ProductCode,
    SettlementStrategy,
    Store,
    StoreEnv,
)
from tollgate_client.till import Cancelled, Declined, Paid

client = Tollgate()
price = Money.of("EUR", "4.20").to_amount()
now = datetime.now(timezone.utc).isoformat(timespec="seconds")
store = Store(reference_store_id="store-1", store_name="Coffee Lab, Harbour", store_mcc="5814")
request = PayRequest(
    product_code=ProductCode.IN_STORE_PAYMENT,
    payment_request_id=new_request_id("till-1"),
    order=Order(
        reference_order_id="receipt-77",
        order_description="One coffee",
        order_amount=price,
        merchant=Merchant(
            reference_merchant_id="m-1",
            merchant_name="Coffee Lab",
            merchant_mcc="5814",
            store=store,
        ),
        env=StoreEnv(store_terminal_id="till-1", store_terminal_request_time=now),
    ),
    payment_amount=price,
    payment_method=PaymentMethod(
        payment_method_type="CONNECT_WALLET", payment_method_id=sys.argv[1]
    ),
    payment_notify_url="https://shop.example/notify",
    payment_factor=PaymentFactor(in_store_payment_scenario=InStorePaymentScenario.PAYMENT_CODE),
    settlement_strategy=SettlementStrategy(settlement_currency="EUR"),
)
# Store the id before the call. After a crash of the point of sale, `finish_by_code` continues with
# it.
result = client.payments.pay_by_code(request, on_state=lambda state: print(f"… {state}", flush=True))
if isinstance(result, Paid):
    print(f"Paid at the till: {result.payment_id}", flush=True)
elif isinstance(result, Declined):
    raise SystemExit(f"Ask for another way to pay: {result.result_code}. {result.advice}")
elif isinstance(result, Cancelled):
    raise SystemExit(f"Cancelled. {'The money is returned.' if result.money_back else ''}")
else:
    raise SystemExit(f"Keep the goods, and finish {result.payment_request_id} later.")
