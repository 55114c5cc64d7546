import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  coversAllPayments,
  selectFeeRule,
  selectFeeTerms,
  rulesInEffect,
  calculateProviderCost,
  type FeeRule,
} from "./fee-rule.ts";
import { parseFeeTerms, flatRateTerms } from "./fee.ts";

const midnight = new Date("2026-11-30T16:00:00.000Z");
const afterMidnight = (ms: number): Date => new Date(midnight.getTime() + ms);

function rule(ruleId: string, overrides: Partial<FeeRule> = {}): FeeRule {
  return {
    clientId: undefined,
    paymentMethodType: undefined,
    currency: undefined,
    fromAt: midnight,
    setAt: new Date("2026-11-01"),
    terms: { ...flatRateTerms(290), ruleId },
    ...overrides,
  };
}

const query = { paymentMethodType: "GCASH", currency: "PHP", at: afterMidnight(0) };
const selectedRuleId = (rules: readonly FeeRule[], more: Partial<typeof query> = {}): string | undefined =>
  selectFeeRule(rules, { ...query, ...more })?.terms.ruleId;

test("a rule applies to payments from its first millisecond on, and to none before", () => {
  const rules = [rule("old", { fromAt: afterMidnight(-86_400_000) }), rule("new")];
  assert.equal(selectedRuleId(rules, { at: afterMidnight(-1) }), "old");
  assert.equal(selectedRuleId(rules, { at: afterMidnight(0) }), "new");
  assert.equal(selectedRuleId(rules, { at: afterMidnight(1) }), "new");
  assert.equal(selectedRuleId([rule("new")], { at: afterMidnight(-1) }), undefined);
});

test("a merchant's rule comes before a general one, then a method's, then a currency's, whatever their age", () => {
  const old = { fromAt: afterMidnight(-1_000) };
  const all = rule("all");
  const currency = rule("currency", { ...old, currency: "PHP" });
  const method = rule("method", { ...old, paymentMethodType: "GCASH" });
  const merchantRule = rule("own", { ...old, clientId: "A" });
  assert.equal(selectedRuleId([all, currency]), "currency");
  assert.equal(selectedRuleId([currency, method, all]), "method");
  assert.equal(selectedRuleId([merchantRule, currency, method, all]), "own");
  assert.equal(
    selectedRuleId([rule("both", { ...old, paymentMethodType: "GCASH", currency: "PHP" }), method]),
    "both",
  );
});

test("a rule for another method or currency does not apply, nor one for a method before the method is chosen", () => {
  const method = rule("method", { paymentMethodType: "GCASH" });
  assert.equal(selectedRuleId([method], { paymentMethodType: "CARD" }), undefined);
  assert.equal(selectFeeRule([method], { ...query, paymentMethodType: undefined }), undefined);
  assert.equal(selectedRuleId([rule("euro", { currency: "EUR" })]), undefined);
});

test("of two rules with the same scope and start, the later one applies", () => {
  assert.equal(selectedRuleId([rule("first"), rule("second")]), "second");
});

test("for random rules, the chosen one applies, and no applicable rule is more specific or newer", () => {
  const any = fc.record({
    clientId: fc.constantFrom("A", undefined),
    paymentMethodType: fc.constantFrom("GCASH", "CARD", undefined),
    currency: fc.constantFrom("PHP", "EUR", undefined),
    fromAt: fc.integer({ min: -3, max: 3 }).map(afterMidnight),
  });
  const sortKey = (each: FeeRule): string =>
    [each.clientId, each.paymentMethodType, each.currency]
      .map((part) => (part === undefined ? 0 : 1))
      .join("") + String(each.fromAt.getTime());
  fc.assert(
    fc.property(fc.array(any), fc.integer({ min: -4, max: 4 }), (scopes, ms) => {
      const rules = scopes.map((scope, index) => rule(`r${index}`, scope));
      const at = afterMidnight(ms);
      const fitting = rules.filter(
        (each) =>
          each.fromAt <= at &&
          [undefined, "GCASH"].includes(each.paymentMethodType) &&
          [undefined, "PHP"].includes(each.currency),
      );
      const best = fitting
        .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : sortKey(a) > sortKey(b) ? 1 : 0))
        .at(-1);
      assert.equal(selectedRuleId(rules, { at }), best?.terms.ruleId);
    }),
  );
});

test("a payment stores the terms, not only the rule id", () => {
  assert.deepEqual(parseFeeTerms(selectFeeTerms([rule("FEE_1")], query) ?? ""), {
    ...flatRateTerms(290),
    ruleId: "FEE_1",
  });
  assert.equal(selectFeeTerms([], query), undefined);
});

test("a provider's cost is calculated by its newest applicable contract, to the nearest unit", () => {
  const cost = {
    connector: "gcash",
    paymentMethodType: undefined,
    currency: undefined,
    fromAt: afterMidnight(-1),
    setAt: midnight,
    rateMillionths: 12_000n,
    fixedMinor: 0n,
  };
  const dearer = { ...cost, currency: "PHP", fixedMinor: 100n, fromAt: midnight };
  const at = { ...query, connector: "gcash" };
  assert.equal(calculateProviderCost([cost], at, 125_000n), 1_500n);
  // 1.2 % of 1.04 is 0.01248, which rounds to 0.01. 1.2 % of 1.25 is 0.015, which rounds to 0.02.
  assert.deepEqual(
    [calculateProviderCost([cost], at, 104n), calculateProviderCost([cost], at, 125n)],
    [1n, 2n],
  );
  assert.equal(calculateProviderCost([cost, dearer], at, 125_000n), 1_600n);
  assert.equal(calculateProviderCost([cost, dearer], { ...at, at: afterMidnight(-1) }, 125_000n), 1_500n);
  assert.equal(calculateProviderCost([cost], { ...at, connector: "maya" }, 125_000n), undefined);
});

test("the rules in effect are those that apply to some payment, and the plain rate is used if no rule covers all payments", () => {
  const old = { fromAt: afterMidnight(-1_000) };
  const namesIn = (rules: readonly FeeRule[], at = afterMidnight(0)): readonly (string | undefined)[] =>
    rulesInEffect(rules, at).map(({ terms }) => terms.ruleId);
  const all = rule("all");
  const method = rule("method", { ...old, paymentMethodType: "GCASH" });
  const euros = rule("euros", { ...old, clientId: "A", currency: "EUR" });
  assert.deepEqual(namesIn([all, method, euros]), ["euros", "method", "all"]);
  assert.deepEqual(
    namesIn([all, method, euros], afterMidnight(-1)),
    ["euros", "method"],
    "one has not begun",
  );
  assert.deepEqual(namesIn([rule("before", old), all]), ["all"], "the newer one");
  assert.deepEqual(namesIn([all, method, rule("own", { ...old, clientId: "A" })]), ["own"]);
  assert.deepEqual(namesIn([]), []);
  assert.deepEqual(
    [coversAllPayments([euros, method], afterMidnight(0)), coversAllPayments([all], afterMidnight(0))],
    [false, true],
  );
});
