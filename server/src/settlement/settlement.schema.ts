import { Type, type Static } from "typebox";
import {
  Amount,
  described,
  forms,
  Id,
  OneOf,
  PaymentId,
  Time,
  toTime,
  type Meanings,
} from "../api/schemas.ts";
import { toAmount } from "../core/money.ts";
import { pairText } from "../ledger/exchange.ts";
import { Sum } from "../ledger/holding.schema.ts";
import { effectsInWords } from "../ledger/posting.schema.ts";
import type { BatchStatus } from "./batch.ts";
import type { PayoutStatus } from "./payout.ts";
import type { BatchItem, ShownBatch, ShownPayout } from "./settlement.ts";

const batchStatuses: Meanings<BatchStatus> = {
  DUE: "It is paid out on its day, or as soon as there is nothing in the way.",
  CARRIED:
    "Too small to be paid out, you owed us, or refunds came after its close: it is part of a later one.",
  PAYING: "A payout is under way.",
  PAID: "The bank has paid it.",
};

const payoutStatuses: Meanings<PayoutStatus> = {
  CREATED: "It is about to be given to the bank.",
  SENT: "The bank has it.",
  PAID: "The bank has paid it.",
  FAILED: "The bank could not pay it; it is paid again.",
  RETURNED: "It was paid, and came back; it is paid again.",
};

const Quote = Type.Object(
  {
    quoteId: described(Id, "Our name for the quote."),
    quoteCurrencyPair: Type.String({
      pattern: "^[A-Z]{3}/[A-Z]{3}$",
      description: "From which currency into which.",
    }),
    quotePrice: Type.String({
      pattern: "^[0-9]{1,9}(\\.[0-9]{1,15})?$",
      description: "What one of the first was worth in the second, as an exact decimal.",
      "x-digits": true,
    }),
  },
  { title: "Quote", description: "The price at which one currency was changed into another." },
);

const Day = (description: string) => Type.String({ pattern: forms.day, description });

const Payout = Type.Object(
  {
    payoutId: described(Id, "Our name for it, which your bank shows as the end-to-end id."),
    amount: Sum("How much was paid out, in the currency of `settlementAmount` where the batch has one."),
    status: OneOf(payoutStatuses, "Where it stands."),
    reasonCode: Type.Optional(
      Type.String({
        maxLength: 35,
        description: "Why it could not be paid, in the bank's word (ISO 20022).",
      }),
    ),
    createdTime: described(Time, "When it was made."),
    sentTime: Type.Optional(described(Time, "When the bank was told.")),
    finishedTime: Type.Optional(described(Time, "When the bank said how it ended.")),
  },
  { title: "Payout", description: "Money on its way to your bank." },
);

export const Settlement = Type.Object(
  {
    batchId: described(Id, "Our name for the batch."),
    currency: Type.String({ pattern: forms.currency, description: "ISO 4217 code." }),
    fromDay: Day("The first day of its movements; days end at midnight UTC+8."),
    toDay: Day("The last day."),
    dueDay: Day("When it is to be paid out."),
    status: OneOf(batchStatuses, "Where it stands."),
    gross: Sum("What buyers paid."),
    refunds: Sum("What went back to buyers, below zero."),
    disputes: Sum("What disputes took, and gave back."),
    fees: Sum("Our fees, below zero."),
    tax: Sum("Tax on our fees, below zero."),
    other: Sum("Anything else."),
    reserve: Sum("What was let go of earlier reserves, less what is kept back now."),
    carried: Sum("What earlier batches come to that are part of this one; see CARRIED."),
    net: Sum("What is paid out, or changed and then paid out: the sum of all of these."),
    settlementAmount: Type.Optional(
      described(Amount, "What `net` was changed into, and is paid out; absent when it is paid out as it is."),
    ),
    settlementQuote: Type.Optional(
      described(
        Quote,
        "The price: `net` times it, to the nearest smallest unit, from the middle to the even.",
      ),
    ),
    payouts: Type.Array(Payout, {
      description: "The payouts that were tried, the last one at the end; none before the first.",
    }),
  },
  { title: "Settlement", description: "A batch: what is paid out together." },
);

export const SettledIn = Type.Object(
  {
    batchId: described(Id, "Our name for the batch."),
    toDay: Day("The last day of its movements."),
    status: OneOf(batchStatuses, "Where it stands."),
  },
  { title: "SettledIn", description: "A batch, as it is named beside what it settles." },
);

export const SettlementItem = Type.Object(
  {
    subjectId: described(Id, "The payment, capture, refund or other record that caused it."),
    effect: OneOf(effectsInWords, "What happened to the record."),
    paymentId: Type.Optional(described(PaymentId, "The payment that it is about.")),
    gross: Sum("What moved, before our fee; below zero when it was taken from you."),
    fee: Sum("Our fee on it, below zero."),
    tax: Sum("Tax on our fee, below zero."),
    net: Sum("The sum of the three."),
    time: described(Time, "When it was posted."),
  },
  { title: "SettlementItem", description: "A movement that a batch settles." },
);

export function toSettlement(batch: ShownBatch): Static<typeof Settlement> {
  const { batchId, currency, fromDay, toDay, dueDay, status, sums, changed, payouts } = batch;
  return {
    batchId,
    currency,
    fromDay,
    toDay,
    dueDay,
    status,
    gross: String(sums.gross),
    refunds: String(sums.refunds),
    disputes: String(sums.disputes),
    fees: String(sums.fees),
    tax: String(sums.tax),
    other: String(sums.other),
    reserve: String(sums.reserve),
    carried: String(sums.carried),
    net: String(sums.net),
    ...(changed && {
      settlementAmount: toAmount(changed.got),
      settlementQuote: {
        quoteId: changed.quoteId,
        quoteCurrencyPair: pairText({ from: currency, to: changed.got.currency }),
        quotePrice: changed.price,
      },
    }),
    payouts: payouts.map(toPayout),
  };
}

function toPayout(payout: ShownPayout): Static<typeof Payout> {
  const { payoutId, amountMinor, status, reasonCode, createdAt, sentAt, finishedAt } = payout;
  return {
    payoutId,
    amount: String(amountMinor),
    status,
    ...(reasonCode !== undefined && { reasonCode }),
    createdTime: toTime(createdAt),
    ...(sentAt && { sentTime: toTime(sentAt) }),
    ...(finishedAt && { finishedTime: toTime(finishedAt) }),
  };
}

export function toSettlementItem(item: BatchItem): Static<typeof SettlementItem> {
  const { subjectId, effect, paymentId, grossMinor, feeMinor, taxMinor, at } = item;
  return {
    subjectId,
    effect,
    ...(paymentId !== undefined && { paymentId }),
    gross: String(grossMinor),
    fee: String(feeMinor),
    tax: String(taxMinor),
    net: String(grossMinor + feeMinor + taxMinor),
    time: toTime(at),
  };
}

export const settlementExample: Static<typeof Settlement> = {
  batchId: "20261116160500000047611530017744120",
  currency: "EUR",
  fromDay: "2026-11-16",
  toDay: "2026-11-16",
  dueDay: "2026-11-17",
  status: "PAID",
  gross: "125000",
  refunds: "-350",
  disputes: "0",
  fees: "-3625",
  tax: "-725",
  other: "0",
  reserve: "0",
  carried: "0",
  net: "120300",
  payouts: [
    {
      payoutId: "20261117010000000047612904415082637",
      amount: "120300",
      status: "PAID",
      createdTime: "2026-11-17T01:00:00+00:00",
      sentTime: "2026-11-17T01:00:05+00:00",
      finishedTime: "2026-11-17T09:12:44+00:00",
    },
  ],
};

/** A batch in EUR of a merchant that is paid in USD. */
export const changedSettlementExample: Static<typeof Settlement> = {
  ...settlementExample,
  status: "DUE",
  settlementAmount: { currency: "USD", value: "130309" },
  settlementQuote: {
    quoteId: "QUOTE_4T7X0K2M9B",
    quoteCurrencyPair: "EUR/USD",
    quotePrice: "1.0832",
  },
  payouts: [],
};

export const settlementItemExample: Static<typeof SettlementItem> = {
  subjectId: "20261116093000123047601530017744120",
  effect: "payment",
  paymentId: "20261116093000123047601530017744120",
  gross: "1250",
  fee: "-36",
  tax: "-7",
  net: "1207",
  time: "2026-11-16T09:30:07+00:00",
};
