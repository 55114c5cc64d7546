#!/usr/bin/env bash
# Refunds a payment, in full or VALUE of it, and prints the verified response. PAYMENT_ID or PAYMENT_REQUEST_ID
# identifies the payment. The same REFUND_REQUEST_ID is the same refund, however often you send it (idempotency). A demo
# shop at SHOP_URL, if there is one, gets the result.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sign.sh"

: "${REFUND_REQUEST_ID:=refund-$(date +%s)-$$}"
: "${SHOP_URL:=${TOLLGATE_SHOP_URL:-}}"
: "${NOTIFY_URL:=${SHOP_URL:+http://127.0.0.1:${SHOP_URL##*:}/notifications}}"

if [[ -n ${PAYMENT_ID:=${1:-}} ]]; then
  call inquiryPayment "{\"paymentId\":\"$PAYMENT_ID\"}"
else
  call inquiryPayment "{\"paymentRequestId\":\"${PAYMENT_REQUEST_ID:?or PAYMENT_ID: the payment to give back}\"}"
fi
# `field value` reads the first amount in the response, which is the payment's own amount.
if ! { PAYMENT_ID=$(field paymentId) && currency=$(field currency) && value=$(field value); }; then
  printf '%s\n' "$answer"
  exit 1
fi

call refund "{
  \"refundRequestId\": \"$REFUND_REQUEST_ID\",
  \"paymentId\": \"$PAYMENT_ID\",${NOTIFY_URL:+
  \"refundNotifyUrl\": \"$NOTIFY_URL\",}
  \"refundAmount\": { \"currency\": \"$currency\", \"value\": \"${VALUE:-$value}\" }
}"
printf '%s\nsignature: verified\n' "$answer"
# U means that the outcome is unknown. Sending the same REFUND_REQUEST_ID again is safe and returns the outcome.
[[ $(field resultStatus) != F ]]
