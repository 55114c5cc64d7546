/** A link that may stand on the page. */
export interface Link {
  readonly url: string;
  /** The page itself may go there; an app's own address is only followed when the buyer says so. */
  readonly isWebPage: boolean;
}

/** What a browser would run, or show as a page of ours, instead of leading somewhere. */
const neverLinked = ["javascript:", "data:", "vbscript:", "blob:", "file:", "filesystem:", "about:"];

/** A link to where the merchant or the wallet wants the buyer, or undefined for what must not be linked. */
export function toLink(address: string | undefined): Link | undefined {
  // Read as a browser reads it: `java\nscript:` is the same to it as without the break.
  const url = address === undefined ? null : URL.parse(address);
  if (!url || neverLinked.includes(url.protocol)) return undefined;
  return { url: url.href, isWebPage: url.protocol === "https:" || url.protocol === "http:" };
}
