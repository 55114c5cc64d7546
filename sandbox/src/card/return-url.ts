import { framedBy } from "../wallet/next-action.ts";
import type { Order } from "../wallet/order.ts";

/**
 * Returns the address to which the buyer returns. It accepts only http and https, because a `javascript:` URL would run
 * in the browser (XSS).
 */
export function returnUrl(order: Order): string | undefined {
  const { redirectUrl } = order;
  // A page in a frame does not leave it: the checkout page around it returns the buyer to the shop.
  if (redirectUrl === undefined || framedBy(order) !== undefined) return undefined;
  const { protocol = "", href } = URL.parse(redirectUrl) ?? {};
  return /^https?:$/.test(protocol) ? href : undefined;
}
