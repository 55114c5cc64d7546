import type { ResultCode } from "../core/result.ts";
import type { AuthorizationReport } from "../providers/provider.ts";
import {
  isEnded,
  isEndedOnOurSide,
  isPastGrace,
  type Authorization,
  type AuthorizationStatus,
} from "./authorization.ts";

/**
 * The outcome of a provider's report, or of an expiry. In the outcome `told`, the provider has confirmed that the
 * authorization ended.
 */
export type AuthorizationDecision =
  | { readonly kind: "nothing" }
  | { readonly kind: "accepted"; readonly url: string | undefined }
  | { readonly kind: "told" }
  | { readonly kind: "moved"; readonly change: AuthorizationChange };

export interface AuthorizationChange {
  readonly status: AuthorizationStatus;
  readonly resultCode?: ResultCode;
  readonly authCode?: string;
  readonly reason?: string;
  readonly url?: string;
}

export function decideAuthorization(
  authorization: Authorization,
  report: AuthorizationReport | undefined,
  now: Date,
): AuthorizationDecision {
  const { status } = authorization;
  if (isEnded(authorization)) {
    const isConfirmed = isEndedOnOurSide(authorization) && report && isEndedAtProvider(report);
    return { kind: isConfirmed ? "told" : "nothing" };
  }
  if (report?.state === "CANCELED") {
    const { reason } = report;
    return statusChange({ status: "CANCELED", ...(reason !== undefined && { reason }) });
  }
  if (status === "ASKED") return decideRequested(authorization, report, now);
  const hasExpired = !report && isPastGrace(authorization.expiresAt, now);
  return hasExpired ? statusChange({ status: "EXPIRED" }) : { kind: "nothing" };
}

/**
 * `isEndedAtProvider` returns whether the consent has ended at the provider, so that it can be neither agreed to nor
 * charged.
 */
function isEndedAtProvider({ state }: AuthorizationReport): boolean {
  return state !== "OPEN" && state !== "AGREED" && state !== "ACTIVE";
}

function decideRequested(
  { acceptedAt, expiresAt }: Authorization,
  report: AuthorizationReport | undefined,
  now: Date,
): AuthorizationDecision {
  switch (report?.state) {
    case "AGREED": {
      const { authCode, url } = report;
      return statusChange({ status: "AGREED", authCode, ...(url !== undefined && { url }) });
    }
    case "DECLINED":
    case "REVOKED":
      return statusChange({ status: "DECLINED", resultCode: "AUTH_CANCELLED" });
    case "NOT_SUPPORTED":
      return statusChange({ status: "DECLINED", resultCode: "PAYMENT_METHOD_NOT_SUPPORTED" });
    case "OPEN":
    case "ACTIVE":
    case "CANCELED":
    case "NOT_FOUND":
    case undefined: {
      // The consent expires immediately if the provider has just responded, or after the grace period if the provider
      // is silent.
      if (report ? now >= expiresAt : isPastGrace(expiresAt, now)) return statusChange({ status: "EXPIRED" });
      return report?.state === "OPEN" && !acceptedAt
        ? { kind: "accepted", url: report.url }
        : { kind: "nothing" };
    }
  }
}

function statusChange(change: AuthorizationChange): AuthorizationDecision {
  return { kind: "moved", change };
}
