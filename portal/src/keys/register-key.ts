import { act, type Place } from "../api/console.ts";

export interface ProvenKey {
  readonly publicKey: string;
  readonly proof: string;
}

export interface Registered {
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
  place: Place,
  { publicKey, proof }: ProvenKey,
  opening: { readonly isOpen: boolean; readonly name: string },
): Promise<Registered> {
  const key = { publicKey, proof };
  return opening.isOpen
    ? act(place, "addKey", key)
    : act(place, "openClient", { name: opening.name, ...key });
}
