import { isUniverseId } from "../core/universe-id.ts";
import { isWellFormedClientId, sandboxPrefix } from "./client.ts";

/** A person's request to open a client. */
export interface NewOpening {
  readonly clientId: string;
  readonly name: string;
  /** The first public key (SubjectPublicKeyInfo), which becomes version 1. */
  readonly firstKey: Uint8Array;
  readonly organisation: string;
}

/** The opened client. */
export interface Opening {
  readonly name: string;
  readonly firstKey: Uint8Array | undefined;
  /** The organisation of the person who opened the client; undefined if an operator's command created it. */
  readonly organisation: string | undefined;
  readonly gatewayKeyVersion: number;
  /** The gateway's public key (SubjectPublicKeyInfo). */
  readonly gatewayPublicKey: Uint8Array;
}

/**
 * `isClientIdOf` returns whether a new client of an environment may have this id; ids of isolated test merchants cannot
 * be chosen.
 */
export function isClientIdOf(environment: string, clientId: string): boolean {
  const isOfSandbox = clientId.startsWith(sandboxPrefix);
  return (
    isWellFormedClientId(clientId) && isOfSandbox === (environment === "sandbox") && !isUniverseId(clientId)
  );
}

/** `decideOpening` compares an existing client with the request to open it (idempotency). */
export function decideOpening(
  { name, firstKey, organisation }: Opening,
  asked: NewOpening,
): "as asked" | "somebody else's" | "otherwise" {
  if (organisation !== asked.organisation) return "somebody else's";
  const isSameKey = firstKey !== undefined && Buffer.from(firstKey).equals(asked.firstKey);
  return isSameKey && name === asked.name ? "as asked" : "otherwise";
}
