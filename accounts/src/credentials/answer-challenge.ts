import { sha256 } from "../../../server/src/core/digest.ts";
import type { Call } from "../api/route.ts";
import { insertChallenge, takeChallenge, type Challenge } from "./challenge.sql.ts";
import { findPasskey, usePasskey, type Passkey } from "./passkey.sql.ts";
import { challengeIn, readAssertion } from "./webauthn.ts";

const lastsMs = 5 * 60_000;

export async function rememberChallenge(call: Call, challenge: string, purpose: Challenge): Promise<void> {
  const expiresAt = new Date(call.now.getTime() + lastsMs);
  await call.transaction((tx) => insertChallenge(tx, sha256(challenge), purpose, expiresAt));
}

/** `takeAnswered` consumes and returns the challenge of a response, if accounts issued it for this purpose. */
export async function takeAnswered(
  call: Call,
  response: unknown,
  purpose: Challenge,
): Promise<string | undefined> {
  const challenge = challengeIn(response);
  if (challenge === undefined) return undefined;
  const wasAsked = await call.transaction((tx) => takeChallenge(tx, sha256(challenge), purpose, call.now));
  return wasAsked ? challenge : undefined;
}

/**
 * `provenPasskey` verifies a response to a challenge and returns its passkey, or undefined. The caller creates the
 * session.
 */
export async function provenPasskey(
  call: Call,
  response: unknown,
  purpose: Challenge,
): Promise<Passkey | undefined> {
  const challenge = await takeAnswered(call, response, purpose);
  const id = (response as { readonly id?: unknown }).id;
  const passkey = typeof id === "string" ? await findPasskey(call.read, id, call.engine.door) : undefined;
  if (challenge === undefined || !passkey) return undefined;
  const counter = await readAssertion(call.engine, response, { challenge, passkey });
  if (counter === undefined) return undefined;
  const isUsed = await call.transaction((tx) =>
    usePasskey(tx, passkey.credentialId, { counter, now: call.now }),
  );
  return isUsed ? passkey : undefined;
}
