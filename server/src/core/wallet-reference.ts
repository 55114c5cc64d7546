import { createHash } from "node:crypto";

/**
 * The idempotency key under which a wallet knows an action. Computed from the request alone, so that it is the
 * same on every retry, by every process, and even after the row that remembers it was lost.
 */
export function walletReference(
  environment: string,
  clientId: string,
  action: string,
  requestId: string,
): string {
  const named = JSON.stringify([environment, clientId, action, requestId]);
  return createHash("sha256").update(named).digest("hex").slice(0, 40);
}
