import { action, type Call, type Claimed } from "../api/operation.ts";
import { toTime } from "../api/schemas.ts";
import { lockAgreement } from "../authorizations/lock-agreement.tx.ts";
import { useToken } from "../authorizations/token.sql.ts";
import type { Token } from "../authorizations/token.ts";
import { firstMissing } from "../core/need.ts";
import { parseAmount, toAmount } from "../core/money.ts";
import { isStoreAccepted } from "../registrations/registration.sql.ts";
import { walletReference } from "../core/wallet-reference.ts";
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
import { addressRefusal } from "../merchants/address.ts";

/** The payment, and the page on which its buyer pays. */
interface PayRecord {
  readonly payment: Payment;
  readonly checkoutUrl: string;
}

/** Idempotency: fields that a repeat must have equal. Times, addresses and the buyer's device may differ. */
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
  summary: "Takes a payment.",
  description:
    "Send the buyer to `normalUrl`. The answer is `U` / `PAYMENT_IN_PROCESS` until the buyer has paid; how it ended " +
    "comes by notification, or ask with `inquiryPayment`. The same `paymentRequestId` is the same payment, for ever. In a " +
    "store, `S` means that the buyer has agreed for a `PaymentCode`; for an `OrderCode` it means that there is a code to show, and for an " +
    "`EntryCode` that there is a page to send the buyer to. With an access token (`AGREEMENT_PAYMENT`) nobody is sent anywhere. " +
    "`paymentStatus` says whether it was paid: only `SUCCESS` is, and with `authExpiryTime` the money is held and not yet taken. It is absent while a code or a page was issued and not used.",

  request: PayRequest,
  needs: payNeeds,
  warns: orderAmountWarnings,
  response: PayResponse,
  results: payResults,
  inStore: true,
  once: { id: "paymentRequestId", same: comparedFields },
  // In-store and token payments wait for the wallet; online payments answer at once with a checkout URL.
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
      // The fast path reads nothing: registrations and agreements are looked up by `claim`.
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

    // Idempotency: a repeat gets its first answer, even if the same request would be refused today.
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
      // A code or page was issued, which says nothing about the payment. Tills read `S` with a status as paid.
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

/** The checkout URL to send the buyer to, as long as the payment is open. */
function opened(payment: Payment, checkoutUrl: string): object {
  const { status, order } = payment;
  if (status !== "PROCESSING" && status !== "PENDING") return {};
  // The wallet's own page, if it wants a confirmation in spite of the agreement.
  if (isAgreed(payment)) return order?.url === undefined ? {} : { normalUrl: order.url };
  return { normalUrl: checkoutUrl, redirectActionForm: redirectTo(checkoutUrl) };
}

/** What the till shows, or where it sends the buyer. */
function issued(payment: Payment): object {
  const { scenario, order, expiresAt, paymentMethodType = "" } = payment;
  if (!isIssued(payment)) return {};
  if (scenario === "EntryCode") return { redirectActionForm: redirectTo(order?.url ?? "") };
  // Tills take the first display type that they know, and all know TEXT.
  const text = { codeValueType: "QRCODE", displayType: "TEXT", codeValue: order?.code ?? "" };
  const expireTime = toTime(expiresAt ?? payment.createdAt);
  return { orderCodeForm: { expireTime, paymentMethodType, codeDetails: [text] } };
}

function redirectTo(redirectUrl: string): { method: string; redirectUrl: string; actionFormType: string } {
  return { method: "GET", redirectUrl, actionFormType: "RedirectActionForm" };
}

const job = "drive-payment";

/** This process holds the lease of the new payment's job, which `insertPayments` writes with it. */
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

/** The payment as it will be recorded, or the first reason not to take it. */
function newPayment(call: Call, request: PayRequest, fingerprint: Buffer): Payment | Refusal<PayCode> {
  if (call.inStoreOnly && request.productCode !== "IN_STORE_PAYMENT") {
    return refuse("ACCESS_DENIED", { detail: "Online payments of the sandbox are under /ams/sandbox/api/." });
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
  const reference = walletReference(environment, clientId, "payment", request.paymentRequestId);
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
    orderDescription: request.order.orderDescription,
    referenceOrderId: request.order.referenceOrderId,
    orderShown: productCode === "CASHIER_PAYMENT" ? writeOrderShown(request.order) : undefined,
    redirectUrl: request.paymentRedirectUrl,
    notifyUrl: request.paymentNotifyUrl,
    metadata: request.metadata,
    order: { connector, reference, acceptedAt: undefined, code: undefined, url: undefined },
    expiresAt,
    session: undefined,
    captureMode,
    feeBasisPoints: call.feeBasisPoints,
    feeTerms: call.feeTermsFor({ paymentMethodType, currency: amount.currency, at: call.now }),
  };
}

/** Whether the operator demands that this payment's store is registered with the wallet. */
function demandsRegistration(call: Call, payment: Payment): boolean {
  return isInStore(payment) && call.termsOf(orderOf(payment).connector).demandsRegistration;
}

/** A payment that may be taken, and the token that it is taken with. */
interface LookedUp {
  readonly payment: Payment;
  readonly token?: Token;
}

function lookUp(call: Call, request: PayRequest, payment: Payment): Promise<LookedUp | Refusal<PayCode>> {
  return isAgreed(payment) ? agreed(call, request, payment) : registered(call, request, payment);
}

/** The payment with the token that the wallet needs, or a refusal when the buyer has not agreed. */
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

/** The payment, or a refusal when its store has to be registered with the wallet and is not. */
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

const wasSession = "This paymentRequestId is that of a payment session.";
