import type { DatabaseState, PaymentOperationRow, PaymentRow } from "./database-state.ts";
import type { OracleInput } from "./finding.ts";
import type { Answer, History, ReceivedWebhook } from "./history.ts";
import { checkInvariants } from "./oracle.ts";
import type { JournalLine } from "./journal-operations.ts";
import { readProviderJournal } from "./provider-journal.ts";

export const payment: PaymentRow = {
  clientId: "SHOP",
  paymentId: "p1",
  paymentRequestId: "order-1",
  status: "SUCCESS",
  resultCode: "SUCCESS",
  isManual: false,
  wasPaid: true,
  reference: "ref-1",
  hasNotifyUrl: true,
  isInStore: false,
  flow: "page",
  connector: "w",
  paidMinor: 1000n,
  capturedMinor: 0n,
  refundedMinor: 0n,
  feeBasisPoints: 0,
  createdAtMs: 0,
  expiresAtMs: 100_000,
  endedAtMs: 5_000,
  releasedAtMs: Infinity,
};
export const refund: PaymentOperationRow = {
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
  reversedAtMs: Infinity,
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
export const successWebhook: ReceivedWebhook = {
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
export const refundWebhook: ReceivedWebhook = {
  ...successWebhook,
  notifyType: "REFUND_RESULT",
  refundId: "r1",
};
const amount = { currency: "EUR", value: "1000" };
const refundAmount = { currency: "EUR", value: "400" };
export const opened: JournalLine = { kind: "submit", outcome: "opened", paymentId: "p1", reference: "ref-1" };
export const paid: JournalLine = {
  kind: "paid",
  paymentId: "p1",
  reference: "ref-1",
  providerOrderId: "wo",
  sequence: 2,
  paidAmount: amount,
};
export const refunded: JournalLine = {
  kind: "refunded",
  paymentId: "p1",
  refundReference: "back-1",
  amount: refundAmount,
};
export const confirmed: JournalLine = { kind: "callback", eventId: "wo-2" };
export const receivable = "provider receivable w";

interface CaseOverrides {
  readonly payments?: readonly PaymentRow[];
  readonly refunds?: readonly PaymentOperationRow[];
  readonly databaseState?: Partial<DatabaseState>;
  /** The refunded sum of each payment, if it is not that of its refunds. */
  readonly refundedMinor?: bigint;
  readonly answers?: readonly Answer[];
  readonly webhooks?: readonly ReceivedWebhook[];
  readonly effects?: readonly JournalLine[];
  readonly tokenPayments?: History["tokenPayments"];
  readonly lateCaptures?: History["lateCaptures"];
  readonly faults?: History["faults"];
  readonly rest?: Partial<OracleInput>;
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

/** A payment of 10 euro of which 4 were refunded. All sources agree, unless `overrides` changes one. */
export function findingsFor(overrides: CaseOverrides = {}): string[] {
  const {
    payments = [payment],
    refunds = [refund],
    effects = [opened, paid, confirmed, refunded],
  } = overrides;
  const sumRefunds = (rows: readonly PaymentOperationRow[]): bigint =>
    rows.reduce((sum, { status, minor }) => sum + (status === "FAIL" ? 0n : minor), 0n);
  const databaseState = {
    payments: payments.map((row) => ({
      ...row,
      refundedMinor:
        overrides.refundedMinor ?? sumRefunds(refunds.filter(({ paymentId }) => paymentId === row.paymentId)),
    })),
    refunds,
    captures: [],
    reversals: [],
    disputes: [],
    transfers,
    notifications: [],
    reserves: [],
    breaks: [],
    ...overrides.databaseState,
  };
  const history: History = {
    answers: [...(overrides.answers ?? [answer])],
    notifications: [...(overrides.webhooks ?? [successWebhook, refundWebhook])],
    faults: [...(overrides.faults ?? [])],
    unansweredAtMs: [],
    tokenPayments: [...(overrides.tokenPayments ?? [])],
    lateCaptures: [...(overrides.lateCaptures ?? [])],
  };
  const journal = readProviderJournal(effects);
  const findings = checkInvariants({
    history,
    databaseState,
    journal,
    unexpectedExits: [],
    suspiciousLines: [],
    ...overrides.rest,
  });
  return findings.map(({ kind, description }) => `${kind}: ${description}`);
}

export function newWebhook(resultStatus: string): ReceivedWebhook {
  return { ...successWebhook, resultStatus };
}
