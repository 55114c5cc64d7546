import { formatWireTime } from "../../core/request-time.ts";
import type { NextAction } from "../../providers/next-action.ts";
import { addressOf, hasIssuedCode } from "../in-store.ts";
import { isAgreementPayment, type Payment } from "../payment.ts";

/** The checkout URL for the buyer, while the payment is open. */
export function checkoutFields(payment: Payment, checkoutUrl: string): object {
  const { status, order } = payment;
  if (status !== "PROCESSING" && status !== "PENDING") return {};
  // The provider's own page or app, if the provider requires a confirmation despite the agreement.
  if (isAgreementPayment(payment)) return confirmationFields(order?.nextAction, checkoutUrl);
  return {
    normalUrl: checkoutUrl,
    redirectActionForm: redirectForm(checkoutUrl),
    ...directFields(order?.nextAction),
  };
}

/**
 * Where the buyer of an agreement confirms: at the provider's own page or app. A code without a page, and the provider's
 * fields, are on the checkout page.
 */
function confirmationFields(action: NextAction | undefined, checkoutUrl: string): object {
  const url = action && "url" in action ? action.url : undefined;
  const isShown = action?.type === "QR_CODE" || action?.type === "IN_PAGE";
  const normalUrl = url ?? (isShown ? checkoutUrl : undefined);
  return { ...(normalUrl !== undefined && { normalUrl }), ...directFields(action) };
}

/** The fields for a merchant's own app or page, which can replace the checkout page. */
function directFields(action: NextAction | undefined): object {
  if (action?.type === "IN_PAGE")
    return action.clientData === undefined ? {} : { paymentData: action.clientData };
  if (action?.type !== "APP") return {};
  return /^https?:/.test(action.appUrl) ? { applinkUrl: action.appUrl } : { schemeUrl: action.appUrl };
}

/** The code that the point of sale shows, or the page to which it sends the buyer. */
export function issuedCodeFields(payment: Payment): object {
  const { scenario, order, expiresAt, paymentMethodType = "" } = payment;
  if (!hasIssuedCode(payment)) return {};
  const action = order?.nextAction;
  if (scenario === "EntryCode") return { redirectActionForm: redirectForm(addressOf(action) ?? "") };
  const { code = "", expiresAt: codeExpiresAt } = action?.type === "QR_CODE" ? action : {};
  // The code as text. A point of sale uses the first display type that it supports, and all of them support TEXT.
  const codeDetail = { codeValueType: "QRCODE", displayType: "TEXT", codeValue: code };
  const expireTime = formatWireTime((codeExpiresAt ?? expiresAt ?? payment.createdAt).getTime());
  return { orderCodeForm: { expireTime, paymentMethodType, codeDetails: [codeDetail] } };
}

function redirectForm(redirectUrl: string): { method: string; redirectUrl: string; actionFormType: string } {
  return { method: "GET", redirectUrl, actionFormType: "RedirectActionForm" };
}
