import { action, type Call, type ClaimResult } from "../contract/operation.ts";
import { toTime } from "../contract/schemas.ts";
import { lockAgreement } from "../authorizations/lock-agreement.tx.ts";
import { useToken } from "../authorizations/token.sql.ts";
import type { Token } from "../authorizations/token.ts";
import { findMissingField } from "../core/conditional-required.ts";
import { parseAmount, toAmount } from "../core/money.ts";
import { findAcceptedStore } from "../registrations/registration.sql.ts";
import { providerReference } from "../core/provider-reference.ts";
import { rejectChangedRepeat } from "../core/idempotency.ts";
import { isRefusal, refuse, type Refusal } from "../core/result.ts";
import { PayRequest } from "./pay-request.schema.ts";
import { refusalOf, selectConnector } from "./payment-option.ts";
import { orderAmountWarnings, listUnchangedFields } from "./payment-warnings.ts";
import { payExamples } from "./pay-examples.ts";
import { PayResponse } from "./pay-response.schema.ts";
import { payResults, type PayCode } from "./pay-results.ts";
import { serializeCheckoutOrder } from "./checkout-order.ts";
import { findPaymentByRequest, insertPayments } from "./payment.sql.ts";
import { checkoutFields, issuedCodeFields } from "./next-actions/buyer-fields.ts";
import { hasIssuedCode, isPaymentCode, scenarioOf } from "./in-store.ts";
import { noAction } from "./next-actions/next-action-columns.ts";
import { collectOrderData } from "./order-data/order-data.ts";
import {
  captureModeOf,
  captureModeDetail,
  isAgreementPayment,
  isInStore,
  orderOf,
  initialPaymentValues,
  type Payment,
  type ProductCode,
} from "./payment.ts";
import { expiryOf, payRequiredFields, products } from "./product.ts";
import { textsOfRequest } from "./request-texts.ts";
import { findUrlRefusal } from "../merchants/url-rules.ts";

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
  requiredFields: payRequiredFields,
  findWarnings: orderAmountWarnings,
  response: PayResponse,
  results: payResults,
  inStore: true,
  idempotency: { keyField: "paymentRequestId", comparedFields },
  // In-store and token payments wait for the payment provider; online payments return immediately with a checkout URL.
  waitsForProvider: ({ productCode }) => productCode !== "CASHIER_PAYMENT",

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
  moreExamples: payExamples,

  fastPath: {
    buildClaim(call, request) {
      const payment = newPayment(call, request, call.fingerprint(request, comparedFields));
      if (isRefusal(payment)) return payment;
      // An agreed payment needs `claim`: the fast path reads nothing, and only `claim` reads registrations and
      // agreements.
      if (isAgreementPayment(payment)) return refuse("AUTHORIZATION_NOT_EXIST");
      return requiresRegistration(call, payment)
        ? refuse("MERCHANT_NOT_REGISTERED")
        : newClaim(call, payment);
    },
    async insert(tx, newPayments) {
      const inserted = await insertPayments(
        tx,
        newPayments.map(({ payment }) => payment),
        driveJob,
      );
      return newPayments.map(({ payment }) => inserted.has(payment.paymentId));
    },
  },

  async claim(call, request) {
    const fingerprint = call.fingerprint(request, comparedFields);
    const candidate = newPayment(call, request, fingerprint);
    const checked = isRefusal(candidate) ? candidate : await checkPrerequisites(call, request, candidate);
    if (!isRefusal(checked) && (await insertPayments(call.tx, [checked.payment], driveJob)).size === 1) {
      if (checked.token) useToken(call.tx, checked.token, call.now);
      return newClaim(call, checked.payment);
    }

    // Idempotency: a repeated request gets the response of the first request, even if the gateway would refuse the same
    // request today.
    const earlier = await findPaymentByRequest(call.tx, call, request.paymentRequestId);
    if (!earlier) return isRefusal(checked) ? checked : refuse("PROCESS_FAIL");
    if (earlier.session)
      return refuse("REPEAT_REQ_INCONSISTENT", { field: "paymentRequestId", detail: sessionExistsDetail });
    return (
      rejectChangedRepeat(comparedFields, earlier, fingerprint) ?? {
        record: withCheckoutUrl(call, earlier),
        ignoredDifferences: listUnchangedFields(request, earlier),
      }
    );
  },

  async read(call, { payment }) {
    const current = await findPaymentByRequest(call.tx, call, payment.paymentRequestId);
    return withCheckoutUrl(call, current ?? payment);
  },

  answer({ payment, checkoutUrl }) {
    return {
      code: hasIssuedCode(payment) ? "SUCCESS" : payCodeOf(payment),
      paymentRequestId: payment.paymentRequestId,
      paymentId: payment.paymentId,
      // The response has no status while a code or page is issued and the payment is not decided. Point of sale devices
      // would read `S` with a status as paid.
      ...(!hasIssuedCode(payment) && { paymentStatus: payment.status }),
      ...(payment.amount && { paymentAmount: toAmount(payment.amount) }),
      paymentCreateTime: toTime(payment.createdAt),
      ...(payment.paidAt && { paymentTime: toTime(payment.paidAt) }),
      ...(payment.paidAmount && { actualPaymentAmount: toAmount(payment.paidAmount) }),
      ...(payment.authExpiresAt && { authExpiryTime: toTime(payment.authExpiresAt) }),
      ...(payment.releasedAt && { authReleaseTime: toTime(payment.releasedAt) }),
      ...(isInStore(payment) ? issuedCodeFields(payment) : checkoutFields(payment, checkoutUrl)),
      sequence: payment.sequence,
    };
  },
});

const driveJob = "drive-payment";

/** The record with its leased job. `insertPayments` inserts the job with the payment, leased to this process. */
function newClaim(call: Call, payment: Payment): ClaimResult<PayRecord> {
  const { bucket, clientId, paymentId: subjectId } = payment;
  const { aheadMs } = call;
  const leasedJob = {
    bucket,
    clientId,
    subjectId,
    job: driveJob,
    epoch: 1,
    attempts: 0,
    aheadMs,
    record: payment,
  } as const;
  return { record: withCheckoutUrl(call, payment), leasedJob };
}

function withCheckoutUrl(call: Call, payment: Payment): PayRecord {
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
  const missing = findMissingField(product.requiredFields, request);
  if (missing) return refuse("PARAM_ILLEGAL", { field: missing, detail: `${missing} is missing.` });
  const { paymentRedirectUrl, paymentNotifyUrl } = request;
  const urlRefusal = findUrlRefusal(call, { links: { paymentRedirectUrl }, notify: { paymentNotifyUrl } });
  if (urlRefusal) return urlRefusal;
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
    return refuse("PARAM_ILLEGAL", { field: "paymentFactor.isAuthorization", detail: captureModeDetail });
  const connector = selectConnector(call, request.paymentMethod.paymentMethodType);
  if (typeof connector !== "string") return connector;
  // The connector of an agreement payment is that of the consent, which `checkConsent` finds and checks.
  const refusal = isAgreementPayment({ productCode })
    ? undefined
    : connectorRefusal(call, { amount, captureMode }, connector);
  if (refusal) return refusal;
  const references = call.referencesAt(connector, request.order.merchant?.referenceMerchantId);

  const { environment, clientId, bucket } = call;
  const reference = providerReference(environment, clientId, "payment", request.paymentRequestId);
  const paymentId = call.newId("payment");
  const { paymentMethodType } = request.paymentMethod;
  return {
    ...initialPaymentValues,
    bucket,
    clientId,
    paymentId,
    paymentRequestId: request.paymentRequestId,
    productCode,
    scenario,
    sealedSecret: paymentCode === undefined ? undefined : call.secrets.encrypt(paymentCode, paymentId),
    status: "PROCESSING",
    resultCode: "PAYMENT_IN_PROCESS",
    amount,
    createdAt: call.now,
    fingerprint,
    paymentMethodType,
    ...textsOfRequest(request),
    checkoutOrder: productCode === "CASHIER_PAYMENT" ? serializeCheckoutOrder(request.order) : undefined,
    order: { connector, reference, ...references, acceptedAt: undefined, ...noAction },
    orderData: collectOrderData(request, call.wantsOf(connector)),
    expiresAt,
    session: undefined,
    captureMode,
    feeBasisPoints: call.feeBasisPoints,
    feeTerms: call.feeTermsFor({ paymentMethodType, currency: amount.currency, at: call.now }),
  };
}

function connectorRefusal(
  call: Call,
  { amount, captureMode }: Pick<Payment, "amount" | "captureMode">,
  connector: string,
): ReturnType<typeof refusalOf> {
  return refusalOf(call, { currency: amount?.currency ?? "", isHeld: captureMode === "MANUAL" }, connector);
}

/** Whether the operator requires that the store of this payment is registered with the payment provider. */
function requiresRegistration(call: Call, payment: Payment): boolean {
  return isInStore(payment) && call.termsOf(orderOf(payment).connector).demandsRegistration;
}

/** An accepted payment, and the token that it uses. */
interface CheckedPayment {
  readonly payment: Payment;
  readonly token?: Token;
}

function checkPrerequisites(
  call: Call,
  request: PayRequest,
  payment: Payment,
): Promise<CheckedPayment | Refusal<PayCode>> {
  return isAgreementPayment(payment)
    ? checkConsent(call, request, payment)
    : checkStoreRegistration(call, request, payment);
}

/**
 * `checkConsent` returns the payment with the token for the provider, or a refusal if the buyer has given no valid consent.
 */
async function checkConsent(
  call: Call,
  request: PayRequest,
  payment: Payment,
): Promise<CheckedPayment | Refusal<PayCode>> {
  const { tx, now, secrets } = call;
  const { paymentMethodType, paymentMethodId = "" } = request.paymentMethod;
  const consentLookup = { accessToken: paymentMethodId, paymentMethodType, now, secrets };
  const agreement = await lockAgreement(tx, call, consentLookup);
  if ("refusal" in agreement) return refuse(agreement.refusal, { field: "paymentMethod.paymentMethodId" });
  const { token, agreementToken, connector, account } = agreement;
  const refusal = connectorRefusal(call, payment, connector);
  if (refusal) return refusal;
  const sealedSecret = secrets.encrypt(agreementToken, payment.paymentId);
  const { registrationId } = call.referencesAt(connector, request.order.merchant?.referenceMerchantId);
  // The buyer has given the consent at this connector and account, even if the merchant's payments now use another one.
  const order = { ...orderOf(payment), connector, account, registrationId };
  const orderData = collectOrderData(request, call.wantsOf(connector));
  return { payment: { ...payment, sealedSecret, order, orderData }, token };
}

/**
 * `checkStoreRegistration` returns the payment, or a refusal if its store must be registered with the payment provider and is not.
 */
async function checkStoreRegistration(
  call: Call,
  { order }: PayRequest,
  payment: Payment,
): Promise<CheckedPayment | Refusal<PayCode>> {
  if (!requiresRegistration(call, payment)) return { payment };
  const { referenceMerchantId = "", store } = order.merchant ?? {};
  const { referenceStoreId = "" } = store ?? {};
  const storeKey = { referenceMerchantId, referenceStoreId };
  const providerOrder = orderOf(payment);
  const accepted = await findAcceptedStore(call.tx, call, storeKey, providerOrder.connector);
  if (!accepted) return refuse("MERCHANT_NOT_REGISTERED", { field: "order.merchant.store.referenceStoreId" });
  return { payment: { ...payment, order: { ...providerOrder, ...accepted } } };
}

const sessionExistsDetail = "This paymentRequestId belongs to a payment session.";
