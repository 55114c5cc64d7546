import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as waitMs } from "node:timers/promises";
import { settlementCsv } from "../../test/examples/settlement-csv.ts";
import { listCandidates } from "../archive/archive.sql.ts";
import { accountingDayOf } from "../core/accounting-day.ts";
import { setFeeRule } from "../operators/ledger/fee-rules.ts";
import { computeTrialBalance } from "../operators/ledger/trial-balance-table.ts";
import { importSettlementFile } from "../reconciliation/import-settlement-file.workflow.ts";
import { reconcile } from "../reconciliation/reconcile.workflow.ts";
import { bucketOf } from "../core/bucket.ts";
import { flatRateTerms } from "../ledger/fee.ts";
import { listTimeline } from "../payments/timeline.sql.ts";
import { connectAs, transactionOn } from "../../test/start/test-connection.ts";
import { createPaidPayment } from "../../test/shop/scripted-payment.ts";
import { refundRequest, resultOf } from "../../test/shop/test-refund.ts";
import {
  captureResponse,
  failureResponse,
  orderResponse,
  paidOrder,
  refundResponse,
  startScriptedProvider,
  startScriptedStack,
  type ScriptedResponse,
} from "../../test/start/scripted-provider.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, pathOf, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";

/**
 * These tests follow the money of captures and refunds that take long, from the provider's reports to the merchant's
 * statement and to the reconciliation with the provider's file.
 */
const stack = await startScriptedStack();
const { merchant, database } = stack;
const { clientId } = merchant;
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const folder = await mkdtemp(join(tmpdir(), "tollgate-reversed-"));
after(() => rm(folder, { recursive: true, force: true }));

/** States other than DONE of captures and refunds at the provider, by their reference. */
const moneyStates = new Map<string, object>();
/** The references of the orders, because an inquiry names only the capture or the refund. */
const orders = new Map<string, string>();
const amounts = new Map<string, object>();
const provider = await startScriptedProvider("w", ({ verb, fields }): ScriptedResponse => {
  const money = fields.refundReference ?? fields.captureReference;
  if (money === undefined) return orderResponse(fields.reference, "OPEN");
  if (fields.reference !== undefined) orders.set(money, fields.reference);
  if (fields.amount !== undefined) amounts.set(money, fields.amount);
  if (!amounts.has(money)) return failureResponse("ORDER_NOT_EXIST");
  const about = { ...fields, reference: orders.get(money) ?? "", amount: amounts.get(money) ?? {} };
  const state = moneyStates.get(money) ?? { state: "DONE" };
  return verb.endsWith("refund") ? refundResponse(about, state) : captureResponse(about, state);
});
await stack.connect(provider);
const feeTerms = {
  ...flatRateTerms(290),
  taxMillionths: 200_000n,
  refundPolicy: "return all",
  refundFixedMinor: 15n,
} as const;
const everyPayment = { clientId: undefined, paymentMethodType: undefined, currency: "EUR" } as const;
const feesFrom = new Date(Date.now() + 2_000);
await setFeeRule(operator, { ...everyPayment, from: feesFrom.toISOString(), terms: feeTerms });
const { url } = await stack.serve({ isPublic: true });
await stack.work();
// A payment before the rule begins would have no fee.
await waitMs(Math.max(0, feesFrom.getTime() - Date.now()));

function rows<Row extends object>(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
  return asSuperuser<Row>(text, values, database.superuserUrl);
}

const callTollgate = (operation: string, body: object): Promise<ReceivedAnswer> =>
  call(url, merchant, { path: pathOf("sandbox", `tollgate/${operation}`), body: JSON.stringify(body) });

let requestCount = 0;

/** The provider changes the state of a capture or a refund, and reports it by a callback. */
async function reportState(
  paymentId: string,
  kind: "capture" | "refund",
  moneyReference: string,
  state: object,
): Promise<void> {
  moneyStates.set(moneyReference, state);
  const reference = orders.get(moneyReference) ?? "";
  const amount = amounts.get(moneyReference);
  const report = { reference, [`${kind}Reference`]: moneyReference, amount, ...state };
  const content = { eventId: `event-${(requestCount += 1)}`, reference, [kind]: report };
  const answer = await provider.sendCallback(url, { clientId, subjectId: paymentId }, content);
  assert.equal(resultOf(answer), "SUCCESS", answer.text);
}

async function owed(): Promise<string> {
  const { json } = await callTollgate("inquiryBalance", {});
  return (json["balances"] as readonly { readonly owed: string }[])[0]?.owed ?? "0";
}

/** The lines of the merchant's statement, from today to the merchant's present day. */
async function statement(): Promise<{ readonly closing: string; readonly lines: readonly string[] }> {
  const [latest] = await rows<{ at: Date }>("select max(at) as at from ledger_transfers");
  const days = { fromDay: accountingDayOf(new Date()), toDay: accountingDayOf(latest?.at ?? new Date()) };
  const { json, text } = await callTollgate("inquiryStatements", { currency: "EUR", ...days });
  const lines = json["lines"] as readonly Readonly<Record<string, string>>[];
  assert.ok(lines, text);
  return {
    closing: String(json["closing"]),
    lines: lines.map(({ effect, gross, fee, tax }) => `${effect} ${gross} ${fee} ${tax}`),
  };
}

/** The balances of all accounts of the ledger that are not zero. */
async function accounts(): Promise<Readonly<Record<string, number>>> {
  const found = await rows<{ account: string; minor: number }>(
    `select account, sum(minor)::int as minor from (
       select debit_account as account, amount_minor as minor from ledger_transfers
       union all select credit_account, -amount_minor from ledger_transfers
     ) as sides group by account having sum(minor) <> 0 order by account`,
  );
  return Object.fromEntries(found.map(({ account, minor }) => [account, minor]));
}

/** The provider's file with all movements up to now. */
async function providerLines(): Promise<readonly string[]> {
  const found = await rows<{ line: string }>(
    `select concat_ws(',', kind, provider_reference, operation, payment_id, currency, minor,
       to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as line
     from payments join (
       select payment_id, 'payment' as kind, provider_reference as operation, paid_minor as minor, paid_at as at
       from payments where capture_mode = 'AUTOMATIC' and paid_at is not null
       union all select payment_id, 'capture', reference, amount_minor, finished_at from captures where status = 'SUCCESS'
       union all select payment_id, 'refund', reference, amount_minor, finished_at from refunds
         where status = 'SUCCESS' or reversed_at is not null
       union all select payment_id, 'refund_reversal', reference, amount_minor, reversed_at from refunds
         where reversed_at is not null
     ) as moved using (payment_id) order by at`,
  );
  return found.map(({ line }) => line);
}

async function breaksWith(lines: readonly string[]): Promise<readonly (readonly string[])[]> {
  const file = join(folder, `${(requestCount += 1)}.csv`);
  await writeFile(file, settlementCsv(lines));
  await importSettlementFile(operator, { connector: "w", file });
  const [latest] = await rows<{ at: Date }>("select max(at) as at from ledger_transfers");
  const end = new Date((latest?.at.getTime() ?? 0) + 24 * 3600 * 1000);
  const request = { connector: undefined, until: end.toISOString() };
  const { breaks } = await reconcile(operator, request);
  // A run of the day of the last movement compares the same payments.
  const day = latest?.at.toISOString().slice(0, 10);
  const ofDay = await reconcile(operator, { ...request, day });
  assert.deepEqual(
    ofDay.breaks.map(({ kind }) => kind),
    breaks.map(({ kind }) => kind),
  );
  return breaks.map(({ kind, subject, sums }) => [
    kind,
    subject,
    String((sums.ledger ?? sums.provider)?.minor),
  ]);
}

async function isTrialBalanceZero(): Promise<boolean> {
  const [latest] = await rows<{ at: Date }>("select max(at) as at from ledger_transfers");
  const { isZero } = await computeTrialBalance(operator, accountingDayOf(latest?.at ?? new Date()));
  return isZero;
}

/** The timeline of the payment's refunds, and the transactions that an inquiry returns. */
async function paymentHistory(
  paymentId: string,
): Promise<{ readonly timeline: readonly string[]; readonly transactions: readonly string[] }> {
  const reader = await connectAs(clientId, database.appUrl);
  const entries = await listTimeline(
    transactionOn(reader),
    { bucket: bucketOf(clientId), clientId },
    paymentId,
  );
  const { json } = await callPayments(url, merchant, "inquiryPayment", { paymentId });
  const transactions = json["transactions"] as readonly {
    readonly transactionType: string;
    readonly transactionStatus: string;
    readonly transactionResult: { readonly resultCode: string };
  }[];
  return {
    timeline: entries.filter(({ kind }) => kind === "refund").map(({ what }) => what),
    transactions: transactions.map(
      ({ transactionType, transactionStatus, transactionResult: { resultCode } }) =>
        `${transactionType} ${transactionStatus} ${resultCode}`,
    ),
  };
}

const refundStatusIs = (refundId: string, status: string): Promise<unknown> =>
  eventually(
    15_000,
    () => callPayments(url, merchant, "inquiryRefund", { refundId }),
    ({ json }) => json["refundStatus"] === status,
  );

test("a refund that fails three days after it succeeded is FAIL, and every book agrees", async () => {
  const paymentId = await createPaidPayment(url, merchant, provider, "reversed");
  // 12.50 less the fee of 0.36 and its tax of 0.07.
  assert.equal(await owed(), "1207");
  const request = refundRequest("first", paymentId, "1000");
  const refunded = await eventually(
    15_000,
    () => callPayments(url, merchant, "refund", request),
    ({ json }) => json.result["resultStatus"] !== "U",
  );
  assert.equal(resultOf(refunded), "SUCCESS", refunded.text);
  const refundId = String(refunded.json["refundId"]);
  // The refund returns 0.28 of the fee and 0.05 of its tax, and costs 0.15 and 0.03.
  assert.equal(await owed(), String(1207 - 1000 + 28 + 5 - 15 - 3));
  const [reference = ""] = [...amounts.keys()];

  const threeDays = { turnRequestId: "three-days", bySeconds: 3 * 24 * 3600 };
  const advanced = await eventually(
    60_000,
    () => callTollgate("advanceClock", threeDays),
    ({ json }) => json.result["resultStatus"] !== "U",
  );
  assert.equal(resultOf(advanced), "SUCCESS", advanced.text);
  const moneyBack = { state: "FAILED", resultCode: "PROCESS_FAIL" };
  await reportState(paymentId, "refund", reference, moneyBack);
  await refundStatusIs(refundId, "FAIL");
  assert.deepEqual(await accounts(), {
    "fee revenue": -36,
    [`merchant payable ${clientId}`]: -1207,
    "provider receivable w": 1250,
    "tax payable": -7,
  });
  assert.equal(await owed(), "1207");
  assert.deepEqual(await statement(), {
    closing: "1207",
    lines: ["payment 1250 -36 -7", "refund -1000 13 2", "refund reversal 1000 -13 -2"],
  });
  assert.ok(await isTrialBalanceZero());
  const { timeline, transactions } = await paymentHistory(paymentId);
  assert.deepEqual(timeline, ["requested", "SUCCESS", "FAIL"]);
  assert.deepEqual(transactions, ["REFUND FAIL PROCESS_FAIL"]);
  const [took] = await rows<{ days: number; reversedAt: Date }>(
    `select extract(day from reversed_at - finished_at)::int as days, reversed_at as "reversedAt"
     from refunds where refund_id = $1`,
    refundId,
  );
  assert.equal(took?.days, 3);
  // The archive keeps the payment until half a year after the failure, and not after the refund.
  const asOwner = transactionOn(await connectAs(clientId, database.superuserUrl));
  const [candidate] = await listCandidates(asOwner, bucketOf(clientId), [paymentId]);
  assert.deepEqual(candidate?.movedAt, took.reversedAt);
});

test("without its row in the provider's file the failed refund is a break, and with it there is none", async () => {
  const lines = await providerLines();
  const isReversal = (line: string): boolean => line.startsWith("refund_reversal,");
  assert.equal(lines.filter(isReversal).length, 1);
  assert.deepEqual(await breaksWith(lines.filter((line) => !isReversal(line))), [
    ["missing at the provider", "refund_reversal", "1000"],
  ]);
  assert.deepEqual(await breaksWith(lines), []);
  // The provider invents a failure of a refund that our records do not have.
  const invented = lines
    .filter(isReversal)
    .map((line) => line.replace(/,[^,]*/, ",x").replace(/,x,[^,]*/, ",x,y"));
  assert.deepEqual(await breaksWith(invented), [["missing here", "refund_reversal", "1000"]]);
});

test("the amount of a refund that failed later can be refunded again, with the same fees", async () => {
  const [payment] = await rows<{ paymentId: string }>(
    `select payment_id as "paymentId" from payments where payment_request_id = 'reversed' and refunded_minor = 0`,
  );
  const before = await owed();
  const request = refundRequest("again", payment?.paymentId ?? "", "1000");
  const again = await eventually(
    15_000,
    () => callPayments(url, merchant, "refund", request),
    ({ json }) => json.result["resultStatus"] !== "U",
  );
  assert.equal(resultOf(again), "SUCCESS", again.text);
  assert.equal(Number(await owed()), Number(before) - 985);
});

test("a payment captured in two parts, of which one fails later, has the money and the fee of the other", async () => {
  const before = Number(await owed());
  const manual = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
  const { json } = await callPayments(url, merchant, "pay", payRequest("parts", manual));
  const paymentId = String(json["paymentId"]);
  const submitted = await eventually(
    5_000,
    async () => provider.requests.find(({ fields }) => fields["paymentId"] === paymentId),
    (found) => found !== undefined,
  );
  const reference = submitted?.fields.reference ?? "";
  const order = paidOrder(reference, "AUTHORIZED");
  await provider.sendCallback(url, { clientId, subjectId: paymentId }, { eventId: "held", reference, order });
  const captureReferences: string[] = [];
  for (const [name, value] of [
    ["failing", "700"],
    ["kept", "500"],
  ] as const) {
    // The provider accepts both captures, and carries them out later.
    const knownBefore = new Set(amounts.keys());
    const isPending = { state: "PROCESSING" };
    const script = provider.script;
    provider.script = (given) => {
      if (given.verb === "capture") moneyStates.set(given.fields.captureReference, isPending);
      return script(given);
    };
    const captureAmount = { currency: "EUR", value };
    const answer = await callPayments(url, merchant, "capture", {
      captureRequestId: name,
      paymentId,
      captureAmount,
    });
    assert.equal(resultOf(answer), "CAPTURE_IN_PROCESS", answer.text);
    provider.script = script;
    captureReferences.push([...amounts.keys()].find((each) => !knownBefore.has(each)) ?? "");
  }
  assert.equal(Number(await owed()), before, "an accepted capture has moved no money yet");

  const [failing = "", kept = ""] = captureReferences;
  await reportState(paymentId, "capture", failing, { state: "FAILED", resultCode: "PROCESS_FAIL" });
  await reportState(paymentId, "capture", kept, { state: "DONE", captureTime: new Date().toISOString() });
  const statuses = await eventually(
    15_000,
    () =>
      rows<{ status: string }>(
        "select status from captures where payment_id = $1 order by created_at",
        paymentId,
      ),
    (found) => found.every(({ status }) => status !== "PROCESSING"),
  );
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ["FAIL", "SUCCESS"],
  );
  // 5.00 less 0.14 and its tax of 0.03.
  assert.equal(Number(await owed()), before + 500 - 14 - 3);
  assert.equal((await statement()).lines.at(-1), "capture 500 -14 -3");
  assert.equal((await statement()).closing, await owed());
  assert.ok(await isTrialBalanceZero());
  const isInvented = (subject: string): boolean => subject === "refund_reversal";
  const breaks = await breaksWith(await providerLines());
  assert.deepEqual(
    breaks.filter(([, subject = ""]) => !isInvented(subject)),
    [],
  );
});
