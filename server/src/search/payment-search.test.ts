import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesTypedAmount, possibleMinorsOf, readTypedAmount, timeOfId } from "./payment-search.ts";

test("an amount is parsed as people type it, with and without its currency", () => {
  const read = (text: string): readonly bigint[] | undefined => {
    const typed = readTypedAmount(text);
    return typed && possibleMinorsOf(typed);
  };
  assert.deepEqual(read("EUR 12.50"), [1250n]);
  assert.deepEqual(read("12,5 eur"), [1250n]);
  assert.deepEqual(read("JPY1250"), [1250n]);
  assert.deepEqual(read("12.50"), [1250n, 12500n, 125000n]);
  assert.deepEqual(read("JPY 12.50"), []);
  assert.deepEqual(read("XXX 12"), []);
  assert.deepEqual(read("0"), []);
  for (const text of ["order-1001", "EUR 12 USD", "12.50.1", "", "1e3", "-5"])
    assert.equal(read(text), undefined, text);
});

test("a found payment matches only if its amount in its own currency is the typed one", () => {
  const typed = readTypedAmount("12.50") ?? assert.fail();
  const found = (currency: string, minor: bigint): boolean =>
    matchesTypedAmount(typed, { paymentId: "", currency, minor });
  assert.ok(found("EUR", 1250n));
  assert.ok(found("KWD", 12500n));
  assert.ok(!found("KWD", 1250n));
  assert.ok(!found("JPY", 1250n));
});

test("an id starts with its time; the ends of the id range have none", () => {
  assert.equal(timeOfId("20261115093000123047601530017744120")?.toISOString(), "2026-11-15T09:30:00.123Z");
  assert.equal(timeOfId("20261115093000000")?.toISOString(), "2026-11-15T09:30:00.000Z");
  assert.equal(timeOfId("0"), undefined);
  assert.equal(timeOfId("9".repeat(35)), undefined);
});
