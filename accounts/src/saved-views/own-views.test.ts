import assert from "node:assert/strict";
import { test } from "node:test";
import { givenMember, startTestAccounts } from "../../test/test-accounts.ts";
import type { TestBrowser } from "../../test/test-browser.ts";

const accounts = await startTestAccounts();
const path = "/accounts/saved-views";

async function viewsOf(browser: TestBrowser): Promise<unknown> {
  return (await browser.get(path)).json["savedViews"];
}

test("a person saves a view, finds it by name, replaces it and deletes it", async () => {
  const { browser } = await givenMember(accounts, { role: "reader" });
  assert.deepEqual(await viewsOf(browser), []);
  const view = { name: "Open disputes", address: "/sandbox/disputes?disputeStatus=CREATED" };
  assert.equal((await browser.post(path, view)).status, 200);
  assert.equal((await browser.post(path, { name: "balance", address: "/live/balance" })).status, 200);
  assert.deepEqual(await viewsOf(browser), [{ name: "balance", address: "/live/balance" }, view]);
  const changedView = { ...view, address: "/live/disputes?disputeStatus=CREATED" };
  assert.equal((await browser.post(path, changedView)).status, 200);
  assert.deepEqual(await viewsOf(browser), [{ name: "balance", address: "/live/balance" }, changedView]);
  assert.equal((await browser.post(`${path}/remove`, { name: "balance" })).status, 200);
  assert.equal((await browser.post(`${path}/remove`, { name: "balance" })).json["refusal"], "NOT_FOUND");
  assert.deepEqual(await viewsOf(browser), [changedView]);
});

test("a view is private to one person, and is deleted with the membership", async () => {
  const ada = await givenMember(accounts, { role: "owner" });
  const { organisationId } = ada;
  const grace = await givenMember(accounts, { role: "owner", organisationId });
  await ada.browser.post(path, { name: "Mine", address: "/sandbox/payments" });
  assert.deepEqual(await viewsOf(grace.browser), []);
  assert.equal((await grace.browser.post(`${path}/remove`, { name: "Mine" })).json["refusal"], "NOT_FOUND");
  await accounts.sql("delete from memberships where person_id = $1", [ada.personId]);
  assert.deepEqual(await accounts.sql("select from saved_views where person_id = $1", [ada.personId]), []);
});

test("a URL of another site is rejected, and the number of views is limited", async () => {
  const { browser } = await givenMember(accounts, { role: "finance" });
  const elsewhere = [
    "https://evil.example/",
    "//evil.example",
    "/sandboxed",
    "/people",
    "/sandbox/a b",
    "/live\n",
  ];
  for (const address of elsewhere)
    assert.equal(
      (await browser.post(path, { name: "x", address })).json["refusal"],
      "INVALID_REQUEST",
      address,
    );
  for (let number = 0; number < 50; number += 1)
    assert.equal((await browser.post(path, { name: `view ${number}`, address: "/sandbox" })).status, 200);
  const oneTooMany = await browser.post(path, { name: "one more", address: "/sandbox" });
  assert.equal(oneTooMany.json["refusal"], "TOO_MANY");
  assert.equal((await browser.post(path, { name: "view 7", address: "/live" })).status, 200);
});
