import { action, type Call, type Claimed } from "../contract/operation.ts";
import { toTime } from "../contract/schemas.ts";
import { lockAgreement } from "../authorizations/lock-agreement.tx.ts";
import { useToken } from "../authorizations/token.sql.ts";
import type { Token } from "../authorizations/token.ts";
import { firstMissing } from "../core/conditional-required.ts";
import { parseAmount, toAmount } from "../core/money.ts";
import { isStoreAccepted } from "../registrations/registration.sql.ts";
import { providerReference } from "../core/provider-reference.ts";
import { repeatRefusal } from "../core/repeat.ts";
import { isRefusal, refuse, type Refusal } from "../core/result.ts";
import { PayRequest } from "./pay-request.schema.ts";
import { connectorTaking } from "./payment-option.ts";
import { orderAmountWarnings, unchangedInPayment } from "./payment-warnings.ts";
import { payScenes } from "./pay-scenes.ts";
import { PayResponse } from "./pay-response.schema.ts";
import { payResults, type PayCode } from "./pay-results.ts";
import { writeOrderShown } from "./order-shown.ts";
import { findPaymentByRequest, insertPayments } from "./payment.sql.ts";
import { isIssued, isPaymentCode, scenarioOf } from "./in-store.ts";
import {
  captureModeOf,
  captureRule,
  isAgreed,
  isInStore,
  orderOf,
  untouched,
  type Payment,
  type ProductCode,
} from "./payment.ts";
import { expiryOf, payNeeds, products } from "./product.ts";
import { textsOf } from "./request-texts.ts";
import { addressRefusal } from "../merchants/address.ts";

/** The payment, and the checkout page on which its buyer pays. */
interface PayRecord {
  readonly payment: Payment;
  readonly checkoutUrl: string;
}

/** Idempotency: fields that must be equal in a repeated request. Times, URLs and the buyer's device may differ. */
const comparedFields = [
  "productCode",
  "paymentAmount.value",
  "paymentAmount.currency",
  "paymentMethod.paymentMethodType",
  "paymentMethod.paymentMethodId",
  "paymentFactor.inStorePaymentScenario",
  "paymentFactor.captureMode",
  "settlementStrategy.settlementCurrency",
  "order.referenceOrderId",
] as const;

export const pay = action({
  path: "payments/pay",
  summary: "Starts a payment.",
  description:
    "Send the buyer to `normalUrl`. The response is `U` / `PAYMENT_IN_PROCESS` until the buyer has paid. " +
    "The final status arrives as a webhook; `inquiryPayment` returns it too. A repeated " +
    "`paymentRequestId` always returns the same payment. In a store, the meaning of `S` depends on the " +
    "scenario. For a `PaymentCode`, the buyer has agreed. For an `OrderCode`, there is a code to show. " +
    "For an `EntryCode`, there is a page to which to send the buyer. With an access token " +
    "(`AGREEMENT_PAYMENT`) there is no page and no redirect. The payment is paid only if `paymentStatus` " +
    "is `SUCCESS`. If `authExpiryTime` is present as well, the money is authorized and not collected yet. " +
    "`paymentStatus` is absent while a code or a page is issued and not used.",

  request: PayRequest,
  needs: payNeeds,
  warns: orderAmountWarnings,
  response: PayResponse,
  results: payResults,
  inStore: true,
  once: { id: "paymentRequestId", same: comparedFields },
  // In-store and token payments wait for the payment provider; online payments return immediately with a checkout URL.
  waits: ({ productCode }) => productCode !== "CASHIER_PAYMENT",

  example: {
    title: "Online: the buyer pays on a page",
    code: "PAYMENT_IN_PROCESS",
    request: {
      productCode: "CASHIER_PAYMENT",
      paymentRequestId: "order-1001-attempt-1",
      order: {
        referenceOrderId: "order-1001",
        orderDescription: "Two coffees",
        orderAmount: { currency: "EUR", value: "1250" },
      },
      paymentAmount: { currency: "EUR", value: "1250" },
      paymentMethod: { paymentMethodType: "GCASH" },
      paymentRedirectUrl: "https://shop.example/thanks",
      paymentNotifyUrl: "https://shop.example/notify",
      env: { terminalType: "WEB" },
    },
    response: {
      paymentRequestId: "order-1001-attempt-1",
      paymentId: "20261115093000123047601530017744120",
      paymentStatus: "PROCESSING",
      paymentAmount: { currency: "EUR", value: "1250" },
      paymentCreateTime: "2026-11-15T09:30:00+00:00",
      normalUrl: "https://pay.example/checkout/5J5XSU.20261115093000123047601530017744120.Zk3v",
      sequence: 1,
    },
  },
  scenes: payScenes,

  first: {
    make(call, request) {
      const payment = newPayment(call, request, call.fingerprint(request, comparedFields));
      if (isRefusal(payment)) return payment;
      // An agreed payment needs `claim`: the fast path reads nothing, and only `claim` reads registrations and
      // agreements.
      if (isAgreed(payment)) return refuse("AUTHORIZATION_NOT_EXIST");
      return demandsRegistration(call, payment) ? refuse("MERCHANT_NOT_REGISTERED") : claimed(call, payment);
    },
    async insert(tx, made) {
      const inserted = await insertPayments(
        tx,
        made.map(({ payment }) => payment),
        job,
      );
      return made.map(({ payment }) => inserted.has(payment.paymentId));
    },
  },

  async claim(call, request) {
    const fingerprint = call.fingerprint(request, comparedFields);
    const made = newPayment(call, request, fingerprint);
    const found = isRefusal(made) ? made : await lookUp(call, request, made);
    if (!isRefusal(found) && (await insertPayments(call.tx, [found.payment], job)).size === 1) {
      if (found.token) useToken(call.tx, found.token, call.now);
      return claimed(call, found.payment);
    }

    // Idempotency: a repeated request gets the response of the first request, even if the gateway would refuse the same
    // request today.
    const earlier = await findPaymentByRequest(call.tx, call, request.paymentRequestId);
    if (!earlier) return isRefusal(found) ? found : refuse("PROCESS_FAIL");
    if (earlier.session)
      return refuse("REPEAT_REQ_INCONSISTENT", { field: "paymentRequestId", detail: wasSession });
    return (
      repeatRefusal(comparedFields, earlier, fingerprint) ?? {
        record: withUrl(call, earlier),
        unchanged: unchangedInPayment(request, earlier),
      }
    );
  },

  async read(call, { payment }) {
    const found = await findPaymentByRequest(call.tx, call, payment.paymentRequestId);
    return withUrl(call, found ?? payment);
  },

  answer({ payment, checkoutUrl }) {
    return {
      code: isIssued(payment) ? "SUCCESS" : payCodeOf(payment),
      paymentRequestId: payment.paymentRequestId,
      paymentId: payment.paymentId,
      // The response has no status while a code or page is issued and the payment is not decided. Point of sale devices
      // would read `S` with a status as paid.
      ...(!isIssued(payment) && { paymentStatus: payment.status }),
      ...(payment.amount && { paymentAmount: toAmount(payment.amount) }),
      paymentCreateTime: toTime(payment.createdAt),
      ...(payment.paidAt && { paymentTime: toTime(payment.paidAt) }),
      ...(payment.paidAmount && { actualPaymentAmount: toAmount(payment.paidAmount) }),
      ...(payment.authExpiresAt && { authExpiryTime: toTime(payment.authExpiresAt) }),
      ...(payment.releasedAt && { authReleaseTime: toTime(payment.releasedAt) }),
      ...(isInStore(payment) ? issued(payment) : opened(payment, checkoutUrl)),
      sequence: payment.sequence,
    };
  },
});

/** The checkout URL for the buyer, while the payment is open. */
function opened(payment: Payment, checkoutUrl: string): object {
  const { status, order } = payment;
  if (status !== "PROCESSING" && status !== "PENDING") return {};
  // The provider's own page, if the provider requires a confirmation despite the agreement.
  if (isAgreed(payment)) return order?.url === undefined ? {} : { normalUrl: order.url };
  return { normalUrl: checkoutUrl, redirectActionForm: redirectTo(checkoutUrl) };
}

/** The code that the point of sale shows, or the page to which it sends the buyer. */
function issued(payment: Payment): object {
  const { scenario, order, expiresAt, paymentMethodType = "" } = payment;
  if (!isIssued(payment)) return {};
  if (scenario === "EntryCode") return { redirectActionForm: redirectTo(order?.url ?? "") };
  // The code as text. A point of sale uses the first display type that it supports, and all of them support TEXT.
  const text = { codeValueType: "QRCODE", displayType: "TEXT", codeValue: order?.code ?? "" };
  const expireTime = toTime(expiresAt ?? payment.createdAt);
  return { orderCodeForm: { expireTime, paymentMethodType, codeDetails: [text] } };
}

function redirectTo(redirectUrl: string): { method: string; redirectUrl: string; actionFormType: string } {
  return { method: "GET", redirectUrl, actionFormType: "RedirectActionForm" };
}

const job = "drive-payment";

/** The record with its leased job. `insertPayments` inserts the job with the payment, leased to this process. */
function claimed(call: Call, payment: Payment): Claimed<PayRecord> {
  const { bucket, clientId, paymentId: subjectId } = payment;
  const { aheadMs } = call;
  const leased = {
    bucket,
    clientId,
    subjectId,
    job,
    epoch: 1,
    attempts: 0,
    aheadMs,
    record: payment,
  } as const;
  return { record: withUrl(call, payment), leased };
}

function withUrl(call: Call, payment: Payment): PayRecord {
  return { payment, checkoutUrl: call.checkoutUrl(payment.paymentId) };
}

function payCodeOf(payment: Payment): PayCode {
  switch (payment.status) {
    case "SUCCESS":
      return "SUCCESS";
    case "CANCELLED":
      return "ORDER_IS_CANCELED";
    case "FAIL":
      return payResults.find((code) => code === payment.resultCode) ?? "PROCESS_FAIL";
    case "PROCESSING":
    case "PENDING":
      return "PAYMENT_IN_PROCESS";
  }
}

/** `newPayment` returns the payment to insert, or the first reason to refuse the request. */
function newPayment(call: Call, request: PayRequest, fingerprint: Buffer): Payment | Refusal<PayCode> {
  if (call.inStoreOnly && request.productCode !== "IN_STORE_PAYMENT") {
    return refuse("ACCESS_DENIED", {
      detail: "Online payments of the sandbox use the path /ams/sandbox/api/.",
    });
  }
  const productCode = request.productCode as ProductCode;
  const product = products[productCode];
  const missing = firstMissing(product.needs, request);
  if (missing) return refuse("PARAM_ILLEGAL", { field: missing, detail: `${missing} is missing.` });
  const { paymentRedirectUrl, paymentNotifyUrl } = request;
  const wrong = addressRefusal(call, { links: { paymentRedirectUrl }, notify: { paymentNotifyUrl } });
  if (wrong) return wrong;
  const scenario = isInStore({ productCode }) ? scenarioOf(request) : undefined;
  const paymentCode = scenario === "PaymentCode" ? request.paymentMethod.paymentMethodId : undefined;
  if (paymentCode !== undefined && !isPaymentCode(paymentCode))
    return refuse("INVALID_CODE", { field: "paymentMethod.paymentMethodId" });
  const amount = parseAmount(request.paymentAmount);
  if (amount === "CURRENCY_NOT_SUPPORT") return refuse(amount, { field: "paymentAmount.currency" });
  if (amount === "PARAM_ILLEGAL") return refuse(amount, { field: "paymentAmount.value" });
  const expiresAt = expiryOf(product, request, call.now, call.aheadMs);
  if (!expiresAt) return refuse("PARAM_ILLEGAL", { field: "paymentExpiryTime", detail: product.expiryRule });
  const captureMode = captureModeOf(request.paymentFactor);
  if (!captureMode)
    return refuse("PARAM_ILLEGAL", { field: "paymentFactor.isAuthorization", detail: captureRule });
  const wanted = { currency: amount.currency, isHeld: captureMode === "MANUAL" };
  const connector = connectorTaking(call, wanted, request.paymentMethod.paymentMethodType);
  if (typeof connector !== "string") return connector;

  const { environment, clientId, bucket } = call;
  const reference = providerReference(environment, clientId, "payment", request.paymentRequestId);
  const paymentId = call.newId("payment");
  const { paymentMethodType } = request.paymentMethod;
  return {
    ...untouched,
    bucket,
    clientId,
    paymentId,
    paymentRequestId: request.paymentRequestId,
    productCode,
    scenario,
    sealedSecret: paymentCode === undefined ? undefined : call.secrets.seal(paymentCode, paymentId),
    status: "PROCESSING",
    resultCode: "PAYMENT_IN_PROCESS",
    amount,
    createdAt: call.now,
    fingerprint,
    paymentMethodType,
    ...textsOf(request),
    orderShown: productCode === "CASHIER_PAYMENT" ? writeOrderShown(request.order) : undefined,
    order: { connector, reference, acceptedAt: undefined, code: undefined, url: undefined },
    expiresAt,
    session: undefined,
    captureMode,
    feeBasisPoints: call.feeBasisPoints,
    feeTerms: call.feeTermsFor({ paymentMethodType, currency: amount.currency, at: call.now }),
  };
}

/** Whether the operator requires that the store of this payment is registered with the payment provider. */
function demandsRegistration(call: Call, payment: Payment): boolean {
  return isInStore(payment) && call.termsOf(orderOf(payment).connector).demandsRegistration;
}

/** An accepted payment, and the token that it uses. */
interface LookedUp {
  readonly payment: Payment;
  readonly token?: Token;
}

function lookUp(call: Call, request: PayRequest, payment: Payment): Promise<LookedUp | Refusal<PayCode>> {
  return isAgreed(payment) ? agreed(call, request, payment) : registered(call, request, payment);
}

/**
 * `agreed` returns the payment with the token for the provider, or a refusal if the buyer has given no valid consent.
 */
async function agreed(
  call: Call,
  { paymentMethod: { paymentMethodType, paymentMethodId = "" } }: PayRequest,
  payment: Payment,
): Promise<LookedUp | Refusal<PayCode>> {
  const { tx, now, secrets } = call;
  const asked = { accessToken: paymentMethodId, paymentMethodType, now, secrets };
  const agreement = await lockAgreement(tx, call, asked);
  if ("no" in agreement) return refuse(agreement.no, { field: "paymentMethod.paymentMethodId" });
  const { token, agreementToken } = agreement;
  return { payment: { ...payment, sealedSecret: secrets.seal(agreementToken, payment.paymentId) }, token };
}

/**
 * `registered` returns the payment, or a refusal if its store must be registered with the payment provider and is not.
 */
async function registered(
  call: Call,
  { order }: PayRequest,
  payment: Payment,
): Promise<LookedUp | Refusal<PayCode>> {
  if (!demandsRegistration(call, payment)) return { payment };
  const { referenceMerchantId = "", store } = order.merchant ?? {};
  const { referenceStoreId = "" } = store ?? {};
  const asked = { referenceMerchantId, referenceStoreId };
  const isAccepted = await isStoreAccepted(call.tx, call, asked, orderOf(payment).connector);
  const field = "order.merchant.store.referenceStoreId";
  return isAccepted ? { payment } : refuse("MERCHANT_NOT_REGISTERED", { field });
}

const wasSession = "This paymentRequestId belongs to a payment session.";
