import type { MoneyOperation, MoneyReport } from "../connector.ts";
import { toKnownOrder, type Order } from "../orders/order.ts";

export type MoneyKind = "capture" | "refund";

/** A row of `money_operations`. */
export interface OperationRow {
  readonly kind: MoneyKind;
  readonly reference: string;
  readonly orderReference: string;
  readonly currency: string;
  readonly amountMinor: string;
  readonly isLast: boolean;
  readonly firstSentAt: Date | null;
  readonly lastSentAt: Date | null;
  readonly keyNumber: number;
  readonly hasStoredError: boolean;
  readonly state: MoneyReport["state"] | "REJECTED" | null;
  readonly providerId: string | null;
  readonly sequence: number;
  readonly doneTime: string | null;
  readonly resultCode: string | null;
}

export type OperationChange = Pick<
  OperationRow,
  "state" | "providerId" | "sequence" | "doneTime" | "resultCode"
>;

/** The states that a report may give an operation. Only a refund can fail after it was done. */
export function decideOperationChange(
  row: OperationRow,
  report: MoneyReport,
): OperationChange | "same" | "contradiction" {
  if (row.state === report.state) return "same";
  const canChange =
    row.state === null ||
    row.state === "REJECTED" ||
    row.state === "PROCESSING" ||
    (row.kind === "refund" && row.state === "DONE" && report.state === "FAILED");
  // A provider that reports PROCESSING again has an older view of the operation.
  if (!canChange) return report.state === "PROCESSING" ? "same" : "contradiction";
  return {
    state: report.state,
    providerId: report.providerId,
    sequence: row.sequence + 1,
    doneTime: report.time ?? null,
    resultCode: report.resultCode ?? null,
  };
}

export function toMoneyOperation(row: OperationRow, order: Order): MoneyOperation {
  const { kind, reference, currency, amountMinor, isLast, providerId } = row;
  return {
    kind,
    reference,
    order: { ...toKnownOrder(order), providerOrderId: order.providerOrderId ?? order.reference },
    amount: { currency, value: amountMinor },
    isLast,
    ...(providerId !== null && { providerId }),
  };
}

/** The operation in the form of the provider protocol. */
export function toWireOperation(row: OperationRow): object {
  const { kind, reference, orderReference, currency, amountMinor, state, providerId, doneTime, resultCode } =
    row;
  const names =
    kind === "capture"
      ? { captureReference: reference, providerCaptureId: providerId ?? reference }
      : { refundReference: reference, providerRefundId: providerId ?? reference };
  return {
    reference: orderReference,
    ...names,
    state,
    amount: { currency, value: amountMinor },
    ...(state === "DONE" && doneTime !== null && { [`${kind}Time`]: doneTime }),
    ...(state === "FAILED" && { resultCode: resultCode ?? "PROCESS_FAIL" }),
  };
}
