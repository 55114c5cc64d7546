import { performAct, type ClientScope } from "../api/console-requests.ts";

export interface KeyWithProof {
  readonly publicKey: string;
  readonly proof: string;
}

export interface RegisteredKeyVersion {
  readonly keyVersion: number;
  /**
   * The gateway's public key. The server returns it only when the first key creates the client; the keys page always
   * shows it.
   */
  readonly gatewayPublicKey?: string;
}

/**
 * `registerKey` registers a key with its proof of possession. The first key creates the client, with the name that
 * buyers see.
 */
export function registerKey(
  scope: ClientScope,
  { publicKey, proof }: KeyWithProof,
  opening: { readonly isOpen: boolean; readonly name: string },
): Promise<RegisteredKeyVersion> {
  const key = { publicKey, proof };
  return opening.isOpen
    ? performAct(scope, "addKey", key)
    : performAct(scope, "openClient", { name: opening.name, ...key });
}
