/** The names of all background jobs. A row with another name would be inserted, but no worker would claim it. */
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
