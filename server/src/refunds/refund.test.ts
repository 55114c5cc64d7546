import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { backOff } from "../resilience/backoff.ts";
import type { Money } from "../core/money.ts";
import { defaultTerms, type ConnectorTerms } from "../providers/connector.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { moneyBackoff } from "../providers/provider-message.ts";
import { refundRefusal, refundRefusals, type RefundFacts } from "./refund.ts";

const now = new Date("2026-11-15T10:00:00Z");
const dayMs = 24 * 3600 * 1000;
const eur = (minor: bigint): Money => ({ currency: "EUR", minor });
const paid = examplePayment({
  status: "SUCCESS",
  resultCode: "SUCCESS",
  paidAmount: eur(1250n),
  paidAt: now,
  sequence: 2,
  order: {
    connector: "w",
    reference: "r",
    account: undefined,
    registrationId: undefined,
    acceptedAt: now,
    nextAction: undefined,
    actionSequence: 0,
  },
  capturedMinor: 1250n,
});

interface Differing {
  readonly payment?: Partial<RefundFacts["payment"]>;
  readonly amount?: Money;
  readonly capturedMinor?: bigint;
  readonly terms?: Partial<ConnectorTerms>;
  readonly now?: Date;
}

function factsOf({ payment, terms, ...otherFacts }: Differing): RefundFacts {
  return {
    payment: { ...paid, ...payment },
    amount: eur(1250n),
    capturedMinor: 1250n,
    termsOf: () => ({ ...defaultTerms, ...terms }),
    now,
    ...otherFacts,
  };
}

const yearLater = new Date(now.getTime() + 365 * dayMs);
const momentLater = new Date(yearLater.getTime() + 1);

const table: readonly (readonly [string, Differing, string | undefined])[] = [
  ["the full amount", {}, undefined],
  ["a part of the amount", { amount: eur(1n) }, undefined],
  ["the rest", { payment: { refundedMinor: 1000n }, amount: eur(250n) }, undefined],
  ["a cancelled payment", { payment: { status: "CANCELLED" } }, "ORDER_IS_CANCELED"],
  [
    "a payment that expired",
    { payment: { status: "FAIL", resultCode: "ORDER_IS_CLOSED" } },
    "ORDER_IS_CLOSED",
  ],
  [
    "a payment that was declined",
    { payment: { status: "FAIL", resultCode: "RISK_REJECT" } },
    "ORDER_STATUS_INVALID",
  ],
  ["a payment in progress", { payment: { status: "PROCESSING" } }, "ORDER_STATUS_INVALID"],
  ["a payment that the provider still decides", { payment: { status: "PENDING" } }, "ORDER_STATUS_INVALID"],
  ["a payment that is being cancelled", { payment: { cancelRequestedAt: now } }, "ORDER_STATUS_INVALID"],
  ["another currency", { amount: { currency: "USD", minor: 1n } }, "CURRENCY_NOT_SUPPORT"],
  ["a method without refunds", { terms: { refunds: "NONE" } }, "REFUND_NOT_SUPPORTED"],
  ["at the end of the window", { now: yearLater }, undefined],
  ["just after the window", { now: momentLater }, "REFUND_WINDOW_EXCEED"],
  ["a shorter window", { now: yearLater, terms: { refundWindowDays: 180 } }, "REFUND_WINDOW_EXCEED"],
  ["more than the paid amount", { amount: eur(1251n) }, "REFUND_AMOUNT_EXCEED"],
  [
    "more than the remaining amount",
    { payment: { refundedMinor: 1000n }, amount: eur(251n) },
    "REFUND_AMOUNT_EXCEED",
  ],
  ["more than the captured amount", { capturedMinor: 900n, amount: eur(901n) }, "REFUND_AMOUNT_EXCEED"],
  ["an authorization hold without captures", { capturedMinor: 0n, amount: eur(1n) }, "REFUND_AMOUNT_EXCEED"],
  ["the full captured amount", { capturedMinor: 900n, amount: eur(900n) }, undefined],
  ["in full, if only full refunds are allowed", { terms: { refunds: "FULL" } }, undefined],
  [
    "in part, if only full refunds are allowed",
    { amount: eur(1249n), terms: { refunds: "FULL" } },
    "PARTIAL_REFUND_NOT_SUPPORTED",
  ],
  ["in part, if one refund is allowed", { amount: eur(1n), terms: { refunds: "ONCE" } }, undefined],
  [
    "a second time, if one refund is allowed",
    { payment: { refundedMinor: 1n }, amount: eur(1n), terms: { refunds: "ONCE" } },
    "MULTIPLE_REFUNDS_NOT_SUPPORTED",
  ],
];

for (const [description, differing, refusal] of table) {
  test(`a refund of ${description}: ${refusal ?? "goes ahead"}`, () => {
    assert.equal(refundRefusal(factsOf(differing)), refusal);
  });
}

/** Invalid refunds, in order of precedence: each row fails its own check, and may fail later ones as well. */
const wrongs: readonly Differing[] = [
  { payment: { status: "CANCELLED" } },
  { payment: { status: "FAIL", resultCode: "ORDER_IS_CLOSED" } },
  { payment: { status: "FAIL", resultCode: "RISK_REJECT" } },
  { amount: { currency: "USD", minor: 2000n } },
  { terms: { refunds: "NONE" } },
  { now: momentLater },
  { amount: eur(1300n) },
  { amount: eur(1n), terms: { refunds: "FULL" } },
  { payment: { refundedMinor: 1n }, amount: eur(1n), terms: { refunds: "ONCE" } },
];

test("if several refusals apply, the first of the list is returned", () => {
  assert.equal(wrongs.length, refundRefusals.length);
  refundRefusals.forEach((refusal, first) => {
    const all = wrongs.slice(first).reduceRight(
      (later, invalidFacts) => ({
        ...later,
        ...invalidFacts,
        payment: { ...later.payment, ...invalidFacts.payment },
        terms: { ...later.terms, ...invalidFacts.terms },
      }),
      {},
    );
    assert.equal(refundRefusal(factsOf(all)), refusal);
  });
});

const seconds = (count: number): Date => new Date(now.getTime() + count * 1000);

test("the poll intervals of a refund grow, and polling never stops", () => {
  fc.assert(
    fc.property(fc.nat(1000), (attempts) => {
      const [gap, next] = [0, 1].map((more) => backOff(moneyBackoff, attempts + more, now));
      assert.ok(gap && next && gap > now && next >= gap && next <= seconds(900));
    }),
  );
});
