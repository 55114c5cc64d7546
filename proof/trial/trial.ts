import { newCaller, type Caller } from "./caller.ts";
import type { Cluster } from "../installation/cluster.ts";
import type { Evidence } from "../oracle/evidence.ts";
import { newHistory, type Answer, type History, type Verb } from "../oracle/history.ts";
import { install, type Installation, type Merchant } from "../installation/installation.ts";
import { nothingAcknowledgedIsLost } from "../oracle/judge-answers.ts";
import { effectsHappenedOnce } from "../oracle/judge-effects.ts";
import { newRandom, type Random } from "../../server/test/bank/seeded-random.ts";
import { openShop } from "./shop.ts";
import { readTruth } from "../oracle/truth.ts";

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
  ask(serve: number, asked: Question): Promise<Answer | undefined>;
  /** An action of the buyer at the provider; false if the provider does not allow it. */
  buyer(paymentId: string, action: "approve" | "decline"): Promise<boolean>;
  /** Returns responses and webhooks that contradict these database rows. */
  untrue(evidence: Evidence): readonly string[];
  /** Duplicate effects: money that moved twice with one reference, by the provider's own journal. */
  doubled(): readonly string[];
  stop(): Promise<void>;
}

export interface Question {
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
  const installation = await install({
    durable: false,
    shopPort: 1,
    ...(cluster && { cluster }),
    ...(tree !== undefined && { tree }),
  });
  const { privateKey, gatewayPublicKey, lines } = installation;
  const shop = await openShop({ history, random, gatewayPublicKey: () => gatewayPublicKey, nowMs });
  lines.workToShop.moveTo(shop.port);
  const caller: Caller = newCaller({ history, privateKey, gatewayPublicKey, isLive: false, nowMs });
  const nothingElse = { ownEndings: [], suspiciousLines: [] };
  return {
    installation,
    history,
    random,
    nowMs,
    startedAtEpochMs,
    notifyUrl: `http://127.0.0.1:${lines.workToShop.port}/notify`,
    ask: (serve, asked) => caller.call({ ...asked, port: lines.merchantsToServe[serve]?.port ?? 0 }),
    async buyer(paymentId, action) {
      const path = `/control/payments/${paymentId}/${action}`;
      return (await installation.control("POST", path).catch(() => 0)) === 200;
    },
    untrue: (evidence) =>
      nothingAcknowledgedIsLost({ history, evidence, truth: readTruth([]), ...nothingElse }).map(
        ({ what, ids }) => `${ids.join(" ")} ${what}`,
      ),
    doubled() {
      const truth = readTruth(installation.effects());
      const evidence = {
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
      const found = effectsHappenedOnce({ history, evidence, truth, ...nothingElse });
      return found.map(({ what, ids }) => `${ids.join(" ")} ${what}`);
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
