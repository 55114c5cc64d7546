import { fromBase64, isEqual } from "./bytes.ts";
import { readElements, readSequence, tag, writeElement, type Element } from "./der.ts";
import { InvalidKeyError, type KeyProblem } from "./errors.ts";

/** An RSA key in formats that every runtime can import. */
export interface RsaKey {
  readonly bits: number;
  /** SubjectPublicKeyInfo of the public key. */
  readonly spki: Uint8Array;
  /** PKCS#8; only for a private key. */
  readonly pkcs8?: Uint8Array;
}

const bitsMin = 2048;
const bitsMax = 4096;

/**
 * Reads PEM or bare base64, PKCS#8, PKCS#1 or SubjectPublicKeyInfo. The bytes determine the format, not the
 * PEM label.
 */
export function readKey(text: string, half: "private" | "public"): RsaKey {
  const found = keyIn(derIn(text, half), half);
  if (found.half !== half) {
    throw problem(found.half === "public" ? "PUBLIC_INSTEAD_OF_PRIVATE" : "PRIVATE_INSTEAD_OF_PUBLIC", half);
  }
  if (found.key.bits < bitsMin || found.key.bits > bitsMax) throw problem("WRONG_SIZE", half, found.key.bits);
  return found.key;
}

function problem(reason: KeyProblem, half: "private" | "public", bits = 0): InvalidKeyError {
  const name = half === "private" ? "The private key" : "The gateway's public key";
  return new InvalidKeyError(reason, `${name} cannot be used: ${sentences[reason](bits)}`);
}

const sentences: Readonly<Record<KeyProblem, (bits: number) => string>> = {
  EMPTY: () => "it is empty. Is the environment variable or the file set?",
  NOT_BASE64: () => "it is neither PEM nor base64.",
  NOT_A_KEY: () =>
    "it is not an RSA key in PKCS#8, PKCS#1 or SubjectPublicKeyInfo format, or it is truncated.",
  ENCRYPTED: () => "it is protected by a password. Provide the key without a password.",
  NOT_RSA: () => "it is for another algorithm. It must be an RSA key.",
  PUBLIC_INSTEAD_OF_PRIVATE: () => "this is a public key. Provide the private key of the same pair.",
  PRIVATE_INSTEAD_OF_PUBLIC: () => "this is a private key. Provide the gateway's public key.",
  WRONG_SIZE: (bits) => `it has ${bits} bits. It must have ${bitsMin} to ${bitsMax}.`,
};

function derIn(text: string, half: "private" | "public"): Uint8Array {
  const plain = text
    .replaceAll(/\\r|\\n/g, "\n")
    .replace(/^\uFEFF/, "")
    .trim()
    .replaceAll(/^["']|["']$/g, "");
  if (plain.trim() === "") throw problem("EMPTY", half);
  if (/ENCRYPTED/.test(plain)) throw problem("ENCRYPTED", half);
  const body = /-----BEGIN [A-Z0-9 ]+-----([^]*?)-----END [A-Z0-9 ]+-----/.exec(plain)?.[1] ?? plain;
  const der = fromBase64(body.replaceAll(/\s/g, ""));
  if (!der || der.length === 0) throw problem("NOT_BASE64", half);
  return der;
}

interface Found {
  readonly half: "private" | "public";
  readonly key: RsaKey;
}

function keyIn(der: Uint8Array, half: "private" | "public"): Found {
  const parts = readSequence(der);
  if (!parts) throw problem("NOT_A_KEY", half);
  const [first, second, third] = parts.map((part) => part.tag);
  if (first === tag.integer && second === tag.integer) return pkcs1In(der, parts, half);
  if (first === tag.integer && second === tag.sequence && third === tag.octetString) {
    return wrappedIn(parts[1], parts[2]?.content, half);
  }
  if (first === tag.sequence && second === tag.bitString) {
    return wrappedIn(parts[0], parts[1]?.content.subarray(1), half);
  }
  if (first === tag.sequence && second === tag.octetString) throw problem("ENCRYPTED", half);
  throw problem(first === tag.integer && second === tag.octetString ? "NOT_RSA" : "NOT_A_KEY", half);
}

/** Reads PKCS#8 and SubjectPublicKeyInfo: an algorithm identifier, then PKCS#1 in a string. */
function wrappedIn(
  algorithm: Element | undefined,
  inside: Uint8Array | undefined,
  half: "private" | "public",
): Found {
  const [name] = readElements(algorithm?.content ?? new Uint8Array()) ?? [];
  if (!name || !isEqual(name.content, rsaEncryption)) throw problem("NOT_RSA", half);
  const parts = inside && readSequence(inside);
  if (!inside || !parts) throw problem("NOT_A_KEY", half);
  return pkcs1In(inside, parts, half);
}

/** Reads PKCS#1: two integers are a public key; a version and eight integers are a private key. */
function pkcs1In(pkcs1: Uint8Array, parts: readonly Element[], half: "private" | "public"): Found {
  const isPrivate = parts.length >= 9;
  const [modulus, exponent] = isPrivate ? [parts[1], parts[2]] : [parts[0], parts[1]];
  if ((!isPrivate && parts.length !== 2) || !modulus || !exponent) throw problem("NOT_A_KEY", half);
  const numbers = writeElement(
    tag.sequence,
    writeElement(tag.integer, modulus.content),
    writeElement(tag.integer, exponent.content),
  );
  const spki = writeElement(
    tag.sequence,
    algorithmOfRsa,
    writeElement(tag.bitString, Uint8Array.of(0), numbers),
  );
  const key = { bits: bitsOf(modulus.content), spki };
  if (!isPrivate) return { half: "public", key };
  const pkcs8 = writeElement(
    tag.sequence,
    writeElement(tag.integer, Uint8Array.of(0)),
    algorithmOfRsa,
    writeElement(tag.octetString, pkcs1),
  );
  return { half: "private", key: { ...key, pkcs8 } };
}

/** 1.2.840.113549.1.1.1 */
const rsaEncryption = Uint8Array.of(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01);
const algorithmOfRsa = writeElement(tag.sequence, writeElement(0x06, rsaEncryption), writeElement(0x05));

function bitsOf(integer: Uint8Array): number {
  const start = integer.findIndex((byte) => byte !== 0);
  return start < 0 ? 0 : (integer.length - start) * 8 - Math.clz32(integer[start] ?? 0) + 24;
}
