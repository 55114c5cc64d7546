#!/bin/sh
# Lives through the steps of `life/steps.ts` with the PHP library; the environment says where everybody is.
set -eu
exec php "$(dirname "$0")/run.php"
