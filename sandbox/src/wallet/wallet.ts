import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import type { Amount } from "./amount.ts";
import { newWalletProjection, type WalletProjection } from "./wallet-projection.ts";
import type { CancelChanged, Effect, Line, StateChanged } from "./effect.ts";
import { newFaults, type Faults } from "./faults.ts";
import { openJournal, type Journal } from "./journal.ts";
import { readMoneyStep } from "./money-projection.ts";
import type { DataGroup } from "./order-data.ts";
import type { Order, PageUrl } from "./order.ts";
import { newPlans, type Plans } from "./plans.ts";
import { parseTime, wireTime } from "./wire-time.ts";

/** The wallet's complete state. Every change goes through `record`. */
export interface Wallet {
  readonly projection: WalletProjection;
  readonly journal: Journal;
  readonly faults: Faults;
  /** Scheduled changes that a test has requested. */
  readonly plans: Plans;
  /**
   * Emits `opened:<paymentId>`, `capture:<captureReference>`, `refund:<refundReference>`, `cancel:<paymentId>` and
   * `authorization:<authState>` when the gateway's request arrives.
   */
  readonly events: EventEmitter;
  /**
   * For the fault inquiry-lag (stale reads): the times until which inquiries find nothing, by operation and reference.
   */
  readonly hiddenUntilMs: Map<string, number>;
  /** The groups of data that the facts want. A test changes them; a restart forgets them, as it forgets faults. */
  readonly wants: Set<DataGroup>;
  readonly now: () => number;
  readonly pageUrl: PageUrl;
  /** The address of the page on which a buyer consents. */
  readonly consentUrl: (token: string) => string;
  readonly secretFor: (name: string) => string;
  /** Appends to the journal and applies the effect. Callers may report it when the journal is durable. */
  record(effect: Effect): void;
  /** The number of the newest line, with which pages detect changes. */
  lineCount(): number;
}

export interface ProviderOptions {
  readonly journalFile: string;
  readonly now: () => number;
  readonly pageUrl: PageUrl;
  readonly consentUrl: (token: string) => string;
  readonly secretFor: (name: string) => string;
  readonly onFault: (cause: unknown) => void;
  /** Called for every line after the projection has applied it, also for lines that are replayed at the start. */
  readonly onLine: (line: Line, projection: WalletProjection) => void;
}

export async function openWallet({ now, pageUrl, ...options }: ProviderOptions): Promise<Wallet> {
  const projection = newWalletProjection();
  const events = new EventEmitter().setMaxListeners(0);
  let lineCount = 0;
  const apply = (line: Line): void => {
    lineCount = line.n;
    projection.apply(line);
    options.onLine(line, projection);
  };
  const journal = await openJournal({ file: options.journalFile, each: apply, onFault: options.onFault });
  const record = (effect: Effect): void => {
    const line = journal.append(effect, now());
    apply(line);
    if (effect.kind === "submit" && effect.order) events.emit(`opened:${effect.paymentId}`);
    if (effect.kind === "cancel-started") events.emit(`cancel:${effect.paymentId}`);
    const step = readMoneyStep(line);
    if (step) events.emit(`${step.kind}:${step.moneyReference}`);
    if (effect.kind === "authorize" && effect.authorization) {
      events.emit(`authorization:${effect.reference}`);
      events.emit(`authorization:${effect.authorization.authState}`);
    }
  };
  const { consentUrl, secretFor } = options;
  const faults = newFaults(record);
  const state = { projection, journal, faults, plans: newPlans(now), events };
  const inMemory = { hiddenUntilMs: new Map(), wants: new Set<DataGroup>() };
  return { ...state, ...inMemory, now, pageUrl, consentUrl, secretFor, record, lineCount: () => lineCount };
}

/** Changes an order's state, and returns the new order. The caller checks whether the change is allowed. */
export function changeState(wallet: Wallet, order: Order, change: Change): Order {
  const { reference, paymentId, providerOrderId, amount } = order;
  const named = { reference, paymentId, providerOrderId, sequence: order.sequence + 1 };
  wallet.record({ ...change, ...named, amount });
  return recordedOrder(wallet, providerOrderId);
}

/** Changes the state of an order's cancel, and returns the new order. */
export function changeCancel(wallet: Wallet, order: Order, change: CancelChange): Order {
  const { reference, paymentId, providerOrderId } = order;
  wallet.record({ ...change, reference, paymentId, providerOrderId, sequence: order.sequence + 1 });
  return recordedOrder(wallet, providerOrderId);
}

/** Replaces the code of an order by another one if it has expired, and returns the order. */
export function renewExpiredCode(wallet: Wallet, order: Order): Order {
  const { reference, paymentId, providerOrderId, state, chosenAction, actionExpiryTime } = order;
  const isExpired = actionExpiryTime !== undefined && wallet.now() >= (parseTime(actionExpiryTime) ?? 0);
  if (state !== "OPEN" || chosenAction?.kind !== "action-code" || !isExpired) return order;
  const expiryTime = wireTime(wallet.now() + (chosenAction.lifetimeMs ?? 0));
  const sequence = order.sequence + 1;
  wallet.record({ kind: "code-renewed", reference, paymentId, providerOrderId, sequence, expiryTime });
  return recordedOrder(wallet, providerOrderId);
}

function recordedOrder({ projection }: Wallet, providerOrderId: string): Order {
  const order = projection.orderById(providerOrderId);
  assert(order, "an order that changes is in the projection");
  return order;
}

type CancelChange = Pick<CancelChanged, "kind" | "finishTime" | "failsWith" | "resultCode">;

export interface Change {
  readonly kind: StateChanged["kind"];
  readonly by: StateChanged["by"];
  readonly paidAmount?: Amount;
  readonly resultCode?: string;
  readonly card?: string;
  readonly hasCardNumber?: boolean;
}

/** A random id, which can not be guessed and is unique across processes. */
export function newRandomId(prefix: string): string {
  return `${prefix}${randomBytes(18).toString("base64url")}`;
}
