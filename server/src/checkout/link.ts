import { mayLink, type LinkRules } from "../merchants/address.ts";

/** A link that may stand on the page. */
export interface Link {
  readonly url: string;
  /** The page itself may go there; an app's own address is only followed when the buyer says so. */
  readonly isWebPage: boolean;
}

/** A link back to the merchant, or undefined for what must not be linked: a payment may be older than the rule. */
export function merchantLink(address: string | undefined, rules: LinkRules): Link | undefined {
  return address !== undefined && mayLink(address, rules) ? linkTo(address) : undefined;
}

/** What a browser or a system would run, or show as a page of ours, instead of leading somewhere. */
const neverLinked =
  /^(?:javascript|data|vbscript|blob|file|filesystem|about|view-source|feed|search|search-ms|ms-.*):$/;

/** A link to where the wallet wants the buyer: its app has a scheme that only the wallet knows. */
export function walletLink(address: string | undefined): Link | undefined {
  const url = address === undefined ? null : URL.parse(address);
  return !url || neverLinked.test(url.protocol) ? undefined : linkTo(url.href);
}

function linkTo(address: string): Link {
  const { href, protocol } = new URL(address);
  return { url: href, isWebPage: protocol === "https:" || protocol === "http:" };
}
