import type { ClientKey } from "../core/client-key.ts";
import type { SecretKeeper } from "../core/secret-keeper.ts";
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
 * Locks the agreement that pays a payment, or says why it may not. The lock is the authorization's row, as in
 * refresh and revoke: all of them change several tokens, and would deadlock if each began with the token it
 * knows.
 */
export async function lockAgreement(
  tx: Tx,
  owner: ClientKey,
  { accessToken, paymentMethodType, now, secrets }: PaidByToken,
): Promise<Agreement | { readonly no: NonNullable<ReturnType<typeof payRefusal>> }> {
  const accessHash = secrets.hashOf(accessToken, owner.clientId);
  const known = await findTokenByAccess(tx, owner, accessHash);
  if (known?.authorizationId === undefined) return { no: "INVALID_ACCESS_TOKEN" };
  // Pipelined in one round trip. The token is read after the row lock is taken.
  const [authorization, token] = await Promise.all([
    lockAuthorization(tx, owner, known.authorizationId),
    findTokenByAccess(tx, owner, accessHash),
  ]);
  const consented = token && authorization && { token, authorization };
  const no = payRefusal(consented, paymentMethodType, now);
  const sealed = consented?.authorization.sealedAgreement;
  if (no || !consented || !sealed) return { no: no ?? "AUTHORIZATION_NOT_EXIST" };
  const agreementToken = secrets.unseal(sealed, consented.authorization.authorizationId);
  return { token: consented.token, agreementToken };
}
