import type { OrderTerms } from "../order.ts";

/** Where the buyer goes when it is done. Only http and https: a `javascript:` URL would run in the browser (XSS). */
export function webAddress({ redirectUrl }: OrderTerms): string | undefined {
  if (redirectUrl === undefined) return undefined;
  const { protocol = "", href } = URL.parse(redirectUrl) ?? {};
  return /^https?:$/.test(protocol) ? href : undefined;
}
