import assert from "node:assert/strict";
import { after, test } from "node:test";
import { insertTestPayouts } from "../../test/examples/settlement-fixture.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newKeyPair, newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";
import { requestConsole, resultCodeOf, personToken, staffVariables } from "../../test/start/test-console.ts";
import { requestReader } from "../contract/read-request.ts";
import { bucketOf } from "../core/bucket.ts";
import { newId } from "../core/id.ts";
import type { JsonValue } from "../core/strict-json.ts";
import type { Role } from "../people/role.ts";
import { systemScope } from "../postgres/database.ts";
import { insertBreaks, listBreaks } from "../reconciliation/break.sql.ts";
import { actAsOwner } from "../operator-session/owner-session.ts";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { addGatewayKey } from "../operators/providers/manage-gateway-keys.ts";
import { serveStaff } from "../processes/serve-staff.ts";
import { serve } from "../processes/serve.ts";
import { readSettings } from "../settings/settings.ts";
import { staffRoutes } from "./staff-routes.ts";

/** These tests check that console routes do the same as the commands. Each route runs once and leaves its audit row. */
const { database, variables } = await prepareTestGateway("sandbox");
const merchant = await newMerchant(database);
const { clientId } = merchant;
const { publicKeyFile } = await newKeyPair("provider");
const provider = { url: "http://127.0.0.1:9", partnerId: "us", publicKeyFile, paymentMethodTypes: ["*"] };
await addConnector(database.ownerUrl, "sandbox", { name: "gcash", simulator: true, ...provider });
await addGatewayKey(database.ownerUrl, "sandbox", variables["TOLLGATE_KEY_FILE"] ?? "");
const serving = await serveStaff(readSettings({ ...variables, ...staffVariables(database) }));
after(() => serving.stop());

const run = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
  asSuperuser<Row>(text, values, database.superuserUrl);

let idCount = 0;

/** Creates a payment that waits for its provider, with its job. */
async function openPayment(due = "now() + interval '1 hour'"): Promise<string> {
  const id = newId("payment", bucketOf(clientId), new Date(), () => (idCount += 1));
  await run(
    `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
       amount_minor, created_at)
     values ($1, $2, $3, 'order-' || $2, 'CASHIER_PAYMENT', 'PROCESSING', 'PAYMENT_IN_PROCESS', 'EUR', 1250, now())`,
    [bucketOf(clientId), id, clientId],
  );
  await run(
    `insert into jobs (bucket, subject_id, job, client_id, due_at, follows_merchant_clock)
     values ($1, $2, 'drive-payment', $3, ${due}, true)`,
    [bucketOf(clientId), id, clientId],
  );
  return id;
}

type Json = Readonly<Record<string, unknown>>;

/** Sends a request as a staff member. The response must have the form that the route declares. */
async function requestStaff(name: string, body: object, role: Role = "staff-admin"): Promise<Json> {
  const token = personToken({ role, sub: "per_grace" });
  const answer = await requestConsole(serving.url, `staff/${name}`, { token, body });
  const route = staffRoutes.find((each) => each.name === name) ?? assert.fail(name);
  const read = requestReader(route.response)(answer.json as JsonValue);
  if (resultCodeOf(answer) === "SUCCESS") assert.ok(!("refused" in read), `${name}: ${answer.text}`);
  return answer.json;
}

/**
 * Sends an act, and checks that it leaves the audit row of the command that the route declares, because approval rules
 * use that name.
 */
async function runAct(name: string, request: object): Promise<Json> {
  const answer = await requestStaff(name, { reason: `why ${name}`, request });
  const { auditedAct } = staffRoutes.find((each) => each.name === name) ?? assert.fail(name);
  if (resultOf(answer)["resultCode"] === "SUCCESS") assert.equal((await lastAudit())["act"], auditedAct);
  return answer;
}

function resultOf(answer: Json): Readonly<Record<string, string>> {
  return answer["result"] as Readonly<Record<string, string>>;
}

async function lastAudit(): Promise<Json> {
  const [row] = await run<Json>(
    `select actor_kind as kind, actor, role, act, subject, about_client as client, reason, before, after
     from audit order by seq desc limit 1`,
  );
  return row ?? {};
}

const grace = { kind: "person", actor: "per_grace", role: "staff-admin" };

test("the board lists stuck records first, with their safe actions", async () => {
  const late = await openPayment("now() - interval '5 minutes'");
  const waiting = await openPayment();
  const { records, stuckCount } = (await requestStaff("openRecords", {})) as {
    readonly records: readonly Json[];
    readonly stuckCount: number;
  };
  assert.equal(stuckCount, 1);
  assert.partialDeepStrictEqual(records[0], {
    id: late,
    clientId,
    isStuck: true,
    owner: "buyer",
    action: "Query the payment, or close it if it has expired.",
    steps: ["retry", "hold"],
  });
  assert.partialDeepStrictEqual(
    records.find(({ id }) => id === waiting),
    { isStuck: false, isHeld: false },
  );
  assert.partialDeepStrictEqual(await lastAudit(), {
    ...grace,
    act: "staff/openRecords",
    subject: "all merchants",
  });
});

test("a repeated page view is audited once, another view separately", async () => {
  const countAuditRows = async (): Promise<number> =>
    (await run(`select from audit where act in ('staff/merchants', 'staff/merchant')`)).length;
  const before = await countAuditRows();
  for (const part of ["Coffee", "coffee lab", clientId]) {
    const { merchants } = (await requestStaff("merchants", { part })) as {
      readonly merchants: readonly Json[];
    };
    assert.partialDeepStrictEqual(merchants, [{ clientId, name: "Coffee Lab", status: "ACTIVE" }]);
  }
  assert.equal(await countAuditRows(), before + 1);
  await requestStaff("merchant", { clientId });
  assert.equal(await countAuditRows(), before + 2);
  assert.partialDeepStrictEqual(await lastAudit(), {
    act: "staff/merchant",
    subject: clientId,
    client: clientId,
  });
});

test("a payment is found by any of its ids, and an unknown id is reported", async () => {
  const id = await openPayment();
  for (const anyId of [id, `order-${id}`])
    assert.partialDeepStrictEqual(await requestStaff("payment", { id: anyId }), {
      payment: { paymentId: id, clientId, amount: { currency: "EUR", value: "1250" } },
      jobs: [{ job: "drive-payment", subjectId: id }],
    });
  const unknown = resultOf(await requestStaff("payment", { id: "order-unknown" }));
  assert.equal(unknown["resultCode"], "NOT_POSSIBLE");
  assert.match(unknown["resultMessage"] ?? "", /^No payment found for order-unknown\./);
});

test("a planned job is run at once, held and released, each with a reason", async () => {
  const id = await openPayment();
  const due = async (): Promise<string | undefined> => {
    const text =
      "case when due_at = 'infinity' then 'never' when due_at <= now() then 'now' else 'later' end";
    return (await run<{ due: string }>(`select ${text} as due from jobs where subject_id = $1`, [id]))[0]
      ?.due;
  };
  assert.deepEqual((await runAct("hold", { id }))["jobs"], [{ job: "drive-payment", isDone: true }]);
  assert.equal(await due(), "never");
  assert.partialDeepStrictEqual(await lastAudit(), {
    ...grace,
    act: "job hold",
    subject: id,
    client: clientId,
    reason: "why hold",
  });
  const { records } = (await requestStaff("openRecords", {})) as { readonly records: readonly Json[] };
  assert.partialDeepStrictEqual(
    records.find((each) => each["id"] === id),
    { isHeld: true, isStuck: false, owner: "gateway", steps: ["release"] },
  );
  assert.equal(resultOf(await runAct("hold", { id }))["resultMessage"], "It is already on hold.");
  assert.deepEqual((await runAct("retry", { id }))["jobs"], [{ job: "drive-payment", isDone: false }]);
  assert.equal(await due(), "never");
  assert.deepEqual((await runAct("release", { id }))["jobs"], [{ job: "drive-payment", isDone: true }]);
  assert.equal(await due(), "now");
  assert.equal(resultOf(await runAct("release", { id }))["resultMessage"], "None of its jobs is on hold.");
  const later = await openPayment();
  assert.deepEqual((await runAct("retry", { id: later }))["jobs"], [{ job: "drive-payment", isDone: true }]);
  assert.partialDeepStrictEqual(await lastAudit(), { act: "job retry", subject: later });
});

test("an act without a reason is rejected and leaves no audit row", async () => {
  const id = await openPayment();
  const before = await lastAudit();
  for (const body of [{ request: { id } }, { reason: "", request: { id } }])
    assert.equal(resultOf(await requestStaff("hold", body))["resultCode"], "PARAM_ILLEGAL");
  assert.deepEqual(await lastAudit(), before);
});

test("limits are set, and a merchant is suspended and resumed", async () => {
  const set = await runAct("setMerchant", { clientId, ratePerSecond: 7, feeBasisPoints: 290 });
  assert.partialDeepStrictEqual(set, { clientId, ratePerSecond: 7, feeBasisPoints: 290, status: "ACTIVE" });
  const { before, after: changedFields } = await lastAudit();
  assert.partialDeepStrictEqual([before, changedFields], [{ feeBasisPoints: 0 }, { feeBasisPoints: 290 }]);
  assert.equal((await runAct("suspendMerchant", { clientId }))["status"], "SUSPENDED");
  assert.partialDeepStrictEqual(await lastAudit(), {
    ...grace,
    act: "merchant suspend",
    reason: "why suspendMerchant",
  });
  assert.equal((await runAct("resumeMerchant", { clientId }))["status"], "ACTIVE");
  assert.partialDeepStrictEqual(await lastAudit(), { ...grace, act: "merchant resume" });
  const wrong = resultOf(await runAct("suspendMerchant", { clientId: "SANDBOX_NOBODY" }));
  assert.equal(wrong["resultMessage"], "There is no client SANDBOX_NOBODY.");
});

test("a connector is tested, disabled and enabled", async () => {
  const tested = await runAct("testConnector", { name: "gcash" });
  assert.partialDeepStrictEqual(tested, { isWell: false });
  assert.partialDeepStrictEqual(await lastAudit(), { ...grace, act: "connector test", subject: "gcash" });
  const before = await serve(readSettings(variables));
  after(() => before.stop());
  assert.ok((await runAct("disableConnector", { name: "gcash" }))["disabledAt"]);
  const connectorList = (await requestStaff("connectors", {})) as { readonly connectors: readonly Json[] };
  assert.ok(connectorList.connectors[0]?.["disabledAt"]);
  // A process that starts now reads the change at once; running processes read it within ten seconds.
  const next = await serve(readSettings(variables));
  after(() => next.stop());
  const pay = async (url: string, order: string): Promise<string> =>
    resultCodeOf(await callPayments(url, merchant, "pay", payRequest(order)));
  assert.equal(await pay(before.url, "before"), "PAYMENT_IN_PROCESS");
  assert.equal(await pay(next.url, "meanwhile"), "UNAVAILABLE_PAYMENT_METHOD");
  await runAct("enableConnector", { name: "gcash" });
  assert.partialDeepStrictEqual(await lastAudit(), {
    act: "connector enable",
    before: { isDisabled: true },
    after: { isDisabled: false },
  });
});

test("merchants and connectors are pinned to the next gateway key, and an unknown key is rejected", async () => {
  await runAct("moveMerchantKey", { clientId, version: 2 });
  await runAct("moveConnectorKey", { name: "gcash", version: 2 });
  const { keys } = (await requestStaff("gatewayKeys", {})) as { readonly keys: readonly Json[] };
  assert.partialDeepStrictEqual(keys, [
    { version: 1, merchantCount: 0, connectors: [] },
    { version: 2, merchantCount: 1, connectors: ["gcash"] },
  ]);
  const wrong = resultOf(await runAct("moveMerchantKey", { clientId, version: 7 }));
  assert.match(wrong["resultMessage"] ?? "", /no gateway key of version 7/);
});

test("a break is explained and closed, then reopened", async () => {
  const [row] = await run<{ break_id: string }>(
    `insert into breaks (kind, connector, subject, reference, currency, sums, effect_at, first_seen_at, last_seen_at)
     values ('other amount', 'gcash', 'payment', 'r-1', 'EUR', '{"here":{"currency":"EUR","minor":"1250"}}', now(), now(),
       now()) returning break_id`,
  );
  const breakId = Number(row?.break_id);
  const closed = await runAct("closeBreak", { breakId });
  assert.partialDeepStrictEqual(closed, { breakId, closed: { by: "per_grace", reason: "why closeBreak" } });
  assert.partialDeepStrictEqual(await lastAudit(), {
    ...grace,
    act: "break close",
    subject: `break ${breakId}`,
  });
  assert.match(
    resultOf(await runAct("closeBreak", { breakId }))["resultMessage"] ?? "",
    /^The break is already closed/,
  );
  const { breaks } = (await requestStaff("breaks", {})) as { readonly breaks: readonly Json[] };
  assert.partialDeepStrictEqual(breaks, [
    { breakId, whatToDo: "Ask the provider which amount it moved.", closed: { reason: "why closeBreak" } },
  ]);
  assert.equal((await runAct("reopenBreak", { breakId }))["closed"], undefined);
});

test("a break is assigned and written off", async () => {
  const [row] = await run<{ break_id: string }>(
    `insert into breaks (kind, subject, reference, currency, sums, effect_at, first_seen_at, last_seen_at)
     values ('only at the bank', 'bank b', 'B-1', 'EUR', '{"bank":{"currency":"EUR","minor":"-1200"}}', now(), now(), now())
     returning break_id`,
  );
  const breakId = Number(row?.break_id);
  const assigned = await runAct("assignBreak", { breakId });
  assert.partialDeepStrictEqual(assigned, {
    assigned: { to: "per_grace" },
    writeOff: { account: "clearing", sum: { currency: "EUR", value: "1200" } },
  });
  assert.equal((await runAct("assignBreak", { breakId, to: "" }))["assigned"], undefined);
  const writtenOff = await runAct("writeOffBreak", { breakId });
  assert.partialDeepStrictEqual(writtenOff, { closed: { by: "per_grace", reason: "why writeOffBreak" } });
  assert.deepEqual(
    [writtenOff["writeOff"], writtenOff["writtenOff"]],
    [undefined, { currency: "EUR", value: "1200" }],
  );
  assert.partialDeepStrictEqual(await lastAudit(), {
    ...grace,
    act: "break write-off",
    subject: `break ${breakId}`,
  });
});

test("an explained break opens again when `reconcile` finds other amounts, and stays closed for the same amounts", async () => {
  const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
  const open = (minor: bigint): Promise<readonly number[]> =>
    actAsOwner(operator, systemScope, async (tx) => {
      const now = new Date();
      await insertBreaks(tx, [{ ...difference, sums: { here: { currency: "EUR", minor } } }], now);
      const value = (await listBreaks(tx, now)).map((each) => each.breakId);
      return { value, audit: undefined };
    });
  const [breakId] = await open(100n);
  await runAct("closeBreak", { breakId });
  assert.deepEqual(await open(100n), []);
  assert.deepEqual(await open(99n), [breakId]);
});

const difference = {
  kind: "other amount",
  connector: "gcash",
  subject: "payment",
  reference: "r-2",
  paymentId: undefined,
  currency: "EUR",
  at: undefined,
} as const;

test("delivery queues and the audit log are shown, without undeclared fields", async () => {
  await run(
    "insert into paused_queues (bucket, client_id, queue, paused_at) values ($1, $2, $2 || ' https://a.example', now())",
    [bucketOf(clientId), clientId],
  );
  const { queues } = (await requestStaff("deliveryQueues", {})) as { readonly queues: readonly Json[] };
  assert.partialDeepStrictEqual(queues, [{ clientId, endpoint: "https://a.example", waitingCount: 0 }]);
  const { entries } = (await requestStaff("audit", { act: "merchant suspend" })) as {
    readonly entries: readonly Json[];
  };
  assert.partialDeepStrictEqual(entries, [
    { act: "merchant suspend", reason: "why suspendMerchant", clientId },
  ]);
  assert.doesNotMatch(JSON.stringify(entries), /login/);
});

test("a payout is found by its own reference and its file's, and its account is masked", async () => {
  const payoutId = newId("payout", bucketOf(clientId), new Date(), () => 7);
  await insertTestPayouts(database, clientId, payoutId);
  const found = async (body: object): Promise<readonly Json[]> =>
    (await requestStaff("payouts", body, "staff-finance"))["payouts"] as readonly Json[];
  for (const body of [{}, { reference: payoutId }, { reference: "sent-file" }]) {
    const [payout] = await found(body);
    assert.partialDeepStrictEqual(payout, { payoutId, clientId, status: "SENT", lines: [], breaks: [] });
    assert.equal(payout?.["ibanShown"], "DE89 … 3000");
  }
  assert.deepEqual(await found({ reference: "nobody's" }), []);
});
