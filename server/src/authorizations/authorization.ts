import { backOff, retryAt, type Backoff } from "../core/backoff.ts";
import type { Lifecycle } from "../core/lifecycle.ts";
import type { ResultCode } from "../core/result.ts";

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
  readonly connector: string;
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
export function isEndedByUs({ status }: Authorization): boolean {
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

const lookBackoff: Backoff = [30, 60, 120, 240];

/** Poll schedule. The wallet's callback usually comes first; polling covers lost callbacks. */
export function nextAuthorizationLookAt(authorization: Authorization, attempts: number, now: Date): Date {
  const { status, expiresAt } = authorization;
  if (isEnded(authorization)) return retryAt(attempts, now);
  if (status !== "ASKED") return new Date(expiresAt.getTime() + expiryGraceMs);
  const lookAtMs = backOff(lookBackoff, attempts, now).getTime();
  return new Date(now < expiresAt ? Math.min(lookAtMs, expiresAt.getTime()) : lookAtMs);
}
