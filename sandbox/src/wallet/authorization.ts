import { parseTime } from "./wire-time.ts";
import type { CodeVerdict } from "./payment-code.ts";

/** AGREED: the code can be exchanged. ACTIVE: it was exchanged, and the agreement can pay. */
export type AuthorizationState = "OPEN" | "AGREED" | "ACTIVE" | "DECLINED" | "CANCELED" | "REVOKED";

export type AuthorizationEvent = "agree" | "decline" | "exchange" | "cancel" | "revoke";

/** A merchant's request for a consent; immutable. */
export interface AuthorizationTerms {
  readonly reference: string;
  /** The merchant that requested the consent. Only this merchant can exchange the code. */
  readonly merchantId: string;
  /** The merchant's account at the wallet; only orders of this account can be paid with the agreement. */
  readonly account?: string;
  readonly merchantName: string;
  readonly scopes: readonly string[];
  /** A text of the merchant, which the buyer's redirect returns to the merchant. */
  readonly authState: string;
  readonly redirectUrl: string;
  readonly expiryTime: string;
  readonly callbackUrl: string;
}

/** One consent of one buyer. The code and the agreement token are derived from the wallet's key and are not stored. */
export interface Authorization extends AuthorizationTerms {
  readonly providerAuthorizationId: string;
  /** Capability in the consent page's URL: its holder may agree. */
  readonly token: string;
  readonly state: AuthorizationState;
  /** Version of its state. */
  readonly sequence: number;
  readonly codeHash?: string;
  readonly codeExpiryTime?: string;
  readonly agreementHash?: string;
  /** The buyer's reason for cancelling. */
  readonly reason?: string;
  /**
   * Test settings: payments with the agreement wait for the buyer (`asks`), or are declined with a result code
   * (`declines`).
   */
  readonly asks?: boolean;
  readonly declines?: string;
}

/** The lifecycle: for each state, the next state after each event. */
const lifecycle: Readonly<
  Record<AuthorizationState, Partial<Record<AuthorizationEvent, AuthorizationState>>>
> = {
  OPEN: { agree: "AGREED", decline: "DECLINED", revoke: "REVOKED" },
  AGREED: { exchange: "ACTIVE", cancel: "CANCELED", revoke: "REVOKED" },
  ACTIVE: { cancel: "CANCELED", revoke: "REVOKED" },
  DECLINED: {},
  CANCELED: {},
  REVOKED: {},
};

/** The next state; undefined if the current state, or the expiry, does not allow this event. */
export function stateAfter(
  { state, expiryTime }: Authorization,
  event: AuthorizationEvent,
  nowMs: number,
): AuthorizationState | undefined {
  if (event === "agree" && nowMs > (parseTime(expiryTime) ?? 0)) return undefined;
  return lifecycle[state][event];
}

export function isCodeExpired({ codeExpiryTime = "" }: Authorization, nowMs: number): boolean {
  return nowMs >= (parseTime(codeExpiryTime) ?? 0);
}

/** The wallet's verdict on an order that an agreement should pay. */
export function verdictOnAgreement(authorization: Authorization | undefined): CodeVerdict {
  if (!authorization) return { kind: "refused", resultCode: "INVALID_ACCESS_TOKEN" };
  const { state, scopes, declines, asks } = authorization;
  if (state !== "ACTIVE" || !scopes.includes("AGREEMENT_PAY"))
    return { kind: "refused", resultCode: "AUTHORIZATION_NOT_EXIST" };
  if (declines !== undefined) return { kind: "declined", resultCode: declines };
  return { kind: asks ? "asks" : "approved" };
}

/** The redirect after consent: the merchant's URL with two more parameters. */
export function consentRedirectUrl(
  { redirectUrl, authState }: AuthorizationTerms,
  authCode?: string,
): string {
  const [address = "", fragment] = redirectUrl.split("#", 2);
  const code = authCode === undefined ? "" : `authCode=${encodeURIComponent(authCode)}&`;
  const query = `${address.includes("?") ? "&" : "?"}${code}authState=${encodeURIComponent(authState)}`;
  return `${address}${query}${fragment === undefined ? "" : `#${fragment}`}`;
}

/** A consent in the format of the provider protocol. It contains the code only until the code is exchanged. */
export function authorizationOnTheWire(
  authorization: Authorization,
  consentUrl: (token: string) => string,
  authCode: string,
): object {
  const { reference, providerAuthorizationId, state, token, codeExpiryTime, reason, sequence } =
    authorization;
  return {
    reference,
    providerAuthorizationId,
    state,
    url: consentUrl(token),
    ...(state === "AGREED" && { authCode }),
    ...(codeExpiryTime !== undefined && { codeExpiryTime }),
    ...(reason !== undefined && { reason }),
    sequence,
  };
}
