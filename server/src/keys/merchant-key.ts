/** A key of a merchant's as it is stored. */
export interface StoredMerchantKey {
  readonly version: number;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly isRevoked: boolean;
}

/** Every process parses all live keys of a merchant that calls; a rotation needs two. */
export const liveKeysMax = 10;

/** What becomes of a key that is added. The same key again is the same version: that makes the act idempotent. */
export type NewKeyDecision =
  | { readonly kind: "add"; readonly version: number }
  | { readonly kind: "there already"; readonly version: number }
  | { readonly kind: "revoked before" }
  | { readonly kind: "too many" };

export function decideNewKey(stored: readonly StoredMerchantKey[], publicKey: Uint8Array): NewKeyDecision {
  const same = stored.filter((key) => Buffer.from(key.publicKey).equals(publicKey));
  const live = same.find(({ isRevoked }) => !isRevoked);
  if (live) return { kind: "there already", version: live.version };
  if (same.length > 0) return { kind: "revoked before" };
  if (stored.filter(({ isRevoked }) => !isRevoked).length >= liveKeysMax) return { kind: "too many" };
  return { kind: "add", version: Math.max(0, ...stored.map(({ version }) => version)) + 1 };
}
