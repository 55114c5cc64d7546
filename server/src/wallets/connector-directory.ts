import { createPublicKey, type KeyObject } from "node:crypto";
import type { Meter } from "../core/meter.ts";
import type { Traces } from "../core/trace.ts";
import { walletReference } from "../core/wallet-reference.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { breakerRules, newBreaker } from "../core/breaker.ts";
import { connectorFor, usualTerms, type Connector, type ConnectorTerms } from "./connector.ts";
import { guardWallet, type Guard } from "./guarded-wallet.ts";
import { httpWallet } from "../egress/http-wallet.ts";
import { openWalletTls, type WalletAgents } from "../egress/wallet-tls.ts";
import type { Wallet } from "./wallet.ts";

/** A connector with its parsed key and its client, made once. */
export interface KnownConnector extends Connector {
  readonly key: KeyObject;
  /** All that are taken: its own, and one more while it changes it. */
  readonly keys: readonly [KeyObject, ...KeyObject[]];
  readonly wallet: Wallet;
}

/** Free places in a wallet's bulkhead: how many more calls it can be sent now. */
export interface Room {
  readonly connector: string;
  readonly room: number;
  readonly isSilent: boolean;
}

export interface ConnectorDirectory {
  nameFor(paymentMethodType: string): string | undefined;
  /** All methods that connectors name; `*` when one takes whatever no other names. */
  servedMethods(): readonly string[];
  /** The default terms for a connector that was removed: its payments are still there. */
  termsOf(name: string): ConnectorTerms;
  /** On a cache miss reloads before it gives up: the connector may have been set up a moment ago. */
  find(name: string): Promise<KnownConnector | undefined>;
  /** For an untrusted name: on a cache miss reloads, at most once a second for all callers. */
  findClaimed(name: string): Promise<KnownConnector | undefined>;
  /** False while its circuit breaker is open, or an operator has taken it out of service: nothing new is begun with it. */
  isReachable(name: string): boolean;
  rooms(): readonly Room[];
  /** Probes wallets whose breaker is open. A process without jobs makes no other call that would close it. */
  tryUnreachable(): Promise<void>;
  refresh(): Promise<void>;
}

export interface ConnectorDirectoryOptions {
  readonly load: () => Promise<readonly Connector[]>;
  readonly signer: Signer;
  readonly environment: string;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
  /** The wallet's breaker has opened, or closed again. */
  readonly onReachable: (connector: string, isReachable: boolean) => void;
  /** Base URL of callbacks: the connector's name is added. */
  readonly callbackUrl: (connector: string) => string;
  readonly traces?: Traces;
  /** Counts calls, and shows which breakers are open. */
  readonly meter?: Meter;
}

export async function openConnectorDirectory(
  options: ConnectorDirectoryOptions,
): Promise<ConnectorDirectory> {
  let known: readonly KnownConnector[] = [];
  const guards = new Map<string, Guard>();
  const tls = openWalletTls();

  function guardOf(name: string): Guard {
    const guard = guards.get(name) ?? newGuard(name, options);
    guards.set(name, guard);
    return guard;
  }

  async function refresh(): Promise<void> {
    const connectors = await options.load();
    // A simulator approves whatever it is told to: real money must never depend on one.
    const usable = connectors.filter(({ simulator }) => options.environment === "sandbox" || !simulator);
    const agents = await Promise.all(usable.map((connector) => tls.agentsOf(connector)));
    known = usable.map((connector, at) => know(connector, guardOf(connector.name), options, agents[at]));
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
    termsOf: (name) => find(name)?.terms ?? usualTerms,
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
      if (nowMs - lookedAtMs >= lookEveryMs) {
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
    async tryUnreachable() {
      const silent = known.filter(({ name }) => guards.get(name)?.breaker.wantsInquiry());
      await Promise.all(silent.map(({ name, wallet }) => inquireOfNothing(wallet, name, options)));
    },
    refresh,
  };
}

const callsUnderWayMax = 64;
const lookEveryMs = 1_000;

function newGuard(name: string, { monotonicMs, onReachable, meter }: ConnectorDirectoryOptions): Guard {
  const breaker = newBreaker({ monotonicMs, onChange: (isClosed) => onReachable(name, isClosed) });
  const onCall: Guard["onCall"] = (call) => {
    const sinceMs = monotonicMs();
    return (outcome) => {
      meter?.add("walletCalls", [name, call, outcome]);
      if (outcome !== "not made") meter?.observe("walletSeconds", [name], (monotonicMs() - sinceMs) / 1000);
    };
  };
  return { breaker, underWay: 0, underWayMax: callsUnderWayMax, onCall };
}

/** The breaker's probe: an inquiry about an order that was never sent, which moves nothing. */
async function inquireOfNothing(
  wallet: Wallet,
  name: string,
  { environment }: ConnectorDirectoryOptions,
): Promise<void> {
  const reference = walletReference(environment, "", "inquiry", name);
  // The guarded call has told the breaker its result already.
  await wallet.inquire(reference, AbortSignal.timeout(breakerRules.slowMs)).catch(() => undefined);
}

/** The keys that a wallet's messages are verified with. The first says by which algorithm we sign. */
export function walletKeys({
  publicKey,
  otherPublicKey,
}: Pick<Connector, "publicKey" | "otherPublicKey">): readonly [KeyObject, ...KeyObject[]] {
  const keyIn = (der: Uint8Array): KeyObject =>
    createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  return [keyIn(publicKey), ...(otherPublicKey ? [keyIn(otherPublicKey)] : [])];
}

function know(
  connector: Connector,
  guard: Guard,
  { signer, now, callbackUrl: addressOf, traces }: ConnectorDirectoryOptions,
  agents: WalletAgents,
): KnownConnector {
  const keys = walletKeys(connector);
  const [key] = keys;
  const callbackUrl = addressOf(connector.name);
  const wallet = httpWallet({ connector, keys, agents, signer, now, callbackUrl, traces });
  return { ...connector, key, keys, wallet: guardWallet(wallet, guard) };
}
