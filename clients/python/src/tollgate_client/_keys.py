"""Reads keys in all usual formats."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

from ._base64 import from_base64
from ._der import BIT_STRING, INTEGER, OCTET_STRING, SEQUENCE, Element, read_elements, read_sequence
from .errors import InvalidKeyError, KeyProblem

#: PEM or bare base64, a path to a file with one of them, or a key of `cryptography`.
PrivateKeyInput = str | bytes | os.PathLike[str] | RSAPrivateKey
PublicKeyInput = str | bytes | os.PathLike[str] | RSAPublicKey

Half = Literal["private", "public"]
_Key = TypeVar("_Key", RSAPrivateKey, RSAPublicKey)

BITS_MIN = 2048
BITS_MAX = 4096


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """A private key for signing. Its text never appears in `repr`."""

    key: RSAPrivateKey

    def sign(self, text: bytes) -> bytes:
        return self.key.sign(text, padding.PKCS1v15(), hashes.SHA256())

    def public_half(self) -> PublicKey:
        return PublicKey(self.key.public_key())

    def __repr__(self) -> str:
        return f"PrivateKey({self.key.key_size} bits)"


@dataclass(frozen=True, slots=True)
class PublicKey:
    key: RSAPublicKey

    @property
    def signature_bytes(self) -> int:
        return (self.key.key_size + 7) // 8

    def verify(self, text: bytes, signature: bytes) -> bool:
        try:
            self.key.verify(signature, text, padding.PKCS1v15(), hashes.SHA256())
        except InvalidSignature:
            return False
        return True

    def is_same(self, other: PublicKey) -> bool:
        return self.key.public_numbers() == other.key.public_numbers()


def private_key_of(given: PrivateKeyInput) -> PrivateKey:
    if isinstance(given, RSAPrivateKey):
        return PrivateKey(_checked_size(given, "private"))
    key = _load(_text_of(given), "private")
    assert isinstance(key, RSAPrivateKey)
    return PrivateKey(key)


def public_key_of(given: PublicKeyInput) -> PublicKey:
    if isinstance(given, RSAPublicKey):
        return PublicKey(_checked_size(given, "public"))
    key = _load(_text_of(given), "public")
    assert isinstance(key, RSAPublicKey)
    return PublicKey(key)


def _text_of(given: str | bytes | os.PathLike[str]) -> str:
    if isinstance(given, os.PathLike):
        return Path(given).read_text(encoding="utf-8", errors="replace")
    return given if isinstance(given, str) else given.decode("utf-8", errors="replace")


_SENTENCES: dict[KeyProblem, str] = {
    "EMPTY": "it is empty. Is the environment variable or the file set?",
    "NOT_BASE64": "it is neither PEM nor base64.",
    "NOT_A_KEY": "it is not an RSA key in PKCS#8, PKCS#1 or SubjectPublicKeyInfo format, or it is truncated.",
    "ENCRYPTED": "it is protected by a password. Provide the key without a password.",
    "NOT_RSA": "it is for another algorithm. It must be an RSA key.",
    "PUBLIC_INSTEAD_OF_PRIVATE": "this is a public key. Provide the private key of the same pair.",
    "PRIVATE_INSTEAD_OF_PUBLIC": "this is a private key. Provide the gateway's public key.",
    "WRONG_SIZE": f"it has the wrong size. It must have {BITS_MIN} to {BITS_MAX} bits.",
}


def _problem(reason: KeyProblem, half: Half) -> InvalidKeyError:
    name = "The private key" if half == "private" else "The gateway's public key"
    return InvalidKeyError(reason, f"{name} cannot be used: {_SENTENCES[reason]}")


def _load(text: str, half: Half) -> RSAPrivateKey | RSAPublicKey:
    """The bytes determine the format of a key, not its PEM label."""
    der = _der_in(text, half)
    pkcs1 = _pkcs1_in(der, half)
    numbers = read_sequence(pkcs1)
    if numbers is None or len(numbers) not in (2, 9, 10):
        raise _problem("NOT_A_KEY", half)
    is_private = len(numbers) > 2
    if is_private != (half == "private"):
        raise _problem(
            "PRIVATE_INSTEAD_OF_PUBLIC" if is_private else "PUBLIC_INSTEAD_OF_PRIVATE", half
        )
    modulus = int.from_bytes(numbers[1 if is_private else 0].content, "big")
    if not BITS_MIN <= modulus.bit_length() <= BITS_MAX:
        raise _problem("WRONG_SIZE", half)
    try:
        key = _loaded(pkcs1, is_private)
    except (ValueError, UnsupportedAlgorithm):
        raise _problem("NOT_A_KEY", half) from None
    if not isinstance(key, (RSAPrivateKey, RSAPublicKey)):
        raise _problem("NOT_RSA", half)
    return key


def _loaded(pkcs1: bytes, is_private: bool) -> object:
    if not is_private:
        return serialization.load_der_public_key(pkcs1)
    # A trial signature checks the key's numbers, because a primality check would take fifty times
    # as long.
    key = serialization.load_der_private_key(pkcs1, None, unsafe_skip_rsa_key_validation=True)
    if isinstance(key, RSAPrivateKey) and not _works(PrivateKey(key)):
        raise ValueError("The numbers of the key are inconsistent.")
    return key


def _works(key: PrivateKey) -> bool:
    text = b"Does this key verify what it signs?"
    return key.public_half().verify(text, key.sign(text))


_ARMOUR = re.compile(r"-----BEGIN [A-Z0-9 ]+-----(.*?)-----END [A-Z0-9 ]+-----", re.DOTALL)


def _der_in(text: str, half: Half) -> bytes:
    # .env files write line ends as \n, and may keep quotation marks around a value.
    plain = re.sub(r"\\r|\\n", "\n", text).strip("\ufeff \t\r\n")
    plain = re.sub(r"^[\"']|[\"']$", "", plain).strip()
    if plain == "":
        raise _problem("EMPTY", half)
    if "ENCRYPTED" in plain:
        raise _problem("ENCRYPTED", half)
    armoured = _ARMOUR.search(plain)
    der = from_base64(re.sub(r"\s", "", armoured[1] if armoured else plain))
    if not der:
        raise _problem("NOT_BASE64", half)
    return der


#: 1.2.840.113549.1.1.1
_RSA_ENCRYPTION = bytes.fromhex("2a864886f70d010101")


def _pkcs1_in(der: bytes, half: Half) -> bytes:
    """PKCS#8 and SubjectPublicKeyInfo are an algorithm identifier, then PKCS#1 in a string."""
    parts = read_sequence(der) or []
    tags = [part.tag for part in parts[:3]]
    if tags[:2] == [INTEGER, INTEGER]:
        return der
    if tags == [INTEGER, SEQUENCE, OCTET_STRING]:
        return _inside(parts[1], parts[2].content, half)
    if tags[:2] == [SEQUENCE, BIT_STRING]:
        return _inside(parts[0], parts[1].content[1:], half)
    if tags[:2] == [SEQUENCE, OCTET_STRING]:
        raise _problem("ENCRYPTED", half)
    raise _problem("NOT_RSA" if tags[:2] == [INTEGER, OCTET_STRING] else "NOT_A_KEY", half)


def _inside(algorithm: Element, pkcs1: bytes, half: Half) -> bytes:
    names = read_elements(algorithm.content)
    if not names or names[0].content != _RSA_ENCRYPTION:
        raise _problem("NOT_RSA", half)
    return pkcs1


def _checked_size(key: _Key, half: Half) -> _Key:
    if not BITS_MIN <= key.key_size <= BITS_MAX:
        raise _problem("WRONG_SIZE", half)
    return key
