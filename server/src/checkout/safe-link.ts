import { isAllowedRedirect, type RedirectRules } from "../merchants/url-rules.ts";

/** A link that is allowed on the page. */
export interface Link {
  readonly url: string;
  /**
   * Whether the link leads to a web page, to which the page may redirect by itself. Only the buyer's click opens an
   * app's own scheme.
   */
  readonly isWebPage: boolean;
}

/**
 * A link back to the merchant, if the rules for addresses allow it. The address is checked again, because a payment may
 * be older than a rule.
 */
export function merchantLink(address: string | undefined, rules: RedirectRules): Link | undefined {
  return address !== undefined && isAllowedRedirect(address, rules) ? linkTo(address) : undefined;
}

/** Deny list: schemes that a browser or a system would execute, or show as a page of ours (cross-site scripting). */
const forbiddenSchemes =
  /^(?:javascript|data|vbscript|blob|file|filesystem|about|view-source|feed|search|search-ms|ms-.*):$/;

/** A link to the provider's app. There is no allow list, because only the provider knows the scheme of its app. */
export function walletLink(address: string | undefined): Link | undefined {
  const url = address === undefined ? null : URL.parse(address);
  return !url || forbiddenSchemes.test(url.protocol) ? undefined : linkTo(url.href);
}

function linkTo(address: string): Link {
  const { href, protocol } = new URL(address);
  return { url: href, isWebPage: protocol === "https:" || protocol === "http:" };
}
