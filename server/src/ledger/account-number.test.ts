import assert from "node:assert/strict";
import { test } from "node:test";
import { accountNumbers, toNumberedAccount } from "./account-number.ts";
import { chartOfAccounts, type AccountName } from "./account.ts";

const firstDigits = { asset: "1", liability: "2", income: "4", expense: "5" };

test("each account has its own number, which begins with the digit of its type", () => {
  const numbers = Object.values(accountNumbers);
  assert.equal(new Set(numbers).size, numbers.length);
  for (const [name, number] of Object.entries(accountNumbers)) {
    assert.equal(number[0], firstDigits[chartOfAccounts[name as AccountName].type], name);
    assert.match(number, /^\d{4}$/);
  }
});

test("the owner of an account follows its name", () => {
  assert.deepEqual(toNumberedAccount("merchant payable M 1"), {
    number: "2000",
    name: "merchant payable",
    owner: "M 1",
  });
  assert.deepEqual(toNumberedAccount("fee revenue"), { number: "4000", name: "fee revenue", owner: "" });
  assert.throws(() => toNumberedAccount("petty cash"), /no account petty cash/);
});
