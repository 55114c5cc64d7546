"""The subset of DER that keys use."""

from __future__ import annotations

from typing import NamedTuple

INTEGER = 0x02
BIT_STRING = 0x03
OCTET_STRING = 0x04
SEQUENCE = 0x30


class Element(NamedTuple):
    tag: int
    content: bytes


def read_elements(der: bytes) -> list[Element] | None:
    """Parses a series of DER elements; None if the bytes are anything else."""
    elements: list[Element] = []
    at = 0
    while at < len(der):
        length = _read_length(der, at + 1)
        if length is None or sum(length) > len(der):
            return None
        content_at, size = length
        elements.append(Element(der[at], der[content_at : content_at + size]))
        at = content_at + size
    return elements


def read_sequence(der: bytes) -> list[Element] | None:
    """The elements inside the single DER sequence that these bytes encode."""
    outer = read_elements(der)
    if outer is None or len(outer) != 1 or outer[0].tag != SEQUENCE:
        return None
    return read_elements(outer[0].content)


def _read_length(der: bytes, at: int) -> tuple[int, int] | None:
    """Returns the start and the length of an element's content."""
    if at >= len(der):
        return None
    if der[at] < 0x80:
        return at + 1, der[at]
    count = der[at] & 0x7F
    if count == 0 or count > 3 or at + count >= len(der):
        return None
    return at + 1 + count, int.from_bytes(der[at + 1 : at + 1 + count], "big")
