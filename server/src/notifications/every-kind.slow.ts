import assert from "node:assert/strict";
import { test } from "node:test";
import { notifications } from "../api/notifications.ts";
import { kindOf, misfitOf } from "../../test/shop/notification-form.ts";
import { call, pathOf, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
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
  const { notifyType, authorizationNotifyType, disputeNotificationType } = body as Record<string, string>;
  return notifyType ?? authorizationNotifyType ?? disputeNotificationType ?? "registration";
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

for (const [type, cause] of Object.entries(causes)) {
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

test("of one record each number is told once", () => {
  const last = new Map<string, Set<number>>();
  for (const { json } of shop.all()) {
    const { disputeId, paymentId, authState, accessToken, registrationRequestId } = json as Record<
      string,
      string
    >;
    const subject = disputeId ?? paymentId ?? authState ?? accessToken ?? registrationRequestId ?? "";
    const numbers = last.get(subject) ?? new Set();
    const sequence = Number(json["sequence"]);
    assert.ok(!numbers.has(sequence), `${subject} was told ${sequence} twice`);
    last.set(subject, numbers.add(sequence));
  }
  assert.ok(last.size > 10);
});

test("what was acknowledged is delivered, and comes once", async () => {
  const count = shop.all().length;
  await eventually(
    10_000,
    async () => (await ask("tollgate/inquiryNotifications", { notificationStatus: "WAITING" })).json,
    ({ notifications: waiting }) => Array.isArray(waiting) && waiting.length === 0,
  );
  assert.equal(shop.all().length, count);
});
