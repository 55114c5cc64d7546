/**
 * Everything observed from outside during the storm, which is the load-and-fault test. The oracle compares it with the
 * database and the providers' journals.
 */
export interface History {
  readonly answers: Answer[];
  readonly notifications: ReceivedWebhook[];
  readonly faults: InjectedFault[];
  /** The times of calls without a response: reset, refused, or timed out. */
  readonly unansweredAtMs: number[];
  /** Payments by token, and when each was first requested. */
  readonly tokenPayments: TokenPayment[];
  /** Captures that were requested only after a response had reported that the hold was released. */
  readonly lateCaptures: LateCapture[];
}

/** A capture of a lapsed hold, which the gateway must reject. */
export interface LateCapture {
  readonly clientId: string;
  readonly requestId: string;
}

/** A payment requested with the token of a buyer's consent. */
export interface TokenPayment {
  readonly clientId: string;
  /** The consent's `authState`. */
  readonly consent: string;
  readonly requestId: string;
  readonly sentAtMs: number;
}

/** The operations that merchants call: path, the response field with the record's id, and the kind of record. */
export const verbs = {
  pay: { path: "payments/pay", id: "paymentId", record: "payment" },
  /**
   * Requests of a point of sale for a code or a page that the buyer uses. A success means that the code or page exists,
   * and not that the payment is paid.
   */
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
  inquiryEvents: { path: "tollgate/inquiryEvents", id: undefined, record: "feed" },
} as const;

export type Verb = keyof typeof verbs;

/** A response of the gateway to a merchant. */
export interface Answer {
  readonly verb: Verb;
  /** The request id of the record: of the payment, the refund or the capture. */
  readonly requestId: string;
  readonly clientId: string;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  readonly httpStatus: number;
  readonly isSigned: boolean;
  readonly resultStatus: string;
  readonly resultCode: string;
  /** The id of the payment, the refund or the capture in the response. */
  readonly id: string | undefined;
  /** The record's status, in the response to an inquiry. */
  readonly recordStatus: string | undefined;
  /** The `authState` of the buyer's consent, for a payment by token and for a revocation. */
  readonly consent?: string | undefined;
}

/** A webhook that a shop received. */
export interface ReceivedWebhook {
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
  /** The number of a dispute's change. */
  readonly sequence?: number | undefined;
}

export interface InjectedFault {
  readonly kind: string;
  /** The target of the fault, for people. */
  readonly target: string;
  readonly atMs: number;
  readonly forMs: number;
}

export function newHistory(): History {
  return {
    answers: [],
    notifications: [],
    faults: [],
    unansweredAtMs: [],
    tokenPayments: [],
    lateCaptures: [],
  };
}
