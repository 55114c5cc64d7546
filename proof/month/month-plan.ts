import { startOfAccountingDay } from "../../server/src/core/accounting-day.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";

/** All money events of a month, drawn from a seed. Any order of files must lead to the same ledger. */
export interface MonthPlan {
  readonly merchants: readonly PlannedMerchant[];
  /** All money events of the month, in order of time. */
  readonly events: readonly MoneyEvent[];
}

export interface PlannedMerchant {
  readonly clientId: string;
  readonly currencies: readonly string[];
  readonly terms: PlannedTerms;
  /** The payout currency; without it, the currency of the sales. */
  readonly settleIn: string | undefined;
  /** Two fees by contract. The second fee applies from a midnight in the middle of the month. */
  readonly fees: readonly [PlannedFee, PlannedFee];
}

export interface PlannedTerms {
  readonly cycle: "D" | "W";
  readonly daysAfter: number;
  /** In minor units. */
  readonly minimum: bigint;
  readonly reserveBasisPoints: number;
  readonly reserveDays: number;
}

export interface PlannedFee {
  readonly rateMillionths: bigint;
  readonly fixed: bigint;
  readonly minimum: bigint;
  readonly taxMillionths: bigint;
  readonly refundPolicy: "keep" | "return rate" | "return all";
  readonly refundFixed: bigint;
}

export type MoneyEvent = PaymentEvent | FollowUpEvent;

export interface PaymentEvent {
  /** A hold is an authorization, which moves no money before its captures. */
  readonly kind: "payment" | "late success" | "hold";
  readonly number: number;
  readonly merchant: number;
  readonly provider: string;
  readonly currency: string;
  readonly minor: bigint;
  readonly at: Date;
}

export interface FollowUpEvent {
  readonly kind:
    | "refund"
    /** The refund failed after it succeeded. */
    | "refund reversal"
    /** A second refund, after the reversal of the first one. */
    | "refund again"
    | "cancel"
    | "reversal"
    /** The returned money of a cancel or a late success came back. */
    | "cancel returned"
    | "reversal returned"
    /** The provider accepts a capture, which may take days. */
    | "capture request"
    | "capture"
    | "failed capture"
    | "dispute freeze"
    | "dispute release"
    | "dispute debit";
  /** The number of the payment that the event follows. A payment has at most one refund at a time, or one dispute. */
  readonly number: number;
  readonly payment: PaymentEvent;
  readonly minor: bigint;
  readonly at: Date;
  /** The captured part, if the event is about a capture. */
  readonly part?: CapturedPart;
}

export interface CapturedPart {
  readonly nth: number;
  /** Sum of the parts that were captured before this one. */
  readonly capturedBefore: bigint;
}

export const monthProviders = ["gcash", "dana", "truemoney"] as const;
export const monthCurrencies = ["EUR", "JPY", "PHP", "USD"] as const;
const dayMs = 86_400_000;

/** The month begins and ends at midnight UTC+8, like all book days. */
export interface MonthPlanOptions {
  readonly firstDay: string;
  readonly days: number;
  readonly payments: number;
  readonly merchants: number;
  /** The first day on which the second fees apply. */
  readonly feeChangeDay: string;
}

export function planMonth(random: Random, options: MonthPlanOptions): MonthPlan {
  const merchants = Array.from({ length: options.merchants }, (_, index) =>
    planMerchant(random.fork(`merchant ${index}`), index),
  );
  const events = Array.from({ length: options.payments }, (_, number) =>
    planPayment(random.fork(`payment ${number}`), merchants, number, options),
  ).flat();
  return { merchants, events: events.toSorted((a, b) => a.at.getTime() - b.at.getTime()) };
}

function planMerchant(random: Random, index: number): PlannedMerchant {
  const fee = (): PlannedFee => ({
    rateMillionths: BigInt(random.between(0, 35_000)),
    fixed: BigInt(random.pick([0, 0, 10, 25])),
    minimum: BigInt(random.pick([0, 0, 30])),
    taxMillionths: BigInt(random.pick([0, 70_000, 200_000])),
    refundPolicy: random.pick(["keep", "return rate", "return all"]),
    refundFixed: BigInt(random.pick([0, 0, 15])),
  });
  const currencyCount = random.between(1, 3);
  const firstIndex = random.between(0, monthCurrencies.length - 1);
  const currencyAt = (nth: number): string =>
    monthCurrencies[(firstIndex + nth) % monthCurrencies.length] ?? "EUR";
  return {
    clientId: `SANDBOX_MONTH${String(index).padStart(4, "0")}`,
    currencies: Array.from({ length: currencyCount }, (_, nth) => currencyAt(nth)),
    // The payout currency is a currency in which the merchant does not sell, one in which it sells, or undefined.
    settleIn: [currencyAt(currencyCount), currencyAt(currencyCount - 1)][index % 3],
    terms: {
      cycle: random.chance(0.8) ? "D" : "W",
      daysAfter: random.between(1, 3),
      minimum: BigInt(random.pick([0, 0, 5_000, 100_000])),
      reserveBasisPoints: random.pick([0, 0, 500, 1_000]),
      reserveDays: random.between(2, 10),
    },
    fees: [fee(), fee()],
  };
}

/** A payment and its follow-up events within the month. */
function planPayment(
  random: Random,
  merchants: readonly PlannedMerchant[],
  number: number,
  { firstDay, days, feeChangeDay }: MonthPlanOptions,
): readonly MoneyEvent[] {
  const startsAt = startOfAccountingDay(firstDay);
  const endsAtMs = startsAt.getTime() + days * dayMs;
  const merchant = random.between(0, merchants.length - 1);
  const chance = random.next();
  const payment: PaymentEvent = {
    kind: chance < 0.005 ? "late success" : chance < 0.045 ? "hold" : "payment",
    number,
    merchant,
    provider: random.pick(monthProviders),
    currency: random.pick(merchants[merchant]?.currencies ?? ["EUR"]),
    minor: BigInt(Math.ceil(10 ** (2 + random.next() * 3))),
    at: number <= paymentsAtFeeChange ? startOfAccountingDay(feeChangeDay) : planTime(random, startsAt, days),
  };
  const timeAfter = (fromDays: number, toDays: number): Date =>
    new Date(payment.at.getTime() + 1 + Math.floor((fromDays + random.next() * (toDays - fromDays)) * dayMs));
  const newFollowUp = (kind: FollowUpEvent["kind"], at: Date, minor = payment.minor): FollowUpEvent => ({
    kind,
    number,
    payment,
    minor,
    at,
  });
  const followUps = planFate(random, payment, timeAfter, newFollowUp);
  return [payment, ...followUps.filter(({ at }) => at.getTime() < endsAtMs)];
}

type NewFollowUp = (kind: FollowUpEvent["kind"], at: Date, minor?: bigint) => FollowUpEvent;

function planFate(
  random: Random,
  payment: PaymentEvent,
  timeAfter: (fromDays: number, toDays: number) => Date,
  newFollowUp: NewFollowUp,
): readonly FollowUpEvent[] {
  const { kind, minor } = payment;
  if (kind === "hold") return planCaptures(random, payment, newFollowUp);
  // One late success in five has no reversal, and is still in the suspense account at the end of the month.
  if (kind === "late success")
    return random.chance(0.8)
      ? planReturn(random, newFollowUp("reversal", timeAfter(0.01, 2)), "reversal returned")
      : [];
  const behaviour = random.next();
  if (behaviour < 0.06) return planRefund(random, newFollowUp("refund", timeAfter(0, 8)));
  if (behaviour < 0.09) {
    const partMinor = 1n + (minor * BigInt(random.between(1, 60))) / 100n;
    return partMinor < minor ? planRefund(random, newFollowUp("refund", timeAfter(0, 12), partMinor)) : [];
  }
  if (behaviour < 0.1) return planReturn(random, newFollowUp("cancel", timeAfter(0, 0.2)), "cancel returned");
  if (behaviour < 0.115) {
    const frozenAt = timeAfter(1, 10);
    const decidedAt = new Date(frozenAt.getTime() + Math.ceil(random.next() * 6 * dayMs));
    const decision = random.chance(0.5) ? "dispute debit" : "dispute release";
    return [newFollowUp("dispute freeze", frozenAt), newFollowUp(decision, decidedAt)];
  }
  // A direct debit that the buyer's bank returns, usually after the payout: the dispute is lost in its first report.
  if (behaviour < 0.135) {
    const returnedAt = timeAfter(1, 20);
    return [newFollowUp("dispute freeze", returnedAt), newFollowUp("dispute debit", returnedAt)];
  }
  return [];
}

/** A time up to some days after an event, at least one millisecond later. */
const laterThan = (random: Random, { at }: { readonly at: Date }, days: number): Date =>
  new Date(at.getTime() + 1 + Math.floor(random.next() * days * dayMs));

/** One refund in four fails later, often after the payout of its day. The merchant refunds half of these again. */
function planRefund(random: Random, refund: FollowUpEvent): readonly FollowUpEvent[] {
  if (!random.chance(0.25)) return [refund];
  const reversal = { ...refund, kind: "refund reversal", at: laterThan(random, refund, 12) } as const;
  if (!random.chance(0.5)) return [refund, reversal];
  return [refund, reversal, { ...refund, kind: "refund again", at: laterThan(random, reversal, 3) }];
}

/** The money of one cancel or reversal in six comes back, because the buyer's bank does not keep it. */
function planReturn(
  random: Random,
  event: FollowUpEvent,
  returned: "cancel returned" | "reversal returned",
): readonly FollowUpEvent[] {
  return random.chance(0.17)
    ? [event, { ...event, kind: returned, at: laterThan(random, event, 8) }]
    : [event];
}

/** Captures of an authorized amount in up to three parts. A capture takes up to five days, and one in three fails. */
function planCaptures(
  random: Random,
  hold: PaymentEvent,
  newFollowUp: NewFollowUp,
): readonly FollowUpEvent[] {
  const parts = Array.from({ length: random.between(1, 3) }, (_, nth) => {
    const minor = 1n + (hold.minor * BigInt(random.between(5, 30))) / 100n;
    const requestedAt = laterThan(random, hold, 3);
    const finishedAt = laterThan(random, { at: requestedAt }, random.chance(0.5) ? 0.01 : 5);
    const request = {
      ...newFollowUp("capture request", requestedAt, minor),
      part: { nth, capturedBefore: 0n },
    };
    const kind = random.chance(0.33) ? ("failed capture" as const) : ("capture" as const);
    return { request, finish: { ...request, kind, at: finishedAt } };
  });
  let capturedBefore = 0n;
  const finished = parts
    .map(({ finish }) => finish)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.part.nth - b.part.nth)
    .map((finish) => {
      const event = { ...finish, part: { ...finish.part, capturedBefore } };
      if (finish.kind === "capture") capturedBefore += finish.minor;
      return event;
    });
  return [...parts.map(({ request }) => request), ...finished];
}

/** This number of payments starts in the first millisecond of the day of the fee change, in a month of any size. */
const paymentsAtFeeChange = 4;

/** 5 % of the times are within a millisecond of midnight, where days and rules change. */
function planTime(random: Random, startsAt: Date, days: number): Date {
  const day = random.between(0, days - 1);
  const ms = random.chance(0.05) ? random.pick([0, 1, dayMs - 1]) : random.between(0, dayMs - 1);
  return new Date(startsAt.getTime() + day * dayMs + ms);
}
