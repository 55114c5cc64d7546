import { isAmount } from "./amount.ts";
import { changeDispute, openDispute } from "./change-dispute.ts";
import { disputeOnTheWire, disputeTypes, type DisputeEvent, type DisputeType } from "./dispute.ts";
import type { Wallet } from "./wallet.ts";
import { wireTime } from "./wire-time.ts";

/** What control can have happen to a dispute; defending is the merchant's alone. */
export const disputeActions = [
  "accept",
  "expire",
  "cancel",
  "judge-won",
  "judge-lost",
  "validate",
  "invalidate",
] as const satisfies readonly DisputeEvent[];

export type DisputeAction = (typeof disputeActions)[number];

interface Outcome {
  readonly status: number;
  readonly answer: object;
}

type Body = Readonly<Record<string, unknown>>;

const dueSecondsDefault = 7 * 24 * 3600;
const dueSecondsMax = 365 * 24 * 3600;

/** A buyer, or the scheme, disputes a payment. */
export function disputePayment(wallet: Wallet, paymentId: string, body: Body): Outcome {
  const order = wallet.book.ordersOfPayment(paymentId).at(-1);
  if (!order) return { status: 404, answer: { problem: `There is no order for payment ${paymentId}.` } };
  const { disputeType = "CHARGEBACK", amount = order.paidAmount ?? order.amount, defendable = true } = body;
  const {
    reasonCode = "4853",
    reasonMessage = "Goods were not as described.",
    source = "Sandbox Scheme",
  } = body;
  const { dueSeconds = dueSecondsDefault } = body;
  if (!isType(disputeType)) return wrong(`disputeType is one of ${disputeTypes.join(", ")}.`);
  if (!isAmount(amount)) return wrong("amount is not an amount.");
  if (!isText(reasonCode, 64) || !isText(reasonMessage, 256) || !isText(source, 64))
    return wrong("reasonCode, reasonMessage and source are texts.");
  if (typeof defendable !== "boolean") return wrong("defendable is true or false.");
  if (!isSeconds(dueSeconds)) return wrong(`dueSeconds is a whole number from 0 to ${dueSecondsMax}.`);

  const dueTime = wireTime(wallet.now() + dueSeconds * 1000);
  const opened = openDispute(wallet, order, {
    disputeType,
    amount: { currency: amount.currency, value: amount.value },
    reasonCode,
    reasonMessage,
    source,
    defendable: defendable && disputeType !== "RDR",
    ...(disputeType !== "RDR" && { dueTime }),
  });
  return typeof opened === "string" ? notNow(opened) : done(disputeOnTheWire(opened));
}

/** By the wallet's name for it, or by the payment: then it is the newest. */
export function decideDispute(wallet: Wallet, name: string, event: DisputeAction, body: Body): Outcome {
  const dispute = wallet.book.disputeNamed(name);
  if (!dispute) return { status: 404, answer: { problem: `There is no dispute ${name}.` } };
  const { amount } = body;
  if (amount !== undefined && !isAmount(amount)) return wrong("amount is not an amount.");
  const takenAmount = amount && { currency: amount.currency, value: amount.value };
  const changed = changeDispute(wallet, dispute, {
    event,
    by: "control",
    ...(takenAmount && { takenAmount }),
  });
  return typeof changed === "string" ? notNow(changed) : done(disputeOnTheWire(changed));
}

function done(dispute: object): Outcome {
  return { status: 200, answer: { dispute } };
}

function notNow(problem: string): Outcome {
  return { status: 409, answer: { problem } };
}

function wrong(problem: string): Outcome {
  return { status: 400, answer: { problem } };
}

function isType(value: unknown): value is DisputeType {
  return disputeTypes.some((each) => each === value);
}

function isText(value: unknown, lengthMax: number): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= lengthMax;
}

function isSeconds(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= dueSecondsMax;
}
