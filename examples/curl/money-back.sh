#!/usr/bin/env bash
# Shows the operations after a payment: partial refunds, authorization and capture, and a cancel that returns the money.
# The script verifies the signature of every response. It ends with "money-back: N steps ok", or at the first unexpected
# result.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

# paid NAME VALUE [MORE]: creates a payment that its buyer has approved; its id is in $id.
paid() {
  step pay "$(payment "$@")" resultCode PAYMENT_IN_PROCESS "payment of $2 created"
  id=$(field paymentId) || amiss "no paymentId in $answer"
  approve "$id"
  step inquiryPayment "{\"paymentId\":\"$id\"}" paymentStatus SUCCESS 'the payment succeeds'
}

# part WHAT NAME VALUE: prints the body of a request to refund or capture a part of $id.
part() { printf '%s' "{\"$1RequestId\":\"$run-$2\",\"paymentId\":\"$id\",\"$1Amount\":{\"currency\":\"EUR\",\"value\":\"$3\"}}"; }

paid shoes 5000
step refund "$(part refund one-shoe 2000)" resultStatus S 'partial refund'
refund=$(field refundId)
step refund "$(part refund one-shoe 2000)" refundId "$refund" 'the same request again is the same refund (idempotency)'
step refund "$(part refund one-shoe 2001)" resultCode REPEAT_REQ_INCONSISTENT 'the same id with another amount is rejected'
step refund "$(part refund both 5000)" resultCode REFUND_AMOUNT_EXCEED 'a refund of more than the rest is rejected'
step inquiryRefund "{\"refundRequestId\":\"$run-one-shoe\"}" refundStatus SUCCESS 'an inquiry returns the status of the refund'
step cancel "{\"paymentId\":\"$id\"}" resultCode PROCESS_FAIL 'a partly refunded payment cannot be cancelled'

paid hotel 30000 '"paymentFactor":{"isAuthorization":true,"captureMode":"MANUAL"}'
step capture "$(part capture first-night 12000)" resultStatus S 'partial capture of the authorized amount'
step capture "$(part capture first-night 12000)" resultStatus S 'the same request again captures nothing more (idempotency)'
step capture "$(part capture too-much 18001)" resultCode CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT 'a capture of more than the authorized amount is rejected'
step refund "$(part refund too-early 12001)" resultCode REFUND_AMOUNT_EXCEED 'an amount that was not captured cannot be refunded'

paid flowers 800
step cancel "{\"paymentId\":\"$id\"}" resultStatus S 'the payment is cancelled on the same day, and the money is returned'
step refund "$(part refund too-late 800)" resultCode ORDER_IS_CANCELED 'there is nothing left to refund'

echo "money-back: $steps steps ok"
