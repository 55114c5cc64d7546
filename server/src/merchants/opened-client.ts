import { isUniverseId } from "../core/universe-id.ts";
import { isWellFormedClientId, sandboxPrefix } from "./client.ts";

/** A person's request to open a client. */
export interface OpenClientRequest {
  readonly clientId: string;
  readonly name: string;
  /** The first public key (SubjectPublicKeyInfo), which becomes version 1. */
  readonly firstKey: Uint8Array;
  readonly organisation: string;
}

/** The opened client. */
export interface OpenedClient {
  readonly name: string;
  readonly firstKey: Uint8Array | undefined;
  /** The organisation of the person who opened the client; undefined if an operator's command created it. */
  readonly organisation: string | undefined;
  readonly gatewayKeyVersion: number;
  /** The gateway's public key (SubjectPublicKeyInfo). */
  readonly gatewayPublicKey: Uint8Array;
}

/**
 * `isValidNewClientId` returns whether a new client of an environment may have this id; ids of isolated test merchants cannot
 * be chosen.
 */
export function isValidNewClientId(environment: string, clientId: string): boolean {
  const isSandboxId = clientId.startsWith(sandboxPrefix);
  return (
    isWellFormedClientId(clientId) && isSandboxId === (environment === "sandbox") && !isUniverseId(clientId)
  );
}

/** `decideOpenClient` compares an existing client with the request to open it (idempotency). */
export function decideOpenClient(
  { name, firstKey, organisation }: OpenedClient,
  request: OpenClientRequest,
): "as asked" | "of another organisation" | "otherwise" {
  if (organisation !== request.organisation) return "of another organisation";
  const isSameKey = firstKey !== undefined && Buffer.from(firstKey).equals(request.firstKey);
  return isSameKey && name === request.name ? "as asked" : "otherwise";
}
