import { sha256 } from "../../../server/src/core/digest.ts";
import type { Call } from "../api/route.ts";
import { insertChallenge, consumeChallenge, type Challenge } from "./challenge.sql.ts";
import { findPasskey, updatePasskeyCounter, type Passkey } from "./passkey.sql.ts";
import { challengeIn, verifyAssertion } from "./webauthn.ts";

const challengeLifetimeMs = 5 * 60_000;

export async function storeChallenge(call: Call, challenge: string, purpose: Challenge): Promise<void> {
  const expiresAt = new Date(call.now.getTime() + challengeLifetimeMs);
  await call.transaction((tx) => insertChallenge(tx, sha256(challenge), purpose, expiresAt));
}

/** `consumeAnsweredChallenge` consumes and returns the challenge of a response, if accounts issued it for this purpose. */
export async function consumeAnsweredChallenge(
  call: Call,
  response: unknown,
  purpose: Challenge,
): Promise<string | undefined> {
  const challenge = challengeIn(response);
  if (challenge === undefined) return undefined;
  const wasIssued = await call.transaction((tx) =>
    consumeChallenge(tx, sha256(challenge), purpose, call.now),
  );
  return wasIssued ? challenge : undefined;
}

/**
 * `verifyPasskey` verifies a response to a challenge and returns its passkey, or undefined. The caller creates the
 * session.
 */
export async function verifyPasskey(
  call: Call,
  response: unknown,
  purpose: Challenge,
): Promise<Passkey | undefined> {
  const challenge = await consumeAnsweredChallenge(call, response, purpose);
  const id = (response as { readonly id?: unknown }).id;
  const passkey = typeof id === "string" ? await findPasskey(call.read, id, call.engine.site) : undefined;
  if (challenge === undefined || !passkey) return undefined;
  const counter = await verifyAssertion(call.engine, response, { challenge, passkey });
  if (counter === undefined) return undefined;
  const isCounterAccepted = await call.transaction((tx) =>
    updatePasskeyCounter(tx, passkey.credentialId, { counter, now: call.now }),
  );
  return isCounterAccepted ? passkey : undefined;
}
