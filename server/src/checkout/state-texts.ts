import { html, type Html } from "../formats/html.ts";
import type { ResultCode } from "../core/result.ts";
import type { Payment } from "../payments/payment.ts";
import type { Checkout, CheckoutState } from "./checkout.ts";
import { fillTemplate, fillPlainText } from "./language.ts";
import type { Texts } from "./languages/texts.ts";
import { merchantNameHtml, methodName } from "./display-names.ts";

/** The texts of a page in a state. */
export interface StateTexts {
  readonly heading: string;
  readonly text: Html | undefined;
}

export function stateTextsOf(state: CheckoutState, checkout: Checkout): StateTexts {
  const { payment } = checkout;
  const { texts } = checkout.language;
  const merchant = merchantNameHtml(checkout);
  switch (state) {
    case "choosing":
      return { heading: texts.choosing, text: undefined };
    case "preparing":
      return { heading: texts.preparing, text: html`${texts.preparingText}` };
    case "waiting":
      if (payment.order?.nextAction?.type === "WAIT")
        return {
          heading: texts.confirm,
          text: fillTemplate(texts.confirmText, { wallet: methodName(checkout) }),
        };
      return { heading: fillPlainText(texts.payWith, { wallet: methodName(checkout) }), text: undefined };
    case "changing":
      return {
        heading: texts.changing,
        text: fillTemplate(texts.changingText, { wallet: methodName(checkout) }),
      };
    case "closing":
      return { heading: texts.closing, text: closingText(checkout, merchant) };
    case "pending":
      return { heading: texts.pending, text: html`${texts.pendingText}` };
    case "paid":
      return isReserved(payment)
        ? { heading: texts.authorized, text: fillTemplate(texts.authorizedText, { merchant }) }
        : { heading: texts.paid, text: fillTemplate(texts.paidText, { merchant }) };
    case "failed":
      return {
        heading: texts.failed,
        text: html`${texts[reasonFor(payment.resultCode)]} ${texts.notCharged}`,
      };
    case "expired":
      return { heading: texts.expired, text: html`${texts.expiredText} ${texts.notCharged}` };
    case "cancelled":
      return { heading: texts.cancelled, text: cancelledText(checkout, merchant) };
  }
}

/** Authorized, and nothing captured yet. */
function isReserved({ captureMode, capturedMinor }: Payment): boolean {
  return captureMode === "MANUAL" && capturedMinor === 0n;
}

function closingText(checkout: Checkout, merchant: Html): Html {
  const { texts } = checkout.language;
  const reason = checkout.payment.cancelRequestedAt
    ? fillTemplate(texts.closingCancelled, { merchant })
    : texts.deadlinePassed;
  return html`${reason} ${fillTemplate(texts.closingText, { wallet: methodName(checkout) })}`;
}

function cancelledText({ payment, language: { texts } }: Checkout, merchant: Html): Html {
  return html`${fillTemplate(texts.cancelledText, { merchant })}
  ${payment.paidAt ? texts.refundFollows : texts.notCharged}`;
}

/**
 * Declines for which the buyer reads the reason, because the buyer can do something about it; the result messages are
 * for merchants' developers. Suspicion of fraud is not in the list: a suspect only reads that the payment was declined.
 */
const reasonsAndCodes = [
  ["balanceTooLow", "USER_BALANCE_NOT_ENOUGH"],
  ["overLimit", "USER_AMOUNT_EXCEED_LIMIT", "PAYMENT_AMOUNT_EXCEED_LIMIT"],
  ["tooOften", "PAYMENT_COUNT_EXCEED_LIMIT"],
  ["accountUnknown", "USER_NOT_EXIST"],
  ["accountUnusable", "USER_STATUS_ABNORMAL"],
  ["accountUnverified", "USER_KYC_NOT_QUALIFIED"],
  ["providerUnsureOfYou", "USER_PAYMENT_VERIFICATION_FAILED"],
  ["bankUnsureOfYou", "AUTHENTICATION_REQUIRED"],
  ["currencyNotTaken", "CURRENCY_NOT_SUPPORT"],
  ["cardNotTaken", "CARD_NOT_SUPPORTED", "SELECTED_CARD_BRAND_NOT_AVAILABLE"],
  ["cardNumberWrong", "INVALID_CARD", "INVALID_CARD_NUMBER"],
  ["cardExpiryWrong", "INVALID_EXPIRATION_DATE", "INVALID_EXPIRY_DATE_FORMAT"],
  ["bankRefused", "ISSUER_REJECTS_TRANSACTION", "DO_NOT_HONOR"],
] as const satisfies readonly (readonly [text: keyof Texts, ...codes: readonly ResultCode[]])[];

export type Reason = (typeof reasonsAndCodes)[number][0] | "refused";

const reasons: ReadonlyMap<ResultCode, Reason> = new Map(
  reasonsAndCodes.flatMap(([text, ...codes]) => codes.map((code) => [code, text] as const)),
);

export function reasonFor(code: ResultCode): Reason {
  return reasons.get(code) ?? "refused";
}
