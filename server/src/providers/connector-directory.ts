import { createPublicKey, type KeyObject } from "node:crypto";
import type { Meter } from "../telemetry/meter.ts";
import { providerReference } from "../core/provider-reference.ts";
import { breakerRules, newBreaker } from "../resilience/breaker.ts";
import { connectorFor, defaultTerms, type Connector, type ConnectorTerms } from "./connector.ts";
import { guardProvider, type Guard } from "./guarded-provider.ts";
import type { ProviderAccounts } from "./provider-account.ts";
import { offersQuery } from "./connector-terms.ts";
import type { DataGroup } from "./provider-facts.ts";
import { skipAbsentQueries } from "./skip-absent-queries.ts";
import type { Provider } from "./provider.ts";

/** A connector with its parsed keys and its client, which are created once. */
export interface LoadedConnector extends Connector {
  readonly key: KeyObject;
  /** All accepted keys: the current one, and one more during a key rotation. */
  readonly keys: readonly [KeyObject, ...KeyObject[]];
  readonly provider: Provider;
}

/** Free slots of a connector's bulkhead: the number of further requests that can be sent now. */
export interface ConnectorCapacity {
  readonly connector: string;
  readonly freeSlots: number;
  readonly isSilent: boolean;
}

export interface ConnectorDirectory {
  /** Returns the connector for a payment of a merchant with these accounts, as `connectorFor` chooses it. */
  nameFor(paymentMethodType: string, accounts: ProviderAccounts): string | undefined;
  /** All payment methods that connectors list; `*` if a connector serves all methods that no other connector lists. */
  servedMethods(): readonly string[];
  /**
   * Returns the terms of a connector. For a removed one it returns the default terms, because its payments still exist.
   */
  termsOf(name: string): ConnectorTerms;
  /** Returns the groups of data that a connector wants with an order. A connector without facts wants none. */
  wantsOf(name: string): readonly DataGroup[];
  /** Finds a connector. On a cache miss it reloads, because the connector may have been created a moment ago. */
  find(name: string): Promise<LoadedConnector | undefined>;
  /** Finds a connector by an untrusted name. On a cache miss it reloads, at most once a second for all callers. */
  findUntrusted(name: string): Promise<LoadedConnector | undefined>;
  /**
   * Whether new payments may use the connector: false while its circuit breaker is open, or after an operator has
   * disabled it.
   */
  isReachable(name: string): boolean;
  capacities(): readonly ConnectorCapacity[];
  /**
   * Probes providers whose circuit breaker is open. Otherwise a process without jobs would send no request that could
   * close the breaker.
   */
  probeUnreachable(): Promise<void>;
  refresh(): Promise<void>;
}

export interface ConnectorDirectoryOptions {
  readonly load: () => Promise<readonly Connector[]>;
  /**
   * Creates a client for a connector. It is called again at each refresh, because the connector's files or keys may
   * have changed.
   */
  readonly openProvider: (connector: Connector, keys: LoadedConnector["keys"]) => Promise<Provider>;
  readonly environment: string;
  readonly monotonicMs: () => number;
  /** Called when the connector's breaker opens or closes. */
  readonly onReachable: (connector: string, isReachable: boolean) => void;
  /** Counts requests, and shows which breakers are open. */
  readonly meter?: Meter;
}

export async function openConnectorDirectory(
  options: ConnectorDirectoryOptions,
): Promise<ConnectorDirectory> {
  let loaded: readonly LoadedConnector[] = [];
  const guards = new Map<string, Guard>();

  function guardOf(name: string): Guard {
    const guard = guards.get(name) ?? newGuard(name, options);
    guards.set(name, guard);
    return guard;
  }

  async function refresh(): Promise<void> {
    const connectors = await options.load();
    // A simulated provider approves every request, so live must never use one.
    const usable = connectors.filter(({ simulator }) => options.environment === "sandbox" || !simulator);
    loaded = await Promise.all(
      usable.map((connector) => loadConnector(connector, guardOf(connector.name), options)),
    );
  }

  const find = (name: string): LoadedConnector | undefined =>
    loaded.find((connector) => connector.name === name);

  let reloadedAtMs = -Infinity;
  let reloading: Promise<void> = Promise.resolve();

  const { meter } = options;
  meter?.beforeScrape(() => {
    for (const { name } of loaded) meter.set("breakerOpen", [name], guardOf(name).breaker.isClosed() ? 0 : 1);
  });

  await refresh();
  return {
    nameFor: (paymentMethodType, accounts) => connectorFor(loaded, paymentMethodType, accounts)?.name,
    servedMethods: () => [...new Set(loaded.flatMap(({ paymentMethodTypes }) => paymentMethodTypes))],
    termsOf: (name) => find(name)?.terms ?? defaultTerms,
    wantsOf: (name) => find(name)?.facts?.wants ?? [],
    async find(name) {
      const found = find(name);
      if (found) return found;
      await refresh();
      return find(name);
    },
    async findUntrusted(name) {
      const found = find(name);
      if (found) return found;
      const nowMs = options.monotonicMs();
      if (nowMs - reloadedAtMs >= reloadIntervalMs) {
        reloadedAtMs = nowMs;
        reloading = refresh();
      }
      await reloading;
      return find(name);
    },
    isReachable: (name) => !find(name)?.disabledAt && (guards.get(name)?.breaker.isClosed() ?? true),
    capacities: () =>
      loaded.map(({ name: connector }) => {
        const { breaker, inProgressCount, inProgressMax } = guardOf(connector);
        const isSilent = !breaker.isClosed();
        return {
          connector,
          isSilent,
          freeSlots: isSilent ? 0 : Math.max(0, inProgressMax - inProgressCount),
        };
      }),
    async probeUnreachable() {
      const unavailable = loaded.filter(({ name }) => guards.get(name)?.breaker.wantsProbe());
      await Promise.all(unavailable.map((connector) => probeProvider(connector, options)));
    },
    refresh,
  };
}

const requestsInProgressMax = 64;
const reloadIntervalMs = 1_000;

function newGuard(name: string, { monotonicMs, onReachable, meter }: ConnectorDirectoryOptions): Guard {
  const breaker = newBreaker({ monotonicMs, onChange: (isClosed) => onReachable(name, isClosed) });
  const onCall: Guard["onCall"] = (call) => {
    const sinceMs = monotonicMs();
    return (outcome) => {
      meter?.add("providerCalls", [name, call, outcome]);
      if (outcome !== "not made") meter?.observe("providerSeconds", [name], (monotonicMs() - sinceMs) / 1000);
    };
  };
  return { breaker, inProgressCount: 0, inProgressMax: requestsInProgressMax, onCall };
}

/**
 * Probes a provider for its circuit breaker, by an inquiry about an order that was never sent, so that it has no
 * effect. A provider without this inquiry is asked for its facts.
 */
async function probeProvider(
  connector: LoadedConnector,
  { environment }: ConnectorDirectoryOptions,
): Promise<void> {
  const { name, provider } = connector;
  const signal = AbortSignal.timeout(breakerRules.slowMs);
  const reference = providerReference(environment, "", "inquiry", name);
  const probe = offersQuery(connector, "order")
    ? provider.inquire({ reference, owner: undefined }, signal)
    : provider.facts(signal);
  // The error is ignored, because the guarded call has already reported its result to the breaker.
  await probe.catch(() => undefined);
}

/**
 * `providerKeys` returns the keys that verify a provider's messages. The algorithm of the first key is also the
 * algorithm of the gateway's signatures.
 */
export function providerKeys({
  publicKey,
  otherPublicKey,
}: Pick<Connector, "publicKey" | "otherPublicKey">): readonly [KeyObject, ...KeyObject[]] {
  const parseKey = (der: Uint8Array): KeyObject =>
    createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  return [parseKey(publicKey), ...(otherPublicKey ? [parseKey(otherPublicKey)] : [])];
}

async function loadConnector(
  connector: Connector,
  guard: Guard,
  { openProvider }: ConnectorDirectoryOptions,
): Promise<LoadedConnector> {
  const keys = providerKeys(connector);
  const [key] = keys;
  const provider = await openProvider(connector, keys);
  // The skipped inquiries are outside of the guard, because a call that was not made must not close the breaker.
  const guarded = skipAbsentQueries(guardProvider(provider, guard), connector);
  return { ...connector, key, keys, provider: guarded };
}
