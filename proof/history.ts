/** Everything that was seen from outside while the storm went on. The oracle judges this and nothing else. */
export interface History {
  readonly answers: Answer[];
  readonly notifications: Told[];
  readonly faults: FaultSeen[];
  /** When calls were given up that got no answer at all: reset, refused, or too late. */
  readonly unansweredAtMs: number[];
  /** Payments by token, and when each was first asked for. */
  readonly spendings: Spending[];
}

/** A payment that was asked for with the token of a buyer's consent. */
export interface Spending {
  readonly clientId: string;
  /** By its `authState`. */
  readonly consent: string;
  readonly requestId: string;
  readonly sentAtMs: number;
}

/** What merchants ask for: where, under which name the answer tells the record's id, and what kind of record it is. */
export const verbs = {
  pay: { path: "payments/pay", id: "paymentId", record: "payment" },
  /** A till that wants a code or a page for the buyer: success means that it has one, and not that anybody has paid. */
  issue: { path: "payments/pay", id: "paymentId", record: "payment" },
  createPaymentSession: {
    path: "payments/createPaymentSession",
    id: "paymentSessionId",
    record: "payment",
  },
  cancel: { path: "payments/cancel", id: "paymentId", record: "payment" },
  inquiryPayment: { path: "payments/inquiryPayment", id: "paymentId", record: "payment" },
  refund: { path: "payments/refund", id: "refundId", record: "refund" },
  inquiryRefund: { path: "payments/inquiryRefund", id: "refundId", record: "refund" },
  capture: { path: "payments/capture", id: "captureId", record: "capture" },
  consult: { path: "authorizations/consult", id: undefined, record: "consent" },
  applyToken: { path: "authorizations/applyToken", id: undefined, record: "token" },
  revoke: { path: "authorizations/revoke", id: undefined, record: "revocation" },
} as const;

export type Verb = keyof typeof verbs;

/** An answer of the gateway to a merchant. */
export interface Answer {
  readonly verb: Verb;
  /** The request id under which the record can be asked for: of the payment, the refund or the capture. */
  readonly requestId: string;
  readonly clientId: string;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  readonly httpStatus: number;
  readonly isSigned: boolean;
  readonly resultStatus: string;
  readonly resultCode: string;
  /** Of the payment, the refund or the capture that the answer speaks of. */
  readonly id: string | undefined;
  /** What an inquiry says of the record. */
  readonly recordStatus: string | undefined;
  /** The buyer's consent that it is about, by its `authState`: of a payment by token, and of a revocation. */
  readonly consent?: string | undefined;
}

/** A notification that a shop received. */
export interface Told {
  readonly atMs: number;
  readonly clientId: string;
  readonly isSigned: boolean;
  readonly notifyType: string;
  readonly resultStatus: string;
  readonly resultCode: string;
  readonly paymentId: string | undefined;
  readonly refundId: string | undefined;
  readonly captureId: string | undefined;
  readonly disputeId?: string | undefined;
  /** Of a dispute, and which of its changes. */
  readonly sequence?: number | undefined;
}

export interface FaultSeen {
  readonly kind: string;
  /** What it struck, for people. */
  readonly target: string;
  readonly atMs: number;
  readonly forMs: number;
}

export function newHistory(): History {
  return { answers: [], notifications: [], faults: [], unansweredAtMs: [], spendings: [] };
}
