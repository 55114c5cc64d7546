import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { arbitraryFeeTerms } from "../../test/examples/arbitrary-fee-terms.ts";
import {
  calculateCancelCost,
  calculateRefundFee,
  calculateFee,
  calculateCaptureFee,
  paymentFeeTerms,
  parseFeeTerms,
  refundCost,
  flatRateTerms,
  formatFeeTerms,
  type FeeTerms,
} from "./fee.ts";

const terms = (more: Partial<FeeTerms>): FeeTerms => ({ ...flatRateTerms(290), ruleId: "FEE_1", ...more });
const amount = fc.bigInt({ min: 1n, max: 10n ** 16n });
const feeMinor = (overrides: Partial<FeeTerms>, capturedMinor: bigint): bigint =>
  calculateFee(terms(overrides), capturedMinor).feeMinor;

test("rate, fixed part, minimum and maximum; never more than the captured amount", () => {
  assert.equal(feeMinor({}, 1250n), 36n);
  assert.equal(feeMinor({ fixedMinor: 30n }, 1250n), 66n);
  assert.equal(feeMinor({ fixedMinor: 30n, minimumMinor: 80n }, 1250n), 80n);
  assert.equal(feeMinor({ maximumMinor: 20n }, 1250n), 20n);
  assert.equal(feeMinor({ fixedMinor: 30n }, 10n), 10n);
  assert.equal(feeMinor({ minimumMinor: 80n }, 79n), 79n);
  assert.equal(feeMinor({ fixedMinor: 30n, minimumMinor: 80n }, 0n), 0n);
});

test("tax is calculated on the fee and rounded half to even", () => {
  const taxOf = (fee: bigint): bigint =>
    calculateFee(terms({ rateMillionths: 0n, fixedMinor: fee, taxMillionths: 500_000n }), 1_000n).taxMinor;
  assert.deepEqual([1n, 2n, 3n, 5n, 7n].map(taxOf), [0n, 1n, 2n, 2n, 4n]);
  const germany = terms({ fixedMinor: 30n, taxMillionths: 190_000n });
  // 19 % of 0.66 is 0.1254.
  assert.deepEqual(calculateFee(germany, 1250n), { feeMinor: 66n, taxMinor: 13n });
});

test("fee and tax together never exceed the captured amount, and are not one unit less than possible", () => {
  const taxedTerms = terms({ rateMillionths: 20_000n, fixedMinor: 30n, taxMillionths: 200_000n });
  assert.deepEqual(calculateFee(taxedTerms, 30n), { feeMinor: 25n, taxMinor: 5n });
  assert.deepEqual(calculateFee(taxedTerms, 1n), { feeMinor: 1n, taxMinor: 0n });
  fc.assert(
    fc.property(arbitraryFeeTerms, fc.bigInt({ min: 1n, max: 5_000n }), (each, capturedMinor) => {
      const fee = calculateFee(each, capturedMinor);
      assert.ok(fee.feeMinor + fee.taxMinor <= capturedMinor);
      assert.equal(calculateCancelCost(capturedMinor, each), capturedMinor - fee.feeMinor - fee.taxMinor);
      const untaxed = calculateFee({ ...each, taxMillionths: 0n }, capturedMinor).feeMinor;
      if (fee.feeMinor === untaxed) return;
      // The fee is the largest possible one: with one more unit, fee and tax would exceed the amount.
      const more = calculateFee(
        { ...each, rateMillionths: 0n, fixedMinor: fee.feeMinor + 1n, minimumMinor: 0n },
        10n ** 9n,
      );
      const isAtMaximum = more.feeMinor === fee.feeMinor;
      assert.ok(isAtMaximum || more.feeMinor + more.taxMinor > capturedMinor);
    }),
  );
});

test("the fees of rounded payments differ from the exact sum by less than one unit each, in the merchant's favour", () => {
  const rates = fc.bigInt({ min: 0n, max: 200_000n });
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 50 }), rates, (amounts, rateMillionths) => {
      const rounded = amounts.reduce((sum, each) => sum + feeMinor({ rateMillionths }, each), 0n);
      const exactMillionths = amounts.reduce((sum, each) => sum + each * rateMillionths, 0n);
      const lostMillionths = exactMillionths - rounded * 1_000_000n;
      assert.ok(lostMillionths >= 0n && lostMillionths <= BigInt(amounts.length) * 999_999n);
    }),
  );
});

test("for random captures, the fees of the parts sum to the fee of the whole, and none is negative", () => {
  fc.assert(
    fc.property(arbitraryFeeTerms, fc.array(amount, { minLength: 1, maxLength: 9 }), (each, parts) => {
      let [capturedMinor, fee, tax] = [0n, 0n, 0n];
      for (const part of parts) {
        const partFee = calculateCaptureFee(each, capturedMinor, part);
        assert.ok(partFee.feeMinor >= 0n && partFee.taxMinor >= 0n);
        [capturedMinor, fee, tax] = [capturedMinor + part, fee + partFee.feeMinor, tax + partFee.taxMinor];
      }
      assert.deepEqual(calculateFee(each, capturedMinor), { feeMinor: fee, taxMinor: tax });
    }),
  );
});

test("by policy a refund returns nothing, the rate's part, or all; and has its own fee", () => {
  const whole = { capturedMinor: 1250n, refundedMinor: 1250n };
  const returned = (more: Partial<FeeTerms>, sums = whole): bigint =>
    calculateRefundFee(terms({ fixedMinor: 30n, ...more }), sums).returned.feeMinor;
  assert.equal(returned({ refundPolicy: "keep" }), 0n);
  assert.equal(returned({ refundPolicy: "return rate" }), 36n);
  assert.equal(returned({ refundPolicy: "return all" }), 66n);
  // The minimum fee is not part of the rate, and the part of a fee above the maximum was never charged.
  assert.equal(returned({ refundPolicy: "return rate", minimumMinor: 500n }), 36n);
  assert.equal(returned({ refundPolicy: "return rate", maximumMinor: 50n }), 20n);
  assert.equal(returned({ refundPolicy: "return all" }, { ...whole, refundedMinor: 625n }), 33n);
  const { charged } = calculateRefundFee(terms({ refundFixedMinor: 25n, taxMillionths: 190_000n }), whole);
  assert.deepEqual(charged, { feeMinor: 25n, taxMinor: 5n });
});

test("for random partial refunds of everything, the policy's part of the fee returns with its tax, and never more", () => {
  const parts = fc.array(fc.bigInt({ min: 1n, max: 1_000_000n }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(arbitraryFeeTerms, parts, (each, refunds) => {
      const capturedMinor = refunds.reduce((sum, part) => sum + part, 0n);
      const fee = calculateFee(each, capturedMinor);
      let refundedMinor = 0n;
      let sum = { feeMinor: 0n, taxMinor: 0n };
      for (const part of refunds) {
        refundedMinor += part;
        const { returned } = calculateRefundFee(each, { capturedMinor, refundedMinor, returned: sum });
        assert.ok(returned.feeMinor >= 0n && returned.taxMinor >= 0n);
        sum = { feeMinor: sum.feeMinor + returned.feeMinor, taxMinor: sum.taxMinor + returned.taxMinor };
        assert.ok(sum.feeMinor <= fee.feeMinor && sum.taxMinor <= fee.taxMinor);
      }
      const once = calculateRefundFee(each, { capturedMinor, refundedMinor: capturedMinor });
      assert.deepEqual(sum, once.returned);
      if (each.refundPolicy === "return all") assert.deepEqual(sum, fee);
      if (each.refundPolicy === "keep") assert.deepEqual(sum, { feeMinor: 0n, taxMinor: 0n });
    }),
  );
});

test("a part that later captures would have returned is neither returned twice nor charged again", () => {
  const each = terms({ rateMillionths: 0n, fixedMinor: 100n, refundPolicy: "return all" });
  const first = calculateRefundFee(each, { capturedMinor: 200n, refundedMinor: 100n });
  assert.equal(first.returned.feeMinor, 50n);
  const second = calculateRefundFee(each, {
    capturedMinor: 1_000n,
    refundedMinor: 200n,
    returned: first.returned,
  });
  assert.equal(second.returned.feeMinor, 0n);
});

test("tax that was returned too early, because an earlier refund failed, is not charged again", () => {
  // The fee is 4 units with 50 % tax. Of two refunds, the first returned no tax and the second 1 unit. The first one
  // failed, so the tax was returned too early.
  const each = terms({
    rateMillionths: 0n,
    fixedMinor: 4n,
    taxMillionths: 500_000n,
    refundPolicy: "return all",
  });
  const returned = { feeMinor: 1n, taxMinor: 1n };
  const next = calculateRefundFee(each, { capturedMinor: 100n, refundedMinor: 30n, returned });
  assert.deepEqual(next.returned, { feeMinor: 0n, taxMinor: 0n });
});

test("the balance change of a refund or a cancel is never negative", () => {
  const fee = calculateRefundFee(terms({ refundFixedMinor: 25n }), {
    capturedMinor: 1250n,
    refundedMinor: 100n,
  });
  assert.equal(refundCost(100n, fee), 125n);
  assert.equal(
    calculateCancelCost(1250n, terms({ fixedMinor: 30n, taxMillionths: 190_000n })),
    1250n - 66n - 13n,
  );
  // Fee and tax equal the paid amount, so the balance change is 0.
  assert.equal(calculateCancelCost(10n, terms({ fixedMinor: 30n, taxMillionths: 190_000n })), 0n);
});

test("a payment stores its terms in a short text, and without a rule uses its merchant's rate", () => {
  fc.assert(
    fc.property(arbitraryFeeTerms, (each) => {
      assert.deepEqual(parseFeeTerms(formatFeeTerms(each)), each);
      assert.deepEqual(paymentFeeTerms({ feeTerms: formatFeeTerms(each), feeBasisPoints: 7 }), each);
    }),
  );
  assert.equal(formatFeeTerms(terms({ fixedMinor: 30n })), "FEE_1:29000:30:0::0:K:0");
  assert.deepEqual(paymentFeeTerms({ feeTerms: undefined, feeBasisPoints: 290 }), flatRateTerms(290));
});

test("unreadable terms are a fault, not a payment without a fee", () => {
  for (const text of ["", "FEE_1", "FEE_1:29000:30:0::0:X:0", "FEE_1:-1:30:0::0:K:0"])
    assert.throws(() => parseFeeTerms(text), /invalid fee terms/);
});
