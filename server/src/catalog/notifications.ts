import { Type } from "typebox";
import { results, statusMeanings, toWireResult } from "../core/result.ts";
import {
  Amount,
  CaptureId,
  CaptureRequestId,
  withDescription,
  DisputeId,
  Id,
  OneOf,
  PaymentId,
  PaymentRequestId,
  RefundId,
  RefundRequestId,
  Secret,
  Text,
  Time,
} from "../contract/schemas.ts";
import { evidenceTypeMeanings } from "../disputes/evidence-format.schema.ts";
import { paymentResultInfo } from "../payments/payment-summary.schema.ts";
import { payoutNotifications } from "./payout-notifications.ts";
import { sequence, type WebhookSchema, type WebhookKind } from "./webhook-kind.ts";
import { refundReversalTime } from "../refunds/refund-status.schema.ts";
import type { NotificationKind } from "../notifications/notification-kinds.ts";

const Result = Type.Object(
  {
    // The OpenAPI document describes each result code once, in `x-result-codes`.
    resultCode: Type.String({
      enum: Object.keys(results),
      "x-open-enum": true,
      description: "How it ended.",
    }),
    resultStatus: Type.String({
      enum: Object.keys(statusMeanings),
      "x-enumDescriptions": statusMeanings,
      description: "`S`: it happened. `F`: it did not. `U`: the outcome is unknown.",
    }),
    resultMessage: Text(256, "The result as a sentence for people."),
  },
  { title: "Result", description: "How it ended." },
);

const metadata = Type.Optional(Text(2048, "As in the request."));

const RegistrationResult = Type.Object(
  {
    registrationStatus: OneOf(
      {
        PROCESSING: "At least one payment provider has not decided yet.",
        APPROVED: "This payment provider has accepted.",
        REJECTED: "No payment provider has accepted, or this one has not.",
        COMPLETED: "Every payment provider has decided, and at least one has accepted or none had to.",
      },
      "What was decided.",
    ),
    rejectReasons: Type.Optional(
      Type.Array(Type.String(), { description: "The reason, in the payment provider's words." }),
    ),
  },
  { title: "RegistrationResult", description: "The status of the registration." },
);

/**
 * The body of each kind of webhook, in the order of the OpenAPI document. A test validates sent webhooks against these
 * schemas.
 */
const webhookSchemas: Readonly<Record<NotificationKind, WebhookSchema>> = {
  notifyPayment: {
    summary: "A payment has succeeded, has failed, or waits for the payment provider's decision.",
    body: Type.Object({
      notifyType: OneOf(
        {
          PAYMENT_RESULT:
            "`S`: it was paid, or is authorized until you capture it. `F`: it was not paid, and will not be.",
          PAYMENT_PENDING:
            "Nothing is paid yet, although the result is `S`: the payment provider still decides.",
        },
        "Read it before `result`: `S` means paid only with `PAYMENT_RESULT`.",
      ),
      result: Result,
      paymentId: PaymentId,
      paymentRequestId: PaymentRequestId,
      paymentAmount: Type.Optional(withDescription(Amount, "The requested amount.")),
      actualPaymentAmount: Type.Optional(withDescription(Amount, "The amount that the buyer paid.")),
      paymentCreateTime: withDescription(Time, "When the gateway created the payment."),
      paymentTime: Type.Optional(withDescription(Time, "When it was paid.")),
      authExpiryTime: Type.Optional(
        withDescription(Time, "Until when an authorized payment can be captured."),
      ),
      paymentResultInfo,
      metadata,
      sequence,
    }),
    example: {
      notifyType: "PAYMENT_RESULT",
      result: toWireResult("SUCCESS"),
      paymentId: "20261115093000123047601530017744120",
      paymentRequestId: "order-1001-attempt-1",
      paymentAmount: { currency: "EUR", value: "1250" },
      actualPaymentAmount: { currency: "EUR", value: "1250" },
      paymentCreateTime: "2026-11-15T09:30:00+00:00",
      paymentTime: "2026-11-15T09:30:41+00:00",
      sequence: 2,
    },
    moreExamples: [
      {
        title: "It was not paid before its expiry",
        body: {
          notifyType: "PAYMENT_RESULT",
          result: toWireResult("ORDER_IS_CLOSED"),
          paymentId: "20261115093000123047601530017744120",
          paymentRequestId: "order-1001-attempt-1",
          paymentAmount: { currency: "EUR", value: "1250" },
          paymentCreateTime: "2026-11-15T09:30:00+00:00",
          sequence: 2,
        },
      },
      {
        title: "The issuer of the card declined it",
        body: {
          notifyType: "PAYMENT_RESULT",
          result: toWireResult("USER_BALANCE_NOT_ENOUGH"),
          paymentId: "20261115093000123047601530017744120",
          paymentRequestId: "order-1001-attempt-1",
          paymentAmount: { currency: "EUR", value: "1250" },
          paymentCreateTime: "2026-11-15T09:30:00+00:00",
          paymentResultInfo: { cardBrand: "MASTERCARD", lastFour: "0020", refusalCodeRaw: "51" },
          sequence: 2,
        },
      },
      {
        title: "The payment provider still decides",
        body: {
          notifyType: "PAYMENT_PENDING",
          // The result as the gateway sends it: `S` means here that the buyer has approved. Nothing is paid yet.
          result: toWireResult("SUCCESS"),
          paymentId: "20261115093000123047601530017744120",
          paymentRequestId: "order-1001-attempt-1",
          paymentAmount: { currency: "EUR", value: "1250" },
          paymentCreateTime: "2026-11-15T09:30:00+00:00",
          sequence: 2,
        },
      },
    ],
  },
  notifyCapture: {
    summary: "A capture has succeeded or failed.",
    body: Type.Object({
      notifyType: OneOf({ CAPTURE_RESULT: "The outcome of the capture." }, "Always the same."),
      result: Result,
      captureRequestId: CaptureRequestId,
      captureId: CaptureId,
      paymentId: PaymentId,
      captureAmount: withDescription(Amount, "The amount of the capture."),
      captureTime: Type.Optional(withDescription(Time, "When the payment provider captured it.")),
      sequence,
    }),
    example: {
      notifyType: "CAPTURE_RESULT",
      result: toWireResult("SUCCESS"),
      captureRequestId: "order-1001-capture-1",
      captureId: "20261115093500123047601530017744121",
      paymentId: "20261115093000123047601530017744120",
      captureAmount: { currency: "EUR", value: "1250" },
      captureTime: "2026-11-15T09:35:01+00:00",
      sequence: 3,
    },
  },
  notifyRefund: {
    summary: "A refund has succeeded, has failed, or has failed after it had succeeded.",
    body: Type.Object({
      notifyType: OneOf({ REFUND_RESULT: "The outcome of the refund." }, "Always the same."),
      result: Result,
      refundStatus: OneOf(
        {
          SUCCESS: "The buyer has received the money.",
          FAIL: "The refund failed, or the buyer's bank returned the money.",
        },
        "How it ended.",
      ),
      refundRequestId: RefundRequestId,
      refundId: RefundId,
      paymentId: PaymentId,
      refundAmount: withDescription(Amount, "The amount of the refund."),
      refundTime: Type.Optional(withDescription(Time, "When the payment provider refunded it.")),
      refundReversalTime,
      metadata,
      sequence,
    }),
    example: {
      notifyType: "REFUND_RESULT",
      result: toWireResult("SUCCESS"),
      refundStatus: "SUCCESS",
      refundRequestId: "order-1001-refund-1",
      refundId: "20261115101500123047601530017744122",
      paymentId: "20261115093000123047601530017744120",
      refundAmount: { currency: "EUR", value: "250" },
      refundTime: "2026-11-15T10:15:03+00:00",
      sequence: 4,
    },
    moreExamples: [
      {
        title: "The buyer's bank has returned the money",
        body: {
          notifyType: "REFUND_RESULT",
          result: toWireResult("PROCESS_FAIL"),
          refundStatus: "FAIL",
          refundRequestId: "order-1001-refund-1",
          refundId: "20261115101500123047601530017744122",
          paymentId: "20261115093000123047601530017744120",
          refundAmount: { currency: "EUR", value: "250" },
          refundReversalTime: "2026-11-18T08:30:00+00:00",
          sequence: 5,
        },
      },
    ],
  },
  notifyAuthorization: {
    summary: "A buyer has given a consent, a token was issued, or the consent has ended.",
    body: Type.Object({
      authorizationNotifyType: OneOf(
        {
          AUTHCODE_CREATED: "The buyer has agreed: here is the code.",
          TOKEN_CREATED: "A token was issued for the code.",
          TOKEN_CANCELED: "The buyer has revoked the consent.",
        },
        "What happened.",
      ),
      result: Result,
      authClientId: Type.Optional(Text(64, "The merchant for which you requested the consent.")),
      authState: Type.Optional(Text(256, "As in the request.")),
      authCode: Type.Optional(Secret(128, "Exchange it for a token within ten minutes, once.")),
      accessToken: Type.Optional(Secret(128, "The token with which you charge the buyer.")),
      userLoginId: Type.Optional(Text(64, "The buyer's account, masked.")),
      reason: Type.Optional(Text(256, "Why the buyer revoked the consent.")),
      sequence,
    }),
    example: {
      authorizationNotifyType: "AUTHCODE_CREATED",
      result: toWireResult("SUCCESS"),
      authState: "customer-77",
      authCode: "EXAMPLE-AUTH-CODE",
      sequence: 2,
    },
    moreExamples: [
      {
        title: "The buyer has revoked the consent",
        body: {
          authorizationNotifyType: "TOKEN_CANCELED",
          result: toWireResult("SUCCESS"),
          authState: "customer-77",
          accessToken: "EXAMPLE-ACCESS-TOKEN",
          reason: "The buyer no longer wants it.",
          sequence: 4,
        },
      },
    ],
  },
  notifyDispute: {
    summary: "A buyer disputes a payment, or a dispute has changed.",
    body: Type.Object({
      disputeNotificationType: OneOf(
        {
          DISPUTE_CREATED: "A buyer has opened a dispute.",
          DEFENSE_DUE_ALERT: "The deadline for the defense is near.",
          DEFENSE_SUPPLIED: "The payment provider has received your documents.",
          DISPUTE_ACCEPTED: "The buyer gets the money: the dispute was accepted, or not defended in time.",
          DISPUTE_CANCELLED: "The buyer has withdrawn the dispute.",
          DISPUTE_JUDGED: "It was decided.",
          RDR_RESOLVED: "The scheme decided the dispute without a request for a defense.",
        },
        "What happened.",
      ),
      disputeId: DisputeId,
      paymentId: PaymentId,
      paymentRequestId: PaymentRequestId,
      disputeTime: withDescription(Time, "When it began."),
      disputeAmount: Type.Optional(withDescription(Amount, "The disputed amount.")),
      disputeType: Type.Optional(
        OneOf(
          {
            CHARGEBACK: "A chargeback: the buyer wants the money back.",
            RETRIEVAL_REQUEST: "A request for information: the documents of the sale are requested.",
            COMPLIANCE_REQUEST: "The payment provider asks whether its rules were followed.",
            FRAUD_WARNING:
              "An early fraud warning of the card issuer (TC40, SAFE). No money moved, and no answer is possible. A refund now may prevent a chargeback.",
          },
          "Its kind.",
        ),
      ),
      disputeReasonCode: Type.Optional(Text(64, "The reason code of the scheme.")),
      disputeReasonMsg: Type.Optional(Text(256, "The buyer's reason, in words.")),
      disputeSource: Type.Optional(Text(64, "The scheme or the issuer.")),
      defendable: Type.Boolean({ description: "Whether a defense is possible." }),
      wantedEvidence: Type.Optional(
        Type.Array(OneOf(evidenceTypeMeanings, "A type of evidence."), {
          description: "The types of evidence that the payment provider wants for your defense.",
        }),
      ),
      defenseDueTime: Type.Optional(withDescription(Time, "Deadline for the defense or acceptance.")),
      disputeJudgedTime: Type.Optional(withDescription(Time, "When the dispute was decided.")),
      disputeJudgedAmount: Type.Optional(withDescription(Amount, "The amount that the buyer gets.")),
      disputeJudgedResult: Type.Optional(
        OneOf(
          {
            ACCEPT_BY_CUSTOMER: "The buyer has to accept: you keep the money.",
            ACCEPT_BY_MERCHANT: "You have to accept: the buyer gets the money.",
            VALIDATE_SUCCESS: "Your documents were sufficient.",
            VALIDATE_FAIL: "Your documents were not sufficient.",
          },
          "The party that has to accept the outcome. If it is the customer, you keep the money.",
        ),
      ),
      disputeAcceptReason: Type.Optional(
        OneOf(
          {
            MERCHANT_ACCEPTED: "You have accepted it.",
            TIMEOUT: "The dispute was not defended in time.",
            MANUAL_PROCESSING_ACCEPTED: "The payment provider's staff have accepted it.",
          },
          "Why it was accepted.",
        ),
      ),
      disputeAcceptTime: Type.Optional(withDescription(Time, "When it was accepted.")),
      autoDefendReason: Type.Optional(Text(256, "Why it is defended without your documents.")),
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
      wantedEvidence: ["RECEIPT", "PROOF_OF_DELIVERY"],
      defenseDueTime: "2026-11-27T08:00:00+00:00",
      sequence: 1,
    },
    moreExamples: [
      {
        title: "You have won",
        body: {
          disputeNotificationType: "DISPUTE_JUDGED",
          disputeId: "20261120080000123047601530017744131",
          paymentId: "20261115093000123047601530017744120",
          paymentRequestId: "order-1001-attempt-1",
          disputeTime: "2026-11-20T08:00:00+00:00",
          disputeAmount: { currency: "EUR", value: "1250" },
          defendable: false,
          disputeJudgedTime: "2026-12-01T08:00:00+00:00",
          disputeJudgedResult: "ACCEPT_BY_CUSTOMER",
          sequence: 3,
        },
      },
    ],
  },
  notifyRegistrationStatus: {
    summary: "A payment provider has accepted or rejected a merchant or a store.",
    body: Type.Object({
      referenceMerchantId: Text(64, "Your own id of the merchant."),
      registrationRequestId: withDescription(Id, "Your own id of the registration."),
      referenceStoreId: Type.Optional(Text(64, "Your own id of the store, if a store is registered.")),
      registrationResult: withDescription(RegistrationResult, "The overall status."),
      pspRegistrationResultList: Type.Array(
        Type.Object(
          {
            pspName: Text(64, "The provider."),
            registrationResult: withDescription(RegistrationResult, "The decision of this payment provider."),
          },
          { title: "PspRegistrationResult", description: "The decision of one payment provider." },
        ),
        { description: "The status at each payment provider." },
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
  ...payoutNotifications,
};

/** All kinds of webhook. */
export const notifications: readonly WebhookKind[] = Object.entries(webhookSchemas).map(([kind, form]) => ({
  kind: kind as NotificationKind,
  ...form,
}));
