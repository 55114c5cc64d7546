import { hash } from "node:crypto";
import { isUniverseId } from "./universe-id.ts";

/** The first letter of universes' references; no other begins with it. */
export const ofUniverse = "U";

/**
 * The idempotency key under which a wallet knows an action. Computed from the request alone, so that it is the
 * same on every retry, by every process, and even after the row that remembers it was lost. That of a universe begins
 * with a letter of its own: wallets list what they moved for it when nothing is left of it here.
 */
export function walletReference(
  environment: string,
  clientId: string,
  action: string,
  requestId: string,
): string {
  const named = JSON.stringify([environment, clientId, action, requestId]);
  const digest = hash("sha256", named, "hex").slice(0, 40);
  return isUniverseId(clientId) ? ofUniverse + digest.slice(1) : digest;
}
