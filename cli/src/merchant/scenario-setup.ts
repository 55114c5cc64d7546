import type { Fields, Sandbox } from "./sandbox.ts";

/** Payments, consents and disputes in a certain state, as the start of a scenario. */

export const amount = { currency: "EUR", value: "1250" };
export const partialAmount = { currency: "EUR", value: "100" };
const authorizationHold = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
const order = { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount };
export const daySeconds = 24 * 3600;

export function buildPayRequest(paymentRequestId: string, overrides: Fields = {}): Fields {
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order,
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    env: { terminalType: "WEB" },
    ...overrides,
  };
}

/** A payment at a point of sale that scanned the code of the buyer's wallet. */
export function buildScanRequest(paymentRequestId: string, paymentCode: string): Fields {
  const store = { referenceStoreId: "store-1", storeName: "Coffee Lab, Harbour", storeMCC: "5814" };
  const merchant = { referenceMerchantId: "m-1", merchantName: "Coffee Lab", merchantMCC: "5814", store };
  const env = {
    storeTerminalId: "till-1",
    storeTerminalRequestTime: "2026-11-15T09:30:00+00:00",
    userAgent: "Wallet/1.0",
  };
  return {
    productCode: "IN_STORE_PAYMENT",
    paymentRequestId,
    order: { ...order, merchant, env },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "CONNECT_WALLET", paymentMethodId: paymentCode },
    paymentFactor: { inStorePaymentScenario: "PaymentCode" },
    settlementStrategy: { settlementCurrency: "EUR" },
    // A request from a point of sale must have a webhook URL. No server listens at this one, and the gateway notices
    // this at once.
    paymentNotifyUrl: "http://127.0.0.1:1/notify",
  };
}

export function buildSessionRequest(paymentRequestId: string, overrides: Fields = {}): Fields {
  return {
    productCode: "CASHIER_PAYMENT",
    productScene: "CHECKOUT_PAYMENT",
    paymentRequestId,
    order,
    paymentAmount: amount,
    paymentRedirectUrl: "https://shop.example/thanks",
    ...overrides,
  };
}

export async function createPayment(sandbox: Sandbox, overrides: Fields = {}): Promise<string> {
  const { paymentId, result } = await sandbox.send(
    "payments/pay",
    buildPayRequest(sandbox.newId("cli"), overrides),
  );
  if (typeof paymentId !== "string") throw new Error(`No payment was created: ${JSON.stringify(result)}`);
  return paymentId;
}

/** Decides as the buyer, and waits until the gateway knows the result. */
export async function decidePayment(
  sandbox: Sandbox,
  paymentId: string,
  action: "approve" | "decline",
  details: Fields = {},
): Promise<void> {
  await sandbox.controlProvider(`POST payments/${paymentId}/${action}`, details);
  const isFinal = ({ paymentStatus }: Fields): boolean =>
    paymentStatus === "SUCCESS" || paymentStatus === "FAIL";
  await sandbox.until("payments/inquiryPayment", { paymentId }, isFinal);
}

export async function createPaidPayment(sandbox: Sandbox, overrides: Fields = {}): Promise<string> {
  const paymentId = await createPayment(sandbox, overrides);
  await decidePayment(sandbox, paymentId, "approve");
  return paymentId;
}

export const createHeldPayment = (sandbox: Sandbox): Promise<string> =>
  createPaidPayment(sandbox, authorizationHold);

/** A payment that its buyer disputes. */
export async function createDispute(
  sandbox: Sandbox,
  details: Fields = {},
): Promise<{ readonly paymentId: string; readonly disputeId: string }> {
  const paymentId = await createPaidPayment(sandbox);
  await sandbox.controlProvider(`POST payments/${paymentId}/dispute`, details);
  const { body } = await sandbox.waitForWebhook("notifyDispute", paymentId);
  const { disputeId } = JSON.parse(body) as { readonly disputeId: string };
  return { paymentId, disputeId };
}

/** Evidence against a dispute: a minimal PDF. */
export function buildEvidence(version = 1): string {
  return Buffer.from(`%PDF-1.4\n% version ${version}\n%%EOF\n`).toString("base64");
}

function buildConsentRequest(authState: string): Fields {
  return {
    customerBelongsTo: "GCASH",
    authRedirectUrl: "https://shop.example/agreed",
    scopes: ["AGREEMENT_PAY"],
    authState,
    env: { terminalType: "WEB" },
  };
}

/** Returns the code of a buyer who has agreed to future charges. */
export async function approveConsent(sandbox: Sandbox, authState: string): Promise<string> {
  await sandbox.requestSuccess("authorizations/consult", buildConsentRequest(authState));
  const { redirectUrl } = await sandbox.controlProvider(`POST authorizations/${authState}/agree`);
  await sandbox.waitForWebhook("notifyAuthorization", authState);
  return new URL(String(redirectUrl)).searchParams.get("authCode") ?? "";
}

function buildTokenRequest(authCode: string): Fields {
  return { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
}

export async function createAccessToken(
  sandbox: Sandbox,
  authState = sandbox.newId("state"),
): Promise<string> {
  const request = buildTokenRequest(await approveConsent(sandbox, authState));
  return String((await sandbox.requestSuccess("authorizations/applyToken", request))["accessToken"]);
}

export function buildStoreRequest(
  registrationRequestId: string,
  store: string,
  storeName = "Coffee Lab",
): Fields {
  return {
    registrationRequestId,
    productCodes: ["IN_STORE_PAYMENT"],
    merchantInfo: {
      referenceMerchantId: "coffee-lab",
      merchantMCC: "5814",
      merchantDisplayName: "Coffee Lab",
    },
    storeInfo: { referenceStoreId: store, storeName },
  };
}
