import type { RegistrationReport } from "../providers/provider.ts";
import type { ProviderRegistration, ProviderStatus } from "./registration.ts";

/** The outcome of a provider's report of a registration that it has not decided yet. */
export type RegistrationDecision =
  | { readonly kind: "nothing" }
  | { readonly kind: "accepted" }
  /** The provider has lost the registration, so the job sends it again. */
  | { readonly kind: "lost" }
  | {
      readonly kind: "decided";
      readonly status: Exclude<ProviderStatus, "PROCESSING">;
      readonly rejectReasons: readonly string[];
      readonly providerRegistrationId?: string | undefined;
    };

export function decideRegistration(
  { acceptedAt }: ProviderRegistration,
  report: RegistrationReport | undefined,
): RegistrationDecision {
  switch (report?.state) {
    case "APPROVED": {
      const { providerRegistrationId } = report;
      return { kind: "decided", status: "APPROVED", rejectReasons: [], providerRegistrationId };
    }
    case "NOT_NEEDED":
      return { kind: "decided", status: "NOT_NEEDED", rejectReasons: [] };
    case "REJECTED":
      return { kind: "decided", status: "REJECTED", rejectReasons: report.rejectReasons };
    case "PROCESSING":
      return { kind: acceptedAt ? "nothing" : "accepted" };
    case "NOT_FOUND":
      return { kind: "lost" };
    case "NO_QUERY":
    case undefined:
      return { kind: "nothing" };
  }
}
