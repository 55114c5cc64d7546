#!/usr/bin/env bash
# Takes one payment with nothing but openssl and curl, and prints the verified answer and the page on which
# the buyer pays. With the same PAYMENT_REQUEST_ID it is the same payment, however often you ask. A demo shop, if there
# is one at SHOP_URL, is told how it ended, and thanks the buyer.
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

# What has been paid, cancelled or refused has no page any more; the answer says which.
if url=$(field normalUrl); then
  echo "normalUrl: $url"
elif [[ $(field resultStatus) != S ]]; then
  exit 1
fi
