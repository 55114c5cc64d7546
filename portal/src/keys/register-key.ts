import { act, type Place } from "../api/console.ts";

export interface ProvenKey {
  readonly publicKey: string;
  readonly proof: string;
}

export interface Registered {
  readonly keyVersion: number;
  /** Returned when the client is created; the keys page shows it too. */
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
