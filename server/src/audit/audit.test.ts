import assert from "node:assert/strict";
import { after, test } from "node:test";
import { actAsOwner, queryAsOwner, type Operator } from "../operator-session/owner-session.ts";
import { findAudit, findAuditHead, verifyAudit } from "../operators/audit/audit-log.ts";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { changeMerchant } from "../operators/merchants/merchant-settings.ts";
import { revokeMerchantKey } from "../operators/merchants/merchant.ts";
import { setRequestLogRetention } from "../operators/merchants/request-log-retention.ts";
import { hashLink } from "../core/hash-chain.ts";
import { updateClient } from "../merchants/client.sql.ts";
import { updateRetention } from "../merchants/request-log.sql.ts";
import { requireCommitted, openDatabase, systemScope } from "../postgres/database.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newKeyPair, newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import type { ChainHead } from "./audit-chain.ts";
import type { AuditEntry, NewAudit } from "./audit.ts";
import { insertAudit, listAudit, listLinks } from "./audit.sql.ts";

const { database } = await prepareTestGateway("sandbox");
const operator: Operator = {
  url: database.ownerUrl,
  environment: "sandbox",
  by: { name: "ada", reason: "ticket 4711" },
};
const { clientId } = await newMerchant(database);
const other = await newMerchant(database);
for (const days of [40, 41, 42]) await setRequestLogRetention(operator, days);

const run = (text: string, values: readonly unknown[] = []): Promise<readonly object[]> =>
  asSuperuser(text, values, database.superuserUrl);
const count = async (): Promise<number> => (await findAuditHead(operator)).count;

/** Runs a statement as superuser, with triggers disabled; returns the problems found, and restores the table. */
async function problemsAfter(
  tamper: () => Promise<unknown>,
  anchors: readonly ChainHead[] = [],
): Promise<string[]> {
  await run("create table kept as table audit");
  try {
    await run("alter table audit disable trigger all");
    await tamper();
    const { problems } = await verifyAudit(operator, anchors);
    return problems.map(({ seq, problem }) => `${seq}: ${problem}`);
  } finally {
    await run("alter table audit disable trigger all");
    await run("delete from audit");
    await run("insert into audit select * from kept");
    await run("alter table audit enable trigger all");
    await run("drop table kept");
  }
}

const changedRowProblem = "The row was changed or moved: its hash does not match its content.";
const wrongPreviousHash = (seq: number): string =>
  `The previous hash is not that of row ${seq}: that row was changed, moved or hashed again.`;

test("an unmodified chain has no problems", async () => {
  const { head, problems } = await verifyAudit(operator, [await findAuditHead(operator)]);
  assert.deepEqual([problems, head], [[], await findAuditHead(operator)]);
  assert.ok(head.count >= 5, `${head.count} rows`);
  assert.deepEqual(await problemsAfter(async () => undefined), []);
});

for (const [column, value] of [
  ["at", "at + interval '1 microsecond'"],
  ["actor_kind", "'person'"],
  ["actor", "'eve'"],
  ["role", "'nobody'"],
  ["login", "'eve'"],
  ["act", "act || ' '"],
  ["subject", "subject || '.'"],
  ["about_client", "'SANDBOX_EVE'"],
  ["reason", "null"],
  ["before", "'{}'"],
  ["after", "(after::text || ' ')::json"],
  ["transaction", "'7'"],
  ["changes", "'[]'"],
  ["previous_hash", "hash"],
  ["hash", "previous_hash"],
] as const)
  test(`a row with a changed ${column} is detected`, async () => {
    const findings = await problemsAfter(() => run(`update audit set ${column} = ${value} where seq = 4`));
    assert.equal(findings[0], `4: ${changedRowProblem}`);
  });

test("the chain covers every column", async () => {
  const [row] = await queryAsOwner(operator.url, "sandbox", systemScope, (tx) => listLinks(tx, 0, 1));
  const columns = await run("select from information_schema.columns where table_name = 'audit'");
  assert.equal(row?.fields.length, columns.length - 2);
});

test("a row that was changed and hashed again does not match the next row", async () => {
  const findings = await problemsAfter(async () => {
    await run("update audit set reason = 'none' where seq = 3");
    const [link] = await queryAsOwner(operator.url, "sandbox", systemScope, (tx) => listLinks(tx, 2, 1));
    assert.ok(link);
    const hash = hashLink(link.previousHash, link.fields);
    await run("update audit set hash = decode($1, 'hex') where seq = 3", [hash]);
  });
  assert.deepEqual(findings, [`4: ${wrongPreviousHash(3)}`]);
});

test("deleted rows are detected, also the first", async () => {
  assert.deepEqual(await problemsAfter(() => run("delete from audit where seq = 3")), [
    "3: Row 3 is missing.",
  ]);
  assert.deepEqual(await problemsAfter(() => run("delete from audit where seq in (1, 2)")), [
    "1: Rows 1 to 2 are missing.",
  ]);
});

test("swapped rows are detected", async () => {
  const findings = await problemsAfter(() =>
    run(`begin; update audit set seq = 1000 where seq = 3; update audit set seq = 3 where seq = 4;
      update audit set seq = 4 where seq = 1000; commit`),
  );
  assert.deepEqual(findings, [
    `3: ${changedRowProblem}`,
    `4: ${changedRowProblem}`,
    `5: ${wrongPreviousHash(4)}`,
  ]);
});

test("a truncated log is detected with an anchor, and not without", async () => {
  const anchor = await findAuditHead(operator);
  const cut = (): Promise<unknown> => run("delete from audit where seq >= $1", [anchor.count]);
  assert.deepEqual(await problemsAfter(cut), []);
  assert.deepEqual(await problemsAfter(cut, [anchor]), [
    `${anchor.count - 1}: This is the last row, but the anchor has ${anchor.count} rows: the log was truncated.`,
  ]);
});

test("a rewritten chain is detected with an anchor, and not without", async () => {
  const anchor = await findAuditHead(operator);
  const rebuild = async (): Promise<void> => {
    await run("delete from audit");
    await run("alter table audit enable trigger audit_is_a_chain");
    await run(`insert into audit (actor_kind, actor, role, act, subject)
      select 'command', 'nobody', 'owner', 'nothing', 'nothing' from generate_series(1, ${anchor.count + 2})`);
  };
  assert.deepEqual(await problemsAfter(rebuild), []);
  assert.deepEqual(await problemsAfter(rebuild, [{ count: 0, hash: "" }, anchor]), [
    `${anchor.count}: The hash differs from the anchor's: the chain up to this row was rewritten.`,
  ]);
});

test("neither the owner nor the serving role can change or delete a row", async () => {
  for (const url of [database.ownerUrl, database.appUrl, database.workUrl])
    for (const statement of ["update audit set reason = ''", "delete from audit", "truncate audit"])
      await assert.rejects(asSuperuser(statement, [], url), { code: "42501" }, statement);
  for (const statement of ["update audit set reason = ''", "delete from audit", "truncate audit"])
    await assert.rejects(run(statement), {
      code: "23001",
      message: "The audit log is append-only: rows cannot be changed or deleted.",
    });
});

test("concurrent acts are numbered without a gap", async () => {
  const before = await count();
  await Promise.all(Array.from({ length: 12 }, (_, index) => setRequestLogRetention(operator, 50 + index)));
  assert.equal(await count(), before + 12);
  assert.deepEqual((await verifyAudit(operator, [])).problems, []);
});

test("a rolled-back act leaves no row", async () => {
  const before = await count();
  await assert.rejects(revokeMerchantKey(operator, clientId, 99));
  const failing = actAsOwner(operator, systemScope, async (tx) => {
    await updateRetention(tx, 77);
    return { value: undefined, audit: { act: "x".repeat(101), subject: "" } };
  });
  await assert.rejects(failing, { constraint: "audit_act_is_short" });
  assert.equal(await count(), before);
  assert.deepEqual(await run("select from request_log_retention where days = 77"), []);
});

test("a read-only command cannot write", async () => {
  const writing = queryAsOwner(operator.url, "sandbox", systemScope, (tx) => updateRetention(tx, 3));
  await assert.rejects(writing, { code: "25006" });
});

test("a row has actor, reason and changes; of an address neither path nor query", async () => {
  const notify = { kind: "notifyRefund", url: "https://shop.example/hook?token=a-secret" };
  await changeMerchant(operator, clientId, { ratePerSecond: 500 }, notify);
  const [entry] = await findAudit(operator, { clientId }, 1);
  assert.partialDeepStrictEqual(entry, {
    actor: { kind: "command", name: "ada", role: "owner" },
    login: new URL(database.ownerUrl).username,
    act: "merchant set",
    subject: clientId,
    clientId,
    reason: "ticket 4711",
    before: { ratePerSecond: 200, notifyUrls: [] },
    after: { ratePerSecond: 500 },
  });
  assert.match(
    JSON.stringify(entry?.after),
    /"notifyRefund https:\/\/shop\.example \(SHA-256 [0-9a-f]{12}…\)"/,
  );
  assert.doesNotMatch(JSON.stringify(entry), /a-secret|hook/);
});

test("rows are found by merchant, actor, act and time", async () => {
  await changeMerchant({ ...operator, by: { name: "grace" } }, other.clientId, { status: "SUSPENDED" });
  const [entry] = await findAudit(operator, { actor: "grace" }, 10);
  assert.partialDeepStrictEqual(entry, {
    act: "merchant suspend",
    before: { status: "ACTIVE" },
    after: { status: "SUSPENDED" },
  });
  const byAct = await findAudit(operator, { act: "merchant suspend", clientId: other.clientId }, 10);
  assert.deepEqual(byAct, [entry]);
  assert.deepEqual(await findAudit(operator, { actor: "grace", clientId }, 10), []);
  assert.deepEqual(await findAudit(operator, { since: new Date(Date.now() + 60_000) }, 10), []);
  assert.equal((await findAudit(operator, { since: entry?.at }, 10)).length, 1);
});

const byHand = async (statement: string): Promise<readonly object[]> => {
  const before = await count();
  await run(statement);
  const rows = await findAudit(operator, {}, 100);
  return rows.filter(({ seq }) => seq > before).toReversed();
};

test("a change of a setting by SQL leaves a row as well", async () => {
  const superuser = new URL(database.superuserUrl).username;
  const [entry, ...more] = await byHand(
    `update clients set fee_basis_points = 9 where client_id = '${clientId}'`,
  );
  assert.deepEqual(more, []);
  assert.partialDeepStrictEqual(entry, {
    actor: { kind: "sql", name: superuser },
    act: "update clients",
    subject: clientId,
    clientId,
    before: { fee_basis_points: 0 },
    after: { fee_basis_points: 9 },
  });
  const [both, ...others] = await byHand("update clients set rate_burst = 7");
  assert.deepEqual(others, [], "a transaction leaves one row");
  assert.partialDeepStrictEqual(both, { act: "row changes", subject: "clients" });
  assert.equal((both as AuditEntry).rowChanges.length, 2);
  const key = `update client_keys set public_key = '\\x00' where client_id = '${clientId}'`;
  assert.partialDeepStrictEqual(await byHand(key), [
    {
      act: "update client_keys",
      subject: `${clientId} 1`,
      after: { public_key: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d" },
    },
  ]);
  const pair =
    "insert into gateway_keys (version, public_key, wrapped_private_key, ed25519_public_key, wrapped_ed25519_private_key) " +
    "values (9, '', 'a-secret', '', 'another')";
  const [added] = await byHand(pair);
  assert.partialDeepStrictEqual(added, { act: "insert gateway_keys", subject: "9" });
  assert.deepEqual((added as { after: object }).after, { created_at: "now", version: 9 });
  assert.partialDeepStrictEqual(await byHand("delete from gateway_keys where version = 9"), [
    { act: "delete gateway_keys", before: { version: 9 } },
  ]);
  assert.deepEqual((await verifyAudit(operator, [])).problems, []);
});

test("an act's row has the row changes recorded by PostgreSQL, whatever the act describes", async () => {
  await actAsOwner(operator, [clientId], async (tx) => {
    await updateClient(tx, clientId, { ratePerSecond: 321 });
    return {
      value: undefined,
      audit: { act: "merchant set", subject: clientId, clientId, after: { name: "no more than this" } },
    };
  });
  const [entry] = await findAudit(operator, {}, 1);
  assert.deepEqual(entry?.rowChanges, [
    {
      table: "clients",
      operation: "update",
      key: { client_id: clientId },
      before: { rate_per_second: "500" },
      after: { rate_per_second: "321" },
    },
  ]);
  assert.deepEqual((await verifyAudit(operator, [])).problems, []);
  assert.deepEqual(await run("select from row_changes"), []);
});

test("changes by the system leave no row: counters, a silent provider, isolated test merchants", async () => {
  const { publicKeyFile } = await newKeyPair("provider");
  const before = await count();
  const provider = { name: "w", url: "http://127.0.0.1:9", partnerId: "us", publicKeyFile };
  await addConnector(operator.url, "sandbox", { ...provider, paymentMethodTypes: ["*"], simulator: true });
  assert.equal(await count(), before + 1);
  for (const statement of [
    "update connectors set silent_seen_at = now()",
    "update clients set revision = revision + 1, gateway_key_version = 1",
    "update clients set name = name",
    "select client_id from open_universes(array['u'], array['\\x00'::bytea], array[60])",
    "select close_universe(client_id) from list_universes()",
  ])
    assert.deepEqual(await byHand(statement), [], statement);
});

test("the serving role writes rows about its own merchants' people, and reads no others", async () => {
  const serving = openDatabase({
    url: database.appUrl,
    applicationName: "audit",
    connectionsMax: 1,
    onFault: () => undefined,
  });
  after(() => serving.close());
  const actor = { kind: "person", name: "mary", role: "admin" } as const;
  const entry: NewAudit = { actor, act: "keys.change", subject: clientId, clientId, after: { version: 2 } };
  const write = async (row: NewAudit): Promise<void> =>
    requireCommitted(await serving.transaction([clientId], (tx) => insertAudit(tx, row)));
  await write(entry);
  await write({ ...entry, clientId: undefined });
  await assert.rejects(write({ ...entry, clientId: other.clientId }), { code: "42501" });
  await assert.rejects(write({ ...entry, actor: { ...actor, kind: "command" } as never }), { code: "42501" });
  await assert.rejects(asSuperuser("insert into audit (seq) values (1)", [], database.appUrl), {
    code: "42501",
  });

  const rows = await listAudit(serving.reader([clientId]), {}, 1_000);
  assert.partialDeepStrictEqual(rows[0], { actor, login: database.appRole, act: "keys.change" });
  assert.ok(rows.length > 1);
  assert.ok(rows.every((row) => row.clientId === clientId));
  assert.deepEqual(await listAudit(serving.reader(systemScope), {}, 10), []);
});
