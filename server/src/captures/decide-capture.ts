import type { ResultCode } from "../core/result.ts";
import type { ConnectorTerms } from "../providers/connector.ts";
import { evaluateReport, type MessageState, type UnsettledVerdict } from "../providers/provider-message.ts";
import type { CaptureReport } from "../providers/provider.ts";
import { captureFailureCode } from "./capture.ts";

/** The outcome of a provider's report of a capture: the capture is final, or its job continues. */
export type CaptureDecision =
  | { readonly kind: "ended"; readonly status: "SUCCESS" | "FAIL"; readonly resultCode: ResultCode }
  | UnsettledVerdict;

export function decideCapture(
  report: CaptureReport,
  sentMessage: Omit<MessageState, "acceptedAt">,
  terms: ConnectorTerms,
): CaptureDecision {
  // A provider captures immediately or not at all, so a capture is never accepted by the provider and still unfinished.
  const evaluation = evaluateReport(report, { ...sentMessage, acceptedAt: undefined }, terms);
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
