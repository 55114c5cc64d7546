/** Everything that was seen from outside while the storm went on. The oracle judges this and nothing else. */
export interface History {
  readonly answers: Answer[];
  readonly notifications: Told[];
  readonly faults: FaultSeen[];
  /** When calls were given up that got no answer at all: reset, refused, or too late. */
  readonly unansweredAtMs: number[];
}

export type Verb = "pay" | "cancel" | "refund" | "capture" | "inquiryPayment" | "inquiryRefund";

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
}

export interface FaultSeen {
  readonly kind: string;
  /** What it struck, for people. */
  readonly target: string;
  readonly atMs: number;
  readonly forMs: number;
}

export function newHistory(): History {
  return { answers: [], notifications: [], faults: [], unansweredAtMs: [] };
}
