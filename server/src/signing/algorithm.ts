import assert from "node:assert/strict";
import { verify, type KeyObject } from "node:crypto";

/**
 * How a message is signed, by its name in the `signature` header. For merchants that is RSA256, as the interface says; for a
 * wallet, in both directions, it is that of the wallet's registered key.
 */
export type Algorithm = "RSA256" | "Ed25519";

interface Kind {
  readonly algorithm: Algorithm;
  /** The digest that is signed; Ed25519 hashes the text itself. */
  readonly digest: "sha256" | null;
  readonly signatureBytes: (key: KeyObject) => number;
}

/** By Node's name for the kind of a key. A key of any other kind is refused before it gets here. */
const kinds: Readonly<Record<string, Kind>> = {
  rsa: {
    algorithm: "RSA256",
    digest: "sha256",
    signatureBytes: (key) => Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8),
  },
  ed25519: { algorithm: "Ed25519", digest: null, signatureBytes: () => 64 },
};

/** A key has one algorithm, whatever a message says: nobody can have RSA's key taken for another's, or the other way. */
export function algorithmOf(key: KeyObject): Algorithm {
  return kindOf(key).algorithm;
}

export function signatureBytes(key: KeyObject): number {
  const known = lengths.get(key) ?? kindOf(key).signatureBytes(key);
  lengths.set(key, known);
  return known;
}

/** Cache: to ask a key for its details costs as much as to decode a signature. */
const lengths = new WeakMap<KeyObject, number>();

/** Synchronous: verifying takes 30 µs with RSA, which merchants have, and is not worth a thread. */
export function signatureHolds(key: KeyObject, text: Uint8Array, signature: Uint8Array): boolean {
  return verify(kindOf(key).digest, text, key, signature);
}

/** The same in the thread pool: with Ed25519 it takes 130 µs. There it costs a tenth more, and the event loop is free of it. */
export function signatureHoldsInPool(
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
