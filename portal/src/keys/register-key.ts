import { act, type Place } from "../api/console.ts";

export interface ProvenKey {
  readonly publicKey: string;
  readonly proof: string;
}

export interface Registered {
  readonly keyVersion: number;
  /** Told when the client is opened; the page of keys shows it as well. */
  readonly gatewayPublicKey?: string;
}

/** Registers a key with its proof. The first one opens the client, under the name that buyers see. */
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
