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

/** The merchant revokes, the buyer cancels. Whatever has ended stays so: the next one has a new `authState`. */
export const authorizationLifecycle = {
  // A code may be exchanged before the wallet's word reaches us that the buyer has agreed.
  ASKED: ["AGREED", "ACTIVE", "DECLINED", "CANCELED", "EXPIRED"],
  AGREED: ["ACTIVE", "CANCELED", "EXPIRED"],
  ACTIVE: ["REVOKED", "CANCELED", "EXPIRED"],
  DECLINED: [],
  REVOKED: [],
  CANCELED: [],
  EXPIRED: [],
} as const satisfies Lifecycle<AuthorizationStatus>;

export const scopes = ["AGREEMENT_PAY", "BASE_USER_INFO", "USER_INFO"] as const;

/** What a merchant asked a buyer to agree to, and what has become of it. */
export interface Authorization {
  readonly bucket: number;
  readonly clientId: string;
  readonly authorizationId: string;
  /** The merchant's own name for it. */
  readonly authState: string;
  readonly authClientId: string | undefined;
  /** Whose customer the buyer is: the payment method that the tokens pay with. */
  readonly customerBelongsTo: string;
  readonly scopes: readonly string[];
  readonly redirectUrl: string;
  readonly notifyUrl: string | undefined;
  readonly fingerprint: Uint8Array;
  /** The connector's name. */
  readonly wallet: string;
  /** Under which the wallet knows it; derived from the request, so that it is the same on every try. */
  readonly reference: string;
  /** The page on which the buyer agrees. */
  readonly walletUrl: string | undefined;
  readonly acceptedAt: Date | undefined;
  readonly status: AuthorizationStatus;
  /** Why it was declined. */
  readonly resultCode: ResultCode | undefined;
  /** Until when it stays as it is: the consent page, then the code, then the newest refresh token. */
  readonly expiresAt: Date;
  /** The wallet's own token, wrapped; gone when it has ended. */
  readonly sealedAgreement: Uint8Array | undefined;
  /** Masked by the wallet. */
  readonly userLoginId: string | undefined;
  /** When the wallet has heard that we ended it. */
  readonly walletToldAt: Date | undefined;
  /** Grows with every change. */
  readonly sequence: number;
  readonly createdAt: Date;
}

export const consentLifetimeMs = 30 * 60_000;
export const codeLifetimeMs = 10 * 60_000;

/** An exchange that was begun in time is let come to its end, and a wallet that is slow is heard. */
const expiryGraceMs = 30_000;
/** A wallet that cannot be told of an expiry has known its time from the start. */
const tellExpiryForMs = 3_600_000;

/** Whether something is over that ends at a known time, whatever the wallet says or does not say. */
export function isPastGrace(endsAt: Date, now: Date): boolean {
  return now.getTime() >= endsAt.getTime() + expiryGraceMs;
}

/** Whether it ended on our side, which the wallet cannot know. */
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
  // Nobody could agree any more on a page that is opened past its end.
  if (status === "ASKED") return acceptedAt || now >= expiresAt ? "ask" : "send";
  return "wait";
}

/** What follows from a wallet's report, or from time alone. */
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

/** Whether nobody can agree or pay by it any more, whoever ended it. */
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
      // The wallet has just said that nobody has agreed, or says nothing; it is told that nobody may any more.
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

/** When to look at it again. The wallet's callback comes first as a rule: asking is for the case that it is lost. */
export function nextAuthorizationLookAt(authorization: Authorization, attempts: number, now: Date): Date {
  const { status, expiresAt } = authorization;
  if (isEnded(authorization)) return retryAuthorizationAt(attempts, now);
  if (status !== "ASKED") return new Date(expiresAt.getTime() + expiryGraceMs);
  const lookAtMs = now.getTime() + gapMs(lookGapsSeconds, attempts);
  return new Date(now < expiresAt ? Math.min(lookAtMs, expiresAt.getTime()) : lookAtMs);
}

/** When to try again after a wallet gave no answer. */
export function retryAuthorizationAt(attempts: number, now: Date): Date {
  return new Date(now.getTime() + gapMs(retryGapsSeconds, attempts));
}

function gapMs(gapsSeconds: readonly number[], attempts: number): number {
  return (gapsSeconds[Math.min(attempts, gapsSeconds.length - 1)] ?? 0) * 1000;
}
