"""Validates payout files against the ISO 20022 schemas in the package sepaxml.

Reads a JSON array of files from standard input, and writes a JSON array: null for each valid file, else its first violation.
"""

import json
import sys
from importlib.resources import files

from lxml import etree

schemas = {}


def schema_of(root):
    name = etree.QName(root).namespace.rsplit(":", 1)[-1]
    if name not in schemas:
        schemas[name] = etree.XMLSchema(etree.fromstring((files("sepaxml") / "schemas" / f"{name}.xsd").read_bytes()))
    return schemas[name]


def violation(text):
    root = etree.fromstring(text.encode())
    schema = schema_of(root)
    return None if schema.validate(root) else str(schema.error_log[0].message)


json.dump([violation(text) for text in json.load(sys.stdin)], sys.stdout)
