import assert from "node:assert/strict";
import { verify, type KeyObject } from "node:crypto";

/**
 * The signature algorithm by its name in the `signature` header. For merchants always RSA256, as the interface
 * requires. For a provider, in both directions, the algorithm of the provider's registered key.
 */
export type Algorithm = "RSA256" | "Ed25519";

interface Kind {
  readonly algorithm: Algorithm;
  /** The digest that is signed; Ed25519 hashes the text itself. */
  readonly digest: "sha256" | null;
  readonly signatureBytes: (key: KeyObject) => number;
}

/** By Node's name for the kind of a key. Keys of other kinds are rejected at registration. */
const kinds: Readonly<Record<string, Kind>> = {
  rsa: {
    algorithm: "RSA256",
    digest: "sha256",
    signatureBytes: (key) => Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8),
  },
  ed25519: { algorithm: "Ed25519", digest: null, signatureBytes: () => 64 },
};

/** The algorithm follows from the key, whatever a message claims. This prevents algorithm confusion. */
export function algorithmOf(key: KeyObject): Algorithm {
  return kindOf(key).algorithm;
}

export function signatureBytes(key: KeyObject): number {
  const known = lengths.get(key) ?? kindOf(key).signatureBytes(key);
  lengths.set(key, known);
  return known;
}

/** Cache: reading a key's details costs as much as decoding a signature. */
const lengths = new WeakMap<KeyObject, number>();

/** Synchronous: verifying an RSA signature takes 30 µs, too little for a thread. */
export function signatureHolds(key: KeyObject, text: Uint8Array, signature: Uint8Array): boolean {
  return verify(kindOf(key).digest, text, key, signature);
}

/**
 * The same in the thread pool: with Ed25519 it takes 130 µs. The pool adds a tenth, but does not block the event loop.
 */
export function isSignatureValidInPool(
  key: KeyObject,
  text: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(kindOf(key).digest, text, key, signature, (error, holds) =>
      error ? reject(error) : resolve(holds),
    );
  });
}

function kindOf({ asymmetricKeyType: type }: KeyObject): Kind {
  const kind = kinds[type ?? ""];
  assert(kind, `A key of the kind ${type} signs nothing here.`);
  return kind;
}
