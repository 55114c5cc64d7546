import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { newOperatorProcess } from "../../test/start/operator-process.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, pathOf, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { requestConsole, consoleVariables, personToken } from "../../test/start/test-console.ts";
import { eventually, waitForLine, startTestProcess } from "../../test/start/test-process.ts";
import { startTestShop } from "../../test/start/test-shop.ts";
import { payRequest, startTestStack } from "../../test/start/test-stack.ts";
import { archivedTables, type ArchivedTable } from "./archive.ts";
import { findArchivedRows, verifyArchive } from "./archive-read.workflow.ts";
import { archivePayments, type ArchiveOptions } from "./archive.workflow.ts";
import { findAudit } from "../operators/audit/audit-log.ts";
import { eraseBuyer } from "../operators/merchants/erase-buyer.ts";
import { reconcile } from "../reconciliation/reconcile.workflow.ts";
import { findPaymentHistory, historyText } from "../operators/payments/payment-history.ts";
import { rebuildAllSearch } from "../operators/payments/rebuild-search.ts";
import { importSettlementFile } from "../reconciliation/import-settlement-file.workflow.ts";

/**
 * Payments of a whole gateway, archived as if years had passed; all later requests must get the same responses as
 * before.
 */
const stack = await startTestStack();
const { database, merchant, provider } = stack;
const { clientId } = merchant;
const { url } = await stack.serve({ isPublic: true, variables: consoleVariables });
await stack.work();
const shop = await startTestShop();
const folder = mkdtempSync(join(tmpdir(), "tollgate-archive-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const operator = { url: database.ownerUrl, environment: "sandbox", by: { reason: "a test" } } as const;
const now = new Date(Date.now() + 800 * 24 * 3600 * 1000);
const before = now.toISOString().slice(0, 7);
const archiveOptions: ArchiveOptions = { before, folder, batchSize: 2, now };

function callApi(path: string, request: object): Promise<ReceivedAnswer> {
  return call(url, merchant, { path: pathOf("sandbox", path), body: JSON.stringify(request) });
}

const all = <Row extends object>(text: string): Promise<readonly Row[]> =>
  asSuperuser<Row>(text, [], database.superuserUrl);

const webhookFields = { paymentNotifyUrl: shop.notifyUrl, metadata: "a word about the buyer" };

async function payAndSettle(name: string): Promise<string> {
  const { json } = await callApi("payments/pay", payRequest(name, webhookFields));
  const paymentId = String(json["paymentId"]);
  await eventually(
    15_000,
    () => provider.control(paymentId, "approve"),
    ({ status }) => status === 200,
  );
  await untilStatus(paymentId, "SUCCESS");
  return paymentId;
}

const untilStatus = (paymentId: string, status: string): Promise<unknown> =>
  eventually(
    15_000,
    () => callApi("payments/inquiryPayment", { paymentId }),
    ({ json }) => json["paymentStatus"] === status,
  );

const refund = (paymentId: string, name: string): object => ({
  refundRequestId: name,
  paymentId,
  refundAmount: { currency: "EUR", value: "250" },
  refundNotifyUrl: shop.notifyUrl,
});

/** Rows of all archived tables, as the archive file must contain them. */
async function wholeRows(): Promise<ReadonlyMap<ArchivedTable, readonly string[]>> {
  const rows = new Map<ArchivedTable, readonly string[]>();
  for (const table of archivedTables) {
    const selected =
      table === "payments"
        ? "bucket, payment_id, client_id, notify_url, metadata, order_shown, provider_url, provider_code"
        : "*";
    const found = await all<{ row: string }>(
      `select row_to_json(r)::text as row from (select ${selected} from ${table}
         where ${table === "payments" ? "archive_id is null" : "true"}) as r, set_config('timezone', 'UTC', false)`,
    );
    rows.set(table, found.map(({ row }) => row).sort());
  }
  return rows;
}

function readArchivedRows(): ReadonlyMap<string, readonly string[]> {
  const rows = new Map<string, string[]>(archivedTables.map((table) => [table, []]));
  for (const month of readdirSync(folder))
    for (const name of readdirSync(join(folder, month)).filter((each) => each.endsWith(".gz")))
      for (const line of gunzipSync(readFileSync(join(folder, month, name)))
        .toString("utf8")
        .trimEnd()
        .split("\n")) {
        const [, table = "", row = ""] =
          /^\{"paymentId":"\d+","table":"(\w+)","row":(.*)\}$/.exec(line) ?? [];
        // PostgreSQL formats an object from `json_build_object` with spaces, and an object from `row_to_json` without,
        // so the test normalises both.
        rows.get(table)?.push(JSON.stringify(JSON.parse(row)));
      }
  return new Map([...rows].map(([table, found]) => [table, found.sort()]));
}

const asJson = (rows: readonly string[]): readonly string[] =>
  rows.map((row) => JSON.stringify(JSON.parse(row))).sort();

const plainId = await payAndSettle("plain");
const refundedId = await payAndSettle("refunded");
await callApi("payments/refund", refund(refundedId, "a-refund"));
const otherId = await payAndSettle("other");
const declined = await callApi("payments/pay", payRequest("declined", webhookFields));
const declinedId = String(declined.json["paymentId"]);
await eventually(
  15_000,
  () => provider.control(declinedId, "decline"),
  ({ status }) => status === 200,
);
await untilStatus(declinedId, "FAIL");
await callApi("payments/cancel", { paymentRequestId: "never-asked-for" });
const openId = String((await callApi("payments/pay", payRequest("open", webhookFields))).json["paymentId"]);
await eventually(
  15_000,
  () =>
    all<{ waiting: number }>(
      `select (select count(*) from notifications where status = 'WAITING' or position is null)::int
         + (select count(*) from changed_payments_queue)::int
         + (select count(*) from jobs where subject_id <> '${openId}')::int as waiting`,
    ),
  ([row]) => row?.waiting === 0,
);

/** The responses to all requests of merchants, people and operators about the payments. */
async function answers(): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  const note = async (name: string, path: string, request: object): Promise<void> => {
    texts[name] = (await callApi(path, request)).text;
  };
  for (const paymentId of [plainId, refundedId, declinedId])
    await note(paymentId, "payments/inquiryPayment", { paymentId });
  for (const name of ["plain", "refunded", "declined", "never-asked-for"]) {
    await note(`inquiry ${name}`, "payments/inquiryPayment", { paymentRequestId: name });
    await note(`pay ${name}`, "payments/pay", payRequest(name, webhookFields));
    const amount = { currency: "EUR", value: "1" };
    await note(
      `other ${name}`,
      "payments/pay",
      payRequest(name, { ...webhookFields, paymentAmount: amount }),
    );
    await note(`cancel ${name}`, "payments/inquiryPayment", { paymentRequestId: name });
  }
  await note("refund", "payments/inquiryRefund", { refundRequestId: "a-refund" });
  await note("refund again", "payments/refund", refund(refundedId, "a-refund"));
  const token = personToken({ clientIds: [clientId], sub: "per_anna" });
  const page = await requestConsole(url, "views/payments", { token, body: {} });
  const { searchAge: _, ...list } = page.json;
  texts["list"] = JSON.stringify(list["payments"]);
  return texts;
}

const counts = (): Promise<readonly object[]> =>
  all(`select span, starts_at, status, result_code, payment_count, amount_minor, final_count, final_seconds
    from payment_counts where payment_count <> 0 order by 1, 2, 3, 4`);

await all(`insert into order_data (bucket, payment_id, client_id, data)
  select bucket, payment_id, client_id, '{"buyer": {"buyerEmail": "ann@mail.example"}}' from payments
  where payment_id in ('${plainId}', '${openId}')`);
const rowsBefore = await wholeRows();
const answersBefore = await answers();
const countsBefore = await counts();

test("payments that are open or refundable stay, and a dry run only counts", async () => {
  const dryRun = { ...archiveOptions, folder: undefined };
  assert.partialDeepStrictEqual(await archivePayments(operator, { ...dryRun, now: new Date() }), [
    { paymentCount: 0, openCount: 1, recentCount: 5 },
  ]);
  assert.partialDeepStrictEqual(await archivePayments(operator, dryRun), [
    { paymentCount: 5, openCount: 1, recentCount: 0, fileCount: 0 },
  ]);
  assert.deepEqual(await wholeRows(), rowsBefore);
});

test("if a file on disk differs from the written one, nothing is deleted", async () => {
  const flipByte = (_: string, file: string): void => {
    const bytes = readFileSync(join(folder, file));
    bytes[20]! ^= 1;
    writeFileSync(join(folder, file), bytes);
  };
  await assert.rejects(
    archivePayments(operator, { ...archiveOptions, atCrashPoint: flipByte }),
    /has another checksum than recorded: its payments stay in the database/,
  );
  assert.deepEqual(await wholeRows(), rowsBefore);
});

async function crash(stopAt: string, stopOn: number): Promise<void> {
  const victim = startTestProcess(["server/test/crash/crashing-archive.ts"], {
    OWNER_URL: database.ownerUrl,
    FOLDER: folder,
    BEFORE: before,
    NOW: now.toISOString(),
    STOP_AT: stopAt,
    STOP_ON: String(stopOn),
  });
  await waitForLine(victim, /^Stands still/);
  const { child } = victim;
  child.kill("SIGKILL");
  await eventually(
    20_000,
    async () => child.signalCode ?? child.exitCode,
    (signal) => signal === "SIGKILL",
  );
}

test("after a crash between file and delete, or between batches, no row is lost or duplicated", async () => {
  for (const crashAt of ["file written", "before commit"]) {
    await crash(crashAt, 1);
    assert.deepEqual(await wholeRows(), rowsBefore);
    assert.equal((await verifyArchive(operator, folder)).unrecorded.length, 2, "the file and its manifest");
  }
  await crash("after commit", 1);
  await crash("file written", 2);
  assert.partialDeepStrictEqual(await verifyArchive(operator, folder), {
    fileCount: 2,
    paymentCount: 4,
    problems: [],
  });
  const [month] = await archivePayments(operator, archiveOptions);
  assert.partialDeepStrictEqual(month, { paymentCount: 1, openCount: 1, recentCount: 0, fileCount: 1 });
  assert.deepEqual(await archivePayments(operator, archiveOptions), [
    { ...month, paymentCount: 0, fileCount: 0, rowCount: 0, byteCount: 0 },
  ]);

  const verified = await verifyArchive(operator, folder);
  assert.partialDeepStrictEqual(verified, { fileCount: 3, paymentCount: 5, problems: [], unrecorded: [] });
  const [remaining, archived] = [await wholeRows(), readArchivedRows()];
  for (const table of archivedTables) {
    const both = [...(remaining.get(table) ?? []), ...(archived.get(table) ?? [])];
    assert.deepEqual(asJson(both), asJson(rowsBefore.get(table) ?? []), table);
    assert.ok((archived.get(table) ?? []).length > 0, table);
  }
  // Data for the provider is deleted and not archived.
  assert.deepEqual(await all("select payment_id from order_data"), [{ payment_id: openId }]);
  assert.doesNotMatch(JSON.stringify([...archived.values()]), /ann@mail/);
  const [audited] = await findAudit(operator, { act: "archive" }, 1);
  assert.match(audited?.subject ?? "", /^\d{4}-\d\d\/00000003-[0-9a-f]{16}\.ndjson\.gz$/);
  assert.partialDeepStrictEqual(audited, { act: "archive", reason: "a test" });
});

test("every response is the same as before, byte by byte, and so are lists and charts", async () => {
  assert.deepEqual(await answers(), answersBefore);
  assert.match(answersBefore["other plain"] ?? "", /REPEAT_REQ_INCONSISTENT/);
  await rebuildAllSearch(operator);
  assert.deepEqual(await counts(), countsBefore);
  const token = personToken({ clientIds: [clientId], sub: "per_anna" });
  const page = await requestConsole(url, "views/payment", { token, body: { id: "plain" } });
  assert.partialDeepStrictEqual(page.json, { payment: { paymentId: plainId, paymentStatus: "SUCCESS" } });
});

test("a reader reads to the end of the event feed, although all earlier events are archived", async () => {
  const [head] = await all<{ position: string }>("select position from feed_heads");
  assert.ok(Number(head?.position) >= 5);
  const { json } = await callApi("tollgate/inquiryEvents", { cursor: "1" });
  assert.partialDeepStrictEqual(json, { events: [], nextCursor: head?.position, hasMore: false });
});

test("ledger and provider still agree", async () => {
  const file = join(folder, "settlement.csv");
  writeFileSync(file, await provider.settlement());
  await importSettlementFile(operator, { connector: "test-provider", file });
  const day = new Date().toISOString().slice(0, 10);
  for (const asked of [{}, { day }]) {
    const reconciliation = await reconcile(operator, {
      connector: undefined,
      until: undefined,
      day: undefined,
      ...asked,
    });
    assert.deepEqual(reconciliation.breaks, []);
    assert.ok(reconciliation.totals.some(({ matchedCount }) => matchedCount >= 3));
  }
});

test("a refund, and a dispute years later, are still possible", async () => {
  await callApi("payments/refund", refund(otherId, "late-refund"));
  await eventually(
    15_000,
    () => callApi("payments/inquiryRefund", { refundRequestId: "late-refund" }),
    ({ json }) => json["refundStatus"] === "SUCCESS",
  );
  assert.equal((await provider.control(plainId, "dispute")).status, 200);
  await eventually(
    15_000,
    () => all("select from disputes"),
    (rows) => rows.length === 1,
  );
});

test("an operator sees which file has the archived rows, and can read them", async () => {
  const history = await findPaymentHistory(operator, refundedId, undefined);
  assert.match(historyText(history), /are archived in \d{4}-\d\d\/0000000\d-[0-9a-f]{16}\.ndjson\.gz/);
  const lines = await findArchivedRows(operator, folder, refundedId);
  const tables = lines.map((line) => (JSON.parse(line) as { table: string }).table);
  assert.deepEqual([...new Set(tables)], archivedTables);
  assert.equal(
    tables.filter((table) => table === "notifications").length,
    2,
    "of the payment and of its refund",
  );
  await assert.rejects(findArchivedRows(operator, folder, openId), /Payment \d+ is not in the archive/);
});

test("a buyer is erased from the archive as well, and the command shows the file", async () => {
  const erase = { clientId, kind: "payment", id: refundedId } as const;
  await assert.rejects(eraseBuyer(operator, erase), /is archived in .*--archive DIR/);
  assert.partialDeepStrictEqual(await eraseBuyer(operator, { ...erase, folder }), { archives: 1 });
  const lines = await findArchivedRows(operator, folder, refundedId);
  assert.doesNotMatch(lines.join("\n"), /a word about|\\\\x/);
  const verified = await verifyArchive(operator, folder);
  assert.partialDeepStrictEqual(verified, { fileCount: 3, problems: [], unrecorded: [] });
  // Erasing one payment keeps the personal data of other payments in the file.
  const others = await findArchivedRows(operator, folder, plainId);
  assert.match(others.join("\n"), /a word about/);
});

test("concurrent erasures of two buyers in one file both take effect", async () => {
  const ids = [otherId, declinedId];
  const files = await all(
    `select distinct archive_id from payments where payment_id = any ('{${ids.join()}}')`,
  );
  assert.equal(files.length, 1);
  await Promise.all(ids.map((id) => eraseBuyer(operator, { clientId, kind: "payment", id, folder })));
  for (const id of ids)
    assert.doesNotMatch((await findArchivedRows(operator, folder, id)).join("\n"), /a word about|\\\\x/);
  assert.partialDeepStrictEqual(await verifyArchive(operator, folder), { problems: [], unrecorded: [] });
});

test("a changed or missing file is detected", async () => {
  const [month = ""] = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
  const [first = "", second = ""] = readdirSync(join(folder, month)).filter((name) => name.endsWith(".gz"));
  const path = join(folder, month, first);
  const bytes = readFileSync(path);
  bytes[bytes.length - 9]! ^= 1;
  writeFileSync(path, bytes);
  rmSync(join(folder, month, second));
  const { problems } = await verifyArchive(operator, folder);
  assert.deepEqual(problems, [
    `${month}/${first} has another checksum than recorded.`,
    `${month}/${second} is missing.`,
  ]);
});

test("operators archive with the commands", async () => {
  const variables = { ...stack.variables, TOLLGATE_OWNER_DATABASE_URL: database.ownerUrl };
  const { folder: empty, run, stdoutOf: printedBy } = newOperatorProcess(variables);
  assert.match(
    await printedBy("archive", "--before", before, "--dry-run"),
    /^month +can be archived +open +too recent/,
  );
  assert.equal(
    await printedBy("archive", "--before", "2026-01", "--to", empty),
    "No payments to archive in these months.\n",
  );
  for (const wrong of [
    ["--before", "2026-13", "--dry-run"],
    ["--before", "2026-01"],
  ])
    assert.equal((await run("archive", ...wrong)).code, 2);
  const { code, stdout: printed } = await run("archive verify", empty);
  assert.equal(code, 1);
  assert.match(printed, /3 files of 5 payments, \d+ bytes: 3 files are damaged\.\n$/);
  const asked = ["--payment-id", plainId, "--archive", empty];
  assert.match((await run("archive show", ...asked)).stderr, /ndjson\.gz in .* is missing\.\n$/);
});
