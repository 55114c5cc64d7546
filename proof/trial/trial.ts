import { newCaller, type Caller } from "./caller.ts";
import type { Cluster } from "../installation/postgres-cluster.ts";
import type { DatabaseState } from "../oracle/database-state.ts";
import { newHistory, type Answer, type History, type Verb } from "../oracle/history.ts";
import { installGateway, type Installation, type Merchant } from "../installation/installation.ts";
import { findLostRecords } from "../oracle/check-responses.ts";
import { findDuplicateEffects } from "../oracle/check-effects.ts";
import { newRandom, type Random } from "../../server/test/bank/seeded-random.ts";
import { openShop } from "./shop.ts";
import { readProviderJournal } from "../oracle/provider-journal.ts";

/** A gateway with merchants that call it and record every response. */
export interface Trial {
  readonly installation: Installation;
  readonly history: History;
  readonly random: Random;
  readonly notifyUrl: string;
  /** Returns milliseconds since the beginning of the trial, by the clock of the history. */
  nowMs(): number;
  /** The beginning, in epoch milliseconds. */
  readonly startedAtEpochMs: number;
  /** Calls one of the serving processes. Undefined if there was no response. */
  send(serve: number, request: MerchantRequest): Promise<Answer | undefined>;
  /** An action of the buyer at the provider; false if the provider does not allow it. */
  actAsBuyer(paymentId: string, action: "approve" | "decline"): Promise<boolean>;
  /** Returns responses and webhooks that contradict these database rows. */
  findContradictions(databaseState: DatabaseState): readonly string[];
  /** Duplicate effects: money that moved twice with one reference, by the provider's own journal. */
  findDuplicates(): readonly string[];
  stop(): Promise<void>;
}

export interface MerchantRequest {
  readonly verb: Verb;
  readonly merchant: Merchant;
  readonly requestId: string;
  readonly body: object;
}

export interface TrialOptions {
  /** Replaces the primary and standby. */
  readonly cluster?: Cluster;
  /** The source tree of the gateway's processes; by default this repository. */
  readonly tree?: string;
}

export async function openTrial({ cluster, tree }: TrialOptions = {}): Promise<Trial> {
  const startedAtMs = performance.now();
  const startedAtEpochMs = Date.now();
  const nowMs = (): number => performance.now() - startedAtMs;
  const history = newHistory();
  const random = newRandom(Date.now());
  // The shop's port is known only after the gateway has its key, so it is set later.
  const installation = await installGateway({
    durable: false,
    shopPort: 1,
    ...(cluster && { cluster }),
    ...(tree !== undefined && { tree }),
  });
  const { privateKey, gatewayPublicKey, proxies } = installation;
  const shop = await openShop({ history, random, gatewayPublicKey: () => gatewayPublicKey, nowMs });
  proxies.workToShop.moveTo(shop.port);
  const caller: Caller = newCaller({ history, privateKey, gatewayPublicKey, isLive: false, nowMs });
  const noProcessFindings = { unexpectedExits: [], suspiciousLines: [] };
  return {
    installation,
    history,
    random,
    nowMs,
    startedAtEpochMs,
    notifyUrl: `http://127.0.0.1:${proxies.workToShop.port}/notify`,
    send: (serve, request) => caller.call({ ...request, port: proxies.merchantsToServe[serve]?.port ?? 0 }),
    async actAsBuyer(paymentId, action) {
      const path = `/control/payments/${paymentId}/${action}`;
      return (await installation.control("POST", path).catch(() => 0)) === 200;
    },
    findContradictions: (databaseState) =>
      findLostRecords({ history, databaseState, journal: readProviderJournal([]), ...noProcessFindings }).map(
        ({ description, ids }) => `${ids.join(" ")} ${description}`,
      ),
    findDuplicates() {
      const journal = readProviderJournal(installation.effects());
      const databaseState = {
        payments: [],
        refunds: [],
        captures: [],
        reversals: [],
        disputes: [],
        transfers: [],
        notifications: [],
        reserves: [],
        breaks: [],
      };
      const findings = findDuplicateEffects({ history, databaseState, journal, ...noProcessFindings });
      return findings.map(({ description, ids }) => `${ids.join(" ")} ${description}`);
    },
    async stop() {
      caller.close();
      await installation.stop();
      await shop.close();
    },
  };
}

export function payBody(paymentRequestId: string, notifyUrl: string, minor = 1_000): object {
  const amount = { currency: "EUR", value: String(minor) };
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: paymentRequestId, orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    paymentNotifyUrl: notifyUrl,
    env: { terminalType: "WEB" },
  };
}
