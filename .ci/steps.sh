# shellcheck shell=bash
# Steps of a CI run, sourced by .ci/run. Each step has a budget in seconds, and its own process group, which ends with
# the step.
set -uo pipefail
# Job control gives each background command a process group.
set -m

passed=0
failed=0
# The whole run ends within this many seconds, whatever the budgets add up to.
limit=${limit:-4500}
# Unstable test files: when one of them fails, CI runs it once more.
unstable=${unstable:-.ci/unstable-tests}
declare -A groups=() begun=() budgets=()
table=()
# Places of failed tests, which `finish` prints, because a CI service may show only the end of a long output.
failures=()
folder=$(mktemp -d)
trap 'exit 1' INT TERM
trap 'for name in "${!groups[@]}"; do end_group "$name"; done; rm -rf "$folder"' EXIT

# step NAME BUDGET COMMAND…: runs one step.
step() {
  begin "$@"
  end "$1"
}

# tests NAME BUDGET COMMAND…: a step of Node's test runner. If only listed unstable files failed, they run once more, alone.
tests() {
  local name=$1 failed_before=$failed failed_first passed_before file
  local -a files
  step "$@" && return
  failed_first=$((failed - failed_before))
  mapfile -t files < <(sed -n 's/^test at \(.*\.ts\):[0-9]*:[0-9]*$/\1/p' "$folder/$name.log" | sort --unique)
  ((${#files[@]} > 0)) || return
  for file in "${files[@]}"; do is_unstable "$file" || return; done
  # In the step `check`, the failed test has also ended the static checks, so they run again here.
  [[ $name != check ]] || step 'check, code' 600 read_code || return
  passed_before=$passed
  step "$name, unstable" 600 node --test --test-concurrency=1 "$with_database" "${files[@]}" || return
  passed=$((passed_before + failed_first))
  failed=$failed_before
}

is_unstable() {
  awk -F ' \\| ' -v file="$1" '!/^#/ && $1 == file { found = 1 } END { exit !found }' "$unstable"
}

# begin NAME BUDGET COMMAND…: starts a step, which runs until `end NAME`.
begin() {
  local name=$1 budget=$2 left=$((limit - SECONDS))
  shift 2
  ((budget < left)) || budget=$((left > 1 ? left : 1))
  run_within "$name" "$budget" "$@" </dev/null >"$folder/$name.log" 2>&1 &
  groups[$name]=$!
  begun[$name]=$SECONDS
  budgets[$name]=$budget
}

run_within() {
  local name=$1 budget=$2 status
  shift 2
  if declare -F "$1" >/dev/null; then
    "$@"
  else
    # With `--foreground`, `timeout` stays in the process group of the step. Without it, `timeout` would create its own
    # group.
    timeout --foreground --kill-after=20 "$budget" "$@"
  fi
  status=$?
  echo "$SECONDS" >"$folder/$name.ended"
  return "$status"
}

# end NAME: shows the step's output, counts it, and adds a row to the table.
end() {
  local name=$1 group=${groups[$1]} log=$folder/$1.log shown status took verdict=ok
  echo "=== $name"
  # `tail` follows the log file, because a step's process that does not exit would keep a pipe open, and `end` would
  # wait for it without end.
  tail --lines=+1 --follow --pid="$group" "$log" 2>/dev/null &
  shown=$!
  wait "$group"
  status=$?
  end_group "$name"
  wait "$shown"
  took=$(($(cat "$folder/$name.ended" 2>/dev/null || echo "$SECONDS") - begun[$name]))
  ((status == 0)) || verdict="failed with status $status"
  if ((took > budgets[$name] || status == 124 || (status == 137 && took == budgets[$name]))); then
    verdict="over its budget"
    status=124
  fi
  count "$log" "$status"
  ((status == 0)) || note_failures "$name" "$log"
  table+=("$(printf '%-28s %7d %7d  %s' "$name" "$took" "${budgets[$name]}" "$verdict")")
  echo "--- $name: $verdict, $took s of ${budgets[$name]} s"
  return "$status"
}

# count LOG STATUS: a step of Node's test runner counts as its tests, any other step as one test.
count() {
  local tests=0 pass=0 fail=0
  read -r tests pass fail < <(awk '
    /^(ℹ|#) tests [0-9]+$/ { tests += $3 }
    /^(ℹ|#) pass [0-9]+$/ { pass += $3 }
    /^(ℹ|#) (fail|cancelled) [0-9]+$/ { fail += $3 }
    END { print tests + 0, pass + 0, fail + 0 }' "$1")
  ((tests == 0 && $2 == 0)) && pass=1
  # A failure outside of tests counts as one failure.
  (($2 != 0 && fail == 0)) && fail=1
  passed=$((passed + pass))
  failed=$((failed + fail))
}

# note_failures STEP LOG: keeps the place and title of each failed test, or the last lines of a step without tests.
note_failures() {
  local -a lines
  mapfile -t lines < <(sed -n '/^test at .*:[0-9]*:[0-9]*$/{s/^test at //;N;s/\n✖ /: /p}' "$2" | sort --unique | head --lines=20)
  ((${#lines[@]} > 0)) || mapfile -t lines < <(tail --lines=5 "$2")
  ((${#lines[@]} == 0)) || failures+=("${lines[@]/#/"$1: "}")
}

# end_group NAME: ends the processes that the step left.
end_group() {
  local group=${groups[$1]}
  unset "groups[$1]"
  kill -TERM -- "-$group" 2>/dev/null && sleep 1
  kill -KILL -- "-$group" 2>/dev/null
}

# finish: prints the table of steps, the failed tests and, as the last line, the counts.
finish() {
  printf '\n%-28s %7s %7s  %s\n' step seconds budget result
  ((${#table[@]} == 0)) || printf '%s\n' "${table[@]}"
  printf '%-28s %7d %7d\n\n' 'whole run' "$SECONDS" "$limit"
  ((${#failures[@]} == 0)) || { printf 'failed: %s\n' "${failures[@]}" && echo; }
  echo "$passed passed, $failed failed"
  ((failed == 0 && passed > 0))
  exit
}
