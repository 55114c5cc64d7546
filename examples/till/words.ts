import type { SaleState } from "./sale.ts";

/** What the screen says, in words that are read at two metres, and what the cashier does. */
export interface Words {
  readonly title: string;
  readonly text: string;
}

const words: Readonly<Record<SaleState, Words>> = {
  waiting: { title: "One moment", text: "The wallet is being asked." },
  shows: { title: "Scan to pay", text: "The buyer scans this code with the wallet." },
  asks: { title: "Look at the phone", text: "The buyer has to confirm in the wallet." },
  checking: { title: "Checking", text: "No answer yet. Keep the goods: nobody knows whether it is paid." },
  cancelling: { title: "Cancelling", text: "Keep the goods until it is done." },
  unknown: {
    title: "Unknown",
    text: "It may be paid or not. Keep the goods, and take no second payment for it.",
  },
  paid: { title: "Paid", text: "Hand over the goods." },
  declined: { title: "Not paid", text: "Nothing was taken. Take another way to pay." },
  cancelled: { title: "Cancelled", text: "Nothing was taken, or it went back. You may try again." },
};

/** Why nothing was taken, where the cashier can do something about it. */
const reasons: Readonly<Record<string, string>> = {
  USER_BALANCE_NOT_ENOUGH: "There is not enough money in the wallet. Take another way to pay.",
  INVALID_CODE: "The code was misread or used before. Ask for a new one, and scan it.",
  EXPIRED_CODE: "The code is too old. Ask for a new one, and scan it.",
  ORDER_IS_CLOSED: "Nobody paid in time. You may try again.",
  PARAM_ILLEGAL: "The till is set up wrongly. The calls say which field is at fault.",
  MERCHANT_NOT_REGISTERED: "The wallet does not know this store. Ask your provider.",
};

export function wordsFor(state: SaleState, resultCode: string | undefined): Words {
  const reason = state === "declined" ? reasons[resultCode ?? ""] : undefined;
  return reason === undefined ? words[state] : { ...words[state], text: reason };
}
