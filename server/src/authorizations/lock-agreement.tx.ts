import type { ClientKey } from "../core/client-key.ts";
import type { SecretKeeper } from "../core/secret-keeper.ts";
import type { Tx } from "../postgres/sql.ts";
import { lockAuthorization } from "./authorization.sql.ts";
import { findTokenByAccess } from "./token.sql.ts";
import { payRefusal, type Token } from "./token.ts";

/** A payment with an access token. */
export interface PaidByToken {
  readonly accessToken: string;
  readonly paymentMethodType: string;
  readonly now: Date;
  readonly secrets: SecretKeeper;
}

/** A token that may charge the buyer, and the provider's own agreement token. */
export interface Agreement {
  readonly token: Token;
  readonly agreementToken: string;
}

/**
 * `lockAgreement` locks the agreement of a token payment, or returns the reason to refuse it. It locks the
 * authorization's row, as refresh and revoke do. These operations change several tokens, and would deadlock if each
 * started with a different token.
 */
export async function lockAgreement(
  tx: Tx,
  owner: ClientKey,
  { accessToken, paymentMethodType, now, secrets }: PaidByToken,
): Promise<Agreement | { readonly no: NonNullable<ReturnType<typeof payRefusal>> }> {
  const accessHash = secrets.hashOf(accessToken, owner.clientId);
  const known = await findTokenByAccess(tx, owner, accessHash);
  if (known?.authorizationId === undefined) return { no: "INVALID_ACCESS_TOKEN" };
  // Both queries are pipelined in one round trip. PostgreSQL reads the token after it has locked the authorization's
  // row.
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
