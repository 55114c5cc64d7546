import assert from "node:assert/strict";
import { test } from "node:test";
import { accountNumbers, numberedAccount } from "./account-number.ts";
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
  assert.deepEqual(numberedAccount("merchant payable M 1"), {
    number: "2000",
    name: "merchant payable",
    of: "M 1",
  });
  assert.deepEqual(numberedAccount("fee revenue"), { number: "4000", name: "fee revenue", of: "" });
  assert.throws(() => numberedAccount("petty cash"), /no account petty cash/);
});
