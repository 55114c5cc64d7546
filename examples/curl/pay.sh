#!/usr/bin/env bash
# Takes one payment with nothing but openssl and curl, and prints the verified answer and the page on which
# the buyer pays. With the same PAYMENT_REQUEST_ID it is the same payment, however often you ask.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sign.sh"

: "${PAYMENT_REQUEST_ID:=order-$(date +%s)-$$}"
: "${CURRENCY:=EUR}"
: "${VALUE:=1250}" # In the currency's smallest unit.
: "${PAYMENT_METHOD_TYPE:=GCASH}"
: "${REDIRECT_URL:=https://shop.example/thanks}"

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
  \"paymentRedirectUrl\": \"$REDIRECT_URL\",
  \"env\": { \"terminalType\": \"WEB\" }
}"
printf '%s\nsignature: verified\n' "$answer"

# What has been paid, cancelled or refused has no page any more; the answer says which.
if url=$(field normalUrl); then
  echo "normalUrl: $url"
elif [[ $(field resultStatus) != S ]]; then
  exit 1
fi
