import type { Breaker } from "../core/breaker.ts";
import { NotNow } from "../core/not-now.ts";
import { WalletUnclear, type Wallet } from "./wallet.ts";

/**
 * The call was not made: the wallet has enough of ours to answer, or does not answer at all. Thrown
 * before anything was sent, so it is no attempt, and the same call can be made a moment later.
 */
export class WalletBusy extends NotNow {
  override readonly name = "WalletBusy";
  readonly connector: string;

  constructor(connector: string, retryAfterMs: number) {
    super(`Wallet ${connector} was not called.`, retryAfterMs);
    this.connector = connector;
  }
}

/** What is known of a wallet's health; it outlives the wallet's settings. */
export interface Guard {
  readonly breaker: Breaker;
  /** How many calls are under way. */
  underWay: number;
  readonly underWayMax: number;
}

const fullRetryMs = 250;

/**
 * Puts a breaker and a bulkhead before every call of a wallet: one that hangs takes up so many places
 * and no more, and soon none. Whatever the wallet can do is guarded, not a list of names.
 */
export function guardWallet(wallet: Wallet, guard: Guard): Wallet {
  const members = Object.entries(wallet).map(([name, member]: [string, unknown]) => [
    name,
    typeof member === "function" ? guarded(wallet.connector, name, member as Call, guard) : member,
  ]);
  return Object.fromEntries(members) as Wallet;
}

type Call = (...given: readonly unknown[]) => Promise<unknown>;

function guarded(connector: string, name: string, call: Call, guard: Guard): Call {
  const kind = name.startsWith("inquire") ? "inquiry" : "other";
  return async (...given) => {
    const { breaker } = guard;
    // The one inquiry that an open breaker lets through must not wait for calls that hang.
    if (guard.underWay >= guard.underWayMax && breaker.isClosed())
      throw new WalletBusy(connector, fullRetryMs);
    const end = breaker.begin(kind);
    if (!end) throw new WalletBusy(connector, breaker.retryAfterMs());

    guard.underWay += 1;
    let answered = false;
    try {
      const report = await call(...given);
      answered = true;
      return report;
    } catch (cause) {
      // What carries the wallet's signature is an answer, also one that we cannot use: only silence counts.
      answered = cause instanceof WalletUnclear;
      throw cause;
    } finally {
      guard.underWay -= 1;
      end(answered);
    }
  };
}
