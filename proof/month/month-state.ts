import type { Booking } from "../../server/test/bank/bank-delivery.ts";
import type { BankSimulator } from "../../server/test/bank/bank-simulator.ts";
import type { Adversity } from "./adversity.ts";
import type { ExpectedBooks } from "./reference-ledger.ts";
import type { Market } from "./market.ts";
import type { MonthPlan, PlannedMerchant } from "./plan.ts";
import type { RecordWriter } from "./rows.ts";
import type { ExpectedBatch, ExpectedSettlement } from "./settle.ts";
import { merchantIban, type MonthWorld } from "./world.ts";

export interface Counts {
  changed: number;
  payouts: number;
  rejected: number;
  returned: number;
  duplicateFiles: number;
  compared: number;
}

/** The gateway, its bank, and the expected ledger by the contracts. */
export interface Month {
  readonly world: MonthWorld;
  readonly plan: MonthPlan;
  readonly changesAt: Date;
  readonly books: ExpectedBooks;
  readonly bank: BankSimulator;
  readonly clerk: RecordWriter;
  readonly settlements: ReadonlyMap<string, ExpectedSettlement>;
  readonly market: Market;
  readonly adversities: ReadonlySet<Adversity>;
  /** Payouts that the bank has accepted. The key is the end-to-end id. */
  readonly payouts: Map<string, ExpectedPayout>;
  /** The amount that each imported statement added to the gateway operator's bank account. */
  readonly posted: Map<string, bigint>;
  /** Bookings in imported messages that have a payout reference. */
  readonly reported: Set<Booking>;
  /** Merchants, and merchants' accounts as `CLIENT CURRENCY`, that must not be paid. */
  readonly held: Set<string>;
  /** How often the simulation has injected each fault of an operator's payout run. */
  readonly occurred: Map<string, number>;
  readonly misses: string[];
  readonly counts: Counts;
}

/** A payout as the bank's messages describe it. */
export interface ExpectedPayout {
  readonly clientId: string;
  readonly currency: string;
  readonly minor: bigint;
  readonly batch: ExpectedBatch | undefined;
  state: "sent" | "paid" | "rejected" | "returned";
}

export function settlementOf({ settlements }: Month, clientId: string, currency: string): ExpectedSettlement {
  const found = settlements.get(`${clientId} ${currency}`);
  if (!found) throw new Error(`${clientId} sells nothing in ${currency}.`);
  return found;
}

/** `batchesOf` lists a merchant's batches in all its sales currencies, in the order of closing. */
export function batchesOf(
  month: Month,
  { clientId, currencies }: PlannedMerchant,
  some: (settlement: ExpectedSettlement) => readonly ExpectedBatch[],
): readonly ExpectedBatch[] {
  return currencies.toSorted().flatMap((currency) => some(settlementOf(month, clientId, currency)));
}

export function merchantOf(
  { plan: { merchants } }: Month,
  { iban, currency }: { readonly iban: string; readonly currency: string },
): PlannedMerchant {
  const merchant = merchants.find((_, nth) => merchantIban(nth, currency) === iban);
  if (!merchant) throw new Error(`A payout went to ${iban}, which belongs to no merchant.`);
  return merchant;
}
