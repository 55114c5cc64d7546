import { Type, type TSchema } from "typebox";
import { results, wireResult } from "../core/result.ts";
import type { NotificationKind } from "../notifications/notification.ts";
import { Amount, Id, OneOf, Secret, Text, Time } from "./schemas.ts";

/** One kind of message to merchants, signed by us and posted to their address. */
export interface ToldNews {
  readonly kind: NotificationKind;
  readonly summary: string;
  readonly body: TSchema;
  readonly example: object;
}

const sequence = Type.Integer({
  minimum: 1,
  description:
    "Grows with every change of the record: what has a lower number than the last one is old news.",
});

const Result = Type.Object(
  {
    resultCode: OneOf(Object.keys(results), "How it ended."),
    resultStatus: Type.String({ enum: ["S", "F", "U"] }),
    resultMessage: Text(256),
  },
  { title: "Result" },
);

const metadata = Type.Optional(Text(2048, "As the request had it."));

const RegistrationResult = Type.Object(
  {
    registrationStatus: OneOf(["PROCESSING", "APPROVED", "REJECTED", "COMPLETED"], "What was decided."),
    rejectReasons: Type.Optional(Type.Array(Type.String())),
  },
  { title: "RegistrationResult" },
);

/**
 * All kinds of notification (webhooks). A test with a listener validates what is sent against these schemas.
 */
export const notifications: readonly ToldNews[] = [
  {
    kind: "notifyPayment",
    summary: "A payment was made, has failed, or waits for the wallet's last word.",
    body: Type.Object({
      notifyType: OneOf(["PAYMENT_RESULT", "PAYMENT_PENDING"], "Whether this is its end."),
      result: Result,
      paymentId: Id,
      paymentRequestId: Id,
      paymentAmount: Type.Optional(Amount),
      actualPaymentAmount: Type.Optional(Amount),
      paymentCreateTime: Time,
      paymentTime: Type.Optional(Time),
      authExpiryTime: Type.Optional(Time),
      metadata,
      sequence,
    }),
    example: {
      notifyType: "PAYMENT_RESULT",
      result: wireResult("SUCCESS"),
      paymentId: "20261115093000123047601530017744120",
      paymentRequestId: "order-1001-attempt-1",
      paymentAmount: { currency: "EUR", value: "1250" },
      actualPaymentAmount: { currency: "EUR", value: "1250" },
      paymentCreateTime: "2026-11-15T09:30:00+00:00",
      paymentTime: "2026-11-15T09:30:41+00:00",
      sequence: 2,
    },
  },
  {
    kind: "notifyCapture",
    summary: "Held money was taken, or could not be.",
    body: Type.Object({
      notifyType: OneOf(["CAPTURE_RESULT"], "Always the same."),
      result: Result,
      captureRequestId: Id,
      captureId: Id,
      paymentId: Id,
      captureAmount: Amount,
      captureTime: Type.Optional(Time),
      sequence,
    }),
    example: {
      notifyType: "CAPTURE_RESULT",
      result: wireResult("SUCCESS"),
      captureRequestId: "order-1001-capture-1",
      captureId: "20261115093500123047601530017744121",
      paymentId: "20261115093000123047601530017744120",
      captureAmount: { currency: "EUR", value: "1250" },
      captureTime: "2026-11-15T09:35:01+00:00",
      sequence: 3,
    },
  },
  {
    kind: "notifyRefund",
    summary: "A refund has reached the buyer, or cannot.",
    body: Type.Object({
      notifyType: OneOf(["REFUND_RESULT"], "Always the same."),
      result: Result,
      refundStatus: OneOf(["SUCCESS", "FAIL"], "How it ended."),
      refundRequestId: Id,
      refundId: Id,
      paymentId: Id,
      refundAmount: Amount,
      refundTime: Type.Optional(Time),
      metadata,
      sequence,
    }),
    example: {
      notifyType: "REFUND_RESULT",
      result: wireResult("SUCCESS"),
      refundStatus: "SUCCESS",
      refundRequestId: "order-1001-refund-1",
      refundId: "20261115101500123047601530017744122",
      paymentId: "20261115093000123047601530017744120",
      refundAmount: { currency: "EUR", value: "250" },
      refundTime: "2026-11-15T10:15:03+00:00",
      sequence: 4,
    },
  },
  {
    kind: "notifyAuthorization",
    summary: "A buyer has agreed to be charged, a token was made, or it is no longer good.",
    body: Type.Object({
      authorizationNotifyType: OneOf(
        ["AUTHCODE_CREATED", "TOKEN_CREATED", "TOKEN_CANCELED"],
        "What happened.",
      ),
      result: Result,
      authClientId: Type.Optional(Text(64)),
      authState: Type.Optional(Text(256, "As the request had it.")),
      authCode: Type.Optional(Secret(128, "To be changed into a token within ten minutes, once.")),
      accessToken: Type.Optional(Secret(128, "With which the buyer is charged.")),
      userLoginId: Type.Optional(Text(64, "The buyer's account, as far as it may be shown.")),
      reason: Type.Optional(Text(256, "Why the buyer took it back.")),
      sequence,
    }),
    example: {
      authorizationNotifyType: "AUTHCODE_CREATED",
      result: wireResult("SUCCESS"),
      authState: "customer-77",
      authCode: "EXAMPLE-AUTH-CODE",
      sequence: 2,
    },
  },
  {
    kind: "notifyDispute",
    summary: "A buyer disputes a payment, or something has become of it.",
    body: Type.Object({
      disputeNotificationType: OneOf(
        [
          "DISPUTE_CREATED",
          "DEFENSE_DUE_ALERT",
          "DEFENSE_SUPPLIED",
          "DISPUTE_ACCEPTED",
          "DISPUTE_CANCELLED",
          "DISPUTE_JUDGED",
          "RDR_RESOLVED",
        ],
        "What happened.",
      ),
      disputeId: Id,
      paymentId: Id,
      paymentRequestId: Id,
      disputeTime: Time,
      disputeAmount: Type.Optional(Amount),
      disputeType: Type.Optional(
        OneOf(["CHARGEBACK", "RETRIEVAL_REQUEST", "COMPLIANCE_REQUEST"], "Its kind."),
      ),
      disputeReasonCode: Type.Optional(Text(64, "The scheme's own code.")),
      disputeReasonMsg: Type.Optional(Text(256)),
      disputeSource: Type.Optional(Text(64, "The scheme or the issuer.")),
      defendable: Type.Boolean({ description: "Whether a defence is taken." }),
      defenseDueTime: Type.Optional(Time),
      disputeJudgedTime: Type.Optional(Time),
      disputeJudgedAmount: Type.Optional(Amount),
      disputeJudgedResult: Type.Optional(
        OneOf(
          ["ACCEPT_BY_CUSTOMER", "ACCEPT_BY_MERCHANT", "VALIDATE_SUCCESS", "VALIDATE_FAIL"],
          "Who has to accept: by the customer means that you keep the money.",
        ),
      ),
      disputeAcceptReason: Type.Optional(
        OneOf(["MERCHANT_ACCEPTED", "TIMEOUT", "MANUAL_PROCESSING_ACCEPTED"], "Why it was accepted."),
      ),
      disputeAcceptTime: Type.Optional(Time),
      autoDefendReason: Type.Optional(Text(256, "Why it is defended without you.")),
      sequence,
    }),
    example: {
      disputeNotificationType: "DISPUTE_CREATED",
      disputeId: "20261120080000123047601530017744131",
      paymentId: "20261115093000123047601530017744120",
      paymentRequestId: "order-1001-attempt-1",
      disputeTime: "2026-11-20T08:00:00+00:00",
      disputeAmount: { currency: "EUR", value: "1250" },
      disputeType: "CHARGEBACK",
      disputeReasonCode: "4853",
      disputeReasonMsg: "The goods did not arrive.",
      disputeSource: "Sandbox Scheme",
      defendable: true,
      defenseDueTime: "2026-11-27T08:00:00+00:00",
      sequence: 1,
    },
  },
  {
    kind: "notifyRegistrationStatus",
    summary: "A wallet has accepted or rejected a merchant or a store.",
    body: Type.Object({
      referenceMerchantId: Text(64),
      registrationRequestId: Id,
      referenceStoreId: Type.Optional(Text(64)),
      registrationResult: RegistrationResult,
      pspRegistrationResultList: Type.Array(
        Type.Object(
          { pspName: Text(64, "The wallet."), registrationResult: RegistrationResult },
          { title: "PspRegistrationResult" },
        ),
      ),
      sequence,
    }),
    example: {
      referenceMerchantId: "coffee-lab",
      registrationRequestId: "store-harbour-1",
      referenceStoreId: "harbour",
      registrationResult: { registrationStatus: "APPROVED" },
      pspRegistrationResultList: [
        { pspName: "GCASH", registrationResult: { registrationStatus: "APPROVED" } },
      ],
      sequence: 2,
    },
  },
];
