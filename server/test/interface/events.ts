import assert from "node:assert/strict";
import {
  requestPayment,
  actAtProvider,
  callOperation,
  declineOnline,
  payInStore,
  payOnline,
  waitForStatus,
} from "./payment-actions.ts";
import { checked, type Statement } from "./statement.ts";
import { assertResult, assertString, callAs, inquire, type PayingEnvironment } from "./test-environments.ts";
import { pathOf } from "../start/test-gateway.ts";
import { isWebhookSigned } from "../start/test-shop.ts";

/** Part 6 of docs/interface.md: events. */
export const eventStatements: readonly Statement[] = [
  checked("6.1", "the merchant is notified of final success", async ({ sandbox }) => {
    const { paymentId } = await payOnline(sandbox);
    await assertWebhookMatchesInquiry(sandbox, paymentId, { resultCode: "SUCCESS", resultStatus: "S" });
  }),
  checked("6.2", "the merchant is notified of final failure", async ({ sandbox }) => {
    const { paymentId } = await declineOnline(sandbox);
    const result = { resultCode: "USER_BALANCE_NOT_ENOUGH", resultStatus: "F" };
    await assertWebhookMatchesInquiry(sandbox, paymentId, result);
  }),
  checked("6.3", "online payments have notifyPayment", async ({ sandbox }) => {
    const { paymentId } = await payOnline(sandbox);
    const [webhook] = await sandbox.shop.waitForWebhooks(paymentId, 1);
    assert.equal(webhook?.method, "POST");
    assert.equal(webhook.path, "/notify?shop=1");
    assert.equal(webhook.headers["content-type"], "application/json; charset=UTF-8");
    assert.deepEqual(Object.keys(webhook.json).sort(), notifyPaymentFields);
  }),
  checked("6.4", "online payments have notifyAuthorization", async ({ sandbox }) => {
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
      const webhook = await sandbox.shop.waitForAuthorization(expected);
      assert.partialDeepStrictEqual(webhook.json["result"], { resultCode: "SUCCESS", resultStatus: "S" });
      assert.ok(isWebhookSigned(webhook, sandbox.merchant.gatewayPublicKey));
    }
  }),
  checked("6.5", "online payments have notifyRefund", async ({ sandbox }) => {
    const { paymentId } = await payOnline(sandbox);
    const refundAmount = { currency: "EUR", value: "250" };
    const inquired = { refundRequestId: "refund-6.5", paymentId, refundAmount };
    const request = { ...inquired, refundNotifyUrl: sandbox.shop.notifyUrl };
    assertResult(await callOperation(sandbox, "payments/refund", request), "SUCCESS");
    const webhook = await sandbox.shop.waitForKind("REFUND_RESULT");
    assert.partialDeepStrictEqual(webhook.json, {
      notifyType: "REFUND_RESULT",
      refundRequestId: "refund-6.5",
      refundStatus: "SUCCESS",
      refundAmount,
      result: { resultCode: "SUCCESS", resultStatus: "S" },
    });
    assert.ok(isWebhookSigned(webhook, sandbox.merchant.gatewayPublicKey));
  }),
  checked("6.6", "online payments have notifyCapture", async ({ sandbox }) => {
    const paymentFactor = { isAuthorization: true, captureMode: "MANUAL" };
    const { paymentId } = await requestPayment(sandbox, { paymentFactor });
    await actAtProvider(sandbox, paymentId, "approve");
    await waitForStatus(sandbox, paymentId, "SUCCESS");
    const captureAmount = { currency: "EUR", value: "1250" };
    const request = { captureRequestId: "capture-6.6", paymentId, captureAmount };
    assertResult(await callOperation(sandbox, "payments/capture", request), "SUCCESS");
    const webhook = await sandbox.shop.waitForKind("CAPTURE_RESULT");
    assert.partialDeepStrictEqual(webhook.json, {
      ...request,
      notifyType: "CAPTURE_RESULT",
      result: { resultCode: "SUCCESS", resultStatus: "S" },
    });
    assert.ok(isWebhookSigned(webhook, sandbox.merchant.gatewayPublicKey));
  }),
  checked("6.7", "online payments have notifyDispute", async ({ sandbox }) => {
    const { paymentId, paymentRequestId } = await payOnline(sandbox);
    // A dispute begins without a merchant's request that could name a webhook URL, so the merchant sets one for
    // disputes.
    const notifyUrls = [{ notificationKind: "notifyDispute", url: sandbox.shop.notifyUrl }];
    assertResult(await callOperation(sandbox, "tollgate/changeEndpoints", { notifyUrls }), "SUCCESS");
    const opened = await sandbox.provider.control(paymentId, "dispute", { reasonCode: "4853" });
    assert.equal(opened.status, 200, opened.text);
    const webhooks = await sandbox.shop.waitForWebhooks(paymentId, 2);
    const webhook = webhooks.find(({ json }) => json["disputeId"] !== undefined);
    assert.partialDeepStrictEqual(webhook?.json, {
      disputeNotificationType: "DISPUTE_CREATED",
      paymentId,
      paymentRequestId,
      disputeType: "CHARGEBACK",
      disputeAmount: { currency: "EUR", value: "1250" },
      disputeReasonCode: "4853",
      defendable: true,
    });
    assert.ok(webhook && isWebhookSigned(webhook, sandbox.merchant.gatewayPublicKey));
  }),
  checked("6.8", "in-store payments have notifyPayment", async ({ sandbox }) => {
    const answer = await payInStore(sandbox, "OrderCode");
    const { paymentId } = answer.json;
    assertString(paymentId);
    const [webhook] = await sandbox.shop.waitForWebhooks(paymentId, 1);
    const result = { resultCode: "SUCCESS", resultStatus: "S" };
    assert.partialDeepStrictEqual(webhook?.json, { notifyType: "PAYMENT_RESULT", paymentId, result });
    assert.ok(webhook && isWebhookSigned(webhook, sandbox.merchant.gatewayPublicKey));
  }),
  checked("6.9", "in-store payments have notifyRegistrationStatus", async ({ sandbox }) => {
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
    const [webhook] = await sandbox.shop.waitForRegistration("registration-6.9", 1);
    assert.partialDeepStrictEqual(webhook?.json, {
      registrationRequestId: "registration-6.9",
      referenceMerchantId: "m-6.9",
      referenceStoreId: "s-6.9",
      registrationResult: { registrationStatus: "COMPLETED" },
    });
    assert.ok(webhook && isWebhookSigned(webhook, sandbox.merchant.gatewayPublicKey));
  }),
];

const notifyPaymentFields = [
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
async function assertWebhookMatchesInquiry(
  side: PayingEnvironment,
  paymentId: string,
  result: object,
): Promise<void> {
  const [webhook] = await side.shop.waitForWebhooks(paymentId, 1);
  assert.partialDeepStrictEqual(webhook?.json, { notifyType: "PAYMENT_RESULT", result });
  const { json: inquired } = await inquire(side, { paymentId });
  assert.partialDeepStrictEqual(result, { resultCode: inquired["paymentResultCode"] });
  for (const field of [
    "paymentId",
    "paymentRequestId",
    "paymentAmount",
    "actualPaymentAmount",
    "paymentTime",
  ]) {
    assert.deepEqual(webhook?.json[field], inquired[field], field);
  }
}
