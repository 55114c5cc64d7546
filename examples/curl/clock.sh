#!/usr/bin/env bash
# Lets time pass in the sandbox, an hour or so many seconds as its argument says, and prints what became due on the way.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sign.sh"

turn="{\"turnRequestId\":\"turn-$(date +%s)-$$\",\"bySeconds\":${1:-3600}}"
call tollgate/advanceClock "$turn"
# U: it is still on its way. The same call again tells how far.
while [[ $(field resultStatus) == U ]]; do
  sleep 0.25
  call tollgate/advanceClock "$turn"
done
[[ $(field resultStatus) == S ]] || { printf '%s\n' "$answer" && exit 1; }

printf 'your clock: %s\n' "$(field toTime)"
rest=$answer
while [[ $rest =~ \"time\":\"([^\"]*)\",\"id\":\"([^\"]*)\",\"action\":\"([^\"]*)\" ]]; do
  printf '%s  %s  %s\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[3]}" "${BASH_REMATCH[2]}"
  rest=${rest#*"${BASH_REMATCH[0]}"}
done
