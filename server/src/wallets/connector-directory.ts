import { createPublicKey, type KeyObject } from "node:crypto";
import { walletReference } from "../core/reference.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { breakerRules, newBreaker } from "../core/breaker.ts";
import { connectorFor, usualTerms, type Connector, type ConnectorTerms } from "./connector.ts";
import { guardWallet, type Guard } from "./guarded-wallet.ts";
import { httpWallet } from "./http-wallet.ts";
import type { Wallet } from "./wallet.ts";

/** A connector with what is made from it once. */
export interface KnownConnector extends Connector {
  readonly key: KeyObject;
  readonly wallet: Wallet;
}

/** How many more calls a wallet can be sent now. */
export interface Room {
  readonly connector: string;
  readonly room: number;
  readonly isSilent: boolean;
}

export interface ConnectorDirectory {
  nameFor(paymentMethodType: string): string | undefined;
  /** All methods that connectors name; `*` when one takes whatever no other names. */
  servedMethods(): readonly string[];
  /** The usual ones for a connector that is gone: its payments are still there. */
  termsOf(name: string): ConnectorTerms;
  /** Looks again before it gives up: the connector may have been set up a moment ago. */
  find(name: string): Promise<KnownConnector | undefined>;
  /** For a name that anybody may have made up: looks again, but for all of them together once a second. */
  findClaimed(name: string): Promise<KnownConnector | undefined>;
  /** False while its breaker is open. */
  isReachable(name: string): boolean;
  rooms(): readonly Room[];
  /** Asks wallets that did not answer whether they do again: in a process without jobs nobody else would. */
  tryUnreachable(): Promise<void>;
  refresh(): Promise<void>;
}

export interface ConnectorDirectoryOptions {
  readonly load: () => Promise<readonly Connector[]>;
  readonly signer: Signer;
  readonly environment: string;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
  /** A wallet has fallen silent, or answers again. */
  readonly onReachable: (connector: string, isReachable: boolean) => void;
  /** Where wallets report to: their name is added. */
  readonly callbackUrl: (connector: string) => string;
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
    // A simulator approves whatever it is told to: real money must never depend on one.
    const usable = connectors.filter(({ simulator }) => options.environment === "sandbox" || !simulator);
    known = usable.map((connector) => know(connector, guardOf(connector.name), options));
  }

  const find = (name: string): KnownConnector | undefined =>
    known.find((connector) => connector.name === name);

  let lookedAtMs = -Infinity;
  let looking: Promise<void> = Promise.resolve();

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
    isReachable: (name) => guards.get(name)?.breaker.isClosed() ?? true,
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

function newGuard(name: string, { monotonicMs, onReachable }: ConnectorDirectoryOptions): Guard {
  const breaker = newBreaker({ monotonicMs, onChange: (isClosed) => onReachable(name, isClosed) });
  return { breaker, underWay: 0, underWayMax: callsUnderWayMax };
}

/** About an order that was never sent: that there is none is an answer too, and moves nothing. */
async function inquireOfNothing(
  wallet: Wallet,
  name: string,
  { environment }: ConnectorDirectoryOptions,
): Promise<void> {
  const reference = walletReference(environment, "", "inquiry", name);
  // What comes of it is for the breaker to say, and it has been told.
  await wallet.inquire(reference, AbortSignal.timeout(breakerRules.slowMs)).catch(() => undefined);
}

function know(
  connector: Connector,
  guard: Guard,
  { signer, now, callbackUrl }: ConnectorDirectoryOptions,
): KnownConnector {
  const key = createPublicKey({ key: Buffer.from(connector.publicKey), format: "der", type: "spki" });
  const wallet = httpWallet({ connector, key, signer, now, callbackUrl: callbackUrl(connector.name) });
  return { ...connector, key, wallet: guardWallet(wallet, guard) };
}
