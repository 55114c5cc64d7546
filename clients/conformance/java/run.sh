#!/bin/sh
# Compiles the library's sources together with the runner, and runs the cases. CONFORMANCE_URL is the scripted
# gateway.
set -eu
cd "$(dirname "$0")/../.."
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
find java/src/main/java -name '*.java' ! -name module-info.java > "$classes/sources"
javac --release 17 -d "$classes" @"$classes/sources" conformance/java/*.java
java -XX:TieredStopAtLevel=1 -cp "$classes" io.tollgate.conformance.Conformance
