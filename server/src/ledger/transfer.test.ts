import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { lateSuccessEffect, paymentEffect, reversalEffect, type Effect } from "./transfer.ts";

/** What each account holds after some effects: debits add, credits take away. */
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

test("whatever happens, all accounts together hold nothing", () => {
  const effect = money.chain((amount) =>
    fc.constantFrom(
      paymentEffect("A", "w", amount),
      lateSuccessEffect("w", amount),
      reversalEffect("w", amount),
    ),
  );
  fc.assert(
    fc.property(fc.array(effect), (effects) => {
      const held = [...balances(effects)];
      for (const currency of ["EUR", "JPY"]) {
        const sum = held
          .filter(([name]) => name.endsWith(currency))
          .reduce((total, [, minor]) => total + minor, 0n);
        assert.equal(sum, 0n);
      }
    }),
  );
});

test("a payment is owed to the merchant, and a late success that was sent back to nobody", () => {
  const amount = { currency: "EUR", minor: 1250n };
  assert.deepEqual(
    balances([paymentEffect("A", "w", amount)]),
    new Map([
      ["wallet receivable w EUR", 1250n],
      ["merchant payable A EUR", -1250n],
    ]),
  );
  const back = balances([lateSuccessEffect("w", amount), reversalEffect("w", amount)]);
  assert.deepEqual([...new Set(back.values())], [0n]);
});
