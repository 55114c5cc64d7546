import assert from "node:assert/strict";
import { Type } from "typebox";
import { action, type Call } from "../contract/operation.ts";
import { Id, Time, toTime } from "../contract/schemas.ts";
import { parseAmount } from "../core/money.ts";
import { rejectChangedRepeat } from "../core/idempotency.ts";
import { isRefusal, refuse, type Refusal, type ResultCode } from "../core/result.ts";
import {
  isOffered,
  listOptions,
  type DisableReason,
  type PaymentOption,
} from "../payments/payment-option.ts";
import {
  captureModeOf,
  captureModeDetail,
  newSessionTimes,
  initialPaymentValues,
  type Payment,
} from "../payments/payment.ts";
import { serializeCheckoutOrder } from "../payments/checkout-order.ts";
import { collectOrderData } from "../payments/order-data/order-data.ts";
import { orderAmountWarnings, listUnchangedFields } from "../payments/payment-warnings.ts";
import { findPaymentByRequest } from "../payments/payment.sql.ts";
import { textsOfRequest } from "../payments/request-texts.ts";
import type { DataGroup } from "../providers/provider-facts.ts";
import { offeredPaymentMethods, SessionRequest } from "./session-request.schema.ts";
import { insertSession } from "./session.sql.ts";
import { sessionExpiryOf, expiryRules, type Session } from "./session.ts";
import { findUrlRefusal } from "../merchants/url-rules.ts";

/** The payment of the session, and the checkout page on which its buyer chooses. */
interface SessionRecord {
  readonly payment: Payment;
  readonly checkoutUrl: string;
}

const sessionResults = [
  "SUCCESS",
  "PARAM_ILLEGAL",
  "REPEAT_REQ_INCONSISTENT",
  "ORDER_IS_CANCELED",
  "ORDER_IS_CLOSED",
  "CURRENCY_NOT_SUPPORT",
  "NO_PAY_OPTIONS",
  "CARD_NOT_SUPPORTED",
  "PAYMENT_METHOD_NOT_SUPPORTED",
] as const satisfies readonly ResultCode[];

type SessionCode = (typeof sessionResults)[number];

/**
 * Idempotency: fields that must be equal in a repeated request, as with `pay`. Times, URLs and the buyer's device may
 * differ.
 */
const comparedFields = [
  "productCode",
  "paymentAmount.value",
  "paymentAmount.currency",
  "paymentMethod.paymentMethodType",
  "paymentMethod.paymentMethodId",
  "paymentFactor.captureMode",
  "settlementStrategy.settlementCurrency",
  "order.referenceOrderId",
  "availablePaymentMethod.paymentMethodTypeList",
  "allowedPaymentMethodRegions",
] as const;

export const createSession = action({
  path: "payments/createPaymentSession",
  summary: "Creates a payment whose buyer chooses the payment method.",
  description:
    "Send the buyer to `normalUrl`, to choose a payment method and pay. The session is a payment from the " +
    "start: `inquiryPayment` and `cancel` accept its `paymentRequestId`, and the webhooks are the same as " +
    "with `pay`. If the buyer does not choose in time, the session is closed. A repeat returns the same " +
    "session.",

  request: SessionRequest,
  findWarnings: orderAmountWarnings,
  response: Type.Object({
    paymentSessionId: { ...Id, description: "The `paymentId` of the session's payment." },
    paymentSessionData: Type.String({
      maxLength: 4096,
      "x-secret": true,
      description: "A secret that identifies the session: the last part of `normalUrl`.",
    }),
    paymentSessionExpiryTime: { ...Time, description: "Until when the buyer can choose a payment method." },
    normalUrl: Type.String({
      maxLength: 2048,
      description: "The page on which the buyer chooses a payment method and pays.",
      "x-secret": true,
    }),
  }),
  results: sessionResults,
  inStore: false,
  idempotency: { keyField: "paymentRequestId", comparedFields },
  // The provider gets the order after the buyer's choice, so there is no response to wait for.
  waitsForProvider: false,

  example: {
    request: {
      productCode: "CASHIER_PAYMENT",
      productScene: "CHECKOUT_PAYMENT",
      paymentRequestId: "order-1002-attempt-1",
      order: {
        referenceOrderId: "order-1002",
        orderDescription: "Two coffees",
        orderAmount: { currency: "EUR", value: "1250" },
      },
      paymentAmount: { currency: "EUR", value: "1250" },
      paymentRedirectUrl: "https://shop.example/thanks",
      paymentNotifyUrl: "https://shop.example/notify",
    },
    response: {
      paymentSessionId: "20261115093000123047601530017744120",
      paymentSessionData: "5J5XSU.20261115093000123047601530017744120.Zk3v",
      paymentSessionExpiryTime: "2026-11-15T10:30:00+00:00",
      normalUrl: "https://pay.example/checkout/5J5XSU.20261115093000123047601530017744120.Zk3v",
    },
  },
  moreExamples: [
    {
      title: "Only two methods, in your order",
      request: {
        productCode: "CASHIER_PAYMENT",
        paymentRequestId: "order-1003-attempt-1",
        order: {
          referenceOrderId: "order-1003",
          orderDescription: "Two coffees",
          orderAmount: { currency: "EUR", value: "1250" },
        },
        paymentAmount: { currency: "EUR", value: "1250" },
        paymentRedirectUrl: "https://shop.example/thanks",
        availablePaymentMethod: {
          paymentMethodTypeList: [
            { paymentMethodType: "GCASH", paymentMethodOrder: 1 },
            { paymentMethodType: "MAYA", paymentMethodOrder: 2 },
          ],
        },
        customizedInfo: { customizedField1: "table 4" },
      },
      response: {
        paymentSessionId: "20261115093000123047601530017744123",
        paymentSessionData: "5J5XSU.20261115093000123047601530017744123.Yk2w",
        paymentSessionExpiryTime: "2026-11-15T10:30:00+00:00",
        normalUrl: "https://pay.example/checkout/5J5XSU.20261115093000123047601530017744123.Yk2w",
      },
    },
  ],

  async claim(call, request) {
    const fingerprint = call.fingerprint(request, comparedFields);
    const session = newSession(call, request, fingerprint);
    if (!isRefusal(session) && (await insertSession(call.tx, session, call.aheadMs)))
      return { record: withUrl(call, session.payment) };

    // Idempotency: a repeated request gets the response of the first request, even if the gateway would refuse the same
    // request today.
    const earlier = await findPaymentByRequest(call.tx, call, request.paymentRequestId);
    if (!earlier) {
      assert(isRefusal(session), "a request id that could not be inserted has a record");
      return session;
    }
    const ignoredDifferences = listUnchangedFields(request, earlier);
    return (
      rejectDifferentRepeat(earlier, fingerprint) ?? { record: withUrl(call, earlier), ignoredDifferences }
    );
  },

  async read(call, { payment }) {
    const found = await findPaymentByRequest(call.tx, call, payment.paymentRequestId);
    return withUrl(call, found ?? payment);
  },

  answer({ payment, checkoutUrl }) {
    const { paymentId, status, resultCode, session, createdAt } = payment;
    if (status === "CANCELLED") return { code: "ORDER_IS_CANCELED" };
    if (status === "FAIL" && resultCode === "ORDER_IS_CLOSED") return { code: "ORDER_IS_CLOSED" };
    return {
      code: "SUCCESS",
      paymentSessionId: paymentId,
      paymentSessionData: checkoutUrl.slice(checkoutUrl.lastIndexOf("/") + 1),
      paymentSessionExpiryTime: toTime(session?.expiresAt ?? createdAt),
      normalUrl: checkoutUrl,
    };
  },
});

function withUrl(call: Call, payment: Payment): SessionRecord {
  return { payment, checkoutUrl: call.checkoutUrl(payment.paymentId) };
}

/**
 * `rejectDifferentRepeat` returns the reason why the payment with a repeated request id is not this session; undefined
 * if it is. A tombstone (early cancel) has no content to compare.
 */
function rejectDifferentRepeat(
  earlier: Payment,
  fingerprint: Buffer,
): Refusal<"REPEAT_REQ_INCONSISTENT"> | undefined {
  if (!earlier.fingerprint) return undefined;
  if (!earlier.session) {
    const detail = "This paymentRequestId belongs to a payment without a session.";
    return refuse("REPEAT_REQ_INCONSISTENT", { field: "paymentRequestId", detail });
  }
  return rejectChangedRepeat(comparedFields, earlier, fingerprint);
}

/** `newSession` returns the session to insert, or the first reason to refuse the request. */
function newSession(
  call: Call,
  request: SessionRequest,
  fingerprint: Buffer,
): Session | Refusal<SessionCode> {
  if (request.productCode !== "CASHIER_PAYMENT")
    return refuse("PARAM_ILLEGAL", { field: "productCode", detail: agreementsUnsupported });
  if (request.productScene === "EASY_PAY")
    return refuse("PARAM_ILLEGAL", { field: "productScene", detail: agreementsUnsupported });
  const { paymentRedirectUrl, paymentNotifyUrl } = request;
  const urlRefusal = findUrlRefusal(call, { links: { paymentRedirectUrl }, notify: { paymentNotifyUrl } });
  if (urlRefusal) return urlRefusal;
  const amount = parseAmount(request.paymentAmount);
  if (amount === "CURRENCY_NOT_SUPPORT") return refuse(amount, { field: "paymentAmount.currency" });
  if (amount === "PARAM_ILLEGAL") return refuse(amount, { field: "paymentAmount.value" });
  const expiry = sessionExpiryOf(call, request);
  if (typeof expiry === "string")
    return refuse("PARAM_ILLEGAL", { field: expiry, detail: expiryRules[expiry] });
  const captureMode = captureModeOf(request.paymentFactor);
  if (!captureMode)
    return refuse("PARAM_ILLEGAL", { field: "paymentFactor.isAuthorization", detail: captureModeDetail });
  const types = offeredPaymentMethods(request);
  const { allowedPaymentMethodRegions: regions, userRegion } = request;
  const optionFilter = {
    currency: amount.currency,
    isHeld: captureMode === "MANUAL",
    types,
    regions,
    userRegion,
  };
  const options = listOptions(call, optionFilter);
  const optionsRefusal = refuseWithoutOptions(options);
  if (optionsRefusal) return optionsRefusal;
  const orderData = collectOrderData(request, groupsWantedBy(call, options));

  return {
    payment: newPayment(call, request, {
      fingerprint,
      amount,
      captureMode,
      orderData,
      expiresAt: expiry.chooseUntil,
    }),
    types,
    regions,
    userRegion,
    paymentExpiresAt: expiry.payUntil,
    order: request.order,
    customizedInfo: request.customizedInfo,
  };
}

const agreementsUnsupported = "Agreements cannot be created in a session yet: use CASHIER_PAYMENT.";

/**
 * `refuseWithoutOptions` refuses a session without any usable payment method. A method whose provider does not respond
 * counts as usable, because most outages are shorter than a session.
 */
function refuseWithoutOptions(options: readonly PaymentOption[]): Refusal<SessionCode> | undefined {
  if (options.some(isOffered)) return undefined;
  const onlyFor = (reason: DisableReason): boolean =>
    options.length > 0 && options.every(({ disableReason }) => disableReason === reason);
  if (onlyFor("CHANNEL_NOT_SUPPORT_CURRENCY"))
    return refuse("CURRENCY_NOT_SUPPORT", { field: "paymentAmount.currency" });
  if (onlyFor("CHANNEL_DISABLE"))
    return refuse("PAYMENT_METHOD_NOT_SUPPORTED", { field: "paymentFactor.captureMode" });
  const onlyCards =
    options.length > 0 && options.every(({ paymentMethodType }) => paymentMethodType === "CARD");
  return refuse(onlyCards ? "CARD_NOT_SUPPORTED" : "NO_PAY_OPTIONS");
}

/** The groups of data that any connector wants among those from which the buyer chooses. */
function groupsWantedBy({ wantsOf }: Call, options: readonly PaymentOption[]): readonly DataGroup[] {
  const connectors = new Set(options.filter(isOffered).flatMap(({ connector }) => connector ?? []));
  return [...new Set([...connectors].flatMap(wantsOf))];
}

function newPayment(
  call: Call,
  request: SessionRequest,
  fields: Pick<Payment, "fingerprint" | "amount" | "captureMode" | "orderData"> & {
    readonly expiresAt: Date;
  },
): Session["payment"] {
  const { bucket, clientId, now, feeBasisPoints } = call;
  return {
    ...initialPaymentValues,
    bucket,
    clientId,
    paymentId: call.newId("payment"),
    paymentRequestId: request.paymentRequestId,
    productCode: "CASHIER_PAYMENT",
    scenario: undefined,
    sealedSecret: undefined,
    status: "PROCESSING",
    resultCode: "PAYMENT_IN_PROCESS",
    ...fields,
    createdAt: now,
    paymentMethodType: undefined,
    ...textsOfRequest(request),
    checkoutOrder: serializeCheckoutOrder(request.order, request.locale),
    order: undefined,
    session: newSessionTimes(fields.expiresAt),
    feeBasisPoints,
    // The fee terms are set when the buyer chooses a payment method, because fee rules depend on the method.
    feeTerms: undefined,
  };
}
