#!/bin/sh
# Compiles the library's sources, and runs all steps with it. run.ts sets the environment.
set -eu
cd "$(dirname "$0")/../.."
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
find java/src/main/java -name '*.java' ! -name module-info.java > "$classes/sources"
javac --release 17 -d "$classes" @"$classes/sources" life/java/*.java
java -XX:TieredStopAtLevel=1 -cp "$classes" io.tollgate.life.Life
