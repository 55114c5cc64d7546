import type { RequestHandler } from "../limits/connections.ts";

type Headers = Readonly<Record<string, string>>;

const twoYearsSeconds = 2 * 365 * 24 * 60 * 60;

/** Browser features that no page of ours uses. */
const unusedFeatures =
  "accelerometer autoplay camera display-capture encrypted-media fullscreen geolocation gyroscope hid magnetometer " +
  "microphone midi payment publickey-credentials-get screen-wake-lock serial usb xr-spatial-tracking";

/**
 * Security headers of every response; a page that needs more sets its own policy. No header may contain the words
 * `signature` or `response-time`, because published libraries search all lines for them.
 */
export function securityHeaders({ isSecure }: { readonly isSecure: boolean }): Headers {
  return {
    "content-security-policy":
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": permissionsPolicy(),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...(isSecure && { "strict-transport-security": `max-age=${twoYearsSeconds}` }),
  };
}

/** Features of pay buttons and of a bank's confirmation, which a payment provider's fields in a frame may use. */
const frameFeatures = ["payment", "publickey-credentials-get"];

/** The permissions policy of a page, with the origin of the payment provider's frame that it shows. */
export function permissionsPolicy(frameOrigin?: string): string {
  const allowlist = (feature: string): string =>
    frameOrigin !== undefined && frameFeatures.includes(feature) ? `(self "${frameOrigin}")` : "()";
  return unusedFeatures
    .split(" ")
    .map((feature) => `${feature}=${allowlist(feature)}`)
    .join(", ");
}

/**
 * Wraps a request handler so that the headers are set before it runs. A Fastify hook would not run for responses that
 * are written directly. A handler may override each header.
 */
export function withHeaders(headers: Headers, answer: RequestHandler): RequestHandler {
  const all = new Map(Object.entries(headers));
  return (request, response) => {
    response.setHeaders(all);
    answer(request, response);
  };
}

/** The security headers as text, for a response that is written by hand. */
export function headerLines(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}
