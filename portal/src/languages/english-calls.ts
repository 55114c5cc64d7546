/** Texts of the pages for API requests. */
export const englishCalls = {
  title: "API requests",
  lede: "API requests of your systems in the last 24 hours. Select a result code to see how to fix the request.",
  ledeLive:
    "API requests of your systems, updated live. Open a request to see the signed text and the response.",
  order: "Order",
  REFUSED_FIRST: "Rejected first",
  NEWEST_FIRST: "Newest first",
  noneTitle: "No API requests in the last 24 hours",
  none: "API requests appear here one second after the response. Requests with an invalid signature are not listed.",
  noneLive:
    "Send a request from your system or from the API explorer. It appears here immediately, even if its signature is invalid.",
  key: "Key version {{version}}",
  unproven: "unauthenticated",
  unprovenMeans:
    "The signature is invalid, so the request may come from anyone who knows your client id. It is kept in memory only and is never attributed to you.",
  from: "from {{network}}",
  one: "API request",
  goneTitle: "This API request is no longer stored",
  gone: "For each client, the sandbox keeps the last 50 API requests and the last 50 unauthenticated requests with all details. The list still shows the result.",
  verdict: "Signature diagnosis",
  noVerdict:
    "The response contains the text that the gateway verified. Compare its SHA-256 with the SHA-256 of the text that you signed.",
  held: "The signature is valid. Key version: {{version}}.",
  signed: "Signed text",
  verified: "Expected signed text",
  signedLede:
    "Secrets and personal data are redacted here. Length and hash are those of the original text; compare them with yours.",
  bytes: "Length",
  bytesOf: "{{bytes}} bytes",
  noHash: "none: the body was not JSON, or contained card data",
  unreadable: "(The body was not JSON or contained card data, so it was not stored.)",
  answer: "Response",
  came: "Received",
  took: "Duration",
  asCode: "As code",
  asCodeLede: "The same API request in a programming language.",
  language: "Language",
  byHand: "{{language}}, signature in your own code",
  withLibrary: "{{language}}, client library",
  noCode: "The client library cannot send this request: {{why}}",
  again: "Open in the API explorer",
} as const;
