import { backOff, retryAt, type Backoff } from "../resilience/backoff.ts";
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

/**
 * Allowed transitions of an authorization. The merchant causes REVOKED, the buyer causes CANCELED. A final status never
 * changes: another consent needs a new `authState`.
 */
export const authorizationLifecycle = {
  // Race: a code may be exchanged before the provider's callback reports that the buyer has agreed.
  ASKED: ["AGREED", "ACTIVE", "DECLINED", "CANCELED", "EXPIRED"],
  AGREED: ["ACTIVE", "CANCELED", "EXPIRED"],
  ACTIVE: ["REVOKED", "CANCELED", "EXPIRED"],
  DECLINED: [],
  REVOKED: [],
  CANCELED: [],
  EXPIRED: [],
} as const satisfies Lifecycle<AuthorizationStatus>;

export const scopes = ["AGREEMENT_PAY", "BASE_USER_INFO", "USER_INFO"] as const;

/** A consent that a merchant requested from a buyer, with its status. */
export interface Authorization {
  readonly bucket: number;
  readonly clientId: string;
  readonly authorizationId: string;
  /** The merchant's own id of the authorization. */
  readonly authState: string;
  readonly authClientId: string | undefined;
  /** The payment method that the tokens charge. */
  readonly customerBelongsTo: string;
  readonly scopes: readonly string[];
  readonly redirectUrl: string;
  readonly notifyUrl: string | undefined;
  readonly fingerprint: Uint8Array;
  /** The name of the connector. */
  readonly connector: string;
  /** The merchant's account at the provider when the consent was requested. */
  readonly account: string | undefined;
  /** Idempotency key at the provider: derived from the request, so that each retry sends the same reference. */
  readonly reference: string;
  /** The provider's page on which the buyer agrees. */
  readonly providerUrl: string | undefined;
  readonly acceptedAt: Date | undefined;
  readonly status: AuthorizationStatus;
  /** The reason why the authorization was declined; undefined if it was not. */
  readonly resultCode: ResultCode | undefined;
  /**
   * Expiry of the authorization's current state: first of the consent page, then of the code, then of the newest
   * refresh token.
   */
  readonly expiresAt: Date;
  /** The provider's own token, encrypted; deleted when the authorization ends. */
  readonly sealedAgreement: Uint8Array | undefined;
  /** The buyer's account, masked by the provider. */
  readonly userLoginId: string | undefined;
  /** When the provider confirmed that the authorization ended on our side. */
  readonly providerNotifiedAt: Date | undefined;
  /** Version of the authorization; increases with each change. */
  readonly sequence: number;
  readonly createdAt: Date;
}

export const consentLifetimeMs = 30 * 60_000;
export const codeLifetimeMs = 10 * 60_000;

/** Grace period after an expiry: an exchange that started in time may finish, and a slow provider may still respond. */
const expiryGraceMs = 30_000;
/**
 * How long the job retries to revoke an expired authorization. It may give up then, because the provider has known the
 * expiry from the start.
 */
const revokeExpiredForMs = 3_600_000;

/** `isPastGrace` returns whether an expiry and its grace period have passed. */
export function isPastGrace(endsAt: Date, now: Date): boolean {
  return now.getTime() >= endsAt.getTime() + expiryGraceMs;
}

/**
 * `isEndedOnOurSide` returns whether the authorization ended without the provider, for example by the merchant or by
 * its expiry, so that the job must notify the provider.
 */
export function isEndedOnOurSide({ status }: Authorization): boolean {
  return status === "REVOKED" || status === "EXPIRED";
}

export function isEnded({ status }: Authorization): boolean {
  return authorizationLifecycle[status].length === 0;
}

export type FollowStep = "send" | "ask" | "wait" | "revoke" | "nothing";

/** `nextFollowStep` returns the next step of the job for this authorization. */
export function nextFollowStep(authorization: Authorization, now: Date): FollowStep {
  const { status, acceptedAt, providerNotifiedAt, expiresAt } = authorization;
  if (isEndedOnOurSide(authorization)) {
    const isRevokeOverdue = status === "EXPIRED" && now.getTime() >= expiresAt.getTime() + revokeExpiredForMs;
    return providerNotifiedAt || isRevokeOverdue ? "nothing" : "revoke";
  }
  if (isEnded(authorization)) return "nothing";
  // The job does not send a consent that has expired, because no buyer could agree to it.
  if (status === "ASKED") return acceptedAt || now >= expiresAt ? "ask" : "send";
  return "wait";
}

const pollBackoff: Backoff = [30, 60, 120, 240];

/**
 * The poll schedule of an authorization. The provider's callback usually comes first; polling covers lost callbacks.
 */
export function nextAuthorizationPollAt(authorization: Authorization, attempts: number, now: Date): Date {
  const { status, expiresAt } = authorization;
  if (isEnded(authorization)) return retryAt(attempts, now);
  if (status !== "ASKED") return new Date(expiresAt.getTime() + expiryGraceMs);
  const pollAtMs = backOff(pollBackoff, attempts, now).getTime();
  return new Date(now < expiresAt ? Math.min(pollAtMs, expiresAt.getTime()) : pollAtMs);
}
