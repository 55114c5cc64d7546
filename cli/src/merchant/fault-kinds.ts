/** Faults of webhooks, which `tollgate/orderFault` injects. */
export const notificationFaults: Readonly<Record<string, string>> = {
  DUPLICATE: "it is sent twice",
  REORDER: "it is sent after the webhooks of the next seconds",
  DELAY: "it is sent later, after --delay",
  DROP: "it is lost; the next attempt arrives",
  CORRUPT_SIGNATURE: "its signature is invalid",
  STALE: "its signature is ten minutes old",
};

/** Faults of the sandbox provider, which its control interface injects. */
export const providerFaults: Readonly<Record<string, string>> = {
  "answer-lost": "acts, then closes the connection without a response",
  "late-answer": "acts, and responds after --delay",
  garbage: "acts, and responds with a body that is not JSON",
  "error-500": "does not act, and responds with HTTP 500",
  "refuse-connection": "does not act, and closes the connection",
  "late-arrival": "a refund, a capture or a cancel takes effect after --delay, after it was repeated",
  "not-idempotent": "executes a repeated request again",
  "inquiry-lag": "inquiries return the earlier state for --delay",
  "capture-pending": "a capture is in progress for --delay, or until it is completed by hand",
  "refund-pending": "a refund is in progress for --delay, or until it is completed by hand",
  "cancel-pending": "a cancel is in progress for --delay, or until it is completed by hand",
  refuse: "rejects a capture or a refund with --code",
  "pay-on-cancel": "on cancel, the buyer pays first",
  "late-success": "a closed order may still be paid",
  "callback-twice": "sends each callback twice",
  "callback-drop": "loses a callback, and repeats it later",
  "callback-amount": "sends a callback with another amount",
  "card-number": "reports a payment by card with the whole card number",
  "action-redirect": "the buyer of the next order opens a page",
  "action-app": "the buyer of the next order opens an app",
  "action-code": "the buyer of the next order scans a code that expires after --delay",
  "action-in-page": "the buyer of the next order pays in a frame of the checkout page",
  "action-wait": "the buyer of the next order confirms elsewhere, within --delay",
};
