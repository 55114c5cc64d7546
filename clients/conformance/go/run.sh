#!/bin/sh
# Runs the cases with the library's sources. CONFORMANCE_URL is the scripted gateway.
cd "$(dirname "$0")" || exit 1
exec env GOWORK=off go run .
