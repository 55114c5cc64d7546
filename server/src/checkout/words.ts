import { html, type Html } from "../core/html.ts";
import type { ResultCode } from "../core/result.ts";
import type { Payment } from "../payments/payment.ts";
import type { CheckoutState } from "./checkout.ts";

/** The texts of a state: a translator starts here. */
export interface Words {
  readonly heading: string;
  readonly text: Html | undefined;
}

export function wordsOf(state: CheckoutState, payment: Payment, merchant: Html): Words {
  switch (state) {
    case "choosing":
      return { heading: "Choose how to pay", text: undefined };
    case "preparing":
      return { heading: "Getting your payment ready", text: html`This takes a moment.` };
    case "waiting":
      return { heading: "Ready to pay", text: undefined };
    case "closing":
      return { heading: "Checking your payment", text: closingText(payment, merchant) };
    case "pending":
      return {
        heading: "Your wallet is confirming",
        text: html`You have done your part. There is no need to pay again.`,
      };
    case "paid":
      return { heading: "Paid", text: html`Your payment to ${merchant} is complete.` };
    case "failed":
      return { heading: "Not paid", text: html`${reasonFor(payment.resultCode)} ${notCharged}` };
    case "expired":
      return { heading: "The time is over", text: html`No payment came in time. ${notCharged}` };
    case "cancelled":
      return { heading: "Cancelled", text: cancelledText(payment, merchant) };
  }
}

const notCharged = "You have not been charged.";

function closingText({ cancelRequestedAt }: Payment, merchant: Html): Html {
  const why = cancelRequestedAt
    ? html`This payment is being cancelled by ${merchant}.`
    : "The time to pay is over.";
  return html`${why} We are asking the wallet whether you have paid. Please do not pay now.`;
}

function cancelledText({ paidAt }: Payment, merchant: Html): Html {
  return html`This payment was cancelled by ${merchant}.
  ${paidAt ? "What you paid goes back to your wallet." : notCharged}`;
}

/**
 * Result messages are for merchants' developers; these are the ones that a buyer can do something about.
 * Suspicion of fraud is not among them: a suspect learns no more than that the payment was refused.
 */
const reasonsAndCodes: readonly (readonly [text: string, ...codes: readonly ResultCode[]])[] = [
  ["Your balance is too low.", "USER_BALANCE_NOT_ENOUGH"],
  ["The amount is over your wallet’s limit.", "USER_AMOUNT_EXCEED_LIMIT", "PAYMENT_AMOUNT_EXCEED_LIMIT"],
  ["You have paid as often as your wallet allows for now.", "PAYMENT_COUNT_EXCEED_LIMIT"],
  ["The wallet does not know your account.", "USER_NOT_EXIST"],
  ["Your wallet account cannot be used right now.", "USER_STATUS_ABNORMAL"],
  ["Your wallet has to verify your account first.", "USER_KYC_NOT_QUALIFIED"],
  ["Your wallet could not make sure that it was you.", "USER_PAYMENT_VERIFICATION_FAILED"],
  ["Your bank could not make sure that it was you.", "AUTHENTICATION_REQUIRED"],
  ["Your wallet does not take this currency.", "CURRENCY_NOT_SUPPORT"],
  ["Your card cannot be used here.", "CARD_NOT_SUPPORTED", "SELECTED_CARD_BRAND_NOT_AVAILABLE"],
  ["Your card’s number is not right.", "INVALID_CARD", "INVALID_CARD_NUMBER"],
  ["Your card’s expiry date is not right.", "INVALID_EXPIRATION_DATE", "INVALID_EXPIRY_DATE_FORMAT"],
  ["Your bank did not accept the payment.", "ISSUER_REJECTS_TRANSACTION", "DO_NOT_HONOR"],
];

const reasons: ReadonlyMap<ResultCode, string> = new Map(
  reasonsAndCodes.flatMap(([text, ...codes]) => codes.map((code) => [code, text] as const)),
);

export function reasonFor(code: ResultCode): string {
  return reasons.get(code) ?? "The wallet did not accept the payment.";
}
