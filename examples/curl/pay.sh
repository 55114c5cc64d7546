#!/usr/bin/env bash
# Creates one payment with only openssl and curl, and prints the verified response and the page on which the buyer pays.
# The same PAYMENT_REQUEST_ID is the same payment, however often you send it (idempotency). A demo shop at SHOP_URL, if
# there is one, gets the webhook and thanks the buyer.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sign.sh"

: "${PAYMENT_REQUEST_ID:=order-$(date +%s)-$$}"
: "${CURRENCY:=EUR}"
: "${VALUE:=1250}" # In the currency's smallest unit.
: "${PAYMENT_METHOD_TYPE:=GCASH}"
: "${SHOP_URL:=${TOLLGATE_SHOP_URL:-}}"
: "${REDIRECT_URL:=${SHOP_URL:-https://shop.example}/orders/$PAYMENT_REQUEST_ID}"
: "${NOTIFY_URL:=${SHOP_URL:+http://127.0.0.1:${SHOP_URL##*:}/notifications}}"

amount="{\"currency\":\"$CURRENCY\",\"value\":\"$VALUE\"}"

call pay "{
  \"productCode\": \"CASHIER_PAYMENT\",
  \"paymentRequestId\": \"$PAYMENT_REQUEST_ID\",
  \"order\": {
    \"referenceOrderId\": \"$PAYMENT_REQUEST_ID\",
    \"orderDescription\": \"Two coffees\",
    \"orderAmount\": $amount
  },
  \"paymentAmount\": $amount,
  \"paymentMethod\": { \"paymentMethodType\": \"$PAYMENT_METHOD_TYPE\" },
  \"paymentRedirectUrl\": \"$REDIRECT_URL\",${NOTIFY_URL:+
  \"paymentNotifyUrl\": \"$NOTIFY_URL\",}
  \"env\": { \"terminalType\": \"WEB\" }
}"
printf '%s\nsignature: verified\n' "$answer"

# A payment that is paid, cancelled or declined has no payment page any more. The response has the reason.
if url=$(field normalUrl); then
  echo "normalUrl: $url"
elif [[ $(field resultStatus) != S ]]; then
  exit 1
fi
