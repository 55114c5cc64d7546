import { sha256 } from "../../../server/src/core/digest.ts";
import type { Call } from "../api/route.ts";
import { unwrap } from "../../../server/src/signing/wrapping.ts";
import { verifyPasswordHash } from "./password.ts";
import type { StoredPassword } from "./password.sql.ts";
import { stepOf } from "./totp.ts";
import { uncountAttempt, countAttempts, countAttempt, type KeyedLimit } from "./attempt-limit.sql.ts";
import { newToken } from "../sessions/begin-session.tx.ts";
import type { Caller } from "../sessions/session.ts";
import { deleteKnownDevice, insertKnownDevice, isKnownDevice } from "./known-device.sql.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";

export interface PasswordCredentials {
  readonly email: string;
  readonly password: string;
  readonly code: string;
}

/** Lifetime of a known device after a sign-in. */
export const deviceLifetimeMs = 90 * 24 * 3_600_000;

const quarterHourMs = 15 * 60_000;
/** Limit of attempts for one account from one network, for one device, or for one session. */
const ownLimit = { attemptsMax: 10, withinMs: quarterHourMs };
/**
 * Limit of attempts for one account from all networks. It is high, because an attacker could use it up to lock the
 * person out.
 */
const accountLimit = { attemptsMax: 100, withinMs: quarterHourMs };
/** Limit of attempts from one network, which many people can share. */
const networkLimit = { attemptsMax: 100, withinMs: quarterHourMs };

/**
 * `signInLimits` returns the limits of a sign-in (brute force). A known device has its own limit, so that attempts of
 * attackers do not lock the person out (OWASP device cookies). The order is the same everywhere, because each limit
 * locks a row (deadlock).
 */
async function signInLimits(tx: Tx, call: Call, email: string): Promise<readonly KeyedLimit[]> {
  const { network, device, now } = call;
  if (device !== undefined) {
    const since = new Date(now.getTime() - deviceLifetimeMs);
    if (await isKnownDevice(tx, { tokenHash: sha256(device), email }, since))
      return [[`device ${device}`, ownLimit]];
  }
  return [
    [`sign-in from ${network}`, networkLimit],
    [`account ${email} from ${network}`, ownLimit],
    [`account ${email}`, accountLimit],
  ];
}

/**
 * `countSignInAttempt` counts an attempt before the password is verified, also for unknown accounts. It returns false if a
 * limit is reached.
 */
export async function countSignInAttempt(call: Call, email: string): Promise<boolean> {
  return call.transaction(async (tx) => countAttempts(tx, await signInLimits(tx, call, email), call.now));
}

export async function uncountSignInAttempt(tx: Tx, call: Call, email: string): Promise<void> {
  for (const [key] of await signInLimits(tx, call, email)) await uncountAttempt(tx, key, call.now);
}

type PersonalCall = Call & { readonly caller: Caller };

/** Attempts of a signed-in person are counted by session, so that unauthenticated clients cannot use them up. */
function sessionKey({ caller }: PersonalCall): string {
  return `session ${caller.session.sessionId}`;
}

/**
 * `countSessionAttempt` counts a code or password attempt of a signed-in person. It returns false if the limit is
 * reached.
 */
export async function countSessionAttempt(call: PersonalCall): Promise<boolean> {
  return call.transaction((tx) => countAttempt(tx, sessionKey(call), ownLimit, call.now));
}

export async function uncountSessionAttempt(tx: Tx, call: PersonalCall): Promise<void> {
  await uncountAttempt(tx, sessionKey(call), call.now);
}

/** `registerKnownDevice` makes this browser a known device of the person, with a new token in its cookie. */
export async function registerKnownDevice(tx: Tx, { device, now }: Call, personId: string): Promise<string> {
  if (device !== undefined) await deleteKnownDevice(tx, sha256(device));
  const { token, tokenHash } = newToken();
  await insertKnownDevice(tx, tokenHash, personId, now);
  return token;
}

/**
 * `verifyPasswordAndCode` returns the time step of the code if code and password are correct. Timing attack (account
 * enumeration): an unknown address is compared with a decoy, and code and password are always both verified.
 */
export async function verifyPasswordAndCode(
  { engine, now }: Pick<Call, "engine" | "now">,
  stored: StoredPassword | undefined,
  { password, code }: Pick<PasswordCredentials, "password" | "code">,
): Promise<number | undefined> {
  const { personId, hash, wrappedOtp } = stored ?? engine.decoy;
  const step = stepOf(unwrap(wrappedOtp, engine.wrappingKey, otpAdditionalData(personId)), code, now);
  const isCorrect = await verifyPasswordHash(password, hash);
  return isCorrect && stored !== undefined ? step : undefined;
}

/**
 * The additional authenticated data of an encrypted secret. It binds the secret to its person, so that a copied row
 * cannot be decrypted.
 */
export function otpAdditionalData(personId: string): string {
  return `otp of ${personId}`;
}
