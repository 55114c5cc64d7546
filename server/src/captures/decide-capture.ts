import type { ResultCode } from "../core/result.ts";
import type { ConnectorTerms } from "../wallets/connector.ts";
import { judge, type AskedMessage, type Unsettled } from "../wallets/message.ts";
import type { CaptureReport } from "../wallets/wallet.ts";
import { captureFailure } from "./capture.ts";

/** What follows from a wallet's report of a capture: it has ended, or its job goes on. */
export type CaptureDecision =
  | { readonly kind: "ended"; readonly status: "SUCCESS" | "FAIL"; readonly resultCode: ResultCode }
  | Unsettled;

export function decideCapture(
  report: CaptureReport,
  asked: Omit<AskedMessage, "acceptedAt">,
  terms: ConnectorTerms,
): CaptureDecision {
  // A wallet captures at once or not at all: there is none that it has accepted and not done.
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
