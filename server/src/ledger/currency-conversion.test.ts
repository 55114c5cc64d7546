import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Money } from "../core/money.ts";
import { buildDealEffects, conversionEffect, conversionAccount } from "./currency-conversion-effects.ts";
import {
  averagePrice,
  convertAmount,
  subtractMargin,
  promisedPart,
  parsePrice,
  type FxPosition,
} from "./currency-conversion.ts";
import { payableAccount, type Transfer } from "./transfer.ts";

const eur = (minor: bigint): Money => ({ currency: "EUR", minor });

test("a price is an exact decimal in its shortest form", () => {
  const spellings: readonly (readonly [string, string | undefined])[] = [
    ["1.0832", "1.0832"],
    ["1.083200000000000", "1.0832"],
    ["007", "7"],
    ["0.000000000000001", "0.000000000000001"],
    ["149.5", "149.5"],
    ["123456789.123456789012345", "123456789.123456789012345"],
    ["0.0000000000000001", undefined],
    ["0", undefined],
    ["0.0", undefined],
    ["-1", undefined],
    ["1,08", undefined],
    ["1e3", undefined],
    [".5", undefined],
    ["", undefined],
  ];
  for (const [text, price] of spellings) assert.equal(parsePrice(text), price, text);
});

test("a margin is subtracted once, to 15 places, rounded half to even", () => {
  assert.equal(subtractMargin("1.0872", 4_000n), "1.0828512");
  assert.equal(subtractMargin("1.0832", 0n), "1.0832");
  assert.equal(subtractMargin("0.000000000000001", 500_000n), undefined, "nothing is left");
  assert.equal(subtractMargin("0.000000000000003", 500_000n), "0.000000000000002");
});

test("amounts are rounded to minor units of the target currency", () => {
  const cases: readonly (readonly [Money, string, string, bigint])[] = [
    [eur(100_000n), "USD", "1.0832", 108_320n],
    // 0.5 cents are rounded to the even number of cents: down to 0, and 1.5 cents up to 2.
    [eur(1n), "USD", "0.5", 0n],
    [eur(3n), "USD", "0.5", 2n],
    [eur(5n), "USD", "0.5", 2n],
    [eur(1250n), "JPY", "163.24", 2040n],
    [{ currency: "JPY", minor: 2040n }, "EUR", "0.006126", 1250n],
    [eur(1000n), "KWD", "0.3345", 3345n],
    [{ currency: "KWD", minor: 3345n }, "JPY", "488.6", 1634n],
    [{ currency: "CLF", minor: 1n }, "JPY", "5555", 1n],
  ];
  for (const [amount, to, price, minor] of cases)
    assert.deepEqual(
      convertAmount(amount, to, price),
      { currency: to, minor },
      `${amount.minor} at ${price}`,
    );
});

const digits = { CLF: 4, EUR: 2, JPY: 0, KWD: 3 } as const;
const currency = fc.constantFrom("CLF", "EUR", "JPY", "KWD");
const price = fc.bigInt({ min: 1n, max: 10n ** 20n }).map((scaled) => {
  const text = String(scaled).padStart(16, "0");
  return parsePrice(`${text.slice(0, -15)}.${text.slice(-15)}`) ?? "";
});

test("a converted amount differs by at most half a minor unit, for all currencies", () => {
  fc.assert(
    fc.property(currency, currency, fc.bigInt({ min: 0n, max: 10n ** 15n }), price, (from, to, minor, at) => {
      const converted = convertAmount({ currency: from, minor }, to, at).minor;
      const [whole = "", part = ""] = at.split(".");
      const scaled = BigInt(whole + part.padEnd(15, "0"));
      const unit = 10n ** BigInt(15 + digits[from]);
      const off = converted * unit - minor * scaled * 10n ** BigInt(digits[to]);
      assert.ok((off < 0n ? -off : off) * 2n <= unit);
    }),
  );
});

/** Debits minus credits, by account and currency. */
function sumByAccount(transfers: readonly Transfer[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  const add = (account: string, minor: bigint): void =>
    void sums.set(account, (sums.get(account) ?? 0n) + minor);
  for (const { debit, credit, amount } of transfers) {
    add(`${debit} ${amount.currency}`, amount.minor);
    add(`${credit} ${amount.currency}`, -amount.minor);
  }
  return sums;
}

const change = fc.record({ minor: fc.bigInt({ min: 1n, max: 10n ** 10n }), price });
const deal = fc.record({
  part: fc.integer({ min: 1, max: 100 }),
  got: fc.bigInt({ min: 1n, max: 10n ** 12n }),
});

test("both currencies balance; when all is sold, the position is zero and the gain is deals minus promises", () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1 }), fc.array(deal), (changes, deals) => {
      const transfers: Transfer[] = [];
      let position: FxPosition = { held: eur(0n), promised: { currency: "JPY", minor: 0n } };
      let [sold, promised, bought] = [0n, 0n, 0n];
      for (const { minor, price: at } of changes) {
        const got = convertAmount(eur(minor), "JPY", at);
        if (got.minor === 0n) continue;
        transfers.push(...conversionEffect("M", eur(minor), got).transfers);
        sold += minor;
        promised += got.minor;
      }
      position = { held: eur(sold), promised: { currency: "JPY", minor: promised } };
      // The last deal sells the rest of the position.
      for (const { part, got } of [...deals, { part: 100, got: 1n }]) {
        const soldMinor = (position.held.minor * BigInt(part)) / 100n;
        if (soldMinor === 0n) continue;
        const effects = buildDealEffects(position, {
          sold: eur(soldMinor),
          bought: { currency: "JPY", minor: got },
        });
        transfers.push(...effects.map(({ transfer }) => transfer));
        bought += got;
        const share = promisedPart(position, soldMinor);
        position = {
          held: eur(position.held.minor - soldMinor),
          promised: { currency: "JPY", minor: position.promised.minor - share },
        };
      }
      const balances = sumByAccount(transfers);
      const balanceOf = (account: string): bigint => balances.get(account) ?? 0n;
      for (const code of ["EUR", "JPY"]) {
        const all = [...balances].filter(([account]) => account.endsWith(code));
        assert.equal(
          all.reduce((sum, [, minor]) => sum + minor, 0n),
          0n,
        );
      }
      const account = conversionAccount({ from: "EUR", to: "JPY" });
      assert.deepEqual([balanceOf(`${account} EUR`), balanceOf(`${account} JPY`)], [0n, 0n]);
      assert.deepEqual(
        [balanceOf(`${payableAccount("M")} EUR`), balanceOf(`${payableAccount("M")} JPY`)],
        [sold, -promised],
      );
      assert.deepEqual([balanceOf("clearing EUR"), balanceOf("clearing JPY")], [-sold, bought]);
      assert.equal(balanceOf("exchange gain and loss JPY"), promised - bought);
    }),
  );
});

test("the average price of a position is its break-even rate", () => {
  const promised = { currency: "JPY", minor: 2040n };
  assert.equal(averagePrice({ held: eur(1250n), promised }), "163.2");
  assert.equal(averagePrice({ held: eur(0n), promised }), undefined);
});
