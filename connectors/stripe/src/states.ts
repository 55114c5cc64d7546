import type { DisputeReport, MoneyReport, OrderState } from "../../kit/src/connector.ts";

/** A PaymentIntent of a completed session. A test compares the names with the types of Stripe's SDK. */
export const paymentIntentStates = {
  requires_payment_method: "DECLINED",
  requires_confirmation: "PENDING",
  requires_action: "PENDING",
  processing: "PENDING",
  requires_capture: "AUTHORIZED",
  succeeded: "PAID",
  canceled: "CLOSED",
} as const satisfies Record<string, OrderState>;

/** A Checkout Session. A completed one has the state of its PaymentIntent. */
export const sessionStates = {
  open: "OPEN",
  expired: "CLOSED",
  complete: undefined,
} as const satisfies Record<string, OrderState | undefined>;

export const refundStates = {
  pending: "PROCESSING",
  requires_action: "PROCESSING",
  succeeded: "DONE",
  failed: "FAILED",
  canceled: "FAILED",
} as const satisfies Record<string, MoneyReport["state"]>;

interface DisputeMeaning {
  readonly disputeType: DisputeReport["disputeType"];
  readonly state: DisputeReport["state"];
  readonly judgedResult?: string;
  /** Whether the buyer has got the money back. */
  readonly isTaken?: boolean;
}

/** A warning is a request for documents: no money moves until it becomes a chargeback. */
export const disputeMeanings = {
  warning_needs_response: { disputeType: "RETRIEVAL_REQUEST", state: "OPEN" },
  warning_under_review: { disputeType: "RETRIEVAL_REQUEST", state: "DEFENDED" },
  warning_closed: { disputeType: "RETRIEVAL_REQUEST", state: "CANCELLED" },
  needs_response: { disputeType: "CHARGEBACK", state: "OPEN" },
  under_review: { disputeType: "CHARGEBACK", state: "DEFENDED" },
  won: { disputeType: "CHARGEBACK", state: "JUDGED", judgedResult: "ACCEPT_BY_CUSTOMER" },
  lost: { disputeType: "CHARGEBACK", state: "JUDGED", judgedResult: "ACCEPT_BY_MERCHANT", isTaken: true },
  prevented: { disputeType: "RDR", state: "RESOLVED", isTaken: true },
} as const satisfies Record<string, DisputeMeaning>;

/** `meaningOf` looks a status up in its table. A new status of Stripe has no meaning, so the outcome is unknown. */
export function meaningOf<Table extends object>(
  table: Table,
  status: string | null | undefined,
): Table[keyof Table] | undefined {
  return Object.hasOwn(table, status ?? "") ? table[status as keyof Table] : undefined;
}
