import { createPublicKey, type KeyObject } from "node:crypto";
import type { Meter } from "../telemetry/meter.ts";
import { providerReference } from "../core/provider-reference.ts";
import { breakerRules, newBreaker } from "../resilience/breaker.ts";
import { connectorFor, defaultTerms, type Connector, type ConnectorTerms } from "./connector.ts";
import { guardProvider, type Guard } from "./guarded-provider.ts";
import type { Provider } from "./provider.ts";

/** A connector with its parsed keys and its client, which are created once. */
export interface KnownConnector extends Connector {
  readonly key: KeyObject;
  /** All accepted keys: the current one, and one more during a key rotation. */
  readonly keys: readonly [KeyObject, ...KeyObject[]];
  readonly provider: Provider;
}

/** Free slots of a connector's bulkhead: the number of further requests that can be sent now. */
export interface Room {
  readonly connector: string;
  readonly room: number;
  readonly isSilent: boolean;
}

export interface ConnectorDirectory {
  nameFor(paymentMethodType: string): string | undefined;
  /** All payment methods that connectors list; `*` if a connector serves all methods that no other connector lists. */
  servedMethods(): readonly string[];
  /**
   * Returns the terms of a connector. For a removed one it returns the default terms, because its payments still exist.
   */
  termsOf(name: string): ConnectorTerms;
  /** Finds a connector. On a cache miss it reloads, because the connector may have been created a moment ago. */
  find(name: string): Promise<KnownConnector | undefined>;
  /** Finds a connector by an untrusted name. On a cache miss it reloads, at most once a second for all callers. */
  findClaimed(name: string): Promise<KnownConnector | undefined>;
  /**
   * Whether new payments may use the connector: false while its circuit breaker is open, or after an operator has
   * disabled it.
   */
  isReachable(name: string): boolean;
  rooms(): readonly Room[];
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
  readonly openWallet: (connector: Connector, keys: KnownConnector["keys"]) => Promise<Provider>;
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
  let known: readonly KnownConnector[] = [];
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
    known = await Promise.all(usable.map((connector) => know(connector, guardOf(connector.name), options)));
  }

  const find = (name: string): KnownConnector | undefined =>
    known.find((connector) => connector.name === name);

  let lookedAtMs = -Infinity;
  let looking: Promise<void> = Promise.resolve();

  const { meter } = options;
  meter?.beforeLook(() => {
    for (const { name } of known) meter.set("breakerOpen", [name], guardOf(name).breaker.isClosed() ? 0 : 1);
  });

  await refresh();
  return {
    nameFor: (paymentMethodType) => connectorFor(known, paymentMethodType)?.name,
    servedMethods: () => known.flatMap(({ paymentMethodTypes }) => paymentMethodTypes),
    termsOf: (name) => find(name)?.terms ?? defaultTerms,
    async find(name) {
      const found = find(name);
      if (found) return found;
      await refresh();
      return find(name);
    },
    async findClaimed(name) {
      const found = find(name);
      if (found) return found;
      const nowMs = options.monotonicMs();
      if (nowMs - lookedAtMs >= pollIntervalMs) {
        lookedAtMs = nowMs;
        looking = refresh();
      }
      await looking;
      return find(name);
    },
    isReachable: (name) => !find(name)?.disabledAt && (guards.get(name)?.breaker.isClosed() ?? true),
    rooms: () =>
      known.map(({ name: connector }) => {
        const { breaker, underWay, underWayMax } = guardOf(connector);
        const isSilent = !breaker.isClosed();
        return { connector, isSilent, room: isSilent ? 0 : Math.max(0, underWayMax - underWay) };
      }),
    async probeUnreachable() {
      const silent = known.filter(({ name }) => guards.get(name)?.breaker.wantsInquiry());
      await Promise.all(silent.map(({ name, provider }) => probeProvider(provider, name, options)));
    },
    refresh,
  };
}

const callsUnderWayMax = 64;
const pollIntervalMs = 1_000;

function newGuard(name: string, { monotonicMs, onReachable, meter }: ConnectorDirectoryOptions): Guard {
  const breaker = newBreaker({ monotonicMs, onChange: (isClosed) => onReachable(name, isClosed) });
  const onCall: Guard["onCall"] = (call) => {
    const sinceMs = monotonicMs();
    return (outcome) => {
      meter?.add("providerCalls", [name, call, outcome]);
      if (outcome !== "not made") meter?.observe("providerSeconds", [name], (monotonicMs() - sinceMs) / 1000);
    };
  };
  return { breaker, underWay: 0, underWayMax: callsUnderWayMax, onCall };
}

/**
 * Probes a provider for its circuit breaker, by an inquiry about an order that was never sent, so that it has no
 * effect.
 */
async function probeProvider(
  provider: Provider,
  name: string,
  { environment }: ConnectorDirectoryOptions,
): Promise<void> {
  const reference = providerReference(environment, "", "inquiry", name);
  // The error is ignored, because the guarded call has already reported its result to the breaker.
  await provider.inquire(reference, AbortSignal.timeout(breakerRules.slowMs)).catch(() => undefined);
}

/**
 * `providerKeys` returns the keys that verify a provider's messages. The algorithm of the first key is also the
 * algorithm of the gateway's signatures.
 */
export function providerKeys({
  publicKey,
  otherPublicKey,
}: Pick<Connector, "publicKey" | "otherPublicKey">): readonly [KeyObject, ...KeyObject[]] {
  const keyIn = (der: Uint8Array): KeyObject =>
    createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  return [keyIn(publicKey), ...(otherPublicKey ? [keyIn(otherPublicKey)] : [])];
}

async function know(
  connector: Connector,
  guard: Guard,
  { openWallet }: ConnectorDirectoryOptions,
): Promise<KnownConnector> {
  const keys = providerKeys(connector);
  const [key] = keys;
  const provider = await openWallet(connector, keys);
  return { ...connector, key, keys, provider: guardProvider(provider, guard) };
}
