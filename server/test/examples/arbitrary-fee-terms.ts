import fc from "fast-check";
import type { FeeTerms } from "../../src/ledger/fee.ts";

const arbitraryMinor = fc.bigInt({ min: 0n, max: 5_000n });

/** Arbitrary fee terms that an operator may set. */
export const arbitraryFeeTerms: fc.Arbitrary<FeeTerms> = fc
  .record({
    ruleId: fc.constantFrom("FEE_1", undefined),
    rateMillionths: fc.bigInt({ min: 0n, max: 200_000n }),
    fixedMinor: arbitraryMinor,
    minimumMinor: arbitraryMinor,
    moreThanMinimum: fc.option(arbitraryMinor, { nil: undefined }),
    taxMillionths: fc.constantFrom(0n, 77_000n, 190_000n, 500_000n),
    refundPolicy: fc.constantFrom("keep", "return rate", "return all"),
    refundFixedMinor: arbitraryMinor,
  })
  .map(({ moreThanMinimum, ...terms }) => ({
    ...terms,
    maximumMinor: moreThanMinimum === undefined ? undefined : terms.minimumMinor + moreThanMinimum,
  }));
