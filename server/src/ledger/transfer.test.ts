import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { arbitraryFeeTerms } from "../../test/examples/arbitrary-fee-terms.ts";
import { sumBatch, type MovementSum } from "../settlement/batch.ts";
import { calculateFee, calculateRefundFee, flatRateTerms } from "./fee.ts";
import {
  cancelEffect,
  captureEffect,
  disputeDebitEffect,
  disputeFreezeEffect,
  disputeReleaseEffect,
  lateSuccessEffect,
  paymentEffect,
  payableAccount,
  refundEffect,
  refundReversalEffect,
  returnedReversalEffect,
  reversalEffect,
  type Effect,
  type Transfer,
} from "./transfer.ts";

/** Sums accounts after some effects: debits add, credits subtract. */
function balances(effects: readonly Effect[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { debit, credit, amount } of effects.flatMap(({ transfers }) => transfers)) {
    const add = (account: string, minor: bigint): void => {
      const name = `${account} ${amount.currency}`;
      sums.set(name, (sums.get(name) ?? 0n) + minor);
    };
    add(debit, amount.minor);
    add(credit, -amount.minor);
  }
  return sums;
}

const money = fc.record({
  currency: fc.constantFrom("EUR", "JPY"),
  minor: fc.bigInt({ min: 1n, max: 10n ** 16n }),
});

test("for random effects all accounts sum to zero, and no line has a zero amount", () => {
  const effect = fc.tuple(money, arbitraryFeeTerms).chain(([amount, terms]) =>
    fc.constantFrom(
      paymentEffect("A", "w", amount, terms),
      captureEffect("A", "w", amount, { terms, capturedBeforeMinor: 7n }),
      refundEffect("A", "w", amount),
      refundEffect(
        "A",
        "w",
        amount,
        calculateRefundFee(terms, {
          capturedMinor: amount.minor * 2n,
          refundedMinor: amount.minor,
        }),
      ),
      refundReversalEffect(
        "A",
        "w",
        amount,
        calculateRefundFee(terms, { capturedMinor: amount.minor, refundedMinor: amount.minor }),
      ),
      returnedReversalEffect("w", amount),
      cancelEffect("A", "w", amount, terms),
      lateSuccessEffect("w", amount),
      reversalEffect("w", amount),
      disputeFreezeEffect("A", amount),
      disputeReleaseEffect("A", amount),
      disputeDebitEffect("A", "w", { frozen: { ...amount, minor: amount.minor / 2n }, debited: amount }),
      disputeDebitEffect("A", "w", { frozen: { ...amount, minor: amount.minor * 2n }, debited: amount }),
    ),
  );
  fc.assert(
    fc.property(fc.array(effect), (effects) => {
      const entries = [...balances(effects)];
      for (const currency of ["EUR", "JPY"]) {
        const sum = entries
          .filter(([name]) => name.endsWith(currency))
          .reduce((total, [, minor]) => total + minor, 0n);
        assert.equal(sum, 0n);
      }
      assert.ok(effects.flatMap(({ transfers }) => transfers).every(({ amount }) => amount.minor > 0n));
    }),
  );
});

test("a refund and its reversal leave all accounts as they were, for every fee", () => {
  fc.assert(
    fc.property(money, arbitraryFeeTerms, (amount, terms) => {
      const fee = calculateRefundFee(terms, {
        capturedMinor: amount.minor * 2n,
        refundedMinor: amount.minor,
      });
      const sums = balances([
        refundEffect("A", "w", amount, fee),
        refundReversalEffect("A", "w", amount, fee),
      ]);
      assert.deepEqual([...new Set(sums.values())], [0n]);
    }),
  );
});

/** A payment captured in parts, and its refunds, of which some fail later. */
const history = fc.record({
  terms: arbitraryFeeTerms,
  parts: fc.array(fc.bigInt({ min: 1n, max: 9_999n }), { minLength: 1, maxLength: 4 }),
  refunds: fc.array(
    fc.record({ percent: fc.bigInt({ min: 1n, max: 60n }), isReversed: fc.boolean(), batch: fc.nat(2) }),
    { maxLength: 5 },
  ),
});

test("refunds that fail later leave ledger and settlement as if they had never been made", () => {
  fc.assert(
    fc.property(history, ({ terms, parts, refunds }) => {
      const effects: { readonly effect: Effect; readonly batch: number }[] = [];
      let capturedMinor = 0n;
      for (const minor of parts) {
        const before = { terms, capturedBeforeMinor: capturedMinor };
        const effect = captureEffect("A", "w", { currency: "EUR", minor }, before);
        effects.push({ effect, batch: 0 });
        capturedMinor += minor;
      }
      const captureFee = calculateFee(terms, capturedMinor);
      let expectedMinor = capturedMinor - captureFee.feeMinor - captureFee.taxMinor;
      let refundedMinor = 0n;
      let returned = { feeMinor: 0n, taxMinor: 0n };
      for (const { percent, isReversed, batch } of refunds) {
        const minor = (capturedMinor * percent) / 100n;
        if (minor === 0n || refundedMinor + minor > capturedMinor) continue;
        const fee = calculateRefundFee(terms, {
          capturedMinor,
          refundedMinor: refundedMinor + minor,
          returned,
        });
        const refunded = ["A", "w", { currency: "EUR", minor }, fee] as const;
        effects.push({ effect: refundEffect(...refunded), batch });
        if (isReversed) {
          // The failure is reported later, so it may be in a later batch than the refund.
          effects.push({ effect: refundReversalEffect(...refunded), batch: batch + 1 });
          continue;
        }
        refundedMinor += minor;
        returned = {
          feeMinor: returned.feeMinor + fee.returned.feeMinor,
          taxMinor: returned.taxMinor + fee.returned.taxMinor,
        };
        expectedMinor -= minor + fee.charged.feeMinor + fee.charged.taxMinor;
        expectedMinor += fee.returned.feeMinor + fee.returned.taxMinor;
      }
      const sums = balances(effects.map(({ effect }) => effect));
      assert.equal(-(sums.get(`${payableAccount("A")} EUR`) ?? 0n), expectedMinor);
      assert.equal(sums.get("provider receivable w EUR") ?? 0n, capturedMinor - refundedMinor);

      let carried = 0n;
      let refundsMinor = 0n;
      for (const batch of [0, 1, 2, 3]) {
        const movements = effects
          .filter((each) => each.batch === batch)
          .flatMap(({ effect }) => effect.transfers.map((transfer) => movementOf(effect.name, transfer)));
        const { net, refunds: returnedMinor } = sumBatch(
          movements,
          { reserveBasisPoints: 0, reserveDays: 0 },
          { released: 0n, carried },
        );
        carried = net;
        refundsMinor -= returnedMinor;
      }
      assert.deepEqual([carried, refundsMinor], [expectedMinor, refundedMinor]);
    }),
  );
});

function movementOf(effect: string, { debit, credit, amount: { minor } }: Transfer): MovementSum {
  const isDebit = debit === payableAccount("A");
  return { effect, otherAccount: isDebit ? credit : debit, minor: isDebit ? -minor : minor };
}

test("a payment and its cancel leave all accounts at zero, for every fee", () => {
  fc.assert(
    fc.property(money, arbitraryFeeTerms, (amount, terms) => {
      const sums = balances([paymentEffect("A", "w", amount, terms), cancelEffect("A", "w", amount, terms)]);
      assert.deepEqual([...new Set(sums.values())], [0n]);
    }),
  );
});

const amount = { currency: "EUR", minor: 1250n };

test("a payment is owed to the merchant minus the fee, and a returned late success leaves all accounts at zero", () => {
  // 2.9 % of 12.50 is 0.3625. The fee is 0.36, because fractions of a cent stay with the merchant.
  assert.deepEqual(
    balances([paymentEffect("A", "w", amount, flatRateTerms(290))]),
    new Map([
      ["provider receivable w EUR", 1250n],
      ["merchant payable A EUR", -1214n],
      ["fee revenue EUR", -36n],
    ]),
  );
  assert.equal(paymentEffect("A", "w", amount, flatRateTerms(0)).transfers.length, 1);
  const back = balances([lateSuccessEffect("w", amount), reversalEffect("w", amount)]);
  assert.deepEqual([...new Set(back.values())], [0n]);
});

test("money of a cancel that came back is in suspense, and no merchant has it", () => {
  const sums = balances([
    paymentEffect("A", "w", amount, flatRateTerms(290)),
    cancelEffect("A", "w", amount, flatRateTerms(290)),
    returnedReversalEffect("w", amount),
  ]);
  assert.deepEqual(
    [...sums].filter(([, minor]) => minor !== 0n),
    [
      ["provider receivable w EUR", 1250n],
      ["suspense EUR", -1250n],
    ],
  );
});

test("the merchant pays for a refund, and the fee is not returned", () => {
  assert.deepEqual(
    balances([
      captureEffect("A", "w", amount, { terms: flatRateTerms(290), capturedBeforeMinor: 0n }),
      refundEffect("A", "w", amount),
    ]),
    new Map([
      ["provider receivable w EUR", 0n],
      ["merchant payable A EUR", 36n],
      ["fee revenue EUR", -36n],
    ]),
  );
});

test("a won dispute changes nothing, a lost one debits the returned amount, and nothing stays frozen", () => {
  const parts = fc.record({ paid: money, frozenPart: fc.nat(100), debitedPart: fc.nat(100) });
  fc.assert(
    fc.property(parts, ({ paid, frozenPart, debitedPart }) => {
      const part = (percent: number): bigint => (paid.minor * BigInt(percent)) / 100n;
      const frozen = { ...paid, minor: part(frozenPart) };
      const debited = { ...paid, minor: part(debitedPart) };
      const payment = paymentEffect("A", "w", paid, flatRateTerms(0));
      const freeze = frozen.minor > 0n ? [disputeFreezeEffect("A", frozen)] : [];
      const release = frozen.minor > 0n ? [disputeReleaseEffect("A", frozen)] : [];
      const won = balances([payment, ...freeze, ...release]);
      const lost = balances([payment, ...freeze, disputeDebitEffect("A", "w", { frozen, debited })]);
      const balanceOf = (sums: Map<string, bigint>, account: string): bigint =>
        sums.get(`${account} ${paid.currency}`) ?? 0n;
      assert.equal(balanceOf(won, "merchant payable A"), -paid.minor);
      assert.equal(balanceOf(won, "merchant frozen A"), 0n);
      assert.equal(balanceOf(lost, "merchant payable A"), debited.minor - paid.minor);
      assert.equal(balanceOf(lost, "provider receivable w"), paid.minor - debited.minor);
      assert.equal(balanceOf(lost, "merchant frozen A"), 0n);
    }),
  );
});
