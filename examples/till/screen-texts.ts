import type { SaleState } from "./sale.ts";

/** Texts on the screen, readable at two metres, and what the cashier must do. */
export interface ScreenText {
  readonly title: string;
  readonly text: string;
}

const screenTexts: Readonly<Record<SaleState, ScreenText>> = {
  waiting: { title: "One moment", text: "Waiting for the payment provider." },
  shows: { title: "Scan to pay", text: "The buyer scans this code with the payment app." },
  asks: { title: "Look at the phone", text: "The buyer must confirm in the payment app." },
  checking: { title: "Checking", text: "No response yet. Keep the goods until the outcome is known." },
  cancelling: { title: "Cancelling", text: "Keep the goods until the cancel is done." },
  unknown: {
    title: "Unknown",
    text: "It may be paid or not. Keep the goods, and do not take a second payment for it.",
  },
  paid: { title: "Paid", text: "Hand over the goods." },
  declined: { title: "Not paid", text: "The buyer was not charged. Use another payment method." },
  cancelled: {
    title: "Cancelled",
    text: "The buyer was not charged, or the money was returned. You may try again.",
  },
};

/** Reasons for a failed payment on which the cashier can act. */
const reasons: Readonly<Record<string, string>> = {
  USER_BALANCE_NOT_ENOUGH: "There is not enough money in the wallet. Use another payment method.",
  INVALID_CODE: "The code was misread or is already used. Ask for a new one, and scan it.",
  EXPIRED_CODE: "The code has expired. Ask for a new one, and scan it.",
  ORDER_IS_CLOSED: "The payment expired. You may try again.",
  PARAM_ILLEGAL: "The point of sale is configured incorrectly. The list of requests shows the wrong field.",
  MERCHANT_NOT_REGISTERED: "The payment provider does not know this store. Contact your provider.",
};

export function screenTextFor(state: SaleState, resultCode: string | undefined): ScreenText {
  const reason = state === "declined" ? reasons[resultCode ?? ""] : undefined;
  return reason === undefined ? screenTexts[state] : { ...screenTexts[state], text: reason };
}
