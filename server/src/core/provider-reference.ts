import { hash } from "node:crypto";
import { isUniverseId } from "./universe-id.ts";

/** The first letter of the references of isolated test merchants; no other reference begins with it. */
export const universeReferencePrefix = "U";

/**
 * The idempotency key of an action at a provider. It is computed from the request alone, so it is the same in every
 * retry, by every process, and even after the loss of the stored row. References of isolated test merchants have a
 * first letter of their own: a provider still lists their payments after the gateway has deleted the merchant.
 */
export function providerReference(
  environment: string,
  clientId: string,
  action: string,
  requestId: string,
): string {
  const identity = JSON.stringify([environment, clientId, action, requestId]);
  const digest = hash("sha256", identity, "hex").slice(0, 40);
  return isUniverseId(clientId) ? universeReferencePrefix + digest.slice(1) : digest;
}
