import type { Call } from "../api/route.ts";
import { unwrap } from "../../../server/src/signing/wrapping.ts";
import { fitsPassword } from "./password.ts";
import type { StoredPassword } from "./password.sql.ts";
import { stepOf } from "./totp.ts";
import { giveTryBack, takeTry } from "./tries.sql.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";

export interface Guess {
  readonly email: string;
  readonly password: string;
  readonly code: string;
}

const quarterMs = 15 * 60_000;
const accountLimit = { most: 10, withinMs: quarterMs };
/** Many people may sit behind one address, and some of them mistype. */
const networkLimit = { most: 100, withinMs: quarterMs };

/** In this order everywhere, because each is a row that is locked (deadlock). */
const keysOf = ({ network }: Pick<Call, "network">, email: string): readonly [string, string] => [
  `sign-in from ${network}`,
  `account ${email}`,
];

/** Brute force: counts a guess before it is looked at, whether the account exists or not. */
export async function mayGuess(call: Call, email: string): Promise<boolean> {
  const [network, account] = keysOf(call, email);
  return call.transaction(
    async (tx) =>
      (await takeTry(tx, network, networkLimit, call.now)) && takeTry(tx, account, accountLimit, call.now),
  );
}

export async function wasNoGuess(tx: Tx, call: Call, email: string): Promise<void> {
  for (const key of keysOf(call, email)) await giveTryBack(tx, key, call.now);
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
