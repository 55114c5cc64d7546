import type { ResultCode } from "../core/result.ts";
import type { ConnectorTerms } from "../providers/connector.ts";
import { evaluateReport, type MessageState, type UnsettledVerdict } from "../providers/provider-message.ts";
import type { MoneyReport } from "../providers/provider.ts";
import { captureFailureCode } from "./capture.ts";

/** The outcome of a provider's report of a capture: the capture is final, or its job continues. */
export type CaptureDecision =
  | { readonly kind: "ended"; readonly status: "SUCCESS" | "FAIL"; readonly resultCode: ResultCode }
  | UnsettledVerdict;

export function decideCapture(
  report: MoneyReport,
  state: MessageState,
  terms: ConnectorTerms,
): CaptureDecision {
  const evaluation = evaluateReport(report, state, terms);
  switch (evaluation.kind) {
    case "done":
      return { kind: "ended", status: "SUCCESS", resultCode: "SUCCESS" };
    case "refused":
      return { kind: "ended", status: "FAIL", resultCode: captureFailureCode(evaluation.resultCode) };
    case "accepted":
    case "open":
    case "contradiction":
      return evaluation;
  }
}
