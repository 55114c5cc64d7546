/** Texts of the API explorer. */
export const englishTry = {
  title: "API explorer",
  lede: "Send API requests that this browser signs, and see the response with the result of its signature verification.",
  onlySandboxTitle: "Sandbox only",
  onlySandbox:
    "A key that can move real money must not be stored in a browser. In live, your own systems sign the requests.",
  toSandbox: "Go to the sandbox",
  key: "Key",
  noKey:
    "This browser needs its own key to sign requests. The browser creates the key so that it can never be exported, not even by this page, and registers it as a new version for this client id. Use this function only on your own computer.",
  keep: "Create a key in this browser",
  kept: "Key version {{version}} is stored in this browser.",
  forget: "Delete and revoke the key",
  mayNot: "Your role cannot add keys here.",
  call: "Request",
  operation: "Operation",
  example: "Example",
  usual: "Default request",
  body: "Body",
  newId: "Create a new request id",
  struck:
    "This is an API request from your list, and its secrets were redacted. Insert them again before you send the request.",
  noJson: "This is not valid JSON: {{why}}",
  send: "Sign and send",
  answer: "Response",
  took: "{{ms}} ms",
  held: "The signature is valid. Gateway key: {{version}}.",
  broken: "The signature is invalid. Do not trust this response.",
  unsigned: "The response is not signed.",
  see: "Show in API requests",
  unreachable:
    "The gateway did not respond. Check that it is running and that it accepts requests from this page (CORS).",
} as const;
