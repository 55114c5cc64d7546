import { acceptReasons, disputeTypes, judgedResults } from "./dispute-words.ts";
import { isCurrency } from "../core/currency.ts";
import type { Money } from "../core/money.ts";
import { isCount, isGiven, readMoney, readText, readTime } from "./order-report.ts";
import { disputeStates, type DisputeReport } from "./wallet.ts";

const nameLengthMax = 64;
const reasonLengthMax = 256;

/** Reads a wallet's dispute, or undefined when it is malformed. */
export function readDispute(value: unknown): DisputeReport | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const dispute = value as Readonly<Record<string, unknown>>;
  const walletDisputeId = textIn(dispute["walletDisputeId"], nameLengthMax);
  const reference = textIn(dispute["reference"], nameLengthMax);
  const paymentId = textIn(dispute["paymentId"], nameLengthMax);
  const type = oneOf(disputeTypes, dispute["disputeType"]);
  const state = oneOf(disputeStates, dispute["state"]);
  const amount = readMoney(dispute["amount"]);
  const createdAt = readTime(dispute["createdTime"]);
  const { sequence, defendable } = dispute;
  if (!walletDisputeId || !reference || !type || !state || !amount) return undefined;
  if (!createdAt || !isCount(sequence)) return undefined;
  // An RDR is over when it comes, and nothing else is.
  if ((type === "RDR") !== (state === "RESOLVED")) return undefined;
  const dueAt = readTime(dispute["dueTime"]);
  if (type !== "RDR" && !dueAt) return undefined;
  const changedAt = readTime(dispute["changedTime"]);
  const takenAmount = readTaken(dispute["takenAmount"]);
  const acceptReason = oneOf(acceptReasons, dispute["acceptReason"]);
  const judgedResult = oneOf(judgedResults, dispute["judgedResult"]);
  // An optional field may be absent, but not unreadable: an amount that we cannot read is not zero.
  const optional = {
    paymentId,
    dueTime: dueAt,
    changedTime: changedAt,
    takenAmount,
    acceptReason,
    judgedResult,
  };
  const isUnreadable = Object.entries(optional).some(
    ([name, read]) => isGiven(dispute[name]) && read === undefined,
  );
  if (isUnreadable) return undefined;
  return {
    walletDisputeId,
    reference,
    ...(paymentId !== undefined && { paymentId }),
    type,
    state,
    amount,
    createdAt,
    changedAt: changedAt ?? createdAt,
    dueAt,
    sequence,
    defendable: defendable === true,
    reasonCode: textIn(dispute["reasonCode"], nameLengthMax) ?? "",
    reasonMessage: textIn(dispute["reasonMessage"], reasonLengthMax) ?? "",
    source: textIn(dispute["source"], nameLengthMax) ?? "",
    takenAmount,
    acceptReason,
    judgedResult,
    refused: false,
  };
}

/** Unlike all other amounts this one may be zero. */
function readTaken(value: unknown): Money | undefined {
  const { currency, value: minor } = (value ?? {}) as {
    readonly currency?: unknown;
    readonly value?: unknown;
  };
  const isNothing = minor === "0" && typeof currency === "string" && isCurrency(currency);
  return isNothing ? { currency, minor: 0n } : readMoney(value);
}

function oneOf<Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((each) => each === value);
}

function textIn(value: unknown, lengthMax: number): string | undefined {
  return readText(value)?.slice(0, lengthMax);
}
