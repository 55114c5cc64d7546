import type { Evidence, PartRow, PaymentRow } from "./evidence.ts";
import type { Case } from "./finding.ts";
import type { Answer, History, Told } from "./history.ts";
import { judge } from "./oracle.ts";
import { readTruth, type EffectLine } from "./truth.ts";

export const payment: PaymentRow = {
  clientId: "SHOP",
  paymentId: "p1",
  paymentRequestId: "order-1",
  status: "SUCCESS",
  resultCode: "SUCCESS",
  isManual: false,
  wasPaid: true,
  reference: "ref-1",
  isToBeTold: true,
  isInStore: false,
  way: "page",
  connector: "w",
  paidMinor: 1000n,
  feeBasisPoints: 0,
  createdAtMs: 0,
  expiresAtMs: 100_000,
  endedAtMs: 5_000,
};
export const refund: PartRow = {
  clientId: "SHOP",
  id: "r1",
  requestId: "refund-1",
  paymentId: "p1",
  status: "SUCCESS",
  reference: "back-1",
  currency: "EUR",
  minor: 400n,
  createdAtMs: 0,
  endedAtMs: 5_000,
};
export const answer: Answer = {
  verb: "pay",
  requestId: "order-1",
  clientId: "SHOP",
  sentAtMs: 1,
  answeredAtMs: 2,
  httpStatus: 200,
  isSigned: true,
  resultStatus: "S",
  resultCode: "SUCCESS",
  id: "p1",
  recordStatus: undefined,
};
export const told: Told = {
  atMs: 3,
  clientId: "SHOP",
  isSigned: true,
  notifyType: "PAYMENT_RESULT",
  resultStatus: "S",
  resultCode: "SUCCESS",
  paymentId: "p1",
  refundId: undefined,
  captureId: undefined,
};
export const toldRefund: Told = { ...told, notifyType: "REFUND_RESULT", refundId: "r1" };
const amount = { currency: "EUR", value: "1000" };
const back = { currency: "EUR", value: "400" };
export const opened: EffectLine = { kind: "submit", outcome: "opened", paymentId: "p1", reference: "ref-1" };
export const paid: EffectLine = {
  kind: "paid",
  paymentId: "p1",
  reference: "ref-1",
  walletOrderId: "wo",
  sequence: 2,
  paidAmount: amount,
};
export const refunded: EffectLine = {
  kind: "refunded",
  paymentId: "p1",
  refundReference: "back-1",
  amount: back,
};
export const confirmed: EffectLine = { kind: "callback", eventId: "wo-2" };
export const receivable = "provider receivable w";

interface Given {
  readonly payments?: readonly PaymentRow[];
  readonly refunds?: readonly PartRow[];
  readonly evidence?: Partial<Evidence>;
  readonly answers?: readonly Answer[];
  readonly told?: readonly Told[];
  readonly effects?: readonly EffectLine[];
  readonly spendings?: History["spendings"];
  readonly faults?: History["faults"];
  readonly rest?: Partial<Case>;
}

export const transfer = {
  subjectId: "p1",
  effect: "payment",
  debit: receivable,
  credit: "merchant",
  currency: "EUR",
};
export const transfers = [
  { ...transfer, minor: 1000n },
  { ...transfer, subjectId: "r1", effect: "refund", debit: "merchant", credit: receivable, minor: 400n },
];

/** A payment of 10 euro of which 4 were refunded. All sources agree, unless `given` changes one. */
export function found(given: Given = {}): string[] {
  const { payments = [payment], refunds = [refund], effects = [opened, paid, confirmed, refunded] } = given;
  const evidence = {
    payments,
    refunds,
    captures: [],
    reversals: [],
    disputes: [],
    transfers,
    notifications: [],
    reserves: [],
    breaks: [],
    ...given.evidence,
  };
  const history: History = {
    answers: [...(given.answers ?? [answer])],
    notifications: [...(given.told ?? [told, toldRefund])],
    faults: [...(given.faults ?? [])],
    unansweredAtMs: [],
    spendings: [...(given.spendings ?? [])],
  };
  const truth = readTruth(effects);
  const findings = judge({ history, evidence, truth, ownEndings: [], suspiciousLines: [], ...given.rest });
  return findings.map(({ kind, what }) => `${kind}: ${what}`);
}

export function toldOf(resultStatus: string): Told {
  return { ...told, resultStatus };
}
