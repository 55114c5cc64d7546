import { randomInt } from "node:crypto";
import examples from "../../../../clients/conformance/notifications.json" with { type: "json" };
import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { buildTestBody } from "../../../../server/src/notifications/test-body.ts";

const amount = { currency: "EUR", value: "1250" };
const success = { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." };
const failure = {
  resultCode: "USER_BALANCE_NOT_ENOUGH",
  resultStatus: "F",
  resultMessage: "The buyer's balance is too low.",
};

/** A record's id as the gateway writes it: 35 digits. */
function createId(): string {
  const time = new Date().toISOString().replaceAll(/\D/g, "");
  return `${time}047601${String(randomInt(10 ** 12)).padStart(12, "0")}`;
}

export type PaymentOutcome = "paid" | "failed" | "pending";

/** The body of notifyPayment. A pending payment has result status `S` as well; only `notifyType` differs. */
export function buildPaymentBody(
  outcome: PaymentOutcome,
  paymentRequestId: string,
  overrides: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const now = toWireTime(Date.now());
  return {
    notifyType: outcome === "pending" ? "PAYMENT_PENDING" : "PAYMENT_RESULT",
    result: outcome === "failed" ? failure : success,
    paymentId: createId(),
    paymentRequestId,
    paymentAmount: amount,
    ...(outcome === "paid" && { actualPaymentAmount: amount }),
    paymentCreateTime: now,
    ...(outcome === "paid" && { paymentTime: now }),
    sequence: outcome === "pending" ? 2 : 3,
    ...overrides,
  };
}

/**
 * The documented example of each webhook kind except payments, with the current time, about a record that does not
 * exist.
 */
export function exampleBodies(): readonly (readonly [kind: string, body: object])[] {
  const now = toWireTime(Date.now());
  return Object.entries(examples)
    .filter(([kind]) => kind !== "notifyPayment")
    .map(([kind, example]) => [kind, buildTestBody(example, createId(), now)]);
}

/** Outcomes that the examples do not contain, as the gateway writes them. */
export function otherOutcomeBodies(): Readonly<Record<string, object>> {
  const now = toWireTime(Date.now());
  const commonFields = { paymentId: createId(), sequence: 4 };
  return {
    "refund-failed": {
      notifyType: "REFUND_RESULT",
      refundRequestId: `conform-${createId()}`,
      refundId: createId(),
      refundAmount: amount,
      ...commonFields,
      result: failure,
      refundStatus: "FAIL",
    },
    "capture-failed": {
      notifyType: "CAPTURE_RESULT",
      captureRequestId: `conform-${createId()}`,
      captureId: createId(),
      captureAmount: amount,
      ...commonFields,
      result: failure,
    },
    "consent-taken-back": {
      authorizationNotifyType: "TOKEN_CANCELED",
      accessToken: "CONFORM-TOKEN",
      result: success,
      sequence: 4,
    },
    "dispute-judged": {
      disputeNotificationType: "DISPUTE_JUDGED",
      disputeId: createId(),
      paymentId: createId(),
      paymentRequestId: `conform-${createId()}`,
      disputeTime: now,
      disputeType: "CHARGEBACK",
      defendable: true,
      disputeJudgedTime: now,
      disputeJudgedResult: "VALIDATE_SUCCESS",
      sequence: 3,
    },
  };
}
