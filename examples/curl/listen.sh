#!/usr/bin/env bash
# Shows what the merchant is told, from the beginning and as it happens, until Ctrl-C; or so many notifications as its
# argument says. It reads the feed, which has every notification whether or not it could be delivered: no open port is needed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sign.sh"

left=${1:-0}
: "${CURSOR:=}" # Only what comes after it; `latest` is the end.

while true; do
  call tollgate/inquiryEvents "{${CURSOR:+\"cursor\":\"$CURSOR\",}\"limit\":1}"
  CURSOR=$(field nextCursor)
  if kind=$(field kind); then
    # The body of the notification is JSON in JSON, so its quotes are escaped.
    code=$([[ $answer =~ \"body\".*resultCode\\\":\\\"([A-Z_]+) ]] && printf '%s' "${BASH_REMATCH[1]}" || true)
    printf '%s  %-20s %-28s %s\n' "$(field createdTime)" "$kind" "$code" "$(field subjectId)"
    ((--left == 0)) && exit 0
  else
    sleep 0.5
  fi
done
