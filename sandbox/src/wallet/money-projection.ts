import assert from "node:assert/strict";
import type { Amount } from "./amount.ts";
import type { CallReceived, Line } from "./effect.ts";
import type { MoneyKind, MoneyRecord, MoneyState, MoneyTerms, PlannedEnd } from "./money-record.ts";
import { wholeSeconds } from "./wire-time.ts";

/** A movement of money, as the settlement file lists it. */
export interface Movement {
  readonly kind: "payment" | "capture" | "refund" | "refund_reversal" | "chargeback";
  readonly reference: string;
  /** The reference of the capture, refund or dispute; for a payment, the order's reference again. */
  readonly operationReference: string;
  readonly paymentId: string;
  readonly amount: Amount;
  readonly at: string;
}

/** The wallet's captures and refunds, derived only from the lines of its journal. */
export interface MoneyProjection {
  apply(line: Line): void;
  /** Returns the newest record with this reference; a wallet with the fault not-idempotent may have several. */
  moneyRecord(kind: MoneyKind, moneyReference: string): MoneyRecord | undefined;
  /** Oldest first. */
  moneyRecords(kind: MoneyKind, moneyReference: string): readonly MoneyRecord[];
  moneyRecordById(providerMoneyId: string): MoneyRecord | undefined;
  /** The captures and refunds that are PROCESSING. */
  pendingMoney(): readonly MoneyRecord[];
  /** Oldest first. */
  movements(): readonly Movement[];
}

export function newMoneyProjection(): MoneyProjection {
  const records = new Map<string, MoneyRecord>();
  const idsByReference = new Map<string, string[]>();
  const pendingIds = new Set<string>();
  const movements: Movement[] = [];

  function store(step: MoneyStep, at: string): void {
    const { providerMoneyId, kind, moneyReference, state, resultCode } = step;
    const before = records.get(providerMoneyId);
    const name = `${kind} ${moneyReference}`;
    if (!before) idsByReference.set(name, [...(idsByReference.get(name) ?? []), providerMoneyId]);
    records.set(providerMoneyId, {
      ...before,
      ...step,
      sequence: (before?.sequence ?? 0) + 1,
      ...(state === "DONE" && { doneTime: wholeSeconds(at) }),
      ...(resultCode && { resultCode }),
    });
    if (state === "PROCESSING") pendingIds.add(providerMoneyId);
    else pendingIds.delete(providerMoneyId);
  }

  const recordById = (id: string): MoneyRecord | undefined => records.get(id);
  const existingRecords = (ids: Iterable<string>): readonly MoneyRecord[] =>
    [...ids].flatMap((id) => records.get(id) ?? []);
  const recordsOf = (kind: MoneyKind, moneyReference: string): readonly MoneyRecord[] =>
    existingRecords(idsByReference.get(`${kind} ${moneyReference}`) ?? []);
  return {
    apply(line) {
      const step = readMoneyStep(line);
      if (step) store(step, line.at);
      const movement = movementOf(line);
      if (movement) movements.push(movement);
    },
    moneyRecord: (kind, moneyReference) => recordsOf(kind, moneyReference).at(-1),
    moneyRecords: recordsOf,
    moneyRecordById: recordById,
    pendingMoney: () => existingRecords(pendingIds),
    movements: () => movements,
  };
}

/** A new state of a capture or a refund. */
export interface MoneyStep extends MoneyTerms, PlannedEnd {
  readonly state: MoneyState;
  readonly resultCode?: string;
}

/** `readMoneyStep` returns the new state that a line gives to a capture or a refund; undefined for other lines. */
export function readMoneyStep(line: Line): MoneyStep | undefined {
  if (line.kind === "capture" || line.kind === "refund") return readStart(line.kind, line);
  if (line.kind === "captured" || line.kind === "capture-failed") {
    const { captureReference: moneyReference, providerCaptureId: providerMoneyId } = line;
    return readEnd(line, { kind: "capture", moneyReference, providerMoneyId });
  }
  if (line.kind === "refunded" || line.kind === "refund-failed") {
    const { refundReference: moneyReference, providerRefundId: providerMoneyId } = line;
    return readEnd(line, { kind: "refund", moneyReference, providerMoneyId });
  }
  return undefined;
}

/** Reads the start of a capture or a refund that did not complete at once. */
function readStart(kind: MoneyKind, line: CallReceived): MoneyStep | undefined {
  const { reference, amount } = line;
  const moneyReference = kind === "capture" ? line.captureReference : line.refundReference;
  const named = startedNames(line);
  if (!named) return undefined;
  assert(reference && moneyReference && amount, `a started ${kind} has its terms`);
  return { ...named, kind, reference, moneyReference, amount, state: "PROCESSING" };
}

function startedNames({ capture, refund }: CallReceived) {
  if (capture) {
    const { providerCaptureId: providerMoneyId, ...rest } = capture;
    return { ...rest, providerMoneyId };
  }
  if (!refund) return undefined;
  const { providerRefundId: providerMoneyId, ...rest } = refund;
  return { ...rest, providerMoneyId };
}

type EndLine = Line & { readonly kind: "captured" | "capture-failed" | "refunded" | "refund-failed" };

function readEnd(
  line: EndLine,
  names: Pick<MoneyTerms, "kind" | "moneyReference" | "providerMoneyId">,
): MoneyStep {
  const { reference, paymentId, providerOrderId, amount } = line;
  const terms = { ...names, reference, paymentId, providerOrderId, amount };
  return "resultCode" in line
    ? { ...terms, state: "FAILED", resultCode: line.resultCode }
    : { ...terms, state: "DONE" };
}

function movementOf(line: Line): Movement | undefined {
  if (line.kind === "dispute-opened" || line.kind === "dispute-changed") {
    const { reference, providerDisputeId: operationReference, paymentId, takenAmount: amount, at } = line;
    return amount && { kind: "chargeback", reference, operationReference, paymentId, amount, at };
  }
  if (
    line.kind !== "paid" &&
    line.kind !== "captured" &&
    line.kind !== "refunded" &&
    line.kind !== "refund-failed"
  )
    return undefined;
  const { reference, paymentId, amount, at } = line;
  const named = { reference, paymentId, amount, at };
  switch (line.kind) {
    case "paid":
      return { ...named, kind: "payment", operationReference: reference, amount: line.paidAmount ?? amount };
    case "captured":
      return { ...named, kind: "capture", operationReference: line.captureReference };
    case "refunded":
      return { ...named, kind: "refund", operationReference: line.refundReference };
    case "refund-failed":
      return line.isReversal
        ? { ...named, kind: "refund_reversal", operationReference: line.refundReference }
        : undefined;
  }
}
