/** A merchant key as stored. */
export interface StoredMerchantKey {
  readonly version: number;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly isRevoked: boolean;
}

/** Maximum number of live keys. Every process parses all live keys of an active merchant; a rotation needs two. */
export const liveKeysMax = 10;

/** The decision about an added key. Adding the same key again returns its version (idempotent). */
export type NewKeyDecision =
  | { readonly kind: "add"; readonly version: number }
  | { readonly kind: "there already"; readonly version: number }
  | { readonly kind: "revoked before" }
  | { readonly kind: "too many" };

export function decideNewKey(stored: readonly StoredMerchantKey[], publicKey: Uint8Array): NewKeyDecision {
  const matchingKeys = stored.filter((key) => Buffer.from(key.publicKey).equals(publicKey));
  const liveKey = matchingKeys.find(({ isRevoked }) => !isRevoked);
  if (liveKey) return { kind: "there already", version: liveKey.version };
  if (matchingKeys.length > 0) return { kind: "revoked before" };
  if (stored.filter(({ isRevoked }) => !isRevoked).length >= liveKeysMax) return { kind: "too many" };
  return { kind: "add", version: Math.max(0, ...stored.map(({ version }) => version)) + 1 };
}
