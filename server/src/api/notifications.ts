import { Type } from "typebox";
import { results, statusesInWords, wireResult } from "../core/result.ts";
import {
  Amount,
  CaptureId,
  CaptureRequestId,
  described,
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
} from "./schemas.ts";
import { payoutNotifications } from "./payout-notifications.ts";
import { sequence, type ToldNews } from "./told-news.ts";

const Result = Type.Object(
  {
    // What each means stands once in the document: in `x-result-codes`.
    resultCode: Type.String({
      enum: Object.keys(results),
      "x-open-enum": true,
      description: "How it ended.",
    }),
    resultStatus: Type.String({
      enum: Object.keys(statusesInWords),
      "x-enumDescriptions": statusesInWords,
      description: "What you may conclude.",
    }),
    resultMessage: Text(256, "The same, for people."),
  },
  { title: "Result", description: "How it ended." },
);

const metadata = Type.Optional(Text(2048, "As the request had it."));

const RegistrationResult = Type.Object(
  {
    registrationStatus: OneOf(
      {
        PROCESSING: "Not everybody has decided yet.",
        APPROVED: "This wallet has accepted.",
        REJECTED: "Nobody has accepted, or this wallet has not.",
        COMPLETED: "Every wallet has decided, and one has accepted or none had to.",
      },
      "What was decided.",
    ),
    rejectReasons: Type.Optional(
      Type.Array(Type.String(), { description: "Why not, in the wallet's words." }),
    ),
  },
  { title: "RegistrationResult", description: "Where a registration stands." },
);

/**
 * All kinds of notification (webhooks). A test with a listener validates what is sent against these schemas.
 */
export const notifications: readonly ToldNews[] = [
  {
    kind: "notifyPayment",
    summary: "A payment was made, has failed, or waits for the wallet's last word.",
    body: Type.Object({
      notifyType: OneOf(
        {
          PAYMENT_RESULT:
            "`S`: it was paid, or is held until you capture it. `F`: it was not paid, and will not be.",
          PAYMENT_PENDING:
            "Nothing is paid yet, although the result is `S`: the payment provider still decides.",
        },
        "Read it before `result`: `S` means paid only with `PAYMENT_RESULT`.",
      ),
      result: Result,
      paymentId: PaymentId,
      paymentRequestId: PaymentRequestId,
      paymentAmount: Type.Optional(described(Amount, "What was asked for.")),
      actualPaymentAmount: Type.Optional(described(Amount, "What was really paid.")),
      paymentCreateTime: described(Time, "When we took it in."),
      paymentTime: Type.Optional(described(Time, "When it was paid.")),
      authExpiryTime: Type.Optional(described(Time, "Until when held money can be captured.")),
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
    scenes: [
      {
        title: "It was not paid: the time was over",
        body: {
          notifyType: "PAYMENT_RESULT",
          result: wireResult("ORDER_IS_CLOSED"),
          paymentId: "20261115093000123047601530017744120",
          paymentRequestId: "order-1001-attempt-1",
          paymentAmount: { currency: "EUR", value: "1250" },
          paymentCreateTime: "2026-11-15T09:30:00+00:00",
          sequence: 2,
        },
      },
      {
        title: "The wallet still decides",
        body: {
          notifyType: "PAYMENT_PENDING",
          // As it is sent: `S` says that the buyer agreed. Nothing is paid.
          result: wireResult("SUCCESS"),
          paymentId: "20261115093000123047601530017744120",
          paymentRequestId: "order-1001-attempt-1",
          paymentAmount: { currency: "EUR", value: "1250" },
          paymentCreateTime: "2026-11-15T09:30:00+00:00",
          sequence: 2,
        },
      },
    ],
  },
  {
    kind: "notifyCapture",
    summary: "Held money was taken, or could not be.",
    body: Type.Object({
      notifyType: OneOf({ CAPTURE_RESULT: "How a capture ended." }, "Always the same."),
      result: Result,
      captureRequestId: CaptureRequestId,
      captureId: CaptureId,
      paymentId: PaymentId,
      captureAmount: described(Amount, "How much was to be taken."),
      captureTime: Type.Optional(described(Time, "When the wallet took it.")),
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
      notifyType: OneOf({ REFUND_RESULT: "How a refund ended." }, "Always the same."),
      result: Result,
      refundStatus: OneOf(
        { SUCCESS: "The buyer has the money back.", FAIL: "It did not go back." },
        "How it ended.",
      ),
      refundRequestId: RefundRequestId,
      refundId: RefundId,
      paymentId: PaymentId,
      refundAmount: described(Amount, "How much was to go back."),
      refundTime: Type.Optional(described(Time, "When the wallet gave it back.")),
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
        {
          AUTHCODE_CREATED: "The buyer has agreed: here is the code.",
          TOKEN_CREATED: "There is a token for the code.",
          TOKEN_CANCELED: "The buyer has taken it back.",
        },
        "What happened.",
      ),
      result: Result,
      authClientId: Type.Optional(Text(64, "The merchant in whose name you asked.")),
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
    scenes: [
      {
        title: "The buyer has taken it back",
        body: {
          authorizationNotifyType: "TOKEN_CANCELED",
          result: wireResult("SUCCESS"),
          authState: "customer-77",
          accessToken: "EXAMPLE-ACCESS-TOKEN",
          reason: "The buyer no longer wants it.",
          sequence: 4,
        },
      },
    ],
  },
  {
    kind: "notifyDispute",
    summary: "A buyer disputes a payment, or something has become of it.",
    body: Type.Object({
      disputeNotificationType: OneOf(
        {
          DISPUTE_CREATED: "A buyer has begun a dispute.",
          DEFENSE_DUE_ALERT: "The time to defend is nearly over.",
          DEFENSE_SUPPLIED: "The wallet has your documents.",
          DISPUTE_ACCEPTED: "The buyer gets the money: it was accepted, or nobody defended in time.",
          DISPUTE_CANCELLED: "The buyer has withdrawn it.",
          DISPUTE_JUDGED: "It was decided.",
          RDR_RESOLVED: "The scheme has decided before anybody was asked.",
        },
        "What happened.",
      ),
      disputeId: DisputeId,
      paymentId: PaymentId,
      paymentRequestId: PaymentRequestId,
      disputeTime: described(Time, "When it began."),
      disputeAmount: Type.Optional(described(Amount, "How much is disputed.")),
      disputeType: Type.Optional(
        OneOf(
          {
            CHARGEBACK: "The buyer wants the money back.",
            RETRIEVAL_REQUEST: "The papers of the sale are asked for.",
            COMPLIANCE_REQUEST: "The wallet asks whether the rules were kept.",
          },
          "Its kind.",
        ),
      ),
      disputeReasonCode: Type.Optional(Text(64, "The scheme's own code.")),
      disputeReasonMsg: Type.Optional(Text(256, "The buyer's reason, in words.")),
      disputeSource: Type.Optional(Text(64, "The scheme or the issuer.")),
      defendable: Type.Boolean({ description: "Whether a defence is taken." }),
      defenseDueTime: Type.Optional(described(Time, "Until when you can defend or accept.")),
      disputeJudgedTime: Type.Optional(described(Time, "When it was decided.")),
      disputeJudgedAmount: Type.Optional(described(Amount, "How much the buyer gets.")),
      disputeJudgedResult: Type.Optional(
        OneOf(
          {
            ACCEPT_BY_CUSTOMER: "The buyer has to accept: you keep the money.",
            ACCEPT_BY_MERCHANT: "You have to accept: the buyer gets the money.",
            VALIDATE_SUCCESS: "Your papers were good enough.",
            VALIDATE_FAIL: "Your papers were not good enough.",
          },
          "Who has to accept: by the customer means that you keep the money.",
        ),
      ),
      disputeAcceptReason: Type.Optional(
        OneOf(
          {
            MERCHANT_ACCEPTED: "You have accepted it.",
            TIMEOUT: "Nobody defended in time.",
            MANUAL_PROCESSING_ACCEPTED: "Somebody at the wallet has accepted it.",
          },
          "Why it was accepted.",
        ),
      ),
      disputeAcceptTime: Type.Optional(described(Time, "When it was accepted.")),
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
    scenes: [
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
  {
    kind: "notifyRegistrationStatus",
    summary: "A wallet has accepted or rejected a merchant or a store.",
    body: Type.Object({
      referenceMerchantId: Text(64, "Your own name for the merchant."),
      registrationRequestId: described(Id, "Your own name for the registration."),
      referenceStoreId: Type.Optional(Text(64, "Your own name for the store, if it is one.")),
      registrationResult: described(RegistrationResult, "Where it stands as a whole."),
      pspRegistrationResultList: Type.Array(
        Type.Object(
          {
            pspName: Text(64, "The wallet."),
            registrationResult: described(RegistrationResult, "What this wallet has decided."),
          },
          { title: "PspRegistrationResult", description: "What one wallet has decided." },
        ),
        { description: "The same, wallet by wallet." },
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
];
