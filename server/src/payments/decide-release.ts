import type { Verdict } from "../providers/provider-message.ts";
import type { OrderReport } from "../providers/provider.ts";
import { orderMismatch } from "./decide-payment.ts";
import type { Payment } from "./payment.ts";

/** Alert text for each order state after a release request; undefined means that the hold is released. */
const releaseProblems: Readonly<Record<OrderReport["state"], string | undefined>> = {
  CLOSED: undefined,
  LAPSED: undefined,
  // A declined order is final and was never paid, so no money is held.
  DECLINED: undefined,
  AUTHORIZED: "The payment provider still holds money that it was requested to release.",
  PAID: "The payment provider collected money that it should only authorize.",
  OPEN: "The payment provider waits for the buyer, although it reported an authorization hold.",
  PENDING: "The payment provider reports an authorized order as pending.",
  // The state REFUSED is unexpected: a provider refuses only a submit, never a release.
  REFUSED: "The payment provider refuses to release the authorization hold.",
  NOT_FOUND: "The payment provider does not know the authorization hold any more.",
  // The states of an inquiry, and a cancel is none.
  NO_QUERY: "The payment provider does not know the authorization hold any more.",
  INCONSISTENT: "The payment provider reports another action under this reference.",
};

/**
 * `decideRelease` decides whether the hold is released. A contradiction alerts the operator once, and the release is
 * retried.
 */
export function decideRelease(report: OrderReport, payment: Pick<Payment, "paymentId" | "amount">): Verdict {
  const mismatch = orderMismatch(payment, report);
  if (mismatch !== undefined) return { kind: "contradiction", why: mismatch, lastResult: "MISMATCH" };
  const { state, cancel } = report;
  if (state === "AUTHORIZED" && cancel?.state === "PROCESSING") return { kind: "open" };
  if (state === "AUTHORIZED" && cancel?.state === "FAILED")
    return { kind: "refused", resultCode: cancel.resultCode };
  const why = releaseProblems[state];
  return why === undefined ? { kind: "done" } : { kind: "contradiction", why, lastResult: state };
}
