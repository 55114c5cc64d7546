import { acceptReasons, disputeTypes, judgedResults } from "../disputes/dispute.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { readMoney } from "./order-report.ts";
import { disputeStates, type DisputeReport } from "./wallet.ts";

const nameLengthMax = 64;
const reasonLengthMax = 256;

/** Reads a wallet's dispute, or undefined when it does not say what it has to. */
export function readDispute(value: unknown): DisputeReport | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const dispute = value as Readonly<Record<string, unknown>>;
  const walletDisputeId = textIn(dispute["walletDisputeId"], nameLengthMax);
  const reference = textIn(dispute["reference"], nameLengthMax);
  const type = oneOf(disputeTypes, dispute["disputeType"]);
  const state = oneOf(disputeStates, dispute["state"]);
  const amount = readMoney(dispute["amount"]);
  const createdAt = timeIn(dispute["createdTime"]);
  const { sequence, defendable } = dispute;
  if (!walletDisputeId || !reference || !type || !state || !amount) return undefined;
  if (!createdAt || !isCount(sequence)) return undefined;
  // An RDR is over when it comes, and nothing else is.
  if ((type === "RDR") !== (state === "RESOLVED")) return undefined;
  const dueAt = timeIn(dispute["dueTime"]);
  if (type !== "RDR" && !dueAt) return undefined;
  return {
    walletDisputeId,
    reference,
    type,
    state,
    amount,
    createdAt,
    changedAt: timeIn(dispute["changedTime"]) ?? createdAt,
    dueAt,
    sequence,
    defendable: defendable === true,
    reasonCode: textIn(dispute["reasonCode"], nameLengthMax) ?? "",
    reasonMessage: textIn(dispute["reasonMessage"], reasonLengthMax) ?? "",
    source: textIn(dispute["source"], nameLengthMax) ?? "",
    takenAmount: readMoney(dispute["takenAmount"]),
    acceptReason: oneOf(acceptReasons, dispute["acceptReason"]),
    judgedResult: oneOf(judgedResults, dispute["judgedResult"]),
    refused: false,
  };
}

function oneOf<Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((each) => each === value);
}

function textIn(value: unknown, lengthMax: number): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, lengthMax) : undefined;
}

function timeIn(value: unknown): Date | undefined {
  const timeMs = typeof value === "string" ? parseRequestTime(value) : undefined;
  return timeMs === undefined ? undefined : new Date(timeMs);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value < 2 ** 31;
}
