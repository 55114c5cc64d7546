#!/bin/sh
# Runs the steps of `life/lifecycle-steps.ts` with the PHP library; the environment has the addresses.
set -eu
exec php "$(dirname "$0")/run.php"
