import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { Client } from "pg";
import { bucketOf } from "../../core/bucket.ts";
import { newId } from "../../core/id.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { newKeyPair, newMerchant, writeTestFile } from "../../../test/start/test-gateway.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { callPayments, payRequest, startTestStack } from "../../../test/start/test-stack.ts";
import { openOperatorsSigner, testConnector, connectorTestText } from "../providers/connector-test.ts";
import { addConnector } from "../providers/connector-settings.ts";
import { findJobs, retryText, retryJobs } from "./planned-jobs.ts";
import { findPaymentHistory } from "./payment-history.ts";
import { setRequestLogRetention } from "../merchants/request-log-retention.ts";
import { readSettings } from "../../settings/settings.ts";

/** The stack runs without a worker, so jobs stay unchanged. */
const stack = await startTestStack();
const { merchant, database } = stack;
const { clientId } = merchant;
const bucket = bucketOf(clientId);
const { url } = await stack.serve();
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const signer = await openOperatorsSigner(operator, readSettings(stack.variables));
const run = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
  asSuperuser<Row>(text, values, database.superuserUrl);

async function pay(requestId: string, from = merchant): Promise<string> {
  const { json } = await callPayments(url, from, "pay", payRequest(requestId));
  return String(json["paymentId"]);
}

let drawn = 0;

/** Inserts a job without a record, because these commands read only jobs. */
async function insertJob(dueAt: string, isLease = false): Promise<string> {
  const subjectId = newId("payment", bucket, new Date(), () => (drawn += 1));
  await run(
    `insert into jobs (bucket, subject_id, job, client_id, due_at, follows_merchant_clock, queue)
     values ($1, $2, 'drive-payment', $3, ${dueAt}, $4, case when ${dueAt} = timestamptz 'infinity' then $3 end)`,
    [bucket, subjectId, clientId, !isLease],
  );
  return subjectId;
}

test("a payment is found by its merchant's request id and by its reference at the provider", async () => {
  const paymentId = await pay("any-id");
  const findPaymentId = async (id: string): Promise<string> =>
    (await findPaymentHistory(operator, id, undefined)).payment.paymentId;
  assert.equal(await findPaymentId("any-id"), paymentId);
  const [row] = await eventually(
    15_000,
    () =>
      run<{ provider_reference: string }>(
        "select provider_reference from payments where payment_id = $1 and provider_reference is not null",
        [paymentId],
      ),
    ({ length }) => length === 1,
  );
  assert.equal(await findPaymentId(row?.provider_reference ?? ""), paymentId);
  await assert.rejects(findPaymentId("f".repeat(40)), /^Error: No payment found for f+\. /);
});

test("a request id of several merchants needs a client id", async () => {
  const otherMerchant = await newMerchant(database, "Tea Lab");
  await pay("shared");
  const theirs = await pay("shared", otherMerchant);
  await assert.rejects(findPaymentHistory(operator, "shared", undefined), ({ message }: Error) =>
    [clientId, otherMerchant.clientId, "--client-id"].every((text) => message.includes(text)),
  );
  const { payment } = await findPaymentHistory(operator, "shared", otherMerchant.clientId);
  assert.equal(payment.paymentId, theirs);
});

test("a payment is found by the id of a webhook about it", async () => {
  const paymentId = await pay("told");
  const notificationId = newId("notification", bucket, new Date(), () => 7);
  await run(
    `insert into notifications (bucket, notification_id, client_id, kind, subject_id, sequence, status, body, created_at)
     values ($1, $2, $3, 'notifyPayment', $4, 1, 'UNSENT', '{}', now())`,
    [bucket, notificationId, clientId, paymentId],
  );
  const { payment } = await findPaymentHistory(operator, notificationId, undefined);
  assert.equal(payment.paymentId, paymentId);
});

test("a waiting job runs now; a leased, parked or due job is skipped", async () => {
  const [later, leased, parked, due] = [
    await insertJob("now() + interval '1 hour'"),
    await insertJob("now() + interval '14 seconds'", true),
    await insertJob("timestamptz 'infinity'"),
    await insertJob("now() - interval '2 minutes'"),
  ];
  const retryAndFormat = async (id: string): Promise<string> => retryText(await retryJobs(operator, id));
  const dueAt = async (id: string): Promise<string> =>
    (await run<{ due: string }>("select due_at::text as due from jobs where subject_id = $1", [id]))[0]
      ?.due ?? "";
  assert.match(await retryAndFormat(later), /^drive-payment: due now; /);
  const [row] = await run<{ ago: number }>(
    "select extract(epoch from now() - due_at)::float8 as ago from jobs where subject_id = $1",
    [later],
  );
  assert.ok(row && row.ago >= 0 && row.ago < 30);
  for (const [id, sentence] of [
    [leased, /skipped: a worker holds its lease until /],
    [parked, /skipped: it is parked /],
    [due, /already due\. /],
  ] as const) {
    const before = await dueAt(id);
    assert.match(await retryAndFormat(id), sentence);
    assert.equal(await dueAt(id), before);
  }
  const overdue = await findJobs(operator, { isOverdue: true }, 10);
  assert.deepEqual(
    overdue.map(({ subjectId }) => subjectId),
    [due],
  );
  const nobodys = newId("payment", bucket, new Date(), () => 999);
  await assert.rejects(retryJobs(operator, nobodys), /There is no job for \d{35}\./);
});

test("payments do not wait for an operator's command, because only audited changes take the audit lock", async () => {
  const holder = new Client({ connectionString: database.superuserUrl });
  await holder.connect();
  await holder.query("begin");
  await holder.query(
    "insert into audit (actor_kind, actor, role, act, subject) values ('command', 'a', 'b', 'c', 'd')",
  );
  let isDone = false;
  const act = setRequestLogRetention(operator, 7).then(() => (isDone = true));
  assert.match(await pay("meanwhile"), /^\d{35}$/);
  const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
  await eventually(
    4_000,
    () => run(waiting),
    ({ length }) => length === 1,
  );
  assert.equal(isDone, false);
  await holder.query("rollback");
  await holder.end();
  assert.equal(await act, true);
});

test("connector test reports a healthy provider, one with another key, and an unreachable one", async () => {
  const { isWell, tookMs } = await testConnector(operator, "test-provider", signer);
  assert.ok(isWell && tookMs < 10_000);
  const [known] = await run<{ url: string }>("select url from connectors where name = 'test-provider'");
  const other = generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" });
  const publicKeyFile = writeTestFile("other-provider.pem", String(other));
  const provider = { partnerId: "tollgate", publicKeyFile, paymentMethodTypes: ["NONE"], simulator: true };
  await addConnector(database.ownerUrl, "sandbox", { ...provider, name: "forged", url: known?.url ?? "" });
  await addConnector(database.ownerUrl, "sandbox", { ...provider, name: "gone", url: "http://127.0.0.1:9" });
  const forged = await testConnector(operator, "forged", signer);
  assert.match(
    connectorTestText(forged),
    /^forged at http\S+ failed the test: The signature does not match the provider's public key\. /,
  );
  const { publicKeyFile: rsaFile } = await newKeyPair("rsa-provider");
  const rsa = { ...provider, publicKeyFile: rsaFile, name: "rsa", url: known?.url ?? "" };
  await addConnector(database.ownerUrl, "sandbox", rsa);
  assert.match(
    connectorTestText(await testConnector(operator, "rsa", signer)),
    /failed the test: The signature algorithm differs from that of the provider's public key\. /,
  );
  const unreachable = await testConnector(operator, "gone", signer);
  assert.match(
    connectorTestText(unreachable),
    /failed the test: No trustworthy response from connector gone\. There is no response from 127\.0\.0\.1:9/,
  );
  await assert.rejects(testConnector(operator, "nobody", signer), /There is no connector nobody\./);
});
