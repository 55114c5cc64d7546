import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { notifications } from "../api/notifications.ts";
import { approveAccount, askForAccount } from "../commands/payout-account.ts";
import { importBankWords } from "../commands/payout-import.ts";
import { runPayouts } from "../commands/payout-run.ts";
import { setTerms } from "../commands/payout-terms.ts";
import { closeSettlement } from "../commands/settlement-close.ts";
import {
  daily,
  bookedReport,
  ibans,
  ourBank,
  settling,
  statusReport,
} from "../../test/examples/settled-merchants.ts";
import { kindOf, misfitOf } from "../../test/shop/notification-form.ts";
import { call, pathOf, writeTestFile, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import {
  notificationIsSigned,
  startTestShop,
  type ReceivedNotification,
} from "../../test/start/test-shop.ts";
import { payRequest, startTestStack } from "../../test/start/test-stack.ts";

/**
 * A merchant that hears of everything there is to hear of, at one address: every kind, and every type of it, is signed,
 * has the form that is documented, carries the right sequence number, and is over once it is acknowledged.
 */
const stack = await startTestStack();
const { merchant, wallet } = stack;
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

/** Everything that was heard of this type, which is the news' own name for what happened. */
function heard(type: string): readonly ReceivedNotification[] {
  return shop.all().filter(({ json }) => typeOf(json) === type);
}

function typeOf(body: ReceivedNotification["json"]): string {
  const named = Object.entries(body as Record<string, string>).find(([name]) =>
    /^notifyType$|Notif(?:y|ication)Type$/.test(name),
  );
  return named?.[1] ?? "registration";
}

let names = 0;

async function begin(more: object = {}): Promise<string> {
  names += 1;
  const { json } = await ask("payments/pay", payRequest(`kind-${names}`, more));
  return String(json["paymentId"]);
}

async function paid(more: object = {}): Promise<string> {
  const paymentId = await begin(more);
  await wallet.control(paymentId, "approve");
  await eventually(
    10_000,
    () => ask("payments/inquiryPayment", { paymentId }),
    ({ json }) => json["paymentStatus"] === "SUCCESS",
  );
  return paymentId;
}

async function disputed(
  body: object = {},
): Promise<{ readonly paymentId: string; readonly disputeId: string }> {
  const paymentId = await paid();
  const { status, text } = await wallet.control(paymentId, "dispute", body);
  assert.equal(status, 200, text);
  const [news] = await eventually(
    10_000,
    async () =>
      shop.all().filter(({ json }) => json["paymentId"] === paymentId && json["disputeId"] !== undefined),
    (all) => all.length > 0,
  );
  return { paymentId, disputeId: String(news?.json["disputeId"]) };
}

const held = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
const euro = (value: string): object => ({ currency: "EUR", value });
const evidence = Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64");

/** What makes each type happen. */
const causes: Readonly<Record<string, () => Promise<unknown>>> = {
  PAYMENT_RESULT: () => paid(),
  PAYMENT_PENDING: async () => wallet.control(await begin(), "pend"),
  CAPTURE_RESULT: async () =>
    final("payments/capture", {
      captureRequestId: "kind",
      paymentId: await paid(held),
      captureAmount: euro("100"),
    }),
  REFUND_RESULT: async () =>
    final("payments/refund", { refundRequestId: "kind", paymentId: await paid(), refundAmount: euro("100") }),
  AUTHCODE_CREATED: () => authorize("created"),
  TOKEN_CREATED: () => tokenFor("token"),
  async TOKEN_CANCELED() {
    await tokenFor("canceled");
    await wallet.authorization("canceled", "cancel", { reason: "I have moved." });
  },
  DISPUTE_CREATED: () => disputed(),
  async DISPUTE_ACCEPTED() {
    await final("payments/acceptDispute", { disputeId: (await disputed()).disputeId });
  },
  async DEFENSE_SUPPLIED() {
    const { disputeId } = await disputed();
    await final("payments/supplyDefenseDocument", { disputeId, disputeEvidence: evidence });
  },
  async DISPUTE_JUDGED() {
    const { paymentId, disputeId } = await disputed();
    await final("payments/supplyDefenseDocument", { disputeId, disputeEvidence: evidence });
    await wallet.dispute(paymentId, "judge-won");
  },
  async DISPUTE_CANCELLED() {
    await wallet.dispute((await disputed()).paymentId, "cancel");
  },
  RDR_RESOLVED: () => disputed({ disputeType: "RDR" }),
  async DEFENSE_DUE_ALERT() {
    await disputed();
    await final("tollgate/advanceClock", { turnRequestId: "alert", bySeconds: 6 * 24 * 3600 + 3600 });
  },
  registration: () =>
    final("merchants/registration", {
      registrationRequestId: "kind",
      productCodes: ["IN_STORE_PAYMENT"],
      merchantInfo: { referenceMerchantId: "m", merchantMCC: "5814", merchantDisplayName: "Coffee Lab" },
      storeInfo: { referenceStoreId: "s", storeName: "Coffee Lab" },
    }),
};

/** What finance does, by its commands. The merchant's clock is days ahead by then. */
const finance = settling(stack.database);
const { operator } = finance;
const { clientId } = merchant;
const folder = mkdtempSync(join(tmpdir(), "tollgate-told-"));
after(() => rmSync(folder, { recursive: true }));
const latest = { accountId: "", payoutId: "", fileId: "" };

async function askForOne(iban: string): Promise<void> {
  const account = { currency: "EUR", holder: "Coffee Lab", iban, bic: undefined, waitHours: 0 };
  latest.accountId = (await askForAccount(operator, clientId, account)).accountId;
}

/** A batch of a day long ago is closed, claimed, and given to the bank. */
async function payOut(day: string): Promise<void> {
  await finance.paid(clientId, 5_000n, `${day}T10:00:00Z`);
  await closeSettlement(operator, { day });
  const { claimed, files } = await runPayouts(operator, { bank: ourBank, folder, format: "pain.001.001.09" });
  latest.payoutId = claimed.at(-1)?.payoutId ?? assert.fail("Nothing was paid out.");
  latest.fileId = files[0]?.fileId ?? "";
}

/** Imported twice, and told once. */
async function bankSays(text: string): Promise<void> {
  const file = writeTestFile("bank.xml", text);
  await importBankWords(operator, file);
  await importBankWords(operator, file);
}

const payoutCauses: Readonly<Record<string, () => Promise<unknown>>> = {
  ACCOUNT_REQUESTED: () => askForOne(ibans[0]),
  ACCOUNT_APPROVED: () => approveAccount(operator, clientId, latest.accountId),
  async PAYOUT_SENT() {
    await finance.openBank();
    await setTerms(operator, clientId, "EUR", { ...daily, fromDay: "2026-01-01" });
    await payOut("2026-10-01");
  },
  PAYOUT_PAID: () => bankSays(statusReport(latest.fileId, [{ endToEndId: latest.payoutId, status: "ACSC" }])),
  PAYOUT_RETURNED: () =>
    bankSays(bookedReport([{ endToEndId: latest.payoutId, amount: "50.00", isCredit: true }])),
  async PAYOUT_FAILED() {
    await payOut("2026-10-02");
    await bankSays(statusReport(latest.fileId, [], "RJCT"));
  },
  async ACCOUNT_REFUSED() {
    await askForOne(ibans[1]);
    await askForOne(ibans[2]);
  },
  ACCOUNT_ENDED: () => approveAccount(operator, clientId, latest.accountId),
};

async function authorize(authState: string): Promise<string> {
  await final("authorizations/consult", {
    customerBelongsTo: "GCASH",
    authRedirectUrl: "https://shop.example/agreed",
    scopes: ["AGREEMENT_PAY"],
    authState,
    env: { terminalType: "WEB" },
  });
  return (await wallet.authorization(authState, "agree")).authCode;
}

async function tokenFor(authState: string): Promise<void> {
  const authCode = await authorize(authState);
  const request = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
  await final("authorizations/applyToken", request);
}

for (const [type, cause] of Object.entries({ ...causes, ...payoutCauses })) {
  test(`${type} is heard, signed, in its form, and numbered`, async () => {
    await cause();
    const all = await eventually(
      15_000,
      async () => heard(type),
      (told) => told.length > 0,
    );
    for (const news of all) {
      assert.ok(notificationIsSigned(news, merchant.gatewayPublicKey));
      assert.equal(misfitOf(news.json), undefined);
      assert.equal(news.headers["client-id"], merchant.clientId);
    }
  });
}

test("every kind that is documented was heard, and every type of it", () => {
  const kinds = new Set(shop.all().map(({ json }) => kindOf(json)));
  assert.deepEqual(kinds, new Set(notifications.map(({ kind }) => kind)));
});

const subjectNames = [
  "disputeId",
  "paymentId",
  "authState",
  "accessToken",
  "registrationRequestId",
  "payoutId",
  "bankAccountId",
];

test("of one record each number is told once", () => {
  const last = new Map<string, Set<number>>();
  for (const { json } of shop.all()) {
    const body = json as Record<string, string>;
    const subject = subjectNames.map((name) => body[name]).find((id) => id !== undefined) ?? "";
    const numbers = last.get(subject) ?? new Set();
    const sequence = Number(json["sequence"]);
    assert.ok(!numbers.has(sequence), `${subject} was told ${sequence} twice`);
    last.set(subject, numbers.add(sequence));
  }
  assert.ok(last.size > 10);
});

test("what was acknowledged is delivered, and comes once", async () => {
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
