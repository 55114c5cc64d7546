#!/bin/sh
# Runs the cases in the parent folder with the PHP library. CONFORMANCE_URL is the scripted gateway.
set -eu
exec php -d zend.assertions=1 -d assert.exception=1 "$(dirname "$0")/run.php"
