import type { ResultCode } from "../../core/result.ts";
import type { ConnectorTerms } from "../../providers/connector.ts";
import {
  evaluateReport,
  type MessageState,
  type UnsettledVerdict,
} from "../../providers/provider-message.ts";
import type { OrderReport, RefundReport } from "../../providers/provider.ts";
import { decideRelease } from "../decide-release.ts";
import type { Payment } from "../payment.ts";
import type { Reversal } from "./reversal.ts";

/** The provider's report: on the refund of collected money, or on the order whose hold is released. */
export type ReversalReport = { readonly refund: RefundReport } | { readonly order: OrderReport };

/** The outcome of a provider's report: the reversal is final, or its job continues. */
export type ReversalDecision =
  /** The provider has returned the money, or released the hold. */
  | { readonly kind: "sent back" }
  /**
   * The provider refused the reversal. The payment keeps the status that the merchant knows. `why` is the text of the
   * operator alert.
   */
  | { readonly kind: "refused"; readonly resultCode: ResultCode; readonly why?: string }
  | UnsettledVerdict;

/** The reversal and payment that a report is about. */
interface ReversalSubject {
  readonly reversal: Pick<Reversal, "reason" | "acceptedAt">;
  readonly payment: Pick<Payment, "paymentId" | "amount">;
}

export function decideReversal(
  { reversal: { reason, acceptedAt }, payment }: ReversalSubject,
  report: ReversalReport,
  sentMessage: Omit<MessageState, "acceptedAt">,
  terms: ConnectorTerms,
): ReversalDecision {
  const verdict =
    "order" in report
      ? decideRelease(report.order, payment)
      : evaluateReport(report.refund, { ...sentMessage, acceptedAt }, terms);
  switch (verdict.kind) {
    case "done":
      return { kind: "sent back" };
    case "refused":
      return {
        ...verdict,
        ...(reason === "LATE_SUCCESS" && { why: refusedReversalAlert(verdict.resultCode) }),
      };
    case "accepted":
    case "open":
    case "contradiction":
      return verdict;
  }
}

/**
 * Alert text for a late success that stays in suspense. A refused cancel needs no alert, because the merchant gets its
 * result.
 */
function refusedReversalAlert(resultCode: ResultCode): string {
  return `The payment provider refuses the reversal: ${resultCode}.`;
}
