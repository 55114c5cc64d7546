import assert from "node:assert/strict";
import {
  authorizationOnTheWire,
  stateAfter,
  type Authorization,
  type AuthorizationEvent,
} from "./authorization.ts";
import type { AuthorizationChanged } from "./effect.ts";
import { hashOfCode } from "./payment-code.ts";
import type { Wallet } from "./wallet.ts";
import { exactTime } from "./wire-time.ts";

/** Actions of buyers and tests on a consent. */
export const authorizationActions = ["agree", "decline", "cancel"] as const;

export interface AuthorizationChange extends Pick<
  AuthorizationChanged,
  "by" | "reason" | "asks" | "declines"
> {
  readonly event: AuthorizationEvent;
}

const codeLifetimeMs = 10 * 60 * 1000;

/** Changes the authorization and returns its new state, or an error message. */
export function changeAuthorization(
  wallet: Wallet,
  authorization: Authorization,
  { event, ...more }: AuthorizationChange,
): Authorization | string {
  const { reference, providerAuthorizationId } = authorization;
  const state = stateAfter(authorization, event, wallet.now());
  if (!state) return `The authorization is ${authorization.state}, or it has expired.`;
  wallet.record({
    kind: "authorization-changed",
    reference,
    providerAuthorizationId,
    state,
    sequence: authorization.sequence + 1,
    ...more,
    ...(event === "agree" && {
      codeHash: hashOfCode(authCodeOf(wallet, authorization)),
      codeExpiryTime: exactTime(wallet.now() + codeLifetimeMs),
    }),
    ...(event === "exchange" && { agreementHash: hashOfCode(agreementTokenOf(wallet, authorization)) }),
  });
  const changed = wallet.projection.authorization(reference);
  assert(changed, "an authorization that changes is in the projection");
  return changed;
}

/**
 * Returns the code of a consent. It is derived from the wallet's key, so it is the same after a restart and never
 * stored.
 */
export function authCodeOf({ secretFor }: Wallet, { providerAuthorizationId }: Authorization): string {
  return secretFor(`code ${providerAuthorizationId}`);
}

export function agreementTokenOf({ secretFor }: Wallet, { providerAuthorizationId }: Authorization): string {
  return secretFor(`agreement ${providerAuthorizationId}`);
}

export function onTheWire(wallet: Wallet, authorization: Authorization): object {
  return authorizationOnTheWire(authorization, wallet.consentUrl, authCodeOf(wallet, authorization));
}
