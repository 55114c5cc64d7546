import type { Lifecycle } from "../core/lifecycle.ts";
import type { ResultCode } from "../core/result.ts";
import { codeLifetimeMs, isEnded, type Authorization } from "./authorization.ts";

export type TokenStatus = "APPLIED" | "ISSUED" | "REFUSED" | "RETIRED";

/** Rotation: a pair retires when its replacement is used, or when the authorization ends. */
export const tokenLifecycle = {
  APPLIED: ["ISSUED", "REFUSED"],
  ISSUED: ["RETIRED"],
  REFUSED: [],
  RETIRED: [],
} as const satisfies Lifecycle<TokenStatus>;

/** A pair of access token and refresh token, requested with one code or one refresh token. */
export interface Token {
  readonly bucket: number;
  readonly clientId: string;
  readonly tokenId: string;
  readonly customerBelongsTo: string;
  readonly connector: string;
  /** The merchant's account at the provider, with which the consent was requested. */
  readonly account: string | undefined;
  /** Hash of the code or refresh token that was exchanged for this pair. */
  readonly credentialHash: Uint8Array;
  /** The code, encrypted; deleted after the provider has exchanged or refused it. */
  readonly sealedCredential: Uint8Array | undefined;
  /** The authorization of the token pair; undefined until the pair is issued. */
  readonly authorizationId: string | undefined;
  readonly status: TokenStatus;
  readonly resultCode: ResultCode | undefined;
  readonly issued: IssuedPair | undefined;
  readonly createdAt: Date;
  /** When the pair was first used to pay, refresh or revoke. */
  readonly usedAt: Date | undefined;
  /** When the pair that replaces it was issued. */
  readonly replacedAt: Date | undefined;
}

export interface IssuedPair {
  readonly accessHash: Uint8Array;
  readonly refreshHash: Uint8Array;
  readonly accessExpiresAt: Date;
  readonly refreshExpiresAt: Date;
  readonly issuedAt: Date;
  /** Both tokens of the pair, encrypted; undefined when the pair is retired. */
  readonly sealedPair: Uint8Array | undefined;
}

/** Both tokens in plain text, as the merchant gets them. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const accessLifetimeMs = 30 * 24 * 3600 * 1000;
const refreshLifetimeMs = 365 * 24 * 3600 * 1000;
/**
 * How long a merchant that lost the response may repeat an exchange or a refresh. The old pair stays valid for the same
 * time.
 */
const repeatWindowMs = codeLifetimeMs;

export function pairExpiry(now: Date): Pick<IssuedPair, "accessExpiresAt" | "refreshExpiresAt"> {
  return {
    accessExpiresAt: new Date(now.getTime() + accessLifetimeMs),
    refreshExpiresAt: new Date(now.getTime() + refreshLifetimeMs),
  };
}

/**
 * Idempotency: a repeated exchange gets the same token pair until the pair is used, or until ten minutes have passed.
 */
export function isRepeatable({ status, issued, usedAt }: Token, now: Date): boolean {
  if (status !== "ISSUED" || !issued || usedAt) return false;
  return now.getTime() - issued.issuedAt.getTime() < repeatWindowMs;
}

function isReplaced({ status, replacedAt }: Token, now: Date): boolean {
  if (status !== "ISSUED") return true;
  return replacedAt !== undefined && now.getTime() - replacedAt.getTime() >= repeatWindowMs;
}

/** A token with its authorization. */
export interface ConsentedToken {
  readonly token: Token;
  readonly authorization: Authorization;
}

export type TokenStatusType = "ACTIVE" | "EXPIRED" | "REVOKED" | "CANCELED";

/**
 * `tokenStatusOf` returns the status of an access token for the merchant; undefined if a newer token has replaced it.
 */
export function tokenStatusOf(
  { token, authorization }: ConsentedToken,
  now: Date,
): TokenStatusType | undefined {
  const { status } = authorization;
  if (status === "REVOKED" || status === "CANCELED" || status === "EXPIRED") return status;
  if (isReplaced(token, now) || !token.issued) return undefined;
  return now < token.issued.accessExpiresAt ? "ACTIVE" : "EXPIRED";
}

/** `checkTokenPayment` returns the reason to refuse a payment with the token, or undefined. */
export function checkTokenPayment(
  consented: ConsentedToken | undefined,
  paymentMethodType: string,
  now: Date,
): "INVALID_ACCESS_TOKEN" | "EXPIRED_ACCESS_TOKEN" | "AUTHORIZATION_NOT_EXIST" | undefined {
  if (consented?.authorization.customerBelongsTo !== paymentMethodType) return "INVALID_ACCESS_TOKEN";
  switch (tokenStatusOf(consented, now)) {
    case undefined:
      return "INVALID_ACCESS_TOKEN";
    case "EXPIRED":
      return "EXPIRED_ACCESS_TOKEN";
    case "REVOKED":
    case "CANCELED":
      return "AUTHORIZATION_NOT_EXIST";
    case "ACTIVE":
      return consented.authorization.scopes.includes("AGREEMENT_PAY") ? undefined : "AUTHORIZATION_NOT_EXIST";
  }
}

/** `checkRefresh` returns the reason to refuse a refresh of the token, or undefined. */
export function checkRefresh(
  consented: ConsentedToken | undefined,
  customerBelongsTo: string,
  now: Date,
): "INVALID_REFRESH_TOKEN" | undefined {
  if (
    !consented ||
    isEnded(consented.authorization) ||
    consented.authorization.customerBelongsTo !== customerBelongsTo
  )
    return "INVALID_REFRESH_TOKEN";
  const { token } = consented;
  const isFresh = token.issued && now < token.issued.refreshExpiresAt;
  // A refresh token that was used before already has a newer pair. For this token, `answerRepeat` returns that pair or
  // refuses.
  return isFresh && !token.replacedAt && token.status === "ISSUED" ? undefined : "INVALID_REFRESH_TOKEN";
}
