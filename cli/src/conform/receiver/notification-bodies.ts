import { randomInt } from "node:crypto";
import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";

const amount = { currency: "EUR", value: "1250" };
const success = { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." };
const failure = {
  resultCode: "USER_BALANCE_NOT_ENOUGH",
  resultStatus: "F",
  resultMessage: "The buyer's balance is too low.",
};

/** A record's name as the gateway gives it: 35 digits. */
function newId(): string {
  const time = new Date().toISOString().replaceAll(/\D/g, "");
  return `${time}047601${String(randomInt(10 ** 12)).padStart(12, "0")}`;
}

export type PaymentEnd = "paid" | "failed" | "pending";

/** The body of notifyPayment. A pending payment is told with `S` as well: `notifyType` is what tells them apart. */
export function paymentBody(
  end: PaymentEnd,
  paymentRequestId: string,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const now = toWireTime(Date.now());
  return {
    notifyType: end === "pending" ? "PAYMENT_PENDING" : "PAYMENT_RESULT",
    result: end === "failed" ? failure : success,
    paymentId: newId(),
    paymentRequestId,
    paymentAmount: amount,
    ...(end === "paid" && { actualPaymentAmount: amount }),
    paymentCreateTime: now,
    ...(end === "paid" && { paymentTime: now }),
    sequence: end === "pending" ? 2 : 3,
    ...more,
  };
}

/** One of each kind beside payments, as the gateway writes them. */
export function otherBodies(): Readonly<Record<string, object>> {
  const approved = { registrationStatus: "APPROVED" };
  return {
    ...moneyBodies(),
    ...disputeBodies(),
    ...payoutBodies(),
    "consent-given": {
      authorizationNotifyType: "AUTHCODE_CREATED",
      authCode: "CONFORM-CODE",
      authState: "conform",
      result: success,
      sequence: 2,
    },
    "consent-taken-back": {
      authorizationNotifyType: "TOKEN_CANCELED",
      accessToken: "CONFORM-TOKEN",
      result: success,
      sequence: 4,
    },
    "store-accepted": {
      referenceMerchantId: "conform",
      registrationRequestId: `conform-${newId()}`,
      registrationResult: approved,
      pspRegistrationResultList: [{ pspName: "GCASH", registrationResult: approved }],
      sequence: 2,
    },
  };
}

function payoutBodies(): Readonly<Record<string, object>> {
  const now = toWireTime(Date.now());
  return {
    "payout-returned": {
      payoutNotificationType: "PAYOUT_RETURNED",
      payoutId: newId(),
      batchId: newId(),
      payoutAmount: amount,
      payoutReasonCode: "AC04",
      payoutTime: now,
      sequence: 3,
    },
    "account-requested": {
      bankAccountNotificationType: "ACCOUNT_REQUESTED",
      bankAccountId: newId(),
      currency: amount.currency,
      holder: "Conform",
      ibanInPart: "DE89 … 3000",
      bankAccountTime: now,
      sequence: 1,
    },
  };
}

function moneyBodies(): Readonly<Record<string, object>> {
  const now = toWireTime(Date.now());
  const about = { paymentId: newId(), sequence: 4 };
  const refund = {
    notifyType: "REFUND_RESULT",
    refundRequestId: `conform-${newId()}`,
    refundId: newId(),
    refundAmount: amount,
    ...about,
  };
  const capture = {
    notifyType: "CAPTURE_RESULT",
    captureRequestId: `conform-${newId()}`,
    captureId: newId(),
    captureAmount: amount,
    ...about,
  };
  return {
    "refund-done": { ...refund, result: success, refundStatus: "SUCCESS", refundTime: now },
    "refund-failed": { ...refund, result: failure, refundStatus: "FAIL", refundId: newId() },
    "capture-done": { ...capture, result: success, captureTime: now },
    "capture-failed": { ...capture, result: failure, captureId: newId() },
  };
}

function disputeBodies(): Readonly<Record<string, object>> {
  const now = toWireTime(Date.now());
  const dispute = {
    disputeId: newId(),
    paymentId: newId(),
    paymentRequestId: `conform-${newId()}`,
    disputeTime: now,
    disputeType: "CHARGEBACK",
    defendable: true,
  };
  return {
    "dispute-opened": {
      disputeNotificationType: "DISPUTE_CREATED",
      ...dispute,
      disputeAmount: amount,
      sequence: 1,
    },
    "dispute-judged": {
      disputeNotificationType: "DISPUTE_JUDGED",
      ...dispute,
      disputeJudgedTime: now,
      disputeJudgedResult: "VALIDATE_SUCCESS",
      sequence: 3,
    },
  };
}
