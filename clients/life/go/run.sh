#!/bin/sh
# Lives through the steps with the library as it lies here.
cd "$(dirname "$0")" || exit 1
exec env GOWORK=off go run .
