/** What can be made to go wrong with notifications, by `tollgate/orderFault`. */
export const notificationFaults: Readonly<Record<string, string>> = {
  DUPLICATE: "it comes twice",
  REORDER: "it comes after what is told in the seconds to come",
  DELAY: "it comes later; --delay says how much",
  DROP: "it does not come; the next attempt does",
  CORRUPT_SIGNATURE: "its signature does not fit",
  STALE: "it was signed ten minutes ago",
};

/** What can be made to go wrong at the sandbox wallet, by its door for tests. */
export const walletFaults: Readonly<Record<string, string>> = {
  "answer-lost": "acts, then closes the connection without an answer",
  "late-answer": "acts, and answers after --delay",
  garbage: "acts, and answers what is not JSON",
  "error-500": "does not act, and answers HTTP 500",
  "refuse-connection": "does not act, and closes the connection",
  "late-arrival": "a refund, a capture or a cancel arrives after --delay, when it was repeated",
  "not-idempotent": "does again what is only repeated",
  "inquiry-lag": "for --delay, inquiries know nothing of what was just done",
  "refund-pending": "a refund is processing for --delay, or until it is finished by hand",
  refuse: "refuses a capture or a refund for --code",
  "pay-on-cancel": "on cancel, the buyer pays first",
  "late-success": "an order that is closed may still be paid",
  "callback-twice": "tells the gateway twice",
  "callback-drop": "what it tells the gateway is lost; it tells it again",
  "callback-amount": "tells the gateway of another amount",
};
