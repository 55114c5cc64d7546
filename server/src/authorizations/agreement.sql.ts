import type { SecretKeeper } from "../core/secret-keeper.ts";
import type { Owner } from "../payments/payment.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { findAuthorization } from "./authorization.sql.ts";
import { lockTokenByAccess } from "./token.sql.ts";
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

/** What a payment is made by, held until the transaction ends; or why it is not made. */
export async function lockAgreement(
  tx: Tx,
  owner: Owner,
  { accessToken, paymentMethodType, now, secrets }: PaidByToken,
): Promise<Agreement | { readonly no: NonNullable<ReturnType<typeof payRefusal>> }> {
  const token = await lockTokenByAccess(tx, owner, secrets.hashOf(accessToken, owner.clientId));
  const authorization =
    token?.authorizationId === undefined
      ? undefined
      : await findAuthorization(tx, owner, token.authorizationId);
  const held = token && authorization && { token, authorization };
  const no = payRefusal(held, paymentMethodType, now);
  const sealed = held?.authorization.sealedAgreement;
  if (no || !held || !sealed) return { no: no ?? "AUTHORIZATION_NOT_EXIST" };
  const agreementToken = secrets.unseal(sealed, held.authorization.authorizationId);
  return { token: held.token, agreementToken };
}
