import { Type } from "typebox";
import { Amount, withDescription, OneOf, PaymentId, type Meanings } from "../contract/schemas.ts";
import { view, type ViewCall } from "../contract/view.ts";
import { listCaptures } from "../captures/capture.sql.ts";
import type { CaptureRefusal } from "../captures/capture.ts";
import { toAmount } from "../core/money.ts";
import { refuse } from "../core/result.ts";
import { findBalance } from "../ledger/balance.sql.ts";
import { listReserves } from "../ledger/reserve.sql.ts";
import { payableAccount } from "../ledger/transfer.ts";
import type { CancelRefusal } from "../payments/cancellation.ts";
import { findPayment } from "../payments/payment.sql.ts";
import type { Payment } from "../payments/payment.ts";
import {
  cancelOption,
  captureOption,
  refundOption,
  type CancelOption,
  type CaptureOption,
  type RefundOption,
} from "./payment-options.ts";
import { sumReturnedFees } from "./refund.sql.ts";
import type { RefundRefusal } from "./refund.ts";

const refundRefusalTexts: Meanings<RefundRefusal | "MERCHANT_BALANCE_NOT_ENOUGH"> = {
  ORDER_IS_CANCELED: "The payment was cancelled.",
  ORDER_IS_CLOSED: "The payment was not paid in time.",
  ORDER_STATUS_INVALID: "The payment is being cancelled.",
  CURRENCY_NOT_SUPPORT: "The payment is in another currency.",
  REFUND_NOT_SUPPORTED: "The payment provider does not support refunds.",
  REFUND_WINDOW_EXCEED: "The refund window of the payment provider has ended.",
  REFUND_AMOUNT_EXCEED:
    "Nothing is left to refund: the amount was refunded, or a dispute has frozen or returned it.",
  PARTIAL_REFUND_NOT_SUPPORTED:
    "The payment provider only refunds in full, and part of the amount is not refundable any more.",
  MULTIPLE_REFUNDS_NOT_SUPPORTED: "The payment provider allows only one refund, which was made already.",
  MERCHANT_BALANCE_NOT_ENOUGH: "Your balance does not cover the amount.",
};

const captureRefusalTexts: Meanings<CaptureRefusal> = {
  AUTH_NOT_FOUND: "No money is authorized.",
  AUTH_CANCELLED: "The authorization hold was released.",
  ORDER_IS_CANCELED: "The payment was cancelled.",
  ORDER_STATUS_INVALID: "The payment is being cancelled.",
  AUTH_EXPIRED: "The time to capture has ended.",
  CURRENCY_NOT_SUPPORT: "The payment is in another currency.",
  MULTI_CAPTURE_NOT_SUPPORTED: "The payment provider allows only one capture, which was made already.",
  CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT: "Nothing is left to capture.",
};

const cancelRefusalTexts: Meanings<CancelRefusal | "MERCHANT_BALANCE_NOT_ENOUGH"> = {
  PAYMENT_METHOD_NOT_SUPPORTED: "The payment provider cannot cancel a paid payment: refund it.",
  ORDER_STATUS_INVALID: "The payment provider has not decided yet, or the payment is captured or disputed.",
  CANCEL_WINDOW_EXCEED: "The time to cancel has ended: refund it.",
  PROCESS_FAIL: "Part of the payment was refunded: refund the rest.",
  MERCHANT_BALANCE_NOT_ENOUGH: "Your balance does not cover the amount.",
};

interface PaymentOptions {
  readonly refund: RefundOption | undefined;
  readonly capture: CaptureOption | undefined;
  readonly cancel: CancelOption | undefined;
}

/**
 * The view of what a merchant can do with a payment now. It is in refunds/, because refunds import captures and
 * payments, and not the other way round.
 */
export const viewPaymentOptions = view({
  name: "paymentOptions",
  summary:
    "Shows whether a payment can be refunded, captured or cancelled now, for which amount, and why not.",
  description:
    "Uses the same rules as refund, capture and cancel. An action that does not apply to the payment is absent.",
  permission: "payments.read",

  request: Type.Object({ id: withDescription(PaymentId, "Our id of the payment.") }),
  response: Type.Object({
    refund: Type.Optional(
      Type.Object(
        {
          left: withDescription(Amount, "The part of the payment that is not refunded yet."),
          most: withDescription(Amount, "The largest refund that is possible now, limited by your balance."),
          inParts: Type.Boolean({ description: "Whether a smaller amount is possible as well." }),
          whyNot: Type.Optional(
            OneOf(refundRefusalTexts, "The reason why the payment cannot be refunded now."),
          ),
        },
        { title: "RefundOption", description: "The refund that is possible now." },
      ),
    ),
    capture: Type.Optional(
      Type.Object(
        {
          left: withDescription(Amount, "The authorized amount that is not captured yet."),
          whyNot: Type.Optional(
            OneOf(captureRefusalTexts, "The reason why the payment cannot be captured now."),
          ),
        },
        { title: "CaptureOption", description: "The capture that is possible now." },
      ),
    ),
    cancel: Type.Optional(
      Type.Object(
        {
          whyNot: Type.Optional(
            OneOf(cancelRefusalTexts, "The reason why the payment cannot be cancelled now."),
          ),
        },
        { title: "CancelOption", description: "The cancel that is possible now." },
      ),
    ),
  }),
  results: ["SUCCESS", "ORDER_NOT_EXIST", "PARAM_ILLEGAL"],

  example: {
    request: { id: "20261115093000123047601530017744120" },
    response: {
      refund: {
        left: { currency: "EUR", value: "900" },
        most: { currency: "EUR", value: "900" },
        inParts: true,
      },
      cancel: { whyNot: "PROCESS_FAIL" },
    },
  },

  async find(call, { id }) {
    const { tx, now, termsOf } = call;
    const payment = await findPayment(tx, call, id);
    if (!payment) return refuse("ORDER_NOT_EXIST");
    const [captures, availableMinor, returnedFee] = await Promise.all([
      listCaptures(tx, call, payment.paymentId),
      availableBalanceFor(call, payment),
      payment.feeTerms === undefined ? undefined : sumReturnedFees(tx, call, payment.paymentId),
    ]);
    const hadLast = captures.some(({ isLast, status }) => isLast && status !== "FAIL");
    const succeeded = captures.filter(({ status }) => status === "SUCCESS");
    const capturedMinor =
      payment.captureMode === "MANUAL"
        ? succeeded.reduce((sum, { amount }) => sum + amount.minor, 0n)
        : payment.capturedMinor;
    const facts = { payment, capturedMinor, hadLast, availableMinor, returnedFee, termsOf, now };
    return { refund: refundOption(facts), capture: captureOption(facts), cancel: cancelOption(facts) };
  },

  answer({ refund, capture, cancel }: PaymentOptions) {
    return {
      code: "SUCCESS",
      ...(refund && {
        refund: {
          left: toAmount(refund.left),
          most: toAmount(refund.most),
          inParts: refund.inParts,
          ...(refund.whyNot && { whyNot: refund.whyNot }),
        },
      }),
      ...(capture && {
        capture: { left: toAmount(capture.left), ...(capture.whyNot && { whyNot: capture.whyNot }) },
      }),
      ...(cancel && { cancel: cancel.whyNot ? { whyNot: cancel.whyNot } : {} }),
    };
  },
});

/**
 * `availableBalanceFor` returns the part of the merchant's balance that new refunds can use: the balance minus the
 * reserve of open refunds.
 */
async function availableBalanceFor({ tx, bucket, clientId }: ViewCall, { amount }: Payment): Promise<bigint> {
  if (!amount) return 0n;
  const { currency } = amount;
  const [balance, open] = await Promise.all([
    findBalance(tx, { bucket, clientId, account: payableAccount(clientId), currency }),
    listReserves(tx, { bucket, clientId }),
  ]);
  return -balance - (open.get(currency) ?? 0n);
}
