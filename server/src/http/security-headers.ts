import type { Answer } from "./connections.ts";

type Headers = Readonly<Record<string, string>>;

const twoYearsSeconds = 2 * 365 * 24 * 60 * 60;

/** What a page of ours would need these for is nothing. */
const unusedFeatures =
  "accelerometer autoplay camera display-capture encrypted-media fullscreen geolocation gyroscope hid magnetometer " +
  "microphone midi payment publickey-credentials-get screen-wake-lock serial usb xr-spatial-tracking";

/**
 * What a browser is told with every answer, whoever gives it; a page that needs more says so in its own policy. None of
 * these lines may contain the words `signature` or `response-time`: published libraries look for them letter by letter.
 */
export function securityHeaders({ isSecure }: { readonly isSecure: boolean }): Headers {
  return {
    "content-security-policy":
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": unusedFeatures
      .split(" ")
      .map((feature) => `${feature}=()`)
      .join(", "),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...(isSecure && { "strict-transport-security": `max-age=${twoYearsSeconds}` }),
  };
}

/**
 * Before anybody answers, and not in a hook of Fastify's: those are not asked about answers that the front door gives by
 * itself. Whoever answers may put another value in place of one of these.
 */
export function withHeaders(headers: Headers, answer: Answer): Answer {
  const all = new Map(Object.entries(headers));
  return (request, response) => {
    response.setHeaders(all);
    answer(request, response);
  };
}

/** The same for an answer that is written by hand. */
export function headerLines(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}
