import type { Breaker } from "../core/breaker.ts";
import { NotNow } from "../core/not-now.ts";
import { WalletUnclear, type Wallet } from "./wallet.ts";

/**
 * Load shedding: the call was not made, because the wallet's bulkhead is full or its breaker open. Nothing
 * was sent, so it counts as no attempt, and the caller may retry after `retryAfterMs`.
 */
export class WalletBusy extends NotNow {
  override readonly name = "WalletBusy";
  readonly connector: string;

  constructor(connector: string, retryAfterMs: number) {
    super(`Wallet ${connector} was not called.`, retryAfterMs);
    this.connector = connector;
  }
}

/** A wallet's breaker and bulkhead. They survive a reload of the wallet's settings. */
export interface Guard {
  readonly breaker: Breaker;
  /** How many calls are under way. */
  underWay: number;
  readonly underWayMax: number;
  /** Told of every call that is asked for, and by what it gives, how that ended. */
  readonly onCall?: (call: string) => (outcome: CallOutcome) => void;
}

/** `unclear` is an answer of no use, `silent` none at all, and `not made` a call that the breaker or the bulkhead kept back. */
export type CallOutcome = "answered" | "unclear" | "silent" | "not made";

const fullRetryMs = 250;

/**
 * Puts a circuit breaker and a bulkhead before every call of a wallet: one that hangs takes up its own places
 * and no more, and soon none. Every method is wrapped: one without a kind does not compile.
 */
export function guardWallet(wallet: Wallet, guard: Guard): Wallet {
  const { connector } = wallet;
  const methods = (Object.keys(kinds) as Method[]).map((name) => [
    name,
    guarded(connector, name, wallet[name] as Call, guard),
  ]);
  return { connector, ...Object.fromEntries(methods) } as Wallet;
}

type Method = Exclude<keyof Wallet, "connector">;
type Kind = Parameters<Breaker["begin"]>[0];

/** Only an inquiry probes a wallet whose breaker is open, because a probe must not move money. */
const kinds: Readonly<Record<Method, Kind>> = {
  submit: "other",
  inquire: "inquiry",
  cancel: "other",
  capture: "other",
  inquireCapture: "inquiry",
  refund: "other",
  inquireRefund: "inquiry",
  register: "other",
  inquireRegistration: "inquiry",
  acceptDispute: "other",
  defendDispute: "other",
  inquireDispute: "inquiry",
  authorize: "other",
  inquireAuthorization: "inquiry",
  exchangeCode: "other",
  revoke: "other",
};

type Call = (...given: readonly unknown[]) => Promise<unknown>;

function guarded(connector: string, method: Method, call: Call, guard: Guard): Call {
  const busy = (retryAfterMs: number): WalletBusy => {
    guard.onCall?.(method)("not made");
    return new WalletBusy(connector, retryAfterMs);
  };
  return async (...given) => {
    const { breaker } = guard;
    // The probe of an open breaker passes a full bulkhead: it must not wait for calls that hang.
    if (guard.underWay >= guard.underWayMax && breaker.isClosed()) throw busy(fullRetryMs);
    const end = breaker.begin(kinds[method]);
    if (!end) throw busy(breaker.retryAfterMs());

    guard.underWay += 1;
    const tell = guard.onCall?.(method);
    let outcome: CallOutcome = "silent";
    try {
      const report = await call(...given);
      outcome = "answered";
      return report;
    } catch (cause) {
      // The breaker counts only silence: a signed answer is an answer, even one that we cannot use.
      if (cause instanceof WalletUnclear) outcome = "unclear";
      throw cause;
    } finally {
      guard.underWay -= 1;
      end(outcome !== "silent");
      tell?.(outcome);
    }
  };
}
