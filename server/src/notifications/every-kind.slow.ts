import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { notifications } from "../catalog/notifications.ts";
import { parseId } from "../core/id.ts";
import { approveAccount, requestAccount } from "../settlement/payouts/payout-accounts.workflow.ts";
import { importBankReports } from "../settlement/payouts/import-bank-reports.workflow.ts";
import { runPayouts } from "../settlement/payouts/run-payouts.workflow.ts";
import { setTerms } from "../settlement/settlement-terms.workflow.ts";
import { closeSettlement } from "../settlement/close-settlement.workflow.ts";
import {
  dailyTerms,
  bankReport,
  ibans,
  ourBank,
  newSettlementFixture,
  statusReport,
} from "../../test/examples/settlement-fixture.ts";
import type { NotificationKind } from "./notification-kinds.ts";
import { webhookKindOf, schemaViolation } from "../../test/shop/webhook-schema.ts";
import { call, pathOf, writeTestFile, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { isWebhookSigned, startTestShop, type ReceivedNotification } from "../../test/start/test-shop.ts";
import { payRequest, startTestStack } from "../../test/start/test-stack.ts";

/**
 * This test sends a webhook of every kind and every type to one URL. Each webhook is signed, fits its documented
 * schema, has the right sequence number, and is delivered once it is acknowledged.
 */
const stack = await startTestStack();
const { merchant, provider } = stack;
const { url } = await stack.serve({ isPublic: true });
await stack.work();
const shop = await startTestShop();

function ask(path: string, body: object): Promise<ReceivedAnswer> {
  return call(url, merchant, { path: pathOf("sandbox", path), body: JSON.stringify(body) });
}

async function final(path: string, body: object): Promise<ReceivedAnswer> {
  const isFinal = ({ json }: ReceivedAnswer): boolean => json.result["resultStatus"] !== "U";
  const answer = await eventually(15_000, () => ask(path, body), isFinal);
  assert.equal(answer.json.result["resultCode"], "SUCCESS", answer.text);
  return answer;
}

const notifyUrls = notifications.map(({ kind: notificationKind }) => ({
  notificationKind,
  url: shop.notifyUrl,
}));
await final("tollgate/changeEndpoints", { notifyUrls });

/** All webhooks that were received of this type. */
function listReceived(type: string): readonly ReceivedNotification[] {
  return shop.all().filter(({ json }) => readType(json) === type);
}

function readType(body: ReceivedNotification["json"]): string {
  const named = Object.entries(body as Record<string, string>).find(([name]) =>
    /^notifyType$|Notif(?:y|ication)Type$/.test(name),
  );
  return named?.[1] ?? "registration";
}

let nameCount = 0;

async function startPayment(overrides: object = {}): Promise<string> {
  nameCount += 1;
  const { json } = await ask("payments/pay", payRequest(`kind-${nameCount}`, overrides));
  return String(json["paymentId"]);
}

async function createPaidPayment(overrides: object = {}): Promise<string> {
  const paymentId = await startPayment(overrides);
  await provider.control(paymentId, "approve");
  await eventually(
    10_000,
    () => ask("payments/inquiryPayment", { paymentId }),
    ({ json }) => json["paymentStatus"] === "SUCCESS",
  );
  return paymentId;
}

async function openDispute(
  body: object = {},
): Promise<{ readonly paymentId: string; readonly disputeId: string }> {
  const paymentId = await createPaidPayment();
  const { status, text } = await provider.control(paymentId, "dispute", body);
  assert.equal(status, 200, text);
  const [webhook] = await eventually(
    10_000,
    async () =>
      shop.all().filter(({ json }) => json["paymentId"] === paymentId && json["disputeId"] !== undefined),
    (all) => all.length > 0,
  );
  return { paymentId, disputeId: String(webhook?.json["disputeId"]) };
}

const manualCapture = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
const euro = (value: string): object => ({ currency: "EUR", value });
const evidence = Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64");

type Causes = Readonly<Record<string, () => Promise<unknown>>>;

/** An action for each type of a kind that causes its webhook. */
const causes = {
  notifyPayment: {
    PAYMENT_RESULT: () => createPaidPayment(),
    PAYMENT_PENDING: async () => provider.control(await startPayment(), "pend"),
  },
  notifyCapture: {
    CAPTURE_RESULT: async () =>
      final("payments/capture", {
        captureRequestId: "kind",
        paymentId: await createPaidPayment(manualCapture),
        captureAmount: euro("100"),
      }),
  },
  notifyRefund: {
    REFUND_RESULT: async () =>
      final("payments/refund", {
        refundRequestId: "kind",
        paymentId: await createPaidPayment(),
        refundAmount: euro("100"),
      }),
  },
  notifyAuthorization: {
    AUTHCODE_CREATED: () => authorize("created"),
    TOKEN_CREATED: () => tokenFor("token"),
    async TOKEN_CANCELED() {
      await tokenFor("canceled");
      await provider.authorization("canceled", "cancel", { reason: "I have moved." });
    },
  },
  notifyDispute: {
    DISPUTE_CREATED: () => openDispute(),
    async DISPUTE_ACCEPTED() {
      await final("payments/acceptDispute", { disputeId: (await openDispute()).disputeId });
    },
    async DEFENSE_SUPPLIED() {
      const { disputeId } = await openDispute();
      await final("payments/supplyDefenseDocument", { disputeId, disputeEvidence: evidence });
    },
    async DISPUTE_JUDGED() {
      const { paymentId, disputeId } = await openDispute();
      await final("payments/supplyDefenseDocument", { disputeId, disputeEvidence: evidence });
      await provider.dispute(paymentId, "judge-won");
    },
    async DISPUTE_CANCELLED() {
      await provider.dispute((await openDispute()).paymentId, "cancel");
    },
    RDR_RESOLVED: () => openDispute({ disputeType: "RDR" }),
    async DEFENSE_DUE_ALERT() {
      await openDispute();
      await final("tollgate/advanceClock", { turnRequestId: "alert", bySeconds: 6 * 24 * 3600 + 3600 });
    },
  },
  notifyRegistrationStatus: {
    registration: () =>
      final("merchants/registration", {
        registrationRequestId: "kind",
        productCodes: ["IN_STORE_PAYMENT"],
        merchantInfo: { referenceMerchantId: "m", merchantMCC: "5814", merchantDisplayName: "Coffee Lab" },
        storeInfo: { referenceStoreId: "s", storeName: "Coffee Lab" },
      }),
  },
} satisfies Partial<Record<NotificationKind, Causes>>;

/**
 * Commands of the finance staff for the remaining kinds of webhook. When they run, the merchant's test clock is days
 * ahead.
 */
const finance = newSettlementFixture(stack.database);
const { operator } = finance;
const { clientId } = merchant;
const folder = mkdtempSync(join(tmpdir(), "tollgate-told-"));
after(() => rmSync(folder, { recursive: true }));
const latest = { accountId: "", payoutId: "", fileId: "" };

async function requestBankAccount(iban: string): Promise<void> {
  const account = { currency: "EUR", holder: "Coffee Lab", iban, bic: undefined, waitHours: 0 };
  latest.accountId = (await requestAccount(operator, clientId, account)).accountId;
}

/** Closes a batch of a past day, claims its payout, and hands it over to the bank. */
async function payOut(day: string): Promise<void> {
  await finance.postPayment(clientId, 5_000n, `${day}T10:00:00Z`);
  await closeSettlement(operator, { day });
  const { claimed, files } = await runPayouts(operator, { bank: ourBank, folder, format: "pain.001.001.09" });
  latest.payoutId = claimed.at(-1)?.payoutId ?? assert.fail("Nothing was paid out.");
  latest.fileId = files[0]?.fileId ?? "";
}

/** Imports a bank file twice, which causes only one webhook. */
async function importBankReport(text: string): Promise<void> {
  const file = writeTestFile("bank.xml", text);
  await importBankReports(operator, file);
  await importBankReports(operator, file);
}

/**
 * Commands that cause webhooks about bank accounts, files and payouts. Bank accounts come first, because a payout needs
 * one.
 */
const financeCauses = {
  notifyBankAccount: {
    ACCOUNT_REQUESTED: () => requestBankAccount(ibans[0]),
    ACCOUNT_APPROVED: () => approveAccount(operator, clientId, latest.accountId),
    async ACCOUNT_REFUSED() {
      await requestBankAccount(ibans[1]);
      await requestBankAccount(ibans[2]);
    },
    ACCOUNT_ENDED: () => approveAccount(operator, clientId, latest.accountId),
  },
  notifyPayout: {
    async PAYOUT_SENT() {
      await finance.openBank();
      await setTerms(operator, clientId, "EUR", { ...dailyTerms, fromDay: "2026-01-01" });
      await payOut("2026-10-01");
    },
    PAYOUT_PAID: () =>
      importBankReport(statusReport(latest.fileId, [{ endToEndId: latest.payoutId, status: "ACSC" }])),
    PAYOUT_RETURNED: () =>
      importBankReport(bankReport([{ endToEndId: latest.payoutId, amount: "50.00", isCredit: true }])),
    async PAYOUT_FAILED() {
      await payOut("2026-10-02");
      await importBankReport(statusReport(latest.fileId, [], "RJCT"));
    },
  },
} satisfies Partial<Record<NotificationKind, Causes>>;

async function authorize(authState: string): Promise<string> {
  await final("authorizations/consult", {
    customerBelongsTo: "GCASH",
    authRedirectUrl: "https://shop.example/agreed",
    scopes: ["AGREEMENT_PAY"],
    authState,
    env: { terminalType: "WEB" },
  });
  return (await provider.authorization(authState, "agree")).authCode;
}

async function tokenFor(authState: string): Promise<void> {
  const authCode = await authorize(authState);
  const request = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
  await final("authorizations/applyToken", request);
}

const causesOfKinds: Readonly<Record<NotificationKind, Causes>> = { ...causes, ...financeCauses };

for (const [type, cause] of Object.values(causesOfKinds).flatMap((each) => Object.entries(each))) {
  test(`${type} is received, signed, valid against its schema, and numbered`, async () => {
    await cause();
    const all = await eventually(
      15_000,
      async () => listReceived(type),
      (webhooks) => webhooks.length > 0,
    );
    for (const webhook of all) {
      assert.ok(isWebhookSigned(webhook, merchant.gatewayPublicKey));
      assert.equal(schemaViolation(webhook.json), undefined);
      assert.equal(webhook.headers["client-id"], merchant.clientId);
    }
  });
}

test("every documented kind was received, with every type", () => {
  const kinds = new Set(shop.all().map(({ json }) => webhookKindOf(json)));
  assert.deepEqual(kinds, new Set(notifications.map(({ kind }) => kind)));
});

const subjectNames = ["disputeId", "paymentId", "authState", "accessToken", "registrationRequestId"];

/** The record that a webhook's body is about: the first of the gateway's ids that is present. */
function subjectOf(body: Readonly<Record<string, unknown>>): string {
  const name = subjectNames.find((each) => body[each] !== undefined);
  const isId = (value: unknown): boolean => typeof value === "string" && parseId(value) !== undefined;
  return String(name === undefined ? Object.values(body).find(isId) : body[name]);
}

test("each sequence number of a record is sent once", () => {
  const last = new Map<string, Set<number>>();
  for (const { json } of shop.all()) {
    const subject = subjectOf(json);
    const numbers = last.get(subject) ?? new Set();
    const sequence = Number(json["sequence"]);
    assert.ok(!numbers.has(sequence), `${subject} has the sequence ${sequence} twice`);
    last.set(subject, numbers.add(sequence));
  }
  assert.ok(last.size > 10);
});

test("acknowledged webhooks are delivered, and received once", async () => {
  const listed = async (notificationStatus: string): Promise<number> => {
    const { json } = await ask("tollgate/inquiryNotifications", { notificationStatus, limit: 500 });
    return (json["notifications"] as readonly object[]).length;
  };
  await eventually(
    10_000,
    () => listed("WAITING"),
    (count) => count === 0,
  );
  assert.equal(shop.all().length, await listed("DELIVERED"));
});
