import { Type, type Static } from "typebox";
import {
  Amount,
  withDescription,
  forms,
  Id,
  OneOf,
  PaymentId,
  Time,
  toTime,
  type Meanings,
} from "../contract/schemas.ts";
import { toAmount } from "../core/money.ts";
import { formatPair } from "../ledger/currency-conversion.ts";
import { Sum } from "../ledger/merchant-balance.schema.ts";
import { effectMeanings } from "../ledger/posting.schema.ts";
import type { BatchStatus } from "./batch.ts";
import type { PayoutStatus } from "./payouts/payout.ts";
import type { BatchItem, BatchView, PayoutView } from "./settlement.ts";

const batchStatuses: Meanings<BatchStatus> = {
  DUE: "Paid out on its due day, or as soon as nothing prevents it.",
  CARRIED: "Part of a later batch: it was too small, it was negative, or refunds came after its close.",
  PAYING: "A payout is in progress.",
  PAID: "The bank has executed the payout.",
};

const payoutStatuses: Meanings<PayoutStatus> = {
  CREATED: "Created, and not yet handed over to the bank.",
  SENT: "Handed over to the bank.",
  PAID: "Executed by the bank.",
  FAILED: "Rejected by the bank; it is paid again.",
  RETURNED: "Executed and then returned; it is paid again.",
};

const Quote = Type.Object(
  {
    quoteId: withDescription(Id, "Id of the FX rate."),
    quoteCurrencyPair: Type.String({
      pattern: "^[A-Z]{3}/[A-Z]{3}$",
      description: "Currency pair, from/to.",
    }),
    quotePrice: Type.String({
      pattern: "^[0-9]{1,9}(\\.[0-9]{1,15})?$",
      description: "Price of one unit of the first currency in the second, as an exact decimal.",
      "x-digits": true,
    }),
  },
  { title: "Quote", description: "The FX rate of a conversion." },
);

const Day = (description: string) => Type.String({ pattern: forms.day, description });

const Payout = Type.Object(
  {
    payoutId: withDescription(Id, "Id of the payout, which your bank shows as the end-to-end id."),
    amount: Sum("Amount paid out, in the currency of `settlementAmount` if the batch has one."),
    status: OneOf(payoutStatuses, "Status of the payout."),
    reasonCode: Type.Optional(
      Type.String({
        maxLength: 35,
        description: "The bank's reason code for a failure (ISO 20022).",
      }),
    ),
    createdTime: withDescription(Time, "Time of creation."),
    sentTime: Type.Optional(withDescription(Time, "Time of the handover to the bank.")),
    finishedTime: Type.Optional(withDescription(Time, "Time of the bank's final status.")),
  },
  { title: "Payout", description: "A credit transfer to your bank account." },
);

export const Settlement = Type.Object(
  {
    batchId: withDescription(Id, "Id of the batch."),
    currency: Type.String({ pattern: forms.currency, description: "ISO 4217 code." }),
    fromDay: Day("The first day of its movements; days end at midnight UTC+8."),
    toDay: Day("The last day."),
    dueDay: Day("Day on which it is due for payout."),
    status: OneOf(batchStatuses, "Status of the batch."),
    gross: Sum("Payments of buyers."),
    refunds: Sum("Refunds to buyers, negative, and refunds that failed after they succeeded, positive."),
    disputes: Sum("Amounts debited and credited for disputes."),
    fees: Sum("Our fees, negative."),
    tax: Sum("Tax on our fees, negative."),
    other: Sum("All other movements."),
    reserve: Sum("Released reserves minus the amount held back from this batch."),
    carried: Sum("Sum of earlier batches that are part of this one; see CARRIED."),
    net: Sum("Sum of all of these: the amount to pay out or to convert."),
    settlementAmount: Type.Optional(
      withDescription(Amount, "Converted amount of `net`, which is paid out; absent without a conversion."),
    ),
    settlementQuote: Type.Optional(
      withDescription(
        Quote,
        "The FX rate: `net` is multiplied by it and rounded half to even to minor units.",
      ),
    ),
    payouts: Type.Array(Payout, {
      description: "All payout attempts, the last one at the end; empty before the first.",
    }),
  },
  { title: "Settlement", description: "A settlement batch: movements that are paid out together." },
);

export const SettledIn = Type.Object(
  {
    batchId: withDescription(Id, "Id of the batch."),
    toDay: Day("The last day of its movements."),
    status: OneOf(batchStatuses, "Status of the batch."),
  },
  { title: "SettledIn", description: "The settlement batch of a record." },
);

export const SettlementItem = Type.Object(
  {
    subjectId: withDescription(Id, "Id of the payment, capture, refund or other record that caused it."),
    effect: OneOf(effectMeanings, "Effect on the record."),
    paymentId: Type.Optional(withDescription(PaymentId, "Id of the payment.")),
    gross: Sum("Amount before our fee; negative if it was debited from you."),
    fee: Sum("Our fee on it, negative."),
    tax: Sum("Tax on our fee, negative."),
    net: Sum("The sum of the three."),
    time: withDescription(Time, "Time of the posting."),
  },
  { title: "SettlementItem", description: "A movement in a settlement batch." },
);

export function toSettlement(batch: BatchView): Static<typeof Settlement> {
  const { batchId, currency, fromDay, toDay, dueDay, status, sums, conversion, payouts } = batch;
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
    ...(conversion && {
      settlementAmount: toAmount(conversion.got),
      settlementQuote: {
        quoteId: conversion.quoteId,
        quoteCurrencyPair: formatPair({ from: currency, to: conversion.got.currency }),
        quotePrice: conversion.price,
      },
    }),
    payouts: payouts.map(toPayout),
  };
}

function toPayout(payout: PayoutView): Static<typeof Payout> {
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

/** An example: a batch in EUR of a merchant that is paid in USD. */
export const convertedSettlementExample: Static<typeof Settlement> = {
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
