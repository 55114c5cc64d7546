import assert from "node:assert/strict";
import { test } from "node:test";
import { findAccountName, chartOfAccounts, house } from "./account.ts";
import { frozenAccount, payableAccount, receivableAccount } from "./transfer.ts";

test("every account is in the chart, by the longest matching name", () => {
  assert.equal(findAccountName(payableAccount("SANDBOX_A")), "merchant payable");
  assert.equal(findAccountName(frozenAccount("SANDBOX_A")), "merchant frozen");
  assert.equal(findAccountName(receivableAccount("sandbox-wallet")), "provider receivable");
  assert.equal(findAccountName("exchange gain and loss"), "exchange gain and loss");
  assert.equal(findAccountName("exchange EUR/USD"), "exchange");
  assert.equal(findAccountName("suspense"), "suspense");
});

test("an unknown name is not an account, nor is an owner on an account without one", () => {
  for (const name of ["petty cash", "suspense w", "bank", "bankrupt", "merchant payable"])
    assert.equal(findAccountName(name), name === "bank" || name === "merchant payable" ? name : undefined);
});

test("no merchant id can be mistaken for the house account: sandbox ids have their own prefix, and no chart account has its name", () => {
  assert.equal(house, "HOUSE");
  assert.ok(!Object.keys(chartOfAccounts).includes(house));
});
