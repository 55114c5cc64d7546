import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client } from "pg";
import { dropChecks, insertGeneratedRow } from "../../test/examples/generated-row.ts";
import { newTestDatabase } from "../../test/start/test-database.ts";
import { bucketOf } from "../core/bucket.ts";
import { newId } from "../core/id.ts";
import { requireCommitted, openDatabase } from "../postgres/database.ts";
import type { Statement, Tx } from "../postgres/sql.ts";
import { defaultTerms } from "../providers/connector.ts";
import type { View } from "../contract/view.ts";
import { views } from "./views.ts";

/**
 * These tests check that each statement of a view uses an index, as PostgreSQL plans it on the console's own
 * connections.
 */
const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
const options = { applicationName: "view-plans", connectionsMax: 2, onFault: () => undefined };
const database = openDatabase({ url: appUrl, ...options });
after(() => database.close());
const clientId = "SANDBOX_COFFEE";
const bucket = bucketOf(clientId);
const now = new Date();

const superuser = new Client({ connectionString: superuserUrl });
superuser.on("error", () => undefined);
await superuser.connect();
await dropChecks(superuser);
const paymentId = newId("payment", bucket, now, (below) => below - 1);
const own = { bucket, client_id: clientId };
const payment = {
  payment_id: paymentId,
  status: "SUCCESS",
  created_at: now,
  currency: "EUR",
  amount_minor: 1,
  connector: "sandbox-wallet",
  provider_reference: "order-1",
};
await insertGeneratedRow(superuser, "payments", { ...own, ...payment });
await insertGeneratedRow(superuser, "payment_events", {
  ...own,
  payment_id: paymentId,
  sequence: 1,
  at: now,
});
const disputeId = newId("dispute", bucket, now, (below) => below - 1);
const dispute = { dispute_id: disputeId, payment_id: paymentId, status: "CREATED", currency: "EUR" };
await insertGeneratedRow(superuser, "disputes", { ...own, ...dispute });
await insertGeneratedRow(superuser, "settlement_batches", { ...own, batch_id: "batch", status: "DUE" });
await insertGeneratedRow(superuser, "clients", { ...own, status: "ACTIVE" });
await superuser.end();

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly Plan[];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Runs a view, and plans each of its statements first. */
async function plansOf(view: View, request: object): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  const outcome = await database.transaction([clientId], async (tx) => {
    const watched: Tx = {
      async query<Row extends object>(statement: Statement): Promise<Row[]> {
        const text = `explain (format json) ${statement.text}`;
        const [row] = await tx.query<{ "QUERY PLAN": readonly { readonly Plan: Plan }[] }>({
          ...statement,
          name: `plan-${statement.name}`,
          text,
        });
        plans.push(...(row?.["QUERY PLAN"].map(({ Plan: plan }) => plan) ?? []));
        return tx.query<Row>(statement);
      },
      write: () => assert.fail("A view changes nothing."),
    };
    const call = {
      environment: "sandbox",
      clientId,
      bucket,
      now,
      aheadMs: 0,
      termsOf: () => defaultTerms,
      recentCalls: [],
    } as const;
    return view.find({ tx: watched, ...call }, request);
  });
  requireCommitted(outcome);
  return plans.flatMap(nodesOf);
}

/** Small tables, of which a full scan is allowed: tables with one row per merchant, and fee rules. */
const small = [
  "balances_position",
  "search_position",
  "gateway_keys",
  "notify_urls",
  "clients",
  "clocks",
  "fee_rules",
];

/** Requests for records that exist. Without them, most of a view that reads by id does not run. */
const viewRequests: Readonly<Record<string, object>> = {
  payment: { id: paymentId },
  paymentOptions: { id: paymentId },
  dispute: { id: disputeId },
  disputeDocument: { id: disputeId },
  settlement: { batchId: "batch" },
  report: { report: "TRANSACTION_DETAIL", fromDay: "2026-11-15" },
};

/** Views whose data is in memory, so that they run no statement. */
const withoutStatements = ["recentCalls", "recentCall", "clock"];

/** Requests with the different filters of payment lists. */
const morePayments: readonly object[] = [
  {},
  { paymentStatus: "FAIL" },
  { createdFrom: "2026-11-01T00:00:00+00:00", paymentMethodType: "GCASH" },
  { amountFrom: "1", amountUntil: "1" },
  { search: "order-1001" },
  { displayStatus: "REFUNDED", currency: "EUR" },
  { search: "12.50" },
];

function requestsOf(view: View): readonly object[] {
  const request = viewRequests[view.name] ?? (view.example.request as object);
  return view.name === "payments" ? [request, ...morePayments] : [request];
}

for (const [view, request] of views.flatMap((each) =>
  requestsOf(each).map((asked) => [each, asked] as const),
)) {
  const requestText = JSON.stringify(request);
  test(`${view.name} ${requestText}: finds its rows by an index, without a full scan of a large table`, async () => {
    const nodes = await plansOf(view, request);
    assert.equal(nodes.length > 0, !withoutStatements.includes(view.name));
    const large = nodes.filter(({ "Relation Name": table }) => table !== undefined && !small.includes(table));
    assert.deepEqual(
      large.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"]),
      [],
    );
    // An index scan without a condition is a full scan as well.
    assert.deepEqual(
      large.filter((node) => node["Node Type"].startsWith("Index") && node["Index Cond"] === undefined),
      [],
    );
    // The plan must read a list in the order of its index: a sort would have to read all rows first.
    const sorted = nodes.some(
      (node) => node["Node Type"] === "Sort" && node.Plans?.[0]?.["Relation Name"] === "payments",
    );
    assert.ok(!sorted, `${view.name} sorts payments.`);
  });
}

test("unansweredDisputes: is read in the order of deadlines, from an index of only these disputes", async () => {
  const view = views.find(({ name }) => name === "unansweredDisputes") ?? assert.fail();
  const nodes = await plansOf(view, { cursor: `1763280000000 ${disputeId}` });
  assert.ok(nodes.some((node) => node["Index Name"] === "disputes_unanswered"));
  assert.ok(nodes.every((node) => node["Node Type"] !== "Sort"));
});

const booked: readonly (readonly [name: string, request: object])[] = [
  ["statement", { currency: "EUR", month: "2026-11" }],
  ["statementFile", { currency: "EUR", month: "2026-11", format: "CSV" }],
  ["statementFile", { currency: "EUR", month: "2026-11", format: "PDF" }],
  ["report", { report: "TRANSACTION_DETAIL", fromDay: "2026-11-15" }],
];

for (const [name, request] of booked)
  test(`${name} ${JSON.stringify(request)}: reads only the merchant's own movements of the requested days`, async () => {
    const view = views.find((each) => each.name === name) ?? assert.fail();
    const reads = (await plansOf(view, request)).filter(
      (node) => node["Relation Name"] === "ledger_transfers",
    );
    const byTime = reads.filter((node) => node["Index Name"] !== "ledger_transfers_by_transaction");
    assert.ok(byTime.length > 0);
    for (const node of byTime) {
      assert.equal(node["Index Name"], "ledger_transfers_of_client");
      assert.match(node["Index Cond"] ?? "", /client_id.*\(at >= /);
    }
  });

test("each filter of payment lists has an index", async () => {
  const payments = views.find(({ name }) => name === "payments") ?? assert.fail();
  const indexes = new Set<string | undefined>();
  for (const request of morePayments)
    for (const node of await plansOf(payments, request)) indexes.add(node["Index Name"]);
  for (const index of [
    "search_payments_pkey",
    "search_payments_by_amount",
    "search_payments_by_kind",
    "search_payments_by_request",
    "search_payments_by_reference",
    "search_payments_by_order",
    "search_payments_by_display_status",
    "payment_counts_pkey",
  ])
    assert.ok(indexes.has(index), index);
});
