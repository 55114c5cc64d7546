import type { ResultCode } from "../core/result.ts";
import type { ConnectorTerms } from "./connector.ts";
import { evaluateReport, moneyBackoff, type MessageState, type Verdict } from "./provider-message.ts";
import type { MoneyReport } from "./provider.ts";

/** The outcome of a provider's report of a refund or a reversal. */
export type ReturnDecision =
  | Verdict
  /** The provider had returned the money, and the buyer's bank did not keep it. */
  | { readonly kind: "reversed"; readonly resultCode: ResultCode }
  /** The final result stays, and the job ends. `why` is the text of the operator alert. */
  | { readonly kind: "unchanged"; readonly why?: string };

/** A refund, or a reversal, which is a refund at the provider. */
interface ReturnedMoney {
  readonly status: "PROCESSING" | "SUCCESS" | "FAIL";
  readonly acceptedAt: Date | undefined;
}

/** The messages of the job, and the number of its attempts without progress. */
interface ReturnJob extends Omit<MessageState, "acceptedAt"> {
  readonly attempts: number;
}

/** `decideReturn` returns the outcome of a provider's report of a refund, also after the refund is final. */
export function decideReturn(
  { status, acceptedAt }: ReturnedMoney,
  report: MoneyReport,
  job: ReturnJob,
  terms: ConnectorTerms,
): ReturnDecision {
  if (status === "PROCESSING") return evaluateReport(report, { ...job, acceptedAt }, terms);
  if (report.state === "NO_QUERY") return { kind: "unchanged" };
  if (status === "SUCCESS") return decideAfterSuccess(report, job);
  const isRepeated = report.state === "FAILED" || report.state === "REFUSED" || report.state === "NOT_FOUND";
  return { kind: "unchanged", ...(!isRepeated && { why: contradictionText(report, status) }) };
}

/** Polls of a successful refund after a callback that may only have reported its success, within about 8 s. */
const repeatedSuccessPollsMax = 3;

/**
 * Decides a report after a callback that a successful refund failed. The provider's inquiry may lag behind the callback
 * (read replica), so the job polls for about 20 minutes before it ends with an alert. Without a last result, the job
 * was made due before the refund succeeded, usually by the callback about this success, so it ends soon and silently.
 */
function decideAfterSuccess(report: MoneyReport, { attempts, lastResult }: ReturnJob): ReturnDecision {
  if (report.state === "FAILED") return { kind: "reversed", resultCode: report.resultCode };
  if (report.state === "DONE" && lastResult === undefined && attempts >= repeatedSuccessPollsMax)
    return { kind: "unchanged" };
  if (attempts >= moneyBackoff.length)
    return {
      kind: "unchanged",
      why: "The payment provider's inquiries do not confirm its callback that a refund failed.",
    };
  if (report.state === "DONE") return { kind: "open" };
  return { kind: "contradiction", why: contradictionText(report, "SUCCESS"), lastResult: report.state };
}

function contradictionText({ state }: MoneyReport, status: ReturnedMoney["status"]): string {
  return `The payment provider reports ${state} for a refund that is ${status}.`;
}
