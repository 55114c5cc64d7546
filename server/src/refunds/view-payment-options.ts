import { Type } from "typebox";
import { Amount, described, OneOf, PaymentId, type Meanings } from "../api/schemas.ts";
import { view, type ViewCall } from "../api/view.ts";
import { listCaptures } from "../captures/capture.sql.ts";
import type { CaptureRefusal } from "../captures/capture.ts";
import { toAmount } from "../core/money.ts";
import { refuse } from "../core/result.ts";
import { findBalance } from "../ledger/balance.sql.ts";
import { listReserves } from "../ledger/reserve.sql.ts";
import { payable } from "../ledger/transfer.ts";
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

const whyNoRefund: Meanings<RefundRefusal | "MERCHANT_BALANCE_NOT_ENOUGH"> = {
  ORDER_IS_CANCELED: "The payment was cancelled.",
  ORDER_IS_CLOSED: "Nobody paid in time.",
  ORDER_STATUS_INVALID: "The payment is being cancelled.",
  CURRENCY_NOT_SUPPORT: "The payment is in another currency.",
  REFUND_NOT_SUPPORTED: "The wallet gives nothing back.",
  REFUND_WINDOW_EXCEED: "The time in which the wallet gives back is over.",
  REFUND_AMOUNT_EXCEED: "Nothing is left to refund: it was refunded, or a dispute has frozen or returned it.",
  PARTIAL_REFUND_NOT_SUPPORTED: "The wallet gives all back or nothing, and all of it is not there any more.",
  MULTIPLE_REFUNDS_NOT_SUPPORTED: "The wallet gives back once only, and it has.",
  MERCHANT_BALANCE_NOT_ENOUGH: "Your balance does not cover it.",
};

const whyNoCapture: Meanings<CaptureRefusal> = {
  AUTH_NOT_FOUND: "No money is held.",
  AUTH_CANCELLED: "The hold was let go.",
  ORDER_IS_CANCELED: "The payment was cancelled.",
  ORDER_STATUS_INVALID: "The payment is being cancelled.",
  AUTH_EXPIRED: "The time in which it could be captured is over.",
  CURRENCY_NOT_SUPPORT: "The payment is in another currency.",
  MULTI_CAPTURE_NOT_SUPPORTED: "The wallet takes held money once only, and it has.",
  CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT: "Nothing is left to capture.",
};

const whyNoCancel: Meanings<CancelRefusal | "MERCHANT_BALANCE_NOT_ENOUGH"> = {
  PAYMENT_METHOD_NOT_SUPPORTED: "The wallet cancels nothing that was paid: refund it.",
  ORDER_STATUS_INVALID: "The wallet still decides, or it was captured or is disputed.",
  CANCEL_WINDOW_EXCEED: "The time to cancel is over: refund it.",
  PROCESS_FAIL: "Part of it was refunded: refund the rest.",
  MERCHANT_BALANCE_NOT_ENOUGH: "Your balance does not cover it.",
};

interface Found {
  readonly refund: RefundOption | undefined;
  readonly capture: CaptureOption | undefined;
  readonly cancel: CancelOption | undefined;
}

/** Stands with the refunds, because they know captures and payments, and neither knows them. */
export const viewPaymentOptions = view({
  name: "paymentOptions",
  summary:
    "Shows what can be done with a payment now, how much is left of it, and why something cannot be done.",
  description:
    "By the rules that refund, capture and cancel keep. What makes no sense for the payment is absent.",
  right: "payments.read",

  request: Type.Object({ id: described(PaymentId, "Our name for the payment.") }),
  response: Type.Object({
    refund: Type.Optional(
      Type.Object(
        {
          left: described(Amount, "What is left of the payment to refund."),
          most: described(
            Amount,
            "The most that can be refunded now: what is left, or what your balance covers.",
          ),
          inParts: Type.Boolean({ description: "Whether it can be less than that." }),
          whyNot: Type.Optional(OneOf(whyNoRefund, "Why it cannot be refunded now.")),
        },
        { title: "RefundOption", description: "Giving money back." },
      ),
    ),
    capture: Type.Optional(
      Type.Object(
        {
          left: described(Amount, "What is held and not captured yet."),
          whyNot: Type.Optional(OneOf(whyNoCapture, "Why it cannot be captured now.")),
        },
        { title: "CaptureOption", description: "Taking held money." },
      ),
    ),
    cancel: Type.Optional(
      Type.Object(
        { whyNot: Type.Optional(OneOf(whyNoCancel, "Why it cannot be cancelled now.")) },
        { title: "CancelOption", description: "Calling it off." },
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
      availableFor(call, payment),
      payment.feeTerms === undefined ? undefined : sumReturnedFees(tx, call, payment.paymentId),
    ]);
    const hadLast = captures.some(({ isLast, status }) => isLast && status !== "FAIL");
    const taken = captures.filter(({ status }) => status === "SUCCESS");
    const capturedMinor =
      payment.captureMode === "MANUAL"
        ? taken.reduce((sum, { amount }) => sum + amount.minor, 0n)
        : payment.capturedMinor;
    const asked = { payment, capturedMinor, hadLast, availableMinor, returnedFee, termsOf, now };
    return { refund: refundOption(asked), capture: captureOption(asked), cancel: cancelOption(asked) };
  },

  answer({ refund, capture, cancel }: Found) {
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

/** What new refunds can take of the merchant's balance: what we owe it, less what open refunds will take. */
async function availableFor({ tx, bucket, clientId }: ViewCall, { amount }: Payment): Promise<bigint> {
  if (!amount) return 0n;
  const { currency } = amount;
  const [balance, open] = await Promise.all([
    findBalance(tx, { bucket, clientId, account: payable(clientId), currency }),
    listReserves(tx, { bucket, clientId }),
  ]);
  return -balance - (open.get(currency) ?? 0n);
}
