import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import type { Amount } from "./amount.ts";
import { newWalletProjection, type WalletProjection } from "./wallet-projection.ts";
import type { Effect, Line, StateChanged } from "./effect.ts";
import { newFaults, type Faults } from "./faults.ts";
import { openJournal, type Journal } from "./journal.ts";
import type { Order, PageUrl } from "./order.ts";
import { newPlans, type Plans } from "./plans.ts";

/** The wallet's complete state. Every change goes through `record`. */
export interface Wallet {
  readonly projection: WalletProjection;
  readonly journal: Journal;
  readonly faults: Faults;
  /** Scheduled changes that a test has requested. */
  readonly plans: Plans;
  /**
   * Emits `opened:<paymentId>`, `refund:<refundReference>` and `authorization:<authState>` when the gateway's request
   * arrives.
   */
  readonly events: EventEmitter;
  /**
   * For the fault inquiry-lag (stale reads): the times until which inquiries find nothing, by operation and reference.
   */
  readonly hiddenUntilMs: Map<string, number>;
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
    apply(journal.append(effect, now()));
    if (effect.kind === "submit" && effect.order) events.emit(`opened:${effect.paymentId}`);
    if (effect.kind === "refund" && effect.refund) events.emit(`refund:${effect.refundReference}`);
    if (effect.kind === "authorize" && effect.authorization) {
      events.emit(`authorization:${effect.reference}`);
      events.emit(`authorization:${effect.authorization.authState}`);
    }
  };
  const { consentUrl, secretFor } = options;
  const faults = newFaults(record);
  const state = { projection, journal, faults, plans: newPlans(now), events, hiddenUntilMs: new Map() };
  return { ...state, now, pageUrl, consentUrl, secretFor, record, lineCount: () => lineCount };
}

/** Changes an order's state, and returns the new order. The caller checks whether the change is allowed. */
export function changeState(wallet: Wallet, order: Order, change: Change): Order {
  const { reference, paymentId, walletOrderId, amount } = order;
  const named = { reference, paymentId, walletOrderId, sequence: order.sequence + 1 };
  wallet.record({ ...change, ...named, amount });
  const changed = wallet.projection.orderById(walletOrderId);
  assert(changed, "an order that changes is in the projection");
  return changed;
}

export interface Change {
  readonly kind: StateChanged["kind"];
  readonly by: StateChanged["by"];
  readonly paidAmount?: Amount;
  readonly resultCode?: string;
}

/** A random id, which can not be guessed and is unique across processes. */
export function newRandomId(prefix: string): string {
  return `${prefix}${randomBytes(18).toString("base64url")}`;
}
