import assert from "node:assert/strict";
import { applyAction } from "../wallet/apply-action.ts";
import { isAmount } from "../wallet/amount.ts";
import { verdictOnAgreement } from "../wallet/authorization.ts";
import { actionFaults, type ChosenAction } from "../wallet/next-action.ts";
import { isOrderData } from "../wallet/order-data.ts";
import { captureModes, sameOrder, type Order, type OrderTerms } from "../wallet/order.ts";
import { hashOfCode, isPaymentCode, verdictOn, type CodeVerdict } from "../wallet/payment-code.ts";
import type { Answer } from "../wallet/result.ts";
import { newRandomId, type Wallet } from "../wallet/wallet.ts";
import { wireTime } from "../wallet/wire-time.ts";
import {
  tombstoneReport,
  isProviderId,
  isReference,
  isText,
  isTime,
  isTooLate,
  injectInquiryLag,
  malformed,
  orderAnswer,
  callRecord,
  type Fields,
  type Verb,
} from "./verb.ts";

/**
 * Opens an order that a buyer can pay, or that a payment code or an agreement pays at once. Idempotent: the same
 * reference with the same content is always the same order.
 */
export const submit: Verb = {
  name: "submit",
  act(wallet, fields) {
    const invalidField = findInvalidField(fields);
    if (invalidField) {
      wallet.record(callRecord("submit", fields, "malformed"));
      return malformed(invalidField);
    }
    const terms = termsOf(fields);
    return wallet.projection.order(terms.reference)
      ? handleRepeat(wallet, fields, terms)
      : submitNew(wallet, fields, terms);
  },
};

function submitNew(wallet: Wallet, fields: Fields, terms: OrderTerms): Answer {
  const { reference } = terms;
  if (wallet.projection.isTombstoned(reference)) {
    wallet.record(callRecord("submit", fields, "tombstoned"));
    return { code: "SUCCESS", fields: tombstoneReport(reference) };
  }
  if (isTooLate(wallet, fields)) {
    wallet.record(callRecord("submit", fields, "too-late"));
    wallet.record({ kind: "tombstone", reference, because: "too-late" });
    return { code: "ORDER_IS_CLOSED", fields: tombstoneReport(reference) };
  }
  return openOrder(wallet, fields, terms, "opened");
}

function handleRepeat(wallet: Wallet, fields: Fields, terms: OrderTerms): Answer {
  const { reference, paymentId } = terms;
  const order = wallet.projection.order(reference);
  if (!order || !sameOrder(order, terms)) {
    wallet.record(callRecord("submit", fields, "inconsistent"));
    return { code: "REPEAT_REQ_INCONSISTENT" };
  }
  if (wallet.faults.take(["not-idempotent"], { verb: "submit", reference, paymentId }))
    return openOrder(wallet, fields, terms, "opened-again");
  wallet.record(callRecord("submit", fields, "repeated"));
  // Crash recovery: a repeated request applies the code's verdict, because the process may have stopped between the
  // order and the effect of its code.
  return orderAnswer(wallet, applyCodeVerdict(wallet, order));
}

function openOrder(
  wallet: Wallet,
  fields: Fields,
  terms: OrderTerms,
  outcome: "opened" | "opened-again",
): Answer {
  const { reference, paymentId, amount: _, paymentMethodType: __, ...rest } = terms;
  const providerOrderId = newRandomId("wo_");
  const codeVerdict = verdictOfOrder(wallet, rest);
  const chosenAction = chooseAction(wallet, terms);
  const order = {
    providerOrderId,
    token: newRandomId(""),
    ...rest,
    ...(codeVerdict && { codeVerdict }),
    ...(chosenAction && { chosenAction }),
  };
  wallet.record({ ...callRecord("submit", fields, outcome), order });
  injectInquiryLag(wallet, { verb: "submit", reference, paymentId }, reference);
  const openedOrder = wallet.projection.orderById(providerOrderId);
  assert(openedOrder, "an order that was recorded is in the projection");
  return orderAnswer(wallet, applyCodeVerdict(wallet, openedOrder));
}

const codeLifetimeMsDefault = 60_000;

/** The next action of the buyer that a test has chosen for this order. */
function chooseAction(wallet: Wallet, { reference, paymentId }: OrderTerms): ChosenAction | undefined {
  const fault = wallet.faults.take(actionFaults, { verb: "submit", reference, paymentId });
  const kind = actionFaults.find((each) => each === fault?.kind);
  if (!fault || !kind) return undefined;
  const lifetimeMs = fault.delayMs || (kind === "action-code" ? codeLifetimeMsDefault : 0);
  if (lifetimeMs === 0 || (kind !== "action-code" && kind !== "action-wait")) return { kind };
  return { kind, lifetimeMs, expiryTime: wireTime(wallet.now() + lifetimeMs) };
}

/** Validates the payment code or the agreement of the order; undefined if the buyer pays on the page. */
function verdictOfOrder(
  { projection, now }: Wallet,
  { codeHash, agreementHash, account }: Pick<OrderTerms, "codeHash" | "agreementHash" | "account">,
): CodeVerdict | undefined {
  if (agreementHash !== undefined) {
    const agreement = projection.authorizationByAgreement(agreementHash);
    return verdictOnAgreement(agreement?.account === account ? agreement : undefined);
  }
  return codeHash === undefined ? undefined : verdictOn(projection.paymentCode(codeHash), now());
}

/**
 * Applies the verdict on the payment code or agreement to an open order. Without a verdict, or if the buyer must
 * confirm, the order stays open.
 */
function applyCodeVerdict(wallet: Wallet, order: Order): Order {
  const { state, codeVerdict } = order;
  if (state !== "OPEN" || !codeVerdict || codeVerdict.kind === "asks") return order;
  const settled =
    codeVerdict.kind === "approved"
      ? applyAction(wallet, order, { action: "approve", by: "buyer" })
      : applyAction(wallet, order, { action: "decline", by: "buyer", resultCode: codeVerdict.resultCode });
  // An order that arrives after its expiryTime stays open, like any other, until the gateway cancels it.
  return typeof settled === "string" ? order : settled;
}

const rules: readonly (readonly [field: string, isRight: (value: unknown) => boolean])[] = [
  ["reference", isReference],
  ["paymentId", isReference],
  ["merchantId", isReference],
  ["account", (value) => value === undefined || isProviderId(value)],
  ["registrationId", (value) => value === undefined || isProviderId(value)],
  ["merchantName", (value) => isText(value, 256)],
  ["description", (value) => isText(value, 512)],
  ["amount", isAmount],
  ["paymentMethodType", isReference],
  ["notAfter", isTime],
  ["expiryTime", isTime],
  ["callbackUrl", isWebAddress],
  ["capture", (value) => value === undefined || captureModes.some((mode) => mode === value)],
  ["redirectUrl", (value) => value === undefined || isText(value, 2048)],
  ["paymentCode", (value) => value === undefined || isPaymentCode(value)],
  ["agreementToken", (value) => value === undefined || isText(value, 2048)],
  ["data", (value) => value === undefined || isOrderData(value)],
];

function findInvalidField(fields: Fields): string | undefined {
  return rules.find(([field, isRight]) => !isRight(fields[field]))?.[0];
}

function termsOf(fields: Fields): OrderTerms {
  const text = (field: string): string => String(fields[field]);
  return {
    reference: text("reference"),
    paymentId: text("paymentId"),
    merchantId: text("merchantId"),
    ...(fields["account"] !== undefined && { account: text("account") }),
    ...(fields["registrationId"] !== undefined && { registrationId: text("registrationId") }),
    merchantName: text("merchantName"),
    description: text("description"),
    amount: fields["amount"] as OrderTerms["amount"],
    paymentMethodType: text("paymentMethodType"),
    capture: fields["capture"] === "MANUAL" ? "MANUAL" : "AUTOMATIC",
    expiryTime: text("expiryTime"),
    callbackUrl: text("callbackUrl"),
    ...(fields["redirectUrl"] !== undefined && { redirectUrl: text("redirectUrl") }),
    ...(fields["paymentCode"] !== undefined && { codeHash: hashOfCode(text("paymentCode")) }),
    ...(fields["agreementToken"] !== undefined && { agreementHash: hashOfCode(text("agreementToken")) }),
    ...(fields["data"] !== undefined && { dataGroups: Object.keys(fields["data"] as object) }),
  };
}

function isWebAddress(value: unknown): boolean {
  return isText(value, 2048) && /^https?:$/.test(URL.parse(value)?.protocol ?? "");
}
