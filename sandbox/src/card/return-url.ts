import type { OrderTerms } from "../wallet/order.ts";

/**
 * Returns the address to which the buyer returns. It accepts only http and https, because a `javascript:` URL would run
 * in the browser (XSS).
 */
export function returnUrl({ redirectUrl }: OrderTerms): string | undefined {
  if (redirectUrl === undefined) return undefined;
  const { protocol = "", href } = URL.parse(redirectUrl) ?? {};
  return /^https?:$/.test(protocol) ? href : undefined;
}
