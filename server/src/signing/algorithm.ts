import assert from "node:assert/strict";
import { verify, type KeyObject } from "node:crypto";

/**
 * The signature algorithm by its name in the `signature` header. For merchants it is always RSA256, as the interface
 * requires. For a provider it is, in both directions, the algorithm of the provider's registered key.
 */
export type Algorithm = "RSA256" | "Ed25519";

interface KeyKind {
  readonly algorithm: Algorithm;
  /** The digest that is signed; null for Ed25519, which hashes the text itself. */
  readonly digest: "sha256" | null;
  readonly signatureBytes: (key: KeyObject) => number;
}

/** The kinds of keys by Node's name. Keys of other kinds are rejected at registration. */
const keyKinds: Readonly<Record<string, KeyKind>> = {
  rsa: {
    algorithm: "RSA256",
    digest: "sha256",
    signatureBytes: (key) => Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8),
  },
  ed25519: { algorithm: "Ed25519", digest: null, signatureBytes: () => 64 },
};

/**
 * Returns the algorithm of a key. It follows from the key, whatever a message claims, which prevents algorithm
 * confusion.
 */
export function algorithmOf(key: KeyObject): Algorithm {
  return keyKindOf(key).algorithm;
}

export function signatureByteLength(key: KeyObject): number {
  const length = signatureLengths.get(key) ?? keyKindOf(key).signatureBytes(key);
  signatureLengths.set(key, length);
  return length;
}

/** Cache of the lengths of signatures, because reading a key's details costs as much as decoding a signature. */
const signatureLengths = new WeakMap<KeyObject, number>();

/** Verifies a signature synchronously: an RSA signature takes 30 µs, too little for a thread. */
export function isSignatureValid(key: KeyObject, text: Uint8Array, signature: Uint8Array): boolean {
  return verify(keyKindOf(key).digest, text, key, signature);
}

/**
 * Verifies a signature in the thread pool: an Ed25519 signature takes 130 µs. The pool adds a tenth, but does not block
 * the event loop.
 */
export function isSignatureValidInPool(
  key: KeyObject,
  text: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(keyKindOf(key).digest, text, key, signature, (error, isValid) =>
      error ? reject(error) : resolve(isValid),
    );
  });
}

function keyKindOf({ asymmetricKeyType: type }: KeyObject): KeyKind {
  const kind = keyKinds[type ?? ""];
  assert(kind, `A key of the kind ${type} signs nothing here.`);
  return kind;
}
