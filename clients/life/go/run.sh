#!/bin/sh
# Runs the steps with the library's sources.
cd "$(dirname "$0")" || exit 1
exec env GOWORK=off go run .
