#!/usr/bin/env bash
# Inquires a payment with only openssl and curl, and prints the verified response.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sign.sh"

: "${PAYMENT_ID:=${1:?the payment to ask about}}"

call inquiryPayment "{\"paymentId\":\"$PAYMENT_ID\"}"
printf '%s\nsignature: verified\n' "$answer"
