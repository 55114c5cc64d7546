import { sha256 } from "../../../server/src/core/digest.ts";
import { deviceLastsMs } from "../api/cookie.ts";
import type { Call } from "../api/route.ts";
import { unwrap } from "../../../server/src/signing/wrapping.ts";
import { fitsPassword } from "./password.ts";
import type { StoredPassword } from "./password.sql.ts";
import { stepOf } from "./totp.ts";
import { giveTryBack, takeTries, takeTry, type Limited } from "./tries.sql.ts";
import { newToken } from "../sessions/begin-session.tx.ts";
import type { Caller } from "../sessions/session.ts";
import { deleteKnownDevice, insertKnownDevice, isKnownDevice } from "./known-device.sql.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";

export interface Guess {
  readonly email: string;
  readonly password: string;
  readonly code: string;
}

const quarterMs = 15 * 60_000;
/** Tries of one account from one network, of one device, or of one session. */
const ownLimit = { most: 10, withinMs: quarterMs };
/** Tries of one account from all networks: high, because any client can use them up and so lock the person out. */
const accountLimit = { most: 100, withinMs: quarterMs };
/** Many people may share one network, and some of them mistype. */
const networkLimit = { most: 100, withinMs: quarterMs };

/**
 * The limits of a sign-in (brute force). A device that signed in before has its own, so that tries of others do not lock the person
 * out (OWASP: device cookies). In this order everywhere, because each is a row that is locked (deadlock).
 */
async function signInLimits(tx: Tx, call: Call, email: string): Promise<readonly Limited[]> {
  const { network, device, now } = call;
  if (device !== undefined) {
    const since = new Date(now.getTime() - deviceLastsMs);
    if (await isKnownDevice(tx, { tokenHash: sha256(device), email }, since))
      return [[`device ${device}`, ownLimit]];
  }
  return [
    [`sign-in from ${network}`, networkLimit],
    [`account ${email} from ${network}`, ownLimit],
    [`account ${email}`, accountLimit],
  ];
}

/** Counts a sign-in before the password is compared, whether the account exists or not. False when it is too many. */
export async function maySignIn(call: Call, email: string): Promise<boolean> {
  return call.transaction(async (tx) => takeTries(tx, await signInLimits(tx, call, email), call.now));
}

export async function forgetSignInTry(tx: Tx, call: Call, email: string): Promise<void> {
  for (const [key] of await signInLimits(tx, call, email)) await giveTryBack(tx, key, call.now);
}

type PersonalCall = Call & { readonly caller: Caller };

/** By session: clients without one use up no tries of a person who is signed in. */
function sessionKey({ caller }: PersonalCall): string {
  return `session ${caller.session.sessionId}`;
}

/** Counts a code or password that a person who is signed in has typed. False when it is too many. */
export async function mayTryInSession(call: PersonalCall): Promise<boolean> {
  return call.transaction((tx) => takeTry(tx, sessionKey(call), ownLimit, call.now));
}

export async function forgetTryInSession(tx: Tx, call: PersonalCall): Promise<void> {
  await giveTryBack(tx, sessionKey(call), call.now);
}

/** Makes this browser a known device of the person, under a new token for its cookie. */
export async function rememberDevice(tx: Tx, { device, now }: Call, personId: string): Promise<string> {
  if (device !== undefined) await deleteKnownDevice(tx, sha256(device));
  const { token, tokenHash } = newToken();
  await insertKnownDevice(tx, tokenHash, personId, now);
  return token;
}

/**
 * The time step of the code if both fit. Enumeration by time: an address without a password is compared with a decoy, and code
 * and password are looked at whatever the other one says.
 */
export async function fittingStep(
  { engine, now }: Pick<Call, "engine" | "now">,
  stored: StoredPassword | undefined,
  { password, code }: Pick<Guess, "password" | "code">,
): Promise<number | undefined> {
  const { personId, hash, wrappedOtp } = stored ?? engine.decoy;
  const step = stepOf(unwrap(wrappedOtp, engine.wrappingKey, otpPlace(personId)), code, now);
  const fits = await fitsPassword(password, hash);
  return fits && stored !== undefined ? step : undefined;
}

/** A wrapped secret opens for its own person alone, wherever in the table it was copied to. */
export function otpPlace(personId: string): string {
  return `otp of ${personId}`;
}
