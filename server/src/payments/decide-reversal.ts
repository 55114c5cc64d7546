import type { ResultCode } from "../core/result.ts";
import type { ConnectorTerms } from "../wallets/connector.ts";
import { judge, type AskedMessage, type Unsettled } from "../wallets/message.ts";
import type { OrderReport, RefundReport } from "../wallets/wallet.ts";
import { judgeLetGo } from "./hold.ts";
import type { Payment } from "./payment.ts";
import type { Reversal } from "./reversal.ts";

/** The wallet's report: on a refund of money that was taken, or on the order whose hold is released. */
export type ReversalReport = { readonly refund: RefundReport } | { readonly order: OrderReport };

/** What follows from it: the reversal has ended, or its job goes on. */
export type ReversalDecision =
  /** The money has gone back, or the hold is released. */
  | { readonly kind: "sent back" }
  /** The payment stays as the merchant knows it. `why` alerts the operator. */
  | { readonly kind: "refused"; readonly resultCode: ResultCode; readonly why?: string }
  | Unsettled;

/** The reversal that a report is about. */
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
      ? judgeLetGo(report.order, payment)
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

/** A merchant is told of its cancel; of money that came too late nobody is, and it stays in suspense. */
function keptBy(resultCode: ResultCode): string {
  return `The wallet refuses to take the money back: ${resultCode}.`;
}
