import assert from "node:assert/strict";
import {
  askForPayment,
  atTheProvider,
  callOperation,
  declinedOnline,
  paidInStore,
  paidOnline,
  recordOnce,
} from "./payments.ts";
import { shown, type Statement } from "./statements.ts";
import { assertResult, assertString, callAs, inquire, type PayingSide } from "./world.ts";
import { pathOf } from "../start/test-gateway.ts";
import { notificationIsSigned } from "../start/test-shop.ts";

/** Part 6 of docs/interface.md: events. */
export const eventStatements: readonly Statement[] = [
  shown("6.1", "the merchant is notified of final success", async ({ sandbox }) => {
    const { paymentId } = await paidOnline(sandbox);
    await assertAgrees(sandbox, paymentId, { resultCode: "SUCCESS", resultStatus: "S" });
  }),
  shown("6.2", "the merchant is notified of final failure", async ({ sandbox }) => {
    const { paymentId } = await declinedOnline(sandbox);
    const result = { resultCode: "USER_BALANCE_NOT_ENOUGH", resultStatus: "F" };
    await assertAgrees(sandbox, paymentId, result);
  }),
  shown("6.3", "online payments have notifyPayment", async ({ sandbox }) => {
    const { paymentId } = await paidOnline(sandbox);
    const [told] = await sandbox.shop.waitForWebhooks(paymentId, 1);
    assert.equal(told?.method, "POST");
    assert.equal(told.path, "/notify?shop=1");
    assert.equal(told.headers["content-type"], "application/json; charset=UTF-8");
    assert.deepEqual(Object.keys(told.json).sort(), fieldsOfNotifyPayment);
  }),
  shown("6.4", "online payments have notifyAuthorization", async ({ sandbox }) => {
    const authState = "state-6.4";
    const request = {
      customerBelongsTo: "GCASH",
      authRedirectUrl: "https://shop.example/linked",
      scopes: ["AGREEMENT_PAY"],
      authState,
      env: { terminalType: "WEB" },
      authNotifyUrl: sandbox.shop.notifyUrl,
    };
    assertResult(await callOperation(sandbox, "authorizations/consult", request), "SUCCESS");
    const { authCode } = await sandbox.provider.authorization(authState, "agree");
    const code = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
    const applied = await callOperation(sandbox, "authorizations/applyToken", code);
    assertResult(applied, "SUCCESS");
    const { accessToken } = applied.json;
    await sandbox.provider.authorization(authState, "cancel");
    for (const expected of [
      { authorizationNotifyType: "AUTHCODE_CREATED", authCode, authState },
      { authorizationNotifyType: "TOKEN_CREATED", accessToken, authState },
      { authorizationNotifyType: "TOKEN_CANCELED", accessToken },
    ]) {
      const told = await sandbox.shop.waitForAuthorization(expected);
      assert.partialDeepStrictEqual(told.json["result"], { resultCode: "SUCCESS", resultStatus: "S" });
      assert.ok(notificationIsSigned(told, sandbox.merchant.gatewayPublicKey));
    }
  }),
  shown("6.5", "online payments have notifyRefund", async ({ sandbox }) => {
    const { paymentId } = await paidOnline(sandbox);
    const refundAmount = { currency: "EUR", value: "250" };
    const asked = { refundRequestId: "refund-6.5", paymentId, refundAmount };
    const request = { ...asked, refundNotifyUrl: sandbox.shop.notifyUrl };
    assertResult(await callOperation(sandbox, "payments/refund", request), "SUCCESS");
    const told = await sandbox.shop.waitForKind("REFUND_RESULT");
    assert.partialDeepStrictEqual(told.json, {
      notifyType: "REFUND_RESULT",
      refundRequestId: "refund-6.5",
      refundStatus: "SUCCESS",
      refundAmount,
      result: { resultCode: "SUCCESS", resultStatus: "S" },
    });
    assert.ok(notificationIsSigned(told, sandbox.merchant.gatewayPublicKey));
  }),
  shown("6.6", "online payments have notifyCapture", async ({ sandbox }) => {
    const paymentFactor = { isAuthorization: true, captureMode: "MANUAL" };
    const { paymentId } = await askForPayment(sandbox, { paymentFactor });
    await atTheProvider(sandbox, paymentId, "approve");
    await recordOnce(sandbox, paymentId, "SUCCESS");
    const captureAmount = { currency: "EUR", value: "1250" };
    const request = { captureRequestId: "capture-6.6", paymentId, captureAmount };
    assertResult(await callOperation(sandbox, "payments/capture", request), "SUCCESS");
    const told = await sandbox.shop.waitForKind("CAPTURE_RESULT");
    assert.partialDeepStrictEqual(told.json, {
      ...request,
      notifyType: "CAPTURE_RESULT",
      result: { resultCode: "SUCCESS", resultStatus: "S" },
    });
    assert.ok(notificationIsSigned(told, sandbox.merchant.gatewayPublicKey));
  }),
  shown("6.7", "online payments have notifyDispute", async ({ sandbox }) => {
    const { paymentId, paymentRequestId } = await paidOnline(sandbox);
    // A dispute begins without a merchant's request that could name a webhook URL, so the merchant sets one for
    // disputes.
    const notifyUrls = [{ notificationKind: "notifyDispute", url: sandbox.shop.notifyUrl }];
    assertResult(await callOperation(sandbox, "tollgate/changeEndpoints", { notifyUrls }), "SUCCESS");
    const opened = await sandbox.provider.control(paymentId, "dispute", { reasonCode: "4853" });
    assert.equal(opened.status, 200, opened.text);
    const news = await sandbox.shop.waitForWebhooks(paymentId, 2);
    const told = news.find(({ json }) => json["disputeId"] !== undefined);
    assert.partialDeepStrictEqual(told?.json, {
      disputeNotificationType: "DISPUTE_CREATED",
      paymentId,
      paymentRequestId,
      disputeType: "CHARGEBACK",
      disputeAmount: { currency: "EUR", value: "1250" },
      disputeReasonCode: "4853",
      defendable: true,
    });
    assert.ok(told && notificationIsSigned(told, sandbox.merchant.gatewayPublicKey));
  }),
  shown("6.8", "in-store payments have notifyPayment", async ({ sandbox }) => {
    const answer = await paidInStore(sandbox, "OrderCode");
    const { paymentId } = answer.json;
    assertString(paymentId);
    const [told] = await sandbox.shop.waitForWebhooks(paymentId, 1);
    const result = { resultCode: "SUCCESS", resultStatus: "S" };
    assert.partialDeepStrictEqual(told?.json, { notifyType: "PAYMENT_RESULT", paymentId, result });
    assert.ok(told && notificationIsSigned(told, sandbox.merchant.gatewayPublicKey));
  }),
  shown("6.9", "in-store payments have notifyRegistrationStatus", async ({ sandbox }) => {
    const request = {
      registrationRequestId: "registration-6.9",
      productCodes: ["IN_STORE_PAYMENT"],
      merchantInfo: { referenceMerchantId: "m-6.9" },
      storeInfo: { referenceStoreId: "s-6.9" },
      registrationNotifyURL: sandbox.shop.notifyUrl,
    };
    // A registration uses the path of in-store requests, which has no `/sandbox`.
    const sent = { path: pathOf("live", "merchants/registration"), body: JSON.stringify(request) };
    assertResult(await callAs(sandbox, sandbox.merchant, sent), "SUCCESS");
    const [told] = await sandbox.shop.waitForRegistration("registration-6.9", 1);
    assert.partialDeepStrictEqual(told?.json, {
      registrationRequestId: "registration-6.9",
      referenceMerchantId: "m-6.9",
      referenceStoreId: "s-6.9",
      registrationResult: { registrationStatus: "COMPLETED" },
    });
    assert.ok(told && notificationIsSigned(told, sandbox.merchant.gatewayPublicKey));
  }),
];

const fieldsOfNotifyPayment = [
  "actualPaymentAmount",
  "notifyType",
  "paymentAmount",
  "paymentCreateTime",
  "paymentId",
  "paymentRequestId",
  "paymentTime",
  "result",
  "sequence",
];

/** Asserts that the webhook of a payment has the same content as an inquiry. */
async function assertAgrees(side: PayingSide, paymentId: string, result: object): Promise<void> {
  const [told] = await side.shop.waitForWebhooks(paymentId, 1);
  assert.partialDeepStrictEqual(told?.json, { notifyType: "PAYMENT_RESULT", result });
  const { json: asked } = await inquire(side, { paymentId });
  assert.partialDeepStrictEqual(result, { resultCode: asked["paymentResultCode"] });
  for (const field of [
    "paymentId",
    "paymentRequestId",
    "paymentAmount",
    "actualPaymentAmount",
    "paymentTime",
  ]) {
    assert.deepEqual(told?.json[field], asked[field], field);
  }
}
