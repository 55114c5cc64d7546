import type { ResultCode } from "../../core/result.ts";
import type { ConnectorTerms } from "../../providers/connector.ts";
import type { UnsettledVerdict } from "../../providers/provider-message.ts";
import type { OrderReport, MoneyReport } from "../../providers/provider.ts";
import { decideReturn } from "../../providers/decide-return.ts";
import { decideRelease } from "../decide-release.ts";
import type { Payment } from "../payment.ts";
import type { Reversal } from "./reversal.ts";

/** The provider's report: on the refund of collected money, or on the order whose hold is released. */
export type ReversalReport = { readonly refund: MoneyReport } | { readonly order: OrderReport };

/** The outcome of a provider's report: the reversal is final, or its job continues. */
export type ReversalDecision =
  /** The provider has returned the money, or released the hold. */
  | { readonly kind: "sent back" }
  /**
   * The provider refused the reversal. The payment keeps the status that the merchant knows. `why` is the text of the
   * operator alert.
   */
  | { readonly kind: "refused"; readonly resultCode: ResultCode; readonly why?: string }
  /** The provider had returned the money, and the buyer's bank did not keep it. An operator decides what follows. */
  | { readonly kind: "reversed"; readonly resultCode: ResultCode; readonly why: string }
  /** The final result stays, and the job ends. `why` is the text of the operator alert. */
  | { readonly kind: "unchanged"; readonly why?: string }
  | UnsettledVerdict;

/** The reversal and payment that a report is about. */
interface ReversalSubject {
  readonly reversal: Pick<Reversal, "reason" | "status" | "acceptedAt">;
  readonly payment: Pick<Payment, "paymentId" | "amount">;
}

export function decideReversal(
  { reversal, payment }: ReversalSubject,
  report: ReversalReport,
  job: Parameters<typeof decideReturn>[2],
  terms: ConnectorTerms,
): ReversalDecision {
  const verdict =
    "order" in report
      ? decideRelease(report.order, payment)
      : decideReturn(reversal, report.refund, job, terms);
  switch (verdict.kind) {
    case "done":
      return { kind: "sent back" };
    case "open":
      // From now on the gateway inquires about this cancel, because another cancel after its failure is a new attempt.
      return "order" in report && !reversal.acceptedAt ? { kind: "accepted" } : verdict;
    case "refused":
      return {
        ...verdict,
        ...(reversal.reason === "LATE_SUCCESS" && { why: refusedReversalAlert(verdict.resultCode) }),
      };
    case "reversed":
      return { ...verdict, why: "Money that was returned to the buyer came back, and is in suspense." };
    case "unchanged":
    case "accepted":
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
