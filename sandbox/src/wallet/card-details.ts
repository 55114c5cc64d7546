import { createHash } from "node:crypto";
import type { Amount } from "./amount.ts";
import { parseTime } from "./wire-time.ts";
import { findTestCard, testCards, type TestCard } from "./test-cards.ts";

/** The fields of an order from which its details follow. */
export interface DecidedOrder {
  readonly providerOrderId: string;
  readonly state: string;
  readonly amount: Amount;
  readonly paidTime?: string;
  readonly resultCode?: string;
  /** The name of the test card; undefined if the control interface has decided without one. */
  readonly card?: string;
  /** Set by the fault card-number. */
  readonly hasCardNumber?: boolean;
}

/** The `details` of an order by card; undefined until the bank has decided. */
export function cardDetails(order: DecidedOrder): object | undefined {
  const card = cardOf(order);
  const known = { cardBrand: "MASTERCARD", cardLastFour: card.number.slice(order.hasCardNumber ? 0 : -4) };
  if (order.state === "DECLINED") return { ...known, ...declineDetails(card, order) };
  return order.paidTime === undefined
    ? undefined
    : { ...known, ...approvalDetails(card, order, order.paidTime) };
}

function cardOf({ card, state, resultCode }: DecidedOrder): TestCard {
  const isLike = ({ outcome }: TestCard): boolean =>
    state === "DECLINED"
      ? outcome.kind === "declined" && outcome.resultCode === resultCode
      : outcome.kind === "approved";
  const found = findTestCard(card ?? null) ?? testCards.find(isLike) ?? testCards[0];
  if (!found) throw new Error("There is no test card.");
  return found;
}

/** The outcome of 3-D Secure of an approved card; FRICTIONLESS for the others. */
const threeDSecureOutcomes: Readonly<Record<string, string>> = {
  "bank-asks": "AUTHENTICATED",
  "slow-bank": "NOT_ATTEMPTED",
  "answer-lost": "ATTEMPTED",
};

function approvalDetails(
  { name }: TestCard,
  { providerOrderId, amount }: DecidedOrder,
  paidTime: string,
): object {
  const outcome = threeDSecureOutcomes[name] ?? "FRICTIONLESS";
  const isLiabilityShifted = outcome !== "NOT_ATTEMPTED";
  return {
    issuerResultCode: "00",
    avsResult: "Y",
    cvcResult: "M",
    threeDSecure: { version: "2.2.0", outcome, isLiabilityShifted },
    networkTransactionId: networkTransactionId(providerOrderId, paidTime),
    fee: { currency: amount.currency, value: String((BigInt(amount.value) * feePercent) / 100n) },
    valueDate: dayOf((parseTime(paidTime) ?? 0) + daysUntilCredit * 24 * 3600 * 1000),
  };
}

const feePercent = 2n;
const daysUntilCredit = 2;

/** The codes of ISO 8583 with which an issuer gives these reasons; 05 (do not honour) for all others. */
const issuerCodes: Readonly<Record<string, string>> = {
  USER_BALANCE_NOT_ENOUGH: "51",
  INVALID_EXPIRATION_DATE: "54",
  INVALID_CARD_NUMBER: "14",
  SELECTED_CARD_BRAND_NOT_AVAILABLE: "57",
  SUSPECTED_CARD: "59",
  AUTHENTICATION_REQUIRED: "1A",
};

function declineDetails({ outcome }: TestCard, { resultCode = "" }: DecidedOrder): object {
  const threeDSecure = { version: "2.2.0", outcome: "FAILED", isLiabilityShifted: false };
  return {
    issuerResultCode: issuerCodes[resultCode] ?? "05",
    ...(outcome.kind === "challenge" && { threeDSecure }),
  };
}

/** An id in the form of Mastercard's: the network's file, nine characters, and the day. */
function networkTransactionId(providerOrderId: string, paidTime: string): string {
  const digest = createHash("sha256").update(providerOrderId).digest("hex").slice(0, 6).toUpperCase();
  return `MCC${digest}${dayOf(parseTime(paidTime) ?? 0)
    .slice(5)
    .replace("-", "")}`;
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
