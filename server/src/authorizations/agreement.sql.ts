import type { SecretKeeper } from "../core/secret-keeper.ts";
import type { Owner } from "../payments/payment.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { lockAuthorization } from "./authorization.sql.ts";
import { findTokenByAccess } from "./token.sql.ts";
import { payRefusal, type Token } from "./token.ts";

/** A payment that is to be made with an access token. */
export interface PaidByToken {
  readonly accessToken: string;
  readonly paymentMethodType: string;
  readonly now: Date;
  readonly secrets: SecretKeeper;
}

/** A token that may pay, and the wallet's own token that stands behind it. */
export interface Agreement {
  readonly token: Token;
  readonly agreementToken: string;
}

/**
 * What a payment is made by, held until the transaction ends; or why it is not made. The authorization is held, as by
 * whoever refreshes or ends it: they all change its tokens, and in circles if each began with the token it knows.
 */
export async function lockAgreement(
  tx: Tx,
  owner: Owner,
  { accessToken, paymentMethodType, now, secrets }: PaidByToken,
): Promise<Agreement | { readonly no: NonNullable<ReturnType<typeof payRefusal>> }> {
  const accessHash = secrets.hashOf(accessToken, owner.clientId);
  const known = await findTokenByAccess(tx, owner, accessHash);
  if (known?.authorizationId === undefined) return { no: "INVALID_ACCESS_TOKEN" };
  // Both travel together, and the token is read when the authorization is held.
  const [authorization, token] = await Promise.all([
    lockAuthorization(tx, owner, known.authorizationId),
    findTokenByAccess(tx, owner, accessHash),
  ]);
  const held = token && authorization && { token, authorization };
  const no = payRefusal(held, paymentMethodType, now);
  const sealed = held?.authorization.sealedAgreement;
  if (no || !held || !sealed) return { no: no ?? "AUTHORIZATION_NOT_EXIST" };
  const agreementToken = secrets.unseal(sealed, held.authorization.authorizationId);
  return { token: held.token, agreementToken };
}
