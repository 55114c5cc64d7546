import * as fc from "fast-check";
import type { PayoutFile, PayoutFormat } from "../../src/settlement/payouts/payout-file.ts";

const account = fc.record({
  holder: fc.stringMatching(/^[A-Za-z0-9&<>"' ]{1,100}[A-Za-z]$/),
  iban: fc.constantFrom("DE89370400440532013000", "GB29NWBK60161331926819"),
  bic: fc.constantFrom("BNPAFRPP", "BNPAFRPPXXX"),
});
/**
 * An arbitrary payout file of a format: amounts up to 10^12 minor units, names up to 101 characters, one to five
 * payouts.
 */
export const payoutFileFor = (format: PayoutFormat): fc.Arbitrary<PayoutFile> =>
  fc.constantFrom("EUR", "JPY", "KWD").chain((currency) =>
    fc.record({
      format: fc.constant(format),
      messageId: fc.stringMatching(/^\d{35}$/),
      createdAt: fc.date({ min: new Date("2020-01-01"), max: new Date("2090-01-01"), noInvalidDate: true }),
      executionDay: fc.constantFrom("2026-11-20", "2027-01-04"),
      from: account,
      payouts: fc.array(
        fc.record({
          endToEndId: fc.stringMatching(/^\d{35}$/),
          amount: fc.bigInt({ min: 1n, max: 10n ** 12n }).map((minor) => ({ currency, minor })),
          to: fc.oneof(
            account,
            account.map((each) => ({ ...each, bic: undefined })),
          ),
          reference: fc.constant("Settlement 1"),
        }),
        { minLength: 1, maxLength: 5 },
      ),
    }),
  );
