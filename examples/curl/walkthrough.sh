#!/usr/bin/env bash
# Walks through the life of payments against `npm run dev -- --json`: paid, repeated, cancelled, too late.
# Every answer's signature is verified. Ends with "walkthrough: N steps ok", or at the first thing amiss.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sign.sh"

: "${WALLET_URL:?of the sandbox wallet, the field walletUrl}"
: "${CONTROL_SECRET:?of the sandbox wallet, the field controlSecret}"

steps=0
run="walkthrough-$(date +%s)-$$"

# step OPERATION BODY FIELD VALUE MEANING: asks until the answer is final, and expects this in it.
step() {
  local tries=40
  call "$1" "$2"
  # U means that nobody knows yet: the same request again is safe, and is how to find out.
  while [[ $(field "$3") != "$4" && ($1 == inquiryPayment || $(field resultStatus) == U) ]] && ((tries-- > 0)); do
    sleep 0.25
    call "$1" "$2"
  done
  [[ $(field "$3") == "$4" ]] || amiss "$5: $3 is not $4 in $answer"
  ok "$5: $4"
}

# payment NAME VALUE: the body of a request to pay.
payment() {
  local amount="{\"currency\":\"EUR\",\"value\":\"$2\"}"
  printf '%s' "{\"productCode\":\"CASHIER_PAYMENT\",\"paymentRequestId\":\"$run-$1\",\"paymentAmount\":$amount," \
    "\"order\":{\"referenceOrderId\":\"$1\",\"orderDescription\":\"Two coffees\",\"orderAmount\":$amount}," \
    "\"paymentMethod\":{\"paymentMethodType\":\"GCASH\"},\"env\":{\"terminalType\":\"WEB\"}," \
    "\"paymentRedirectUrl\":\"https://shop.example/thanks\"}"
}

ok() { echo "$((++steps)) $1"; }
amiss() { echo "walkthrough: $1" >&2 && exit 1; }

step pay "$(payment coffee 1250)" resultCode PAYMENT_IN_PROCESS 'a payment is taken'
id=$(field paymentId) || amiss "there is no paymentId in $answer"
field normalUrl >/dev/null || amiss "there is no normalUrl in $answer"

curl --silent --show-error --fail --max-time 15 --output /dev/null --request POST \
  --header "Authorization: Bearer $CONTROL_SECRET" "$WALLET_URL/control/payments/$id/approve" ||
  amiss 'the wallet does not let the buyer approve'
ok 'the buyer approves it in the wallet'

step inquiryPayment "{\"paymentId\":\"$id\"}" paymentStatus SUCCESS 'it is paid'
step pay "$(payment coffee 1250)" resultStatus S 'the same request again is the same payment'
[[ $(field paymentId) == "$id" ]] || amiss "a second payment was made: $answer"
step pay "$(payment coffee 1251)" resultCode REPEAT_REQ_INCONSISTENT 'the same id with another amount is refused'

step pay "$(payment tea 300)" resultCode PAYMENT_IN_PROCESS 'a second payment is taken'
step cancel "{\"paymentRequestId\":\"$run-tea\"}" resultStatus S 'it is cancelled'
step pay "$(payment tea 300)" resultCode ORDER_IS_CANCELED 'who pays after that comes too late'
step cancel "{\"paymentRequestId\":\"$run-cake\"}" resultStatus S 'an id that nobody has used yet is cancelled'
step pay "$(payment cake 450)" resultCode ORDER_IS_CANCELED 'who uses it after that comes too late'

echo "walkthrough: $steps steps ok"
