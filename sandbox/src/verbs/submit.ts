import assert from "node:assert/strict";
import { applyAction } from "../wallet/apply-action.ts";
import { isAmount } from "../wallet/amount.ts";
import { verdictOnAgreement } from "../wallet/authorization.ts";
import { captureModes, sameOrder, type Order, type OrderTerms } from "../wallet/order.ts";
import { hashOfCode, isPaymentCode, verdictOn, type CodeVerdict } from "../wallet/payment-code.ts";
import type { Answer } from "../wallet/result.ts";
import { newRandomId, type Wallet } from "../wallet/wallet.ts";
import {
  tombstoneReport,
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
  const walletOrderId = newRandomId("wo_");
  const codeVerdict = verdictOfOrder(wallet, rest);
  const order = { walletOrderId, token: newRandomId(""), ...rest, ...(codeVerdict && { codeVerdict }) };
  wallet.record({ ...callRecord("submit", fields, outcome), order });
  injectInquiryLag(wallet, { verb: "submit", reference, paymentId }, reference);
  const openedOrder = wallet.projection.orderById(walletOrderId);
  assert(openedOrder, "an order that was recorded is in the projection");
  return orderAnswer(wallet, applyCodeVerdict(wallet, openedOrder));
}

/** Validates the payment code or the agreement of the order; undefined if the buyer pays on the page. */
function verdictOfOrder(
  { projection, now }: Wallet,
  { codeHash, agreementHash }: Pick<OrderTerms, "codeHash" | "agreementHash">,
): CodeVerdict | undefined {
  if (agreementHash !== undefined)
    return verdictOnAgreement(projection.authorizationByAgreement(agreementHash));
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
];

function findInvalidField(fields: Fields): string | undefined {
  return rules.find(([field, isRight]) => !isRight(fields[field]))?.[0];
}

function termsOf(fields: Fields): OrderTerms {
  const text = (field: string): string => String(fields[field]);
  return {
    reference: text("reference"),
    paymentId: text("paymentId"),
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
  };
}

function isWebAddress(value: unknown): boolean {
  return isText(value, 2048) && /^https?:$/.test(URL.parse(value)?.protocol ?? "");
}
