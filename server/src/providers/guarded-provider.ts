import type { Breaker } from "../resilience/breaker.ts";
import { RetryLaterError } from "../core/retry-later-error.ts";
import { ProviderUnclear, type Provider } from "./provider.ts";

/**
 * Load shedding: the request was not sent, because the connector's bulkhead is full or its breaker is open. The
 * rejection counts as no attempt, and the caller may retry after `retryAfterMs`.
 */
export class ProviderBusy extends RetryLaterError {
  override readonly name = "ProviderBusy";
  readonly connector: string;

  constructor(connector: string, retryAfterMs: number) {
    super(
      `Request to connector ${connector} was not sent: its circuit breaker is open, or too many requests ` +
        "are in progress.",
      retryAfterMs,
    );
    this.connector = connector;
  }
}

/** The circuit breaker and bulkhead of a connector. They stay when the connector's settings are reloaded. */
export interface Guard {
  readonly breaker: Breaker;
  /** Number of requests in progress. */
  inProgressCount: number;
  readonly inProgressMax: number;
  /** Called at the start of each request; the returned function is called with its outcome. */
  readonly onCall?: (call: string) => (outcome: CallOutcome) => void;
}

/**
 * The outcome of a request to a provider. `unclear` is a signed but unusable response, `silent` no response, and `not
 * made` a request that the breaker or the bulkhead rejected.
 */
export type CallOutcome = "answered" | "unclear" | "silent" | "not made";

const bulkheadFullRetryMs = 250;

/**
 * `guardProvider` puts a circuit breaker and a bulkhead before each request to a provider. A provider that hangs uses
 * only its own slots; when the breaker opens, it uses none. Every method is wrapped: a method without a kind does not
 * compile.
 */
export function guardProvider(provider: Provider, guard: Guard): Provider {
  const { connector } = provider;
  const methods = (Object.keys(breakerKinds) as Method[]).map((name) => [
    name,
    guardMethod(connector, name, provider[name] as ProviderMethod, guard),
  ]);
  return { connector, ...Object.fromEntries(methods) } as Provider;
}

type Method = Exclude<keyof Provider, "connector">;
type Kind = Parameters<Breaker["begin"]>[0];

/**
 * The kind of each request. Only an inquiry probes a provider whose breaker is open, because a probe must not move
 * money.
 */
const breakerKinds: Readonly<Record<Method, Kind>> = {
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
  facts: "inquiry",
};

type ProviderMethod = (...args: readonly unknown[]) => Promise<unknown>;

function guardMethod(connector: string, method: Method, call: ProviderMethod, guard: Guard): ProviderMethod {
  const busyError = (retryAfterMs: number): ProviderBusy => {
    guard.onCall?.(method)("not made");
    return new ProviderBusy(connector, retryAfterMs);
  };
  return async (...args) => {
    const { breaker } = guard;
    // The probe of an open breaker may exceed a full bulkhead, because it must not wait for hanging requests.
    if (guard.inProgressCount >= guard.inProgressMax && breaker.isClosed())
      throw busyError(bulkheadFullRetryMs);
    const endRequest = breaker.begin(breakerKinds[method]);
    if (!endRequest) throw busyError(breaker.retryAfterMs());

    guard.inProgressCount += 1;
    const reportOutcome = guard.onCall?.(method);
    let outcome: CallOutcome = "silent";
    try {
      const report = await call(...args);
      outcome = "answered";
      return report;
    } catch (cause) {
      // The breaker counts only missing responses as failures: a signed response is a success, even if it is unusable.
      if (cause instanceof ProviderUnclear) outcome = "unclear";
      throw cause;
    } finally {
      guard.inProgressCount -= 1;
      endRequest(outcome !== "silent");
      reportOutcome?.(outcome);
    }
  };
}
