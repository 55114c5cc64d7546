import type { Lifecycle } from "../core/lifecycle.ts";
import type { ResultCode } from "../core/result.ts";
import type { AuthorizationReport } from "../wallets/wallet.ts";

export type AuthorizationStatus =
  | "ASKED"
  | "AGREED"
  | "ACTIVE"
  | "DECLINED"
  | "REVOKED"
  | "CANCELED"
  | "EXPIRED";

/** The merchant revokes, the buyer cancels. An end is final: the next one has a new `authState`. */
export const authorizationLifecycle = {
  // Race: a code may be exchanged before the wallet's callback says that the buyer has agreed.
  ASKED: ["AGREED", "ACTIVE", "DECLINED", "CANCELED", "EXPIRED"],
  AGREED: ["ACTIVE", "CANCELED", "EXPIRED"],
  ACTIVE: ["REVOKED", "CANCELED", "EXPIRED"],
  DECLINED: [],
  REVOKED: [],
  CANCELED: [],
  EXPIRED: [],
} as const satisfies Lifecycle<AuthorizationStatus>;

export const scopes = ["AGREEMENT_PAY", "BASE_USER_INFO", "USER_INFO"] as const;

/** A consent that a merchant asked a buyer for, and its state. */
export interface Authorization {
  readonly bucket: number;
  readonly clientId: string;
  readonly authorizationId: string;
  /** The merchant's own name for it. */
  readonly authState: string;
  readonly authClientId: string | undefined;
  /** The payment method that the tokens pay with. */
  readonly customerBelongsTo: string;
  readonly scopes: readonly string[];
  readonly redirectUrl: string;
  readonly notifyUrl: string | undefined;
  readonly fingerprint: Uint8Array;
  /** The connector's name. */
  readonly wallet: string;
  /** Idempotency key at the wallet: derived from the request, so that every retry sends the same. */
  readonly reference: string;
  /** The page on which the buyer agrees. */
  readonly walletUrl: string | undefined;
  readonly acceptedAt: Date | undefined;
  readonly status: AuthorizationStatus;
  /** Why it was declined. */
  readonly resultCode: ResultCode | undefined;
  /** Expiry of the current state: of the consent page, then the code, then the newest refresh token. */
  readonly expiresAt: Date;
  /** The wallet's own token, wrapped; gone when it has ended. */
  readonly sealedAgreement: Uint8Array | undefined;
  /** Masked by the wallet. */
  readonly userLoginId: string | undefined;
  /** When the wallet confirmed that we ended it. */
  readonly walletToldAt: Date | undefined;
  /** Version of this authorization. */
  readonly sequence: number;
  readonly createdAt: Date;
}

export const consentLifetimeMs = 30 * 60_000;
export const codeLifetimeMs = 10 * 60_000;

/** Grace period: an exchange that began in time may finish, and a slow wallet may still answer. */
const expiryGraceMs = 30_000;
/** How long the revoke of an expired one is retried. The wallet has known its expiry from the start. */
const tellExpiryForMs = 3_600_000;

/** Whether an expiry and its grace period are over, whatever the wallet says or does not say. */
export function isPastGrace(endsAt: Date, now: Date): boolean {
  return now.getTime() >= endsAt.getTime() + expiryGraceMs;
}

/** Whether it ended on our side, so that the wallet has to be told. */
function isEndedByUs({ status }: Authorization): boolean {
  return status === "REVOKED" || status === "EXPIRED";
}

export function isEnded({ status }: Authorization): boolean {
  return authorizationLifecycle[status].length === 0;
}

export type FollowStep = "send" | "ask" | "wait" | "revoke" | "nothing";

/** What it needs next. */
export function followStep(authorization: Authorization, now: Date): FollowStep {
  const { status, acceptedAt, walletToldAt, expiresAt } = authorization;
  if (isEndedByUs(authorization)) {
    const isToldLongEnough = status === "EXPIRED" && now.getTime() >= expiresAt.getTime() + tellExpiryForMs;
    return walletToldAt || isToldLongEnough ? "nothing" : "revoke";
  }
  if (isEnded(authorization)) return "nothing";
  // An expired consent is not sent: no buyer could agree to it.
  if (status === "ASKED") return acceptedAt || now >= expiresAt ? "ask" : "send";
  return "wait";
}

/** The outcome of a wallet's report, or of an expiry. */
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
    const isTold = isEndedByUs(authorization) && report && isEndedAtWallet(report);
    return { kind: isTold ? "told" : "nothing" };
  }
  if (report?.state === "CANCELED") {
    const { reason } = report;
    return moved({ status: "CANCELED", ...(reason !== undefined && { reason }) });
  }
  if (status === "ASKED") return decideAsked(authorization, report, now);
  const isOver = !report && isPastGrace(authorization.expiresAt, now);
  return isOver ? moved({ status: "EXPIRED" }) : { kind: "nothing" };
}

/** Whether it has ended at the wallet: no buyer can agree, and no payment be made by it. */
function isEndedAtWallet({ state }: AuthorizationReport): boolean {
  return state !== "OPEN" && state !== "AGREED" && state !== "ACTIVE";
}

function decideAsked(
  { acceptedAt, expiresAt }: Authorization,
  report: AuthorizationReport | undefined,
  now: Date,
): AuthorizationDecision {
  switch (report?.state) {
    case "AGREED": {
      const { authCode, url } = report;
      return moved({ status: "AGREED", authCode, ...(url !== undefined && { url }) });
    }
    case "DECLINED":
    case "REVOKED":
      return moved({ status: "DECLINED", resultCode: "AUTH_CANCELLED" });
    case "NOT_SUPPORTED":
      return moved({ status: "DECLINED", resultCode: "PAYMENT_METHOD_NOT_SUPPORTED" });
    case "OPEN":
    case "ACTIVE":
    case "CANCELED":
    case "NOT_FOUND":
    case undefined: {
      // Expires at once if the wallet has just answered, or after the grace period if it is silent.
      if (report ? now >= expiresAt : isPastGrace(expiresAt, now)) return moved({ status: "EXPIRED" });
      return report?.state === "OPEN" && !acceptedAt
        ? { kind: "accepted", url: report.url }
        : { kind: "nothing" };
    }
  }
}

function moved(change: AuthorizationChange): AuthorizationDecision {
  return { kind: "moved", change };
}

const lookGapsSeconds = [30, 60, 120, 240];
const retryGapsSeconds = [1, 2, 5, 10, 20, 40, 60];

/** Poll schedule. The wallet's callback usually comes first; polling covers lost callbacks. */
export function nextAuthorizationLookAt(authorization: Authorization, attempts: number, now: Date): Date {
  const { status, expiresAt } = authorization;
  if (isEnded(authorization)) return retryAuthorizationAt(attempts, now);
  if (status !== "ASKED") return new Date(expiresAt.getTime() + expiryGraceMs);
  const lookAtMs = now.getTime() + gapMs(lookGapsSeconds, attempts);
  return new Date(now < expiresAt ? Math.min(lookAtMs, expiresAt.getTime()) : lookAtMs);
}

/** Backoff: when to retry after a call to the wallet failed. */
export function retryAuthorizationAt(attempts: number, now: Date): Date {
  return new Date(now.getTime() + gapMs(retryGapsSeconds, attempts));
}

function gapMs(gapsSeconds: readonly number[], attempts: number): number {
  return (gapsSeconds[Math.min(attempts, gapsSeconds.length - 1)] ?? 0) * 1000;
}
