#!/usr/bin/env bash
# Advances the test clock by an hour, or by the number of seconds in the argument. Prints the jobs that became due, each
# action once for each record, and then the status of the payments.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sign.sh"

turn="{\"turnRequestId\":\"turn-$(date +%s)-$$\",\"bySeconds\":${1:-3600}}"
call tollgate/advanceClock "$turn"
# U means that the clock is still advancing. The same request again returns the progress.
while [[ $(field resultStatus) == U ]]; do
  sleep 0.25
  call tollgate/advanceClock "$turn"
done
[[ $(field resultStatus) == S ]] || { printf '%s\n' "$answer" && exit 1; }

printf 'your clock: %s\n' "$(field toTime)"
rest=$answer
seen=$'\n'
payments=''
while [[ $rest =~ \"time\":\"([^\"]*)\",\"id\":\"([^\"]*)\",\"action\":\"([^\"]*)\" ]]; do
  time=${BASH_REMATCH[1]} id=${BASH_REMATCH[2]} action=${BASH_REMATCH[3]}
  rest=${rest#*"${BASH_REMATCH[0]}"}
  # The provider is polled repeatedly until it knows the outcome.
  [[ $seen == *$'\n'"$id $action"$'\n'* ]] && continue
  seen+="$id $action"$'\n'
  printf '%s  %s  %s\n' "$time" "$action" "$id"
  # The kind of a record is in its id, after 17 digits of time and 4 of the bucket: 01 is a payment.
  [[ ${id:21:2} == 01 && $payments != *"$id"* ]] && payments+="$id "
done
for id in $payments; do
  call inquiryPayment "{\"paymentId\":\"$id\"}"
  status=$(field paymentStatus)
  code=$(field paymentResultCode || true)
  [[ $code == ORDER_IS_CLOSED ]] && code+=': it is closed, because it was not paid in time'
  printf 'payment %s is %s%s\n' "$id" "$status" "${code:+, $code}"
done
