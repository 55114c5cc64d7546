import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "../../test/start/bare-environment.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import {
  refundUntilFinal,
  refundRequest,
  resultOf,
  createPaidEuroPayment,
} from "../../test/shop/test-refund.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";
import { reconcile, type ReconciliationResult } from "./reconcile.workflow.ts";
import { importSettlementFile } from "./import-settlement-file.workflow.ts";

/**
 * These tests move money in all ways through gateway, worker and provider, and then tamper with the provider's file.
 */
const main = fileURLToPath(new URL("../main.ts", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "tollgate-match-"));
after(() => rm(folder, { recursive: true, force: true }));
const stack = await startTestStack();
const { merchant, provider, database } = stack;
const variables = { ...stack.variables, TOLLGATE_OWNER_DATABASE_URL: database.ownerUrl };
await asSuperuser("update clients set fee_basis_points = 290", [], database.superuserUrl);
const { url } = await stack.serve({ isPublic: true });
await stack.work();
const till = { url, merchant, provider };

const callGateway = (verb: string, body: object): ReturnType<typeof callPayments> =>
  callPayments(url, merchant, verb, body);

/** Runs a command in another process, as an operator does; returns exit code, output and errors. */
async function run(...args: readonly string[]): Promise<{ code: number; printed: string; said: string }> {
  return new Promise((resolve) => {
    const env = { ...bareEnvironment, ...variables };
    execFile(process.execPath, [main, ...args], { env }, (error, printed, stderr) => {
      resolve({ code: Number(error?.code ?? 0), printed, said: stderr });
    });
  });
}

const operator = { url: database.ownerUrl, environment: "sandbox" } as const;

/** Imports a file; returns the number of its rows, of new ones, and of repeats that differ or occur twice. */
async function importFile(name: string, text: string): Promise<readonly (number | undefined)[]> {
  const file = join(folder, name);
  await writeFile(file, text);
  const { rowCount, imported } = await importSettlementFile(operator, { connector: "test-provider", file });
  return [rowCount, imported?.newCount, imported?.repeatCount];
}

/** A cut-off after the last second of the provider's file, which would otherwise still be open. */
const tomorrow = new Date(Date.now() + 24 * 3600 * 1000).toISOString();

/** Runs `reconcile`. A run of today must find the same breaks, because all movements are from today. */
async function matched(): Promise<ReconciliationResult> {
  const request = { connector: undefined, until: tomorrow };
  const fullRun = await reconcile(operator, request);
  const today = await reconcile(operator, { ...request, day: new Date().toISOString().slice(0, 10) });
  assert.deepEqual(
    [today.breaks, today.totals],
    [fullRun.breaks, fullRun.totals],
    "a run of the day finds the same",
  );
  return fullRun;
}

const statusIs = (paymentId: string, status: string): Promise<unknown> =>
  eventually(
    15_000,
    () => callGateway("inquiryPayment", { paymentId }),
    ({ json }) => json["paymentStatus"] === status,
  );

/** Retries a request until its result is final. */
const settledAnswer = (verb: string, body: object): ReturnType<typeof callPayments> =>
  eventually(
    15_000,
    () => callGateway(verb, body),
    ({ json }) => json.result["resultStatus"] !== "U",
  );

async function holdAndCapture(): Promise<void> {
  const paymentFactor = { isAuthorization: true, captureMode: "MANUAL" };
  const { json } = await callGateway("pay", payRequest("held", { paymentFactor }));
  const paymentId = String(json["paymentId"]);
  await provider.control(paymentId, "approve");
  await statusIs(paymentId, "SUCCESS");
  for (const value of ["500", "300"]) {
    const captureAmount = { currency: "EUR", value };
    const captured = await settledAnswer("capture", {
      captureRequestId: `c-${value}`,
      paymentId,
      captureAmount,
    });
    assert.equal(resultOf(captured), "SUCCESS", captured.text);
  }
  assert.equal(
    resultOf(await refundUntilFinal(till, refundRequest("of-capture", paymentId, "100"))),
    "SUCCESS",
  );
}

/** Authorizes and cancels a payment, so that no money has moved. */
async function holdAndCancel(): Promise<void> {
  const paymentFactor = { isAuthorization: true, captureMode: "MANUAL" };
  const { json } = await callGateway("pay", payRequest("let-go", { paymentFactor }));
  const paymentId = String(json["paymentId"]);
  await provider.control(paymentId, "approve");
  await statusIs(paymentId, "SUCCESS");
  assert.equal(resultOf(await settledAnswer("cancel", { paymentId })), "SUCCESS");
}

async function payTooLate(): Promise<string> {
  const { json } = await callGateway("pay", payRequest("too-late"));
  const paymentId = String(json["paymentId"]);
  const cancelled = await settledAnswer("cancel", { paymentId });
  assert.equal(resultOf(cancelled), "SUCCESS", cancelled.text);
  await provider.fault({ kind: "late-success", match: { paymentId } });
  const approved = await provider.control(paymentId, "approve");
  assert.equal(approved.status, 200, approved.text);
  await eventually(
    15_000,
    () =>
      asSuperuser<{ status: string }>(
        "select status from reversals where payment_id = $1",
        [paymentId],
        database.superuserUrl,
      ),
    ([reversal]) => reversal?.status === "SUCCESS",
  );
  return paymentId;
}

const [capturedPayment, refunded, cancelled] = [
  await createPaidEuroPayment(till, "100000"),
  await createPaidEuroPayment(till, "2000"),
  await createPaidEuroPayment(till, "3000"),
];
await holdAndCapture();
await holdAndCancel();
assert.equal(resultOf(await refundUntilFinal(till, refundRequest("part", refunded, "700"))), "SUCCESS");
assert.equal(resultOf(await settledAnswer("cancel", { paymentId: cancelled })), "SUCCESS");
const late = await payTooLate();
/** An order at the provider that is not paid, so that no money has moved. */
await callGateway("pay", payRequest("nobody-pays"));

const honest = await provider.settlement();
const [header = "", ...lines] = honest.split("\r\n").filter(Boolean);
const csv = (rows: readonly string[]): string => [header, ...rows, ""].join("\r\n");
const lineOf = (start: string): string => lines.find((line) => line.startsWith(start)) ?? "";
const paymentLine = (paymentId: string): string =>
  lines.find((line) => line.startsWith("payment,") && line.includes(paymentId)) ?? "";

test("before the first file all movements are open, and the ledger agrees with the records", async () => {
  const { code, printed, said } = await run("reconcile");
  assert.equal(code, 0, printed + said);
  assert.match(printed, /^test-provider {2}EUR +none +0 +EUR 0\.00 +EUR 0\.00 +10 +0 +none$/m);
  assert.match(printed, /0 breaks, 0 resolved since the last run\.\n$/);
});

test("payments, captures, refunds, a late success and a cancel all agree with the provider's file", async () => {
  // The ten lines of the file: four payments, two captures, and four returns.
  assert.equal(lines.length, 10, honest);
  const withoutCancel = lines.filter((line) => !line.includes(cancelled));
  assert.deepEqual(await importFile("first.csv", csv(withoutCancel)), [8, 8, 0]);
  assert.deepEqual(
    (await matched()).breaks.map(({ kind, subject, paymentId }) => [kind, subject, paymentId]),
    ["payment", "refund"].map((subject) => ["missing at the provider", subject, cancelled]),
  );

  assert.deepEqual(await importFile("all.csv", honest), [10, 2, 0]);
  const { breaks, totals, resolvedCount } = await matched();
  assert.deepEqual([breaks, resolvedCount], [[], 2]);
  assert.deepEqual(totals, [
    {
      connector: "test-provider",
      currency: "EUR",
      matchedCount: 10,
      takenMinor: 100_000n + 2000n + 3000n + 1250n + 800n,
      givenBackMinor: 700n + 3000n + 1250n + 100n,
      openCount: 0,
      breakCount: 0,
      oldestBreakAt: undefined,
    },
  ]);
  assert.equal(
    provider.effects().filter(({ kind, paymentId }) => kind === "paid" && paymentId === late).length,
    1,
  );
});

test("importing the same file again changes nothing", async () => {
  assert.deepEqual(await importFile("copy.csv", honest), [10, undefined, undefined]);
  assert.deepEqual((await matched()).breaks, []);
});

test("a row that a provider repeats or changes is reported", async () => {
  assert.deepEqual(
    await importFile("twice.csv", csv([paymentLine(refunded), paymentLine(refunded)])),
    [2, 0, 1],
  );
  const changed = csv([paymentLine(capturedPayment).replace(",100000,", ",99999,")]);
  assert.deepEqual(await importFile("changed.csv", changed), [1, 0, 1]);
  // The file has the same rows again, but another hash.
  assert.deepEqual(await importFile("changed-again.csv", `${changed}${lineOf("capture,")}\r\n`), [2, 0, 0]);
  assert.deepEqual(
    (await matched()).breaks.map(({ kind, paymentId }) => [kind, paymentId]),
    [
      ["changed row", capturedPayment],
      ["twice at the provider", refunded],
    ],
  );
});

test("invented movements of the provider, and manipulated records, are reported", async () => {
  const invented = lineOf("refund,").replaceAll(/,[0-9a-f]{40},(?=\d{35},)/g, ",invented,");
  await importFile("invented.csv", csv([invented]));
  // Only a superuser could do this.
  await asSuperuser(
    `update payments set status = 'SUCCESS', paid_at = now(), paid_currency = currency, paid_minor = amount_minor
     where payment_request_id = 'nobody-pays'`,
    [],
    database.superuserUrl,
  );
  const { breaks } = await matched();
  const kinds = breaks.map(({ kind }) => kind).sort();
  assert.deepEqual(kinds, [
    "captured sum",
    "changed row",
    "missing at the provider",
    "missing here",
    "missing in the ledger",
    "twice at the provider",
  ]);
  const { printed, code } = await run("reconcile", "--until", tomorrow);
  assert.equal(code, 1);
  assert.match(
    printed,
    /^changed row +test-provider +payment +\d{35} +\S{40} +here EUR 1000\.00, .*again EUR 999\.99/m,
  );
  assert.match(printed, /^missing in the ledger: /m);
  assert.match(printed, /\n6 breaks, 0 resolved since the last run\.\n$/);
});

test("each break keeps the time when it was first seen, and none is ever deleted", async () => {
  const seen = await asSuperuser<{ kind: string; isResolved: boolean; isOlder: boolean }>(
    `select kind, resolved_at is not null as "isResolved", first_seen_at < last_seen_at as "isOlder" from breaks`,
    [],
    database.superuserUrl,
  );
  assert.equal(seen.length, 8);
  assert.equal(seen.filter(({ isResolved }) => isResolved).length, 2);
  assert.ok(seen.every(({ isResolved, isOlder }) => isResolved || isOlder));
});

test("an invalid file changes nothing, and the error names its line", async () => {
  const file = join(folder, "mistake.csv");
  await writeFile(file, csv([...lines, "payment,a,b,c,EUR,12.50,2026-11-15T10:00:00Z,,,,,"]));
  const args = ["settlement", "import", "--connector", "test-provider", "--file", file];
  assert.deepEqual(await run(...args), {
    code: 1,
    printed: "",
    said: 'Line 12: amountMinor must be a whole number of minor units from 1, with at most 16 digits; it is "12.50".\n',
  });
  const unknown = { connector: "gcash", file };
  await assert.rejects(importSettlementFile(operator, unknown), {
    message: "There is no connector gcash. Connectors: test-provider.",
  });
  await assert.rejects(reconcile(operator, { connector: undefined, until: "yesterday" }), {
    message: "--until must be a time in ISO 8601 with a zone.",
  });
});
