import type { ResultCode } from "../../core/result.ts";
import type { ConnectorTerms } from "../../providers/connector.ts";
import { judge, type AskedMessage, type Unsettled } from "../../providers/message.ts";
import type { OrderReport, RefundReport } from "../../providers/provider.ts";
import { judgeRelease } from "../hold.ts";
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
  | Unsettled;

/** The reversal and payment that a report is about. */
interface Reported {
  readonly reversal: Pick<Reversal, "reason" | "acceptedAt">;
  readonly payment: Pick<Payment, "paymentId" | "amount">;
}

export function decideReversal(
  { reversal: { reason, acceptedAt }, payment }: Reported,
  report: ReversalReport,
  asked: Omit<AskedMessage, "acceptedAt">,
  terms: ConnectorTerms,
): ReversalDecision {
  const verdict =
    "order" in report
      ? judgeRelease(report.order, payment)
      : judge(report.refund, { ...asked, acceptedAt }, terms);
  switch (verdict.kind) {
    case "done":
      return { kind: "sent back" };
    case "refused":
      return { ...verdict, ...(reason === "LATE_SUCCESS" && { why: keptBy(verdict.resultCode) }) };
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
function keptBy(resultCode: ResultCode): string {
  return `The payment provider refuses the reversal: ${resultCode}.`;
}
