/** The names of all background jobs. PostgreSQL would insert a row with another name, but no worker would claim it. */
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
