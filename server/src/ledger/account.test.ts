import assert from "node:assert/strict";
import { test } from "node:test";
import { accountNameOf, chartOfAccounts, house } from "./account.ts";
import { frozenOf, payable, receivable } from "./transfer.ts";

test("every account has its place in the chart, by the longest words that fit", () => {
  assert.equal(accountNameOf(payable("SANDBOX_A")), "merchant payable");
  assert.equal(accountNameOf(frozenOf("SANDBOX_A")), "merchant frozen");
  assert.equal(accountNameOf(receivable("sandbox-wallet")), "wallet receivable");
  assert.equal(accountNameOf("exchange gain and loss"), "exchange gain and loss");
  assert.equal(accountNameOf("exchange EUR/USD"), "exchange");
  assert.equal(accountNameOf("suspense"), "suspense");
});

test("what the chart does not know is no account: another word, or an owner where none belongs", () => {
  for (const name of ["petty cash", "suspense w", "bank", "bankrupt", "merchant payable"])
    assert.equal(accountNameOf(name), name === "bank" || name === "merchant payable" ? name : undefined);
});

test("no merchant can be taken for the house: merchants of the sandbox have its prefix, and no chart has its name", () => {
  assert.equal(house, "HOUSE");
  assert.ok(!Object.keys(chartOfAccounts).includes(house));
});
