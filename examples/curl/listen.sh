#!/usr/bin/env bash
# Shows webhooks from the first one on, until Ctrl-C; or as many as the argument says. With an argument and
# PAYMENT_REQUEST_ID, only webhooks of this payment count. It reads the event feed, which has every webhook, delivered
# or not, so no open port is needed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sign.sh"

left=${1:-0}
only=${1:+${PAYMENT_REQUEST_ID:-}}
: "${CURSOR:=}" # Only what comes after it; `latest` is the end.

while true; do
  call tollgate/inquiryEvents "{${CURSOR:+\"cursor\":\"$CURSOR\",}\"limit\":1}"
  CURSOR=$(field nextCursor)
  # The body of the webhook is JSON in JSON, so its quotes are escaped.
  if kind=$(field kind) && [[ -n $only && $answer != *"\\\"paymentRequestId\\\":\\\"$only\\\""* ]]; then
    continue
  elif [[ -n $kind ]]; then
    code=$([[ $answer =~ \"body\".*resultCode\\\":\\\"([A-Z_]+) ]] && printf '%s' "${BASH_REMATCH[1]}" || true)
    printf '%s  %-20s %-28s %s\n' "$(field createdTime)" "$kind" "$code" "$(field subjectId)"
    ((--left == 0)) && exit 0
  else
    sleep 0.5
  fi
done
