#!/usr/bin/env bash
# Takes a payment in a store: the buyer shows a code, the point of sale scans it, and one request pays. The code is
# PAYMENT_CODE. If it is not set, the script takes a code of the sandbox from the page /codes of the provider at
# WALLET_URL.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sign.sh"

: "${PAYMENT_REQUEST_ID:=till-$(date +%s)-$$}"
: "${CURRENCY:=EUR}"
: "${VALUE:=450}" # In the currency's smallest unit.
: "${SHOP_URL:=${TOLLGATE_SHOP_URL:-}}"
: "${NOTIFY_URL:=${SHOP_URL:+http://127.0.0.1:${SHOP_URL##*:}/notifications}}"
: "${NOTIFY_URL:=https://shop.example/notify}" # In stores it has to be said.
: "${WALLET_URL:=${TOLLGATE_WALLET_URL:-}}"

if [[ -z ${PAYMENT_CODE:=} ]]; then
  page=$(curl --silent --show-error --fail --max-time 15 "${WALLET_URL:?of the sandbox wallet, or PAYMENT_CODE}/codes")
  [[ $page =~ ([0-9]{24}) ]] && PAYMENT_CODE=${BASH_REMATCH[1]}
fi
amount="{\"currency\":\"$CURRENCY\",\"value\":\"$VALUE\"}"

# `order` has the data that a provider needs about a store: the merchant, the store, and the terminal.
body="{
  \"productCode\": \"IN_STORE_PAYMENT\",
  \"paymentRequestId\": \"$PAYMENT_REQUEST_ID\",
  \"order\": {
    \"referenceOrderId\": \"$PAYMENT_REQUEST_ID\",
    \"orderDescription\": \"One flat white\",
    \"orderAmount\": $amount,
    \"merchant\": {
      \"referenceMerchantId\": \"coffee-lab\",
      \"merchantName\": \"Coffee Lab\",
      \"merchantMCC\": \"5814\",
      \"store\": { \"referenceStoreId\": \"harbour\", \"storeName\": \"Coffee Lab, Harbour\", \"storeMCC\": \"5814\" }
    },
    \"env\": { \"storeTerminalId\": \"till-1\", \"storeTerminalRequestTime\": \"$(date -u +%Y-%m-%dT%H:%M:%S+00:00)\" }
  },
  \"paymentAmount\": $amount,
  \"paymentMethod\": { \"paymentMethodType\": \"CONNECT_WALLET\", \"paymentMethodId\": \"$PAYMENT_CODE\" },
  \"paymentFactor\": { \"inStorePaymentScenario\": \"PaymentCode\" },
  \"paymentNotifyUrl\": \"$NOTIFY_URL\",
  \"settlementStrategy\": { \"settlementCurrency\": \"$CURRENCY\" }
}"

call pay "$body"
# U means that the buyer must confirm first, or the connection failed. Sending the same request again is safe and
# returns the outcome.
tries=40
while [[ $(field resultStatus) == U ]] && ((tries-- > 0)); do
  sleep 0.25
  call pay "$body"
done
printf '%s\nsignature: verified\n' "$answer"
[[ $(field resultStatus) == S ]]
