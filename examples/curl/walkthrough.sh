#!/usr/bin/env bash
# Walks through the life of payments against `npm run dev -- --json`: paid, repeated, cancelled, too late.
# Every answer's signature is verified. Ends with "walkthrough: N steps ok", or at the first thing amiss.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

step pay "$(payment coffee 1250)" resultCode PAYMENT_IN_PROCESS 'a payment is taken'
id=$(field paymentId) || amiss "there is no paymentId in $answer"
field normalUrl >/dev/null || amiss "there is no normalUrl in $answer"

approve "$id"
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
