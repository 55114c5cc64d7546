import {
  acceptReasons,
  disputeTypes,
  evidenceTypes,
  judgedResults,
  takesAnswer,
  type EvidenceType,
} from "./dispute-values.ts";
import { isCurrency } from "../core/currency.ts";
import type { Money } from "../core/money.ts";
import { isSequence, isPresent, readMoney, readText, readTime } from "./report-fields.ts";
import { disputeStates, type DisputeReport } from "./provider.ts";

const nameLengthMax = 64;
const reasonLengthMax = 256;

/** `readDispute` reads a provider's dispute; undefined if it is malformed. */
export function readDispute(value: unknown): DisputeReport | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const dispute = value as Readonly<Record<string, unknown>>;
  const providerDisputeId = textIn(dispute["providerDisputeId"], nameLengthMax);
  const reference = textIn(dispute["reference"], nameLengthMax);
  const paymentId = textIn(dispute["paymentId"], nameLengthMax);
  const type = oneOf(disputeTypes, dispute["disputeType"]);
  const state = oneOf(disputeStates, dispute["state"]);
  const amount = readMoney(dispute["amount"]);
  const createdAt = readTime(dispute["createdTime"]);
  const { sequence, defendable } = dispute;
  if (!providerDisputeId || !reference || !type || !state || !amount) return undefined;
  if (!createdAt || !isSequence(sequence)) return undefined;
  // A dispute without an answer is resolved in its first report, and no other type is ever RESOLVED.
  if (takesAnswer(type) === (state === "RESOLVED")) return undefined;
  const dueAt = readTime(dispute["dueTime"]);
  if (takesAnswer(type) && !dueAt) return undefined;
  const changedAt = readTime(dispute["changedTime"]);
  const takenAmount = readTakenAmount(dispute["takenAmount"]);
  const acceptReason = oneOf(acceptReasons, dispute["acceptReason"]);
  const judgedResult = oneOf(judgedResults, dispute["judgedResult"]);
  // An optional field of the report may be absent, but not unreadable: an unreadable amount is not zero.
  const optional = {
    paymentId,
    dueTime: dueAt,
    changedTime: changedAt,
    takenAmount,
    acceptReason,
    judgedResult,
  };
  const isUnreadable = Object.entries(optional).some(
    ([name, read]) => isPresent(dispute[name]) && read === undefined,
  );
  if (isUnreadable) return undefined;
  return {
    providerDisputeId,
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
    wantedEvidence: readWantedEvidence(dispute["wantedEvidence"]),
    reasonCode: textIn(dispute["reasonCode"], nameLengthMax) ?? "",
    reasonMessage: textIn(dispute["reasonMessage"], reasonLengthMax) ?? "",
    source: textIn(dispute["source"], nameLengthMax) ?? "",
    takenAmount,
    acceptReason,
    judgedResult,
    refused: false,
  };
}

/** `readTakenAmount` reads the amount that a dispute has debited. Unlike all other amounts, it may be zero. */
function readTakenAmount(value: unknown): Money | undefined {
  const { currency, value: minor } = (value ?? {}) as {
    readonly currency?: unknown;
    readonly value?: unknown;
  };
  const isZero = minor === "0" && typeof currency === "string" && isCurrency(currency);
  return isZero ? { currency, minor: 0n } : readMoney(value);
}

/**
 * `readWantedEvidence` reads the wanted types of evidence, without repeats. It ignores an unknown type: the list is only
 * information for the merchant, and a chargeback must not be lost with it.
 */
function readWantedEvidence(value: unknown): readonly EvidenceType[] {
  return Array.isArray(value) ? evidenceTypes.filter((type) => value.includes(type)) : [];
}

function oneOf<Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((each) => each === value);
}

function textIn(value: unknown, lengthMax: number): string | undefined {
  return readText(value)?.slice(0, lengthMax);
}
