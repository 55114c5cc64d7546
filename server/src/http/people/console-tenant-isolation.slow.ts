import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client } from "pg";
import { dropChecks, insertGeneratedRow } from "../../../test/examples/generated-row.ts";
import { newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import {
  requestConsole,
  resultCodeOf,
  consoleVariables,
  personToken,
} from "../../../test/start/test-console.ts";
import { acts } from "../../catalog/acts.ts";
import { views } from "../../catalog/views.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { bucketOf } from "../../core/bucket.ts";
import { newId, type IdKind } from "../../core/id.ts";

/**
 * Tenant isolation: a person of merchant A tries to reach every record of merchant B. B has rows in A's bucket as well
 * as in its own, so that only the client id separates them.
 */
const { database, variables } = await prepareTestGateway("sandbox");
const [ownMerchant, otherMerchant] = [
  await newMerchant(database, "Ours"),
  await newMerchant(database, "Theirs"),
];
const serving = await serve(readSettings({ ...variables, ...consoleVariables }));
after(() => serving.stop());

const superuser = new Client({ connectionString: database.superuserUrl });
superuser.on("error", () => undefined);
await superuser.connect();
after(() => superuser.end());
await dropChecks(superuser);

let made = 0;
const idOf = (kind: IdKind, bucket: number): string => newId(kind, bucket, new Date(), () => (made += 1));

/** All ids of merchant B's records. */
const otherIds: string[] = [otherMerchant.clientId];
for (const bucket of [bucketOf(ownMerchant.clientId), bucketOf(otherMerchant.clientId)]) {
  const otherKey = { bucket, client_id: otherMerchant.clientId };
  const paymentId = idOf("payment", bucket);
  const notificationId = idOf("notification", bucket);
  const disputeId = idOf("dispute", bucket);
  const ids = {
    payments: {
      payment_id: paymentId,
      payment_request_id: `their-payment-${bucket}`,
      currency: "EUR",
      amount_minor: 777,
    },
    search_payments: {
      payment_id: paymentId,
      payment_request_id: `their-payment-${bucket}`,
      currency: "EUR",
      amount_minor: 777,
    },
    payment_counts: { span: "day", currency: `T${String(bucket).padStart(4, "0")}` },
    captures: {
      capture_id: idOf("capture", bucket),
      capture_request_id: `their-capture-${bucket}`,
      payment_id: paymentId,
    },
    refunds: {
      refund_id: idOf("refund", bucket),
      refund_request_id: `their-refund-${bucket}`,
      payment_id: paymentId,
    },
    disputes: {
      dispute_id: disputeId,
      payment_id: paymentId,
      status: "CREATED",
      type: "CHARGEBACK",
    },
    reversals: {
      reversal_id: idOf("reversal", bucket),
      payment_id: paymentId,
      reference: `their-reversal-${bucket}`,
    },
    authorizations: {
      authorization_id: idOf("authorization", bucket),
      auth_state: `their-agreement-${bucket}`,
      user_login_id: `their-buyer-${bucket}`,
    },
    dispute_events: { dispute_id: disputeId, sequence: 1, status: "CREATED", told: `their-news-${bucket}` },
    dispute_evidence: { dispute_id: disputeId, number: 1, format: "PDF" },
    registrations: {
      registration_id: idOf("registration", bucket),
      reference_merchant_id: `their-store-${bucket}`,
    },
    brands: { support_url: `their-brand-${bucket}` },
    notifications: {
      notification_id: notificationId,
      subject_id: paymentId,
      status: "EXHAUSTED",
      kind: "notifyPayment",
    },
    payment_events: { payment_id: paymentId, sequence: 1 },
    ledger_transfers: { subject_id: paymentId, currency: "EUR", debit_account: `their-account-${bucket}` },
    request_log: { at: new Date(), request_id: `their-call-${bucket}`, result_code: "PARAM_ILLEGAL" },
    balances: {
      account: `merchant payable ${ownMerchant.clientId}`,
      currency: `T${String(bucket).padStart(4, "0")}`,
    },
    reserves: { currency: `R${String(bucket).padStart(4, "0")}` },
  } as const;
  // The database assigns audit numbers, and an audit row names the merchant in another column.
  const act = {
    act: "merchant set",
    subject: `their-setting-${bucket}`,
    about_client: otherMerchant.clientId,
  };
  await superuser.query(
    `insert into audit (actor_kind, actor, role, act, subject, about_client)
     values ('command', 'ada', 'owner', $1, $2, $3)`,
    Object.values(act),
  );
  otherIds.push(act.subject);
  for (const [table, given] of Object.entries(ids)) {
    await insertGeneratedRow(superuser, table, { ...otherKey, ...given });
    otherIds.push(
      ...Object.values(given)
        .filter((value) => /^(?:\d{35}|their-.*|[TR]\d{4})$/.test(String(value)))
        .map(String),
    );
  }
}

const token = (): string => personToken({ clientIds: [ownMerchant.clientId] });
const inDigits = otherIds.filter((id) => /^\d{35}$/.test(id));

async function theirRows(): Promise<string> {
  const tables = [
    "payments",
    "captures",
    "refunds",
    "disputes",
    "dispute_evidence",
    "notifications",
    "payment_events",
    "ledger_transfers",
    "jobs",
    "reserves",
    "clients",
    "client_keys",
    "notify_urls",
    "brands",
    "paused_queues",
  ];
  const states = [];
  for (const table of tables) {
    const { rows } = await superuser.query(
      `select md5(string_agg(t::text, '|' order by t::text)) from ${table} t where client_id = $1`,
      [otherMerchant.clientId],
    );
    states.push(rows);
  }
  return JSON.stringify(states);
}

test("merchant B has records, and its own people find them", async () => {
  assert.ok(otherIds.length > 20);
  const own = personToken({ clientIds: [otherMerchant.clientId] });
  const answer = await requestConsole(serving.url, "views/payments", { token: own });
  assert.match(answer.text, new RegExp(`their-payment-${bucketOf(otherMerchant.clientId)}`));
  const { text } = await requestConsole(serving.url, "views/calls", { token: own });
  assert.match(text, /their-call-/);
  for (const [name, what] of Object.entries({
    captures: "capture",
    authorizations: "agreement",
    disputes: "payment",
    audit: "setting",
    brand: "brand",
  })) {
    const found = await requestConsole(serving.url, `views/${name}`, { token: own });
    assert.match(found.text, what === "payment" ? /"disputeId"/ : new RegExp(`their-${what}-`));
  }
});

for (const { name } of views) {
  test(`${name}: shows nothing of another merchant, whatever id is asked for`, async () => {
    const asked = [
      {},
      { limit: 100 },
      ...otherIds.map((id) => ({ id, subjectId: id, paymentId: id })),
      ...inDigits.map((cursor) => ({ cursor })),
      ...inDigits.map((id) => ({ cursor: `0000000000000 ${id}` })),
    ];
    for (const body of asked) {
      const { text } = await requestConsole(serving.url, `views/${name}`, { token: token(), body });
      assert.match(text, /"resultCode":"(?:SUCCESS|PARAM_ILLEGAL|ORDER_NOT_EXIST)"/);
      for (const id of otherIds) assert.ok(!text.includes(id), `${JSON.stringify(body)} shows ${id}`);
    }
    const headers = { "client-id": otherMerchant.clientId };
    const answer = await requestConsole(serving.url, `views/${name}`, {
      token: token(),
      headers,
      body: { id: "x" },
    });
    assert.equal(resultCodeOf(answer), "UNKNOWN_CLIENT");
  });
}

for (const { name, operation, subjectFields } of acts) {
  test(`${name}: changes nothing of another merchant, whatever id it is given`, async () => {
    const before = await theirRows();
    for (const id of otherIds) {
      const ids = {
        paymentId: id,
        disputeId: id,
        notificationId: id,
        subjectId: id,
        refundRequestId: `${name}-${id}`,
      };
      const request = { ...(operation.example.request as object), ...ids };
      const answer = await requestConsole(serving.url, `acts/${name}`, { token: token(), body: { request } });
      const { resultStatus, resultCode } = answer.json.result;
      // A request to resend webhooks that do not exist succeeds with an empty list.
      if (name === "resendNotifications") assert.deepEqual(answer.json["notificationIds"], []);
      // An act without a record id is about the person's own merchant, and may succeed.
      else if (subjectFields.length > 0) assert.equal(resultStatus, "F", `${id}: ${resultCode}`);
      const headers = { "client-id": otherMerchant.clientId };
      const named = await requestConsole(serving.url, `acts/${name}`, {
        token: token(),
        headers,
        body: { request },
      });
      assert.equal(resultCodeOf(named), "UNKNOWN_CLIENT");
    }
    assert.equal(await theirRows(), before);
  });
}
