import type { Fields, Sandbox } from "./sandbox.ts";

/** Payments, consents and disputes in a certain state, as the start of a scenario. */

export const amount = { currency: "EUR", value: "1250" };
export const part = { currency: "EUR", value: "100" };
const held = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
const order = { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount };
export const day = 24 * 3600;

export function payRequest(paymentRequestId: string, more: Fields = {}): Fields {
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order,
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    env: { terminalType: "WEB" },
    ...more,
  };
}

/** A payment at a point of sale that scanned the code of the buyer's wallet. */
export function scanRequest(paymentRequestId: string, paymentCode: string): Fields {
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

export function sessionRequest(paymentRequestId: string, more: Fields = {}): Fields {
  return {
    productCode: "CASHIER_PAYMENT",
    productScene: "CHECKOUT_PAYMENT",
    paymentRequestId,
    order,
    paymentAmount: amount,
    paymentRedirectUrl: "https://shop.example/thanks",
    ...more,
  };
}

export async function openPayment(sandbox: Sandbox, more: Fields = {}): Promise<string> {
  const { paymentId, result } = await sandbox.ask("payments/pay", payRequest(sandbox.newId("cli"), more));
  if (typeof paymentId !== "string") throw new Error(`No payment was created: ${JSON.stringify(result)}`);
  return paymentId;
}

/** Decides as the buyer, and waits until the gateway knows the result. */
export async function endPayment(
  sandbox: Sandbox,
  paymentId: string,
  action: "approve" | "decline",
  how: Fields = {},
): Promise<void> {
  await sandbox.wallet(`POST payments/${paymentId}/${action}`, how);
  const isEnded = ({ paymentStatus }: Fields): boolean =>
    paymentStatus === "SUCCESS" || paymentStatus === "FAIL";
  await sandbox.until("payments/inquiryPayment", { paymentId }, isEnded);
}

export async function paidPayment(sandbox: Sandbox, more: Fields = {}): Promise<string> {
  const paymentId = await openPayment(sandbox, more);
  await endPayment(sandbox, paymentId, "approve");
  return paymentId;
}

export const heldPayment = (sandbox: Sandbox): Promise<string> => paidPayment(sandbox, held);

/** A payment that its buyer disputes. */
export async function disputed(
  sandbox: Sandbox,
  how: Fields = {},
): Promise<{ readonly paymentId: string; readonly disputeId: string }> {
  const paymentId = await paidPayment(sandbox);
  await sandbox.wallet(`POST payments/${paymentId}/dispute`, how);
  const { body } = await sandbox.told("notifyDispute", paymentId);
  const { disputeId } = JSON.parse(body) as { readonly disputeId: string };
  return { paymentId, disputeId };
}

/** Evidence against a dispute: a minimal PDF. */
export function evidence(version = 1): string {
  return Buffer.from(`%PDF-1.4\n% version ${version}\n%%EOF\n`).toString("base64");
}

function consentRequest(authState: string): Fields {
  return {
    customerBelongsTo: "GCASH",
    authRedirectUrl: "https://shop.example/agreed",
    scopes: ["AGREEMENT_PAY"],
    authState,
    env: { terminalType: "WEB" },
  };
}

/** Returns the code of a buyer who has agreed to future charges. */
export async function consentCode(sandbox: Sandbox, authState: string): Promise<string> {
  await sandbox.must("authorizations/consult", consentRequest(authState));
  const { redirectUrl } = await sandbox.wallet(`POST authorizations/${authState}/agree`);
  await sandbox.told("notifyAuthorization", authState);
  return new URL(String(redirectUrl)).searchParams.get("authCode") ?? "";
}

function tokenRequest(authCode: string): Fields {
  return { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
}

export async function accessToken(sandbox: Sandbox, authState = sandbox.newId("state")): Promise<string> {
  const request = tokenRequest(await consentCode(sandbox, authState));
  return String((await sandbox.must("authorizations/applyToken", request))["accessToken"]);
}

export function storeRequest(registrationRequestId: string, store: string, storeName = "Coffee Lab"): Fields {
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
