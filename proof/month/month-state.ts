import type { Booking } from "../../server/test/bank/bank-delivery.ts";
import type { BankSimulator } from "../../server/test/bank/bank-simulator.ts";
import type { Adversity } from "./adversity.ts";
import type { ExpectedLedger } from "./reference-ledger.ts";
import type { FxMarket } from "./fx-market.ts";
import type { MonthPlan, PlannedMerchant } from "./month-plan.ts";
import type { RecordWriter } from "./record-writer.ts";
import type { ExpectedBatch, ExpectedSettlement } from "./reference-settlement.ts";
import { merchantIban, type MonthInstallation } from "./month-installation.ts";

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
  readonly installation: MonthInstallation;
  readonly plan: MonthPlan;
  readonly feeChangeAt: Date;
  readonly ledger: ExpectedLedger;
  readonly bank: BankSimulator;
  readonly recordWriter: RecordWriter;
  readonly settlements: ReadonlyMap<string, ExpectedSettlement>;
  readonly market: FxMarket;
  readonly adversities: ReadonlySet<Adversity>;
  /** Payouts that the bank has accepted. The key is the end-to-end id. */
  readonly payouts: Map<string, ExpectedPayout>;
  /** The amount that each imported statement added to the gateway operator's bank account. */
  readonly statementAmounts: Map<string, bigint>;
  /** Bookings in imported messages that have a payout reference. */
  readonly reportedBookings: Set<Booking>;
  /** Merchants, and merchants' accounts as `CLIENT CURRENCY`, that must not be paid. */
  readonly payoutHolds: Set<string>;
  /** How often the simulation has injected each fault of an operator's payout run. */
  readonly faultCounts: Map<string, number>;
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

export function findSettlement(
  { settlements }: Month,
  clientId: string,
  currency: string,
): ExpectedSettlement {
  const settlement = settlements.get(`${clientId} ${currency}`);
  if (!settlement) throw new Error(`${clientId} sells nothing in ${currency}.`);
  return settlement;
}

/** `listBatches` lists a merchant's batches in all its sales currencies, in the order of closing. */
export function listBatches(
  month: Month,
  { clientId, currencies }: PlannedMerchant,
  select: (settlement: ExpectedSettlement) => readonly ExpectedBatch[],
): readonly ExpectedBatch[] {
  return currencies.toSorted().flatMap((currency) => select(findSettlement(month, clientId, currency)));
}

export function findMerchant(
  { plan: { merchants } }: Month,
  { iban, currency }: { readonly iban: string; readonly currency: string },
): PlannedMerchant {
  const merchant = merchants.find((_, nth) => merchantIban(nth, currency) === iban);
  if (!merchant) throw new Error(`A payout went to ${iban}, which belongs to no merchant.`);
  return merchant;
}
