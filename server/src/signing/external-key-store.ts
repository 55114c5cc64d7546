import type { Algorithm } from "./algorithm.ts";

/** Holds private keys that never leave it: an HSM, or a key management service. */
export interface ExternalKeyStore {
  sign(name: string, text: Uint8Array, algorithm: Algorithm): Promise<Buffer>;
}

/** The name under which a holder has the key of an algorithm. A service has one kind of key per name. */
export function externalKeyName(heldAs: string, algorithm: Algorithm): string {
  return algorithm === "RSA256" ? heldAs : `${heldAs}-ed25519`;
}
