import { isUniverseId } from "../core/universe-id.ts";
import { isWellFormedClientId, sandboxPrefix } from "./client.ts";

/** What a person asks for who opens a client. */
export interface NewOpening {
  readonly clientId: string;
  readonly name: string;
  /** SubjectPublicKeyInfo, which becomes version 1. */
  readonly firstKey: Uint8Array;
  readonly organisation: string;
}

/** The client as it is then. */
export interface Opening {
  readonly name: string;
  readonly firstKey: Uint8Array | undefined;
  /** Undefined when an operator's command made it. */
  readonly organisation: string | undefined;
  readonly gatewayKeyVersion: number;
  /** SubjectPublicKeyInfo. */
  readonly gatewayPublicKey: Uint8Array;
}

/** Whether an environment's client may have this id; that of a universe is nobody's to choose. */
export function isClientIdOf(environment: string, clientId: string): boolean {
  const isOfSandbox = clientId.startsWith(sandboxPrefix);
  return (
    isWellFormedClientId(clientId) && isOfSandbox === (environment === "sandbox") && !isUniverseId(clientId)
  );
}

/** What a client that is there means for the person who asks to open it (idempotency). */
export function decideOpening(
  { name, firstKey, organisation }: Opening,
  asked: NewOpening,
): "as asked" | "somebody else's" | "otherwise" {
  if (organisation !== asked.organisation) return "somebody else's";
  const isSameKey = firstKey !== undefined && Buffer.from(firstKey).equals(asked.firstKey);
  return isSameKey && name === asked.name ? "as asked" : "otherwise";
}
