#!/bin/sh
# Runs the steps with the library's sources. PYTHON sets another interpreter; it needs `cryptography`.
cd "$(dirname "$0")" || exit 1
PYTHONPATH=../../python/src exec "${PYTHON:-python3}" run.py
