/** All background jobs. A row under any other name would be inserted, and no worker would ever claim it. */
export type JobName =
  | "drive-payment"
  | "close-session"
  | "reverse-payment"
  | "send-capture"
  | "release-hold"
  | "send-refund"
  | "send-registration"
  | "follow-authorization"
  | "exchange-code"
  | "answer-dispute"
  | "watch-dispute"
  | "deliver-notification"
  | "turn-clock";
