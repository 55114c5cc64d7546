# Common functions of the walkthroughs, which source this file. A walkthrough ends at the first unexpected result.
source "$(dirname "${BASH_SOURCE[0]}")/sign.sh"

: "${WALLET_URL:?of the sandbox wallet, the field walletUrl}"
: "${CONTROL_SECRET:?of the sandbox wallet, the field controlSecret}"

steps=0
run="walk-$(date +%s)-$$"

# step OPERATION BODY FIELD VALUE MEANING: repeats the request until the result is final, and expects this value in the
# response.
step() {
  local tries=40
  call "$1" "$2"
  # U means that the outcome is unknown. Sending the same request again is safe and returns the outcome.
  while [[ $(field "$3") != "$4" && ($1 == inquiryPayment || $(field resultStatus) == U) ]] && ((tries-- > 0)); do
    sleep 0.25
    call "$1" "$2"
  done
  [[ $(field "$3") == "$4" ]] || amiss "$5: $3 is not $4 in $answer"
  ok "$5: $4"
}

# payment NAME VALUE [MORE]: prints the body of a `pay` request.
payment() {
  local amount="{\"currency\":\"EUR\",\"value\":\"$2\"}"
  printf '%s' "{\"productCode\":\"CASHIER_PAYMENT\",\"paymentRequestId\":\"$run-$1\",\"paymentAmount\":$amount," \
    "\"order\":{\"referenceOrderId\":\"$1\",\"orderDescription\":\"Two coffees\",\"orderAmount\":$amount}," \
    "\"paymentMethod\":{\"paymentMethodType\":\"GCASH\"},\"env\":{\"terminalType\":\"WEB\"}," \
    "\"paymentRedirectUrl\":\"https://shop.example/thanks\"${3:+,$3}}"
}

# approve PAYMENT_ID: the buyer approves the payment at the sandbox provider.
approve() {
  curl --silent --show-error --fail --max-time 15 --output /dev/null --request POST \
    --header "Authorization: Bearer $CONTROL_SECRET" "$WALLET_URL/control/payments/$1/approve" ||
    amiss 'the provider rejected the approval'
  ok 'the buyer approves the payment'
}

ok() { echo "$((++steps)) $1"; }
amiss() { echo "walkthrough: $1" >&2 && exit 1; }
