import assert from "node:assert/strict";
import { test } from "node:test";
import { ibans } from "../../../test/examples/settlement-fixture.ts";
import { createStaffLogins } from "../../../test/start/staff-logins.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import { bucketOf } from "../../core/bucket.ts";
import { findAudit } from "../../operators/audit/audit-log.ts";
import type { Operator } from "../../operator-session/owner-session.ts";
import { approveAccount, requestAccount, endAccount } from "./payout-accounts.workflow.ts";

/** In these tests Ada and Grace have finance logins; the owner's login is that of the table owner. */
const { database } = await prepareTestGateway("live");
const { urlOf } = await createStaffLogins(database, { ada: "finance", grace: "finance" });
const operatorAs = (name: "ada" | "grace"): Operator => ({
  url: urlOf(name),
  environment: "live",
  by: { name },
});
const owner: Operator = { url: database.ownerUrl, environment: "live", by: { name: "root", alone: true } };
const { ada, grace } = { ada: operatorAs("ada"), grace: operatorAs("grace") };
const hour = 3_600_000;

interface AccountOptions {
  readonly currency?: string;
  readonly waitHours?: number;
}
const request = (operator: Operator, clientId: string, options: AccountOptions = {}): Promise<string> =>
  requestAccount(operator, clientId, {
    currency: options.currency ?? "EUR",
    holder: "Coffee Lab",
    iban: ibans[0],
    bic: undefined,
    waitHours: options.waitHours,
  }).then(({ accountId }) => accountId);

/** Hours between approval and the first payout, as the database stored them. */
async function waitOf(clientId: string, accountId: string): Promise<number> {
  const [row] = await asSuperuser<{ approved_at: Date; usable_from: Date }>(
    "select approved_at, usable_from from bank_accounts where client_id = $1 and account_id = $2",
    [clientId, accountId],
    database.superuserUrl,
  );
  assert.ok(row);
  return (row.usable_from.getTime() - row.approved_at.getTime()) / hour;
}

async function approvedAccount(clientId: string, options: AccountOptions = {}): Promise<string> {
  const accountId = await request(ada, clientId, options);
  await approveAccount(grace, clientId, accountId);
  return accountId;
}

const newClient = async (): Promise<string> => (await newMerchant(database)).clientId;

/** Plain SQL with a finance login. */
const bySql = (name: "ada" | "grace", clientId: string, statement: string): Promise<unknown> =>
  asSuperuser(`select set_config('app.clients', '{${clientId}}', false); ${statement}`, [], urlOf(name));

test("the first account of a merchant has no wait; every later one waits 72 hours", async () => {
  const clientId = await newClient();
  const first = await approvedAccount(clientId);
  assert.equal(await waitOf(clientId, first), 0);
  const next = await approvedAccount(clientId);
  assert.equal(await waitOf(clientId, next), 72);
});

test("an account waits 72 hours, even if the previous account ended first", async () => {
  const clientId = await newClient();
  await endAccount(ada, clientId, await approvedAccount(clientId));
  assert.equal(await waitOf(clientId, await approvedAccount(clientId)), 72);
});

test("an account in another currency waits 72 hours, even if it was requested before the first was approved", async () => {
  const clientId = await newClient();
  const dollars = await request(ada, clientId, { currency: "USD" });
  const euros = await request(ada, clientId, { currency: "EUR" });
  await approveAccount(grace, clientId, dollars);
  const approved = await approveAccount(grace, clientId, euros);
  assert.equal(await waitOf(clientId, euros), 72);
  const inThreeDays = Date.now() + 72 * hour;
  assert.ok(Math.abs((approved.usableFrom?.getTime() ?? 0) - inThreeDays) < hour / 2);
});

test("a longer wait is kept; a shorter one needs the owner's login", async () => {
  const clientId = await newClient();
  await approvedAccount(clientId);
  await assert.rejects(request(ada, clientId, { waitHours: 71 }), /at least 72 hours/);
  assert.equal(await waitOf(clientId, await approvedAccount(clientId, { waitHours: 100 })), 100);
  const short = await request(owner, clientId, { waitHours: 1 });
  await approveAccount(owner, clientId, short);
  assert.equal(await waitOf(clientId, short), 1);
});

test("plain SQL of a finance login cannot shorten the wait", async () => {
  const clientId = await newClient();
  await approvedAccount(clientId);
  const columns =
    "bucket, client_id, account_id, currency, holder, iban, iban_shown, wait_hours, asked_by, asked_login, asked_at";
  const inserted = (id: string, wait: number): string =>
    `insert into bank_accounts (${columns}) select bucket, client_id, '${id}', currency, holder, iban, iban_shown, ${wait}, 'ada', 'ada', now()
     from bank_accounts limit 1`;
  await assert.rejects(bySql("ada", clientId, inserted("short", 0)), {
    constraint: "bank_accounts_wait_is_long_enough",
  });
  await bySql("ada", clientId, inserted("next", 72));
  await bySql("ada", clientId, "update bank_accounts set ended_at = now() where account_id <> 'next'");
  await assert.rejects(bySql("ada", clientId, inserted("short", 0)), {
    constraint: "bank_accounts_wait_is_long_enough",
  });
  await bySql(
    "grace",
    clientId,
    `update bank_accounts set approved_by = 'grace', approved_login = 'grace', approved_at = now() - interval '1 year',
       usable_from = now() - interval '1 year' where account_id = 'next'`,
  );
  assert.equal(await waitOf(clientId, "next"), 72);
  await assert.rejects(bySql("grace", clientId, "update bank_accounts set usable_from = now()"), {
    code: "23001",
  });
});

test("an ended account stays ended and is never approved, also by the owner, and its end is audited", async () => {
  const clientId = await newClient();
  const pending = await request(ada, clientId);
  await endAccount(ada, clientId, pending);
  const [audited] = await findAudit(owner, { clientId }, 1);
  assert.partialDeepStrictEqual(audited, { act: "payout account end", actor: { name: "ada" } });
  const approval =
    "approved_by = 'grace', approved_login = 'grace', approved_at = now(), usable_from = now() + interval '99 hours'";
  const asOwner = (set: string): Promise<unknown> =>
    asSuperuser(`update bank_accounts set ${set} where client_id = $1`, [clientId], database.superuserUrl);
  for (const set of [approval, "ended_at = null", "ended_at = now()"])
    await assert.rejects(asOwner(set), { code: "23001" }, set);
  await assert.rejects(approveAccount(grace, clientId, pending), /has no account/);
});

test("an approved account cannot become another merchant's", async () => {
  const [merchant, otherMerchant] = [await newClient(), await newClient()];
  await approvedAccount(merchant);
  await assert.rejects(
    asSuperuser(
      `select set_config('app.clients', '{${merchant},${otherMerchant}}', false);
       update bank_accounts set bucket = ${bucketOf(otherMerchant)}, client_id = '${otherMerchant}' where client_id = '${merchant}'`,
      [],
      urlOf("ada"),
    ),
    { code: "23001" },
  );
});
