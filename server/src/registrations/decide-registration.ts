import type { RegistrationReport } from "../wallets/wallet.ts";
import type { WalletRegistration, WalletStatus } from "./registration.ts";

/** What follows from a wallet's report of a registration that it has not decided. */
export type RegistrationDecision =
  | { readonly kind: "nothing" }
  | { readonly kind: "accepted" }
  /** The wallet has lost it, and gets it again. */
  | { readonly kind: "lost" }
  | {
      readonly kind: "decided";
      readonly status: Exclude<WalletStatus, "PROCESSING">;
      readonly rejectReasons: readonly string[];
    };

export function decideRegistration(
  { acceptedAt }: WalletRegistration,
  report: RegistrationReport | undefined,
): RegistrationDecision {
  switch (report?.state) {
    case "APPROVED":
    case "NOT_NEEDED":
      return { kind: "decided", status: report.state, rejectReasons: [] };
    case "REJECTED":
      return { kind: "decided", status: "REJECTED", rejectReasons: report.rejectReasons };
    case "PROCESSING":
      return { kind: acceptedAt ? "nothing" : "accepted" };
    case "NOT_FOUND":
      return { kind: "lost" };
    case undefined:
      return { kind: "nothing" };
  }
}
