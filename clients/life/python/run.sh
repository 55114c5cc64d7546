#!/bin/sh
# Lives through the steps with the library as it lies here. PYTHON names another interpreter; it needs `cryptography`.
cd "$(dirname "$0")" || exit 1
PYTHONPATH=../../python/src exec "${PYTHON:-python3}" run.py
