import { isPresent, readText, readTime } from "./report-fields.ts";

/** The next action of an open order's buyer. The checkout page shows it. */
export type NextAction =
  | { readonly type: "REDIRECT"; readonly url: string }
  /** The provider's app opens by `appUrl`. `url` is a web page for a device without the app. */
  | { readonly type: "APP"; readonly appUrl: string; readonly url?: string }
  /** The buyer scans the code. After `expiresAt` the provider has another code. */
  | { readonly type: "QR_CODE"; readonly code: string; readonly url?: string; readonly expiresAt?: Date }
  /**
   * The buyer types into the provider's own fields: in a frame of the checkout page, or by the provider's component in
   * the merchant's page, which needs `clientData`. `clientData` is a secret: it never reaches a log.
   */
  | { readonly type: "IN_PAGE"; readonly frameUrl: string; readonly clientData?: string }
  /** The buyer confirms elsewhere, such as in the bank's app. */
  | { readonly type: "WAIT"; readonly expiresAt?: Date };

const clientDataBytesMax = 4096;

/** `readNextAction` reads the `nextAction` of an open order; undefined if it is malformed, or of an unknown type. */
export function readNextAction(value: unknown): NextAction | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const url = readOptional(fields["url"], readUrl);
  const expiresAt = readOptional(fields["expiryTime"], readTime);
  // An optional field may be absent, but not unreadable: the buyer would get an action of which a part is missing.
  if (url === unreadable || expiresAt === unreadable) return undefined;
  const webPage = url === undefined ? {} : { url };
  const lifetime = expiresAt === undefined ? {} : { expiresAt };
  switch (fields["type"]) {
    case "REDIRECT":
      return url === undefined ? undefined : { type: "REDIRECT", url };
    case "APP": {
      const appUrl = readUrl(fields["appUrl"]);
      return appUrl === undefined ? undefined : { type: "APP", appUrl, ...webPage };
    }
    case "QR_CODE": {
      const code = readText(fields["code"]);
      return code === undefined ? undefined : { type: "QR_CODE", code, ...webPage, ...lifetime };
    }
    case "IN_PAGE":
      return readInPage(fields);
    case "WAIT":
      return { type: "WAIT", ...lifetime };
    default:
      return undefined;
  }
}

function readInPage({ frameUrl, clientData }: Readonly<Record<string, unknown>>): NextAction | undefined {
  const url = readUrl(frameUrl);
  const data = readOptional(clientData, readClientData);
  if (url === undefined || data === unreadable || frameOrigin(url) === undefined) return undefined;
  return { type: "IN_PAGE", frameUrl: url, ...(data !== undefined && { clientData: data }) };
}

/**
 * `frameOrigin` returns the origin of a page that the checkout page may show in a frame; undefined for an address that
 * is not https. A page of this machine may be http, as in development.
 */
export function frameOrigin(frameUrl: string): string | undefined {
  const { protocol, hostname, origin } = URL.parse(frameUrl) ?? {};
  const isSecure =
    protocol === "https:" ||
    (protocol === "http:" && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname ?? ""));
  return isSecure ? origin : undefined;
}

const unreadable = Symbol("unreadable");

function readOptional<Value>(
  value: unknown,
  read: (value: unknown) => Value | undefined,
): Value | undefined | typeof unreadable {
  return isPresent(value) ? (read(value) ?? unreadable) : undefined;
}

function readUrl(value: unknown): string | undefined {
  const text = readText(value);
  return text !== undefined && URL.canParse(text) ? text : undefined;
}

function readClientData(value: unknown): string | undefined {
  const isPrintable = typeof value === "string" && /^[\x20-\x7e]+$/.test(value);
  return isPrintable && value.length <= clientDataBytesMax ? value : undefined;
}
