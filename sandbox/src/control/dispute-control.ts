import { isAmount } from "../wallet/amount.ts";
import { changeDispute, openDispute, paidMinorOf, type NewDispute } from "../wallet/change-dispute.ts";
import {
  disputeOnTheWire,
  disputeTypes,
  evidenceTypes,
  takesAnswer,
  type Dispute,
  type DisputeEvent,
  type DisputeType,
  type EvidenceType,
} from "../wallet/dispute.ts";
import type { Order } from "../wallet/order.ts";
import { ok, notFound, conflict, badRequest, type Outcome } from "../wallet/outcome.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { wireTime } from "../wallet/wire-time.ts";

/** The dispute events that the control API can cause. Only the merchant can defend. */
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

type Body = Readonly<Record<string, unknown>>;

const dueSecondsDefault = 7 * 24 * 3600;
const dueSecondsMax = 365 * 24 * 3600;

/** Opens a dispute of a payment, by the buyer or the card scheme. */
export function disputePayment(wallet: Wallet, paymentId: string, body: Body): Outcome {
  const order = wallet.projection.ordersOfPayment(paymentId).at(-1);
  return order ? disputeOrder(wallet, order, body) : notFound(`There is no order for payment ${paymentId}.`);
}

/** The buyer's bank returns a paid direct debit: a chargeback that is lost at once, for all that is not refunded. */
export function returnPayment(wallet: Wallet, paymentId: string): Outcome {
  const order = wallet.projection.ordersOfPayment(paymentId).at(-1);
  if (!order) return notFound(`There is no order for payment ${paymentId}.`);
  const { currency } = order.paidAmount ?? order.amount;
  return openedOutcome(
    openDispute(wallet, order, {
      disputeType: "CHARGEBACK",
      amount: { currency, value: String(paidMinorOf(order) ?? 0n) },
      reasonCode: "DIRECT_DEBIT_RETURNED",
      reasonMessage: "The buyer's bank returned the direct debit.",
      source: "Sandbox Bank",
      defendable: false,
      // The protocol requires a deadline of every chargeback. This one has passed, because it can not be answered.
      dueTime: wireTime(wallet.now()),
      judgedResult: "ACCEPT_BY_MERCHANT",
    }),
  );
}

export function disputeOrder(wallet: Wallet, order: Order, body: Body): Outcome {
  const newDispute = readDispute(body, order, wallet.now());
  if (typeof newDispute === "string") return badRequest(newDispute);
  return openedOutcome(openDispute(wallet, order, newDispute));
}

function openedOutcome(opened: Dispute | string): Outcome {
  return typeof opened === "string" ? conflict(opened) : ok({ dispute: disputeOnTheWire(opened) });
}

/** Returns the dispute that the body describes, or an error message. */
export function readDispute(body: Body, order: Order, nowMs: number): NewDispute | string {
  const { disputeType = "CHARGEBACK", amount = order.paidAmount ?? order.amount, defendable = true } = body;
  const {
    reasonCode = "4853",
    reasonMessage = "Goods were not as described.",
    source = "Sandbox Scheme",
  } = body;
  const { dueSeconds = dueSecondsDefault, wantedEvidence } = body;
  if (!isType(disputeType)) return `disputeType is one of ${disputeTypes.join(", ")}.`;
  if (!isAmount(amount)) return "amount is not an amount.";
  if (!isText(reasonCode, 64) || !isText(reasonMessage, 256) || !isText(source, 64))
    return "reasonCode, reasonMessage and source are texts.";
  if (typeof defendable !== "boolean") return "defendable is true or false.";
  if (wantedEvidence !== undefined && !areEvidenceTypes(wantedEvidence))
    return `wantedEvidence is a list of ${evidenceTypes.join(", ")}.`;
  if (!isSeconds(dueSeconds)) return `dueSeconds is a whole number from 0 to ${dueSecondsMax}.`;
  return {
    disputeType,
    amount: { currency: amount.currency, value: amount.value },
    reasonCode,
    reasonMessage,
    source,
    defendable: defendable && takesAnswer(disputeType),
    ...(wantedEvidence && { wantedEvidence }),
    ...(takesAnswer(disputeType) && { dueTime: wireTime(nowMs + dueSeconds * 1000) }),
  };
}

/**
 * Causes an event of a dispute. `name` is the wallet's id of the dispute, or a payment id, which means the newest
 * dispute of this payment.
 */
export function decideDispute(wallet: Wallet, name: string, event: DisputeAction, body: Body): Outcome {
  const dispute = wallet.projection.disputeNamed(name);
  if (!dispute) return notFound(`There is no dispute ${name}.`);
  const { amount } = body;
  if (amount !== undefined && !isAmount(amount)) return badRequest("amount is not an amount.");
  const takenAmount = amount && { currency: amount.currency, value: amount.value };
  const changed = changeDispute(wallet, dispute, {
    event,
    by: "control",
    ...(takenAmount && { takenAmount }),
  });
  return typeof changed === "string" ? conflict(changed) : ok({ dispute: disputeOnTheWire(changed) });
}

function isType(value: unknown): value is DisputeType {
  return disputeTypes.some((each) => each === value);
}

function areEvidenceTypes(value: unknown): value is readonly EvidenceType[] {
  return Array.isArray(value) && value.every((each) => evidenceTypes.some((type) => type === each));
}

function isText(value: unknown, lengthMax: number): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= lengthMax;
}

function isSeconds(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= dueSecondsMax;
}
