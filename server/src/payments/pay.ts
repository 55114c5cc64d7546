import { Type } from "typebox";
import { action, type Call, type Claimed } from "../api/operation.ts";
import { Amount, Id, Time, toTime } from "../api/schemas.ts";
import { differingField } from "../core/fingerprint.ts";
import { parseAmount, toAmount } from "../core/money.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { walletReference } from "../core/reference.ts";
import { isRefusal, refuse, type Refusal, type ResultCode } from "../core/result.ts";
import { PayRequest } from "./pay-request.ts";
import { findPaymentByRequest, insertPayments } from "./payment.sql.ts";
import type { CaptureMode, Payment } from "./payment.ts";

/** The payment, and the page on which its buyer pays. */
interface PayRecord {
  readonly payment: Payment;
  readonly checkoutUrl: string;
}

const payResults = [
  "SUCCESS",
  "PAYMENT_IN_PROCESS",
  "PARAM_ILLEGAL",
  "ACCESS_DENIED",
  "REPEAT_REQ_INCONSISTENT",
  "ORDER_IS_CANCELED",
  "ORDER_IS_CLOSED",
  "CURRENCY_NOT_SUPPORT",
  "NO_PAY_OPTIONS",
  "UNAVAILABLE_PAYMENT_METHOD",
  "PAYMENT_METHOD_NOT_SUPPORTED",
  "PAYMENT_AMOUNT_EXCEED_LIMIT",
  "USER_BALANCE_NOT_ENOUGH",
  "USER_AMOUNT_EXCEED_LIMIT",
  "USER_NOT_EXIST",
  "USER_STATUS_ABNORMAL",
  "USER_KYC_NOT_QUALIFIED",
  "USER_PAYMENT_VERIFICATION_FAILED",
  "RISK_REJECT",
  "PROCESS_FAIL",
] as const satisfies readonly ResultCode[];

type PayCode = (typeof payResults)[number];

/** Whatever else differs when a request is repeated (times, addresses, the buyer's device) is not another payment. */
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

const lifetimeDefaultSeconds = 14 * 60;
const lifetimeMaxSeconds = 48 * 3600;

export const pay = action({
  path: "payments/pay",
  summary: "Takes a payment.",
  description:
    "Send the buyer to `normalUrl`. The answer is `U` / `PAYMENT_IN_PROCESS` until the buyer has paid; how it ended " +
    "comes by notification, or ask with `inquiryPayment`. The same `paymentRequestId` is the same payment, for ever.",

  request: PayRequest,
  response: Type.Object({
    paymentRequestId: Id,
    paymentId: Id,
    paymentAmount: Type.Optional(Amount),
    paymentCreateTime: Time,
    paymentTime: Type.Optional(Time),
    normalUrl: Type.Optional(
      Type.String({ maxLength: 2048, description: "The page on which the buyer pays." }),
    ),
    redirectActionForm: Type.Optional(
      Type.Object({ method: Type.String(), redirectUrl: Type.String(), actionFormType: Type.String() }),
    ),
    sequence: Type.Integer({ minimum: 1, description: "Grows with every change of the payment." }),
  }),
  results: payResults,
  inStore: true,
  once: { id: "paymentRequestId", same: comparedFields },
  waits: false,

  example: {
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
      paymentAmount: { currency: "EUR", value: "1250" },
      paymentCreateTime: "2026-11-15T09:30:00+00:00",
      normalUrl: "https://pay.example/checkout/5J5XSU.20261115093000123047601530017744120.Zk3v",
      sequence: 1,
    },
  },

  first: {
    make(call, request) {
      const payment = newPayment(call, request, call.fingerprint(request, comparedFields));
      return isRefusal(payment) ? payment : claimed(call, payment);
    },
    async insert(tx, made) {
      const inserted = await insertPayments(
        tx,
        made.map(({ payment }) => payment),
        drive,
      );
      return made.map(({ payment }) => inserted.has(payment.paymentId));
    },
  },

  async claim(call, request) {
    const fingerprint = call.fingerprint(request, comparedFields);
    const payment = newPayment(call, request, fingerprint);
    if (!isRefusal(payment) && (await insertPayments(call.tx, [payment], drive)).size === 1) {
      return claimed(call, payment);
    }

    // What was asked before keeps its answer, even if the same request would be refused today.
    const earlier = await findPaymentByRequest(call.tx, call, request.paymentRequestId);
    if (!earlier) return isRefusal(payment) ? payment : refuse("PROCESS_FAIL");
    const field = earlier.fingerprint && differingField(comparedFields, earlier.fingerprint, fingerprint);
    if (field)
      return refuse("REPEAT_REQ_INCONSISTENT", { field, detail: `${field} is not what it was before.` });
    return { record: withUrl(call, earlier) };
  },

  async read(call, { payment }) {
    const found = await findPaymentByRequest(call.tx, call, payment.paymentRequestId);
    return withUrl(call, found ?? payment);
  },

  answer({ payment, checkoutUrl }) {
    const open = payment.status === "PROCESSING" || payment.status === "PENDING";
    return {
      code: codeOf(payment),
      paymentRequestId: payment.paymentRequestId,
      paymentId: payment.paymentId,
      ...(payment.amount && { paymentAmount: toAmount(payment.amount) }),
      paymentCreateTime: toTime(payment.createdAt),
      ...(payment.paidAt && { paymentTime: toTime(payment.paidAt) }),
      ...(open && {
        normalUrl: checkoutUrl,
        redirectActionForm: { method: "GET", redirectUrl: checkoutUrl, actionFormType: "RedirectActionForm" },
      }),
      sequence: payment.sequence,
    };
  },
});

const drive = "drive-payment";

/** Ours to drive from the moment that it is written. */
function claimed(call: Call, payment: Payment): Claimed<PayRecord> {
  const { bucket, clientId, paymentId: subjectId } = payment;
  const { aheadMs } = call;
  const held = { bucket, clientId, subjectId, job: drive, epoch: 1, attempts: 0, aheadMs, record: payment };
  return { record: withUrl(call, payment), held };
}

function withUrl(call: Call, payment: Payment): PayRecord {
  return { payment, checkoutUrl: call.checkoutUrl(payment.paymentId) };
}

function codeOf(payment: Payment): PayCode {
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
  const missing = missingField(request);
  if (missing) return refuse("PARAM_ILLEGAL", { field: missing, detail: `${missing} is missing.` });
  if (request.productCode !== "CASHIER_PAYMENT") {
    return refuse("PARAM_ILLEGAL", { field: "productCode", detail: "Only CASHIER_PAYMENT can be paid yet." });
  }
  const amount = parseAmount(request.paymentAmount);
  if (amount === "CURRENCY_NOT_SUPPORT") return refuse(amount, { field: "paymentAmount.currency" });
  if (amount === "PARAM_ILLEGAL") return refuse(amount, { field: "paymentAmount.value" });
  const expiresAt = expiryOf(call.now, request.paymentExpiryTime);
  if (!expiresAt) return refuse("PARAM_ILLEGAL", { field: "paymentExpiryTime", detail: expiryRule });
  const connector = call.connectorFor(request.paymentMethod.paymentMethodType);
  if (!connector) return refuse("NO_PAY_OPTIONS", { field: "paymentMethod.paymentMethodType" });
  const captureMode = captureModeOf(request);
  if (!captureMode)
    return refuse("PARAM_ILLEGAL", { field: "paymentFactor.isAuthorization", detail: captureRule });
  if (captureMode === "MANUAL" && call.termsOf(connector).captures === "NONE")
    return refuse("PAYMENT_METHOD_NOT_SUPPORTED", { field: "paymentFactor.captureMode" });
  // Nothing is written down, so the same request may come again.
  if (!call.isReachable(connector)) return refuse("UNAVAILABLE_PAYMENT_METHOD", { detail: unreachable });

  const { environment, clientId, bucket } = call;
  const reference = walletReference(environment, clientId, "payment", request.paymentRequestId);
  return {
    bucket,
    clientId,
    paymentId: call.newId("payment"),
    paymentRequestId: request.paymentRequestId,
    productCode: request.productCode,
    status: "PROCESSING",
    resultCode: "PAYMENT_IN_PROCESS",
    amount,
    paidAmount: undefined,
    createdAt: call.now,
    paidAt: undefined,
    sequence: 1,
    fingerprint,
    paymentMethodType: request.paymentMethod.paymentMethodType,
    orderDescription: request.order.orderDescription,
    redirectUrl: request.paymentRedirectUrl,
    notifyUrl: request.paymentNotifyUrl,
    metadata: request.metadata,
    wallet: { connector, reference, acceptedAt: undefined, code: undefined, url: undefined },
    expiresAt,
    cancelRequestedAt: undefined,
    cancelledAt: undefined,
    captureMode,
    authExpiresAt: undefined,
    releasedAt: undefined,
    capturedMinor: 0n,
    refundedMinor: 0n,
    feeBasisPoints: call.feeBasisPoints,
    transactionCount: 0,
  };
}

/** Undefined for what contradicts itself: money that is taken at once cannot be captured later. */
function captureModeOf({ paymentFactor }: PayRequest): CaptureMode | undefined {
  if (paymentFactor?.captureMode !== "MANUAL") return "AUTOMATIC";
  return paymentFactor.isAuthorization ? "MANUAL" : undefined;
}

/** The first field that this kind of payment needs and that is not there. */
function missingField({ paymentRedirectUrl, env, appId }: PayRequest): string | undefined {
  if (!paymentRedirectUrl) return "paymentRedirectUrl";
  if (!env) return "env";
  if ((env.terminalType === "WAP" || env.terminalType === "APP") && !env.osType) return "env.osType";
  if (env.terminalType === "MINI_APP" && !appId) return "appId";
  return undefined;
}

const captureRule = "Only what is authorized can be captured later.";
const unreachable = "The wallet does not answer just now. Nothing was recorded: send it again later.";
const expiryRule = "paymentExpiryTime has to be in the future, and no more than 48 hours away.";

function expiryOf(now: Date, asked: string | undefined): Date | undefined {
  if (asked === undefined) return new Date(now.getTime() + lifetimeDefaultSeconds * 1000);
  const askedMs = parseRequestTime(asked);
  if (askedMs === undefined || askedMs <= now.getTime()) return undefined;
  return askedMs > now.getTime() + lifetimeMaxSeconds * 1000 ? undefined : new Date(askedMs);
}
