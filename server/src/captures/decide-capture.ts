import type { ResultCode } from "../core/result.ts";
import type { ConnectorTerms } from "../providers/connector.ts";
import { judge, type AskedMessage, type Unsettled } from "../providers/message.ts";
import type { CaptureReport } from "../providers/provider.ts";
import { captureFailure } from "./capture.ts";

/** The outcome of a provider's report of a capture: the capture is final, or its job continues. */
export type CaptureDecision =
  | { readonly kind: "ended"; readonly status: "SUCCESS" | "FAIL"; readonly resultCode: ResultCode }
  | Unsettled;

export function decideCapture(
  report: CaptureReport,
  asked: Omit<AskedMessage, "acceptedAt">,
  terms: ConnectorTerms,
): CaptureDecision {
  // A provider captures immediately or not at all, so a capture is never accepted by the provider and still unfinished.
  const verdict = judge(report, { ...asked, acceptedAt: undefined }, terms);
  switch (verdict.kind) {
    case "done":
      return { kind: "ended", status: "SUCCESS", resultCode: "SUCCESS" };
    case "refused":
      return { kind: "ended", status: "FAIL", resultCode: captureFailure(verdict.resultCode) };
    case "accepted":
    case "open":
    case "contradiction":
      return verdict;
  }
}
