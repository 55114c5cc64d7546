#!/usr/bin/env bash
# Shows the lifecycle of payments against `npm run dev -- --json`: paid, repeated, cancelled, too late. The script
# verifies the signature of every response. It ends with "walkthrough: N steps ok", or at the first unexpected result.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

step pay "$(payment coffee 1250)" resultCode PAYMENT_IN_PROCESS 'payment created'
id=$(field paymentId) || amiss "no paymentId in $answer"
field normalUrl >/dev/null || amiss "no normalUrl in $answer"

approve "$id"
step inquiryPayment "{\"paymentId\":\"$id\"}" paymentStatus SUCCESS 'the payment is paid'
step pay "$(payment coffee 1250)" resultStatus S 'the same request again is the same payment (idempotency)'
[[ $(field paymentId) == "$id" ]] || amiss "a second payment was made: $answer"
step pay "$(payment coffee 1251)" resultCode REPEAT_REQ_INCONSISTENT 'the same id with another amount is rejected'

step pay "$(payment tea 300)" resultCode PAYMENT_IN_PROCESS 'second payment created'
step cancel "{\"paymentRequestId\":\"$run-tea\"}" resultStatus S 'the payment is cancelled'
step pay "$(payment tea 300)" resultCode ORDER_IS_CANCELED 'paying after the cancel is rejected'
step cancel "{\"paymentRequestId\":\"$run-cake\"}" resultStatus S 'a request id without a payment is cancelled'
step pay "$(payment cake 450)" resultCode ORDER_IS_CANCELED 'paying with that request id is rejected'

echo "walkthrough: $steps steps ok"
