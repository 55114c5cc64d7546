#!/usr/bin/env bash
# Walks through what follows a payment: refunds in parts, money that is held and captured, a cancel that gives it back.
# Every answer's signature is verified. Ends with "money-back: N steps ok", or at the first thing amiss.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

# paid NAME VALUE [MORE]: a payment that its buyer has approved; its id is in $id.
paid() {
  step pay "$(payment "$@")" resultCode PAYMENT_IN_PROCESS "a payment of $2 is taken"
  id=$(field paymentId) || amiss "there is no paymentId in $answer"
  approve "$id"
  step inquiryPayment "{\"paymentId\":\"$id\"}" paymentStatus SUCCESS 'it succeeds'
}

# part WHAT NAME VALUE: the body of a request to refund or capture a part of $id.
part() { printf '%s' "{\"$1RequestId\":\"$run-$2\",\"paymentId\":\"$id\",\"$1Amount\":{\"currency\":\"EUR\",\"value\":\"$3\"}}"; }

paid shoes 5000
step refund "$(part refund one-shoe 2000)" resultStatus S 'a part is refunded'
refund=$(field refundId)
step refund "$(part refund one-shoe 2000)" refundId "$refund" 'the same request again is the same refund'
step refund "$(part refund one-shoe 2001)" resultCode REPEAT_REQ_INCONSISTENT 'the same id with another amount is refused'
step refund "$(part refund both 5000)" resultCode REFUND_AMOUNT_EXCEED 'more than what is left is refused'
step inquiryRefund "{\"refundRequestId\":\"$run-one-shoe\"}" refundStatus SUCCESS 'who asks is told how it stands'
step cancel "{\"paymentId\":\"$id\"}" resultCode PROCESS_FAIL 'what was refunded in part is not cancelled'

paid hotel 30000 '"paymentFactor":{"isAuthorization":true,"captureMode":"MANUAL"}'
step capture "$(part capture first-night 12000)" resultStatus S 'a part of what is held is taken'
step capture "$(part capture first-night 12000)" resultStatus S 'the same request again takes nothing more'
step capture "$(part capture too-much 18001)" resultCode CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT 'more than what is held is refused'
step refund "$(part refund too-early 12001)" resultCode REFUND_AMOUNT_EXCEED 'what was not taken is not refunded'

paid flowers 800
step cancel "{\"paymentId\":\"$id\"}" resultStatus S 'it is cancelled on the same day, and the money goes back'
step refund "$(part refund too-late 800)" resultCode ORDER_IS_CANCELED 'there is nothing left to refund'

echo "money-back: $steps steps ok"
