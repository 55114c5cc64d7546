import type { ClientKey } from "../core/client-key.ts";
import type { SecretCipher } from "../core/secret-cipher.ts";
import type { Tx } from "../postgres/sql.ts";
import { lockAuthorization } from "./authorization.sql.ts";
import type { Authorization } from "./authorization.ts";
import { findTokenByAccess } from "./token.sql.ts";
import { checkTokenPayment, type Token } from "./token.ts";

/** A payment with an access token. */
export interface TokenPayment {
  readonly accessToken: string;
  readonly paymentMethodType: string;
  readonly now: Date;
  readonly secrets: SecretCipher;
}

/** A token that may charge the buyer, and the provider's own agreement token. */
export interface Agreement extends Pick<Authorization, "connector" | "account"> {
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
  { accessToken, paymentMethodType, now, secrets }: TokenPayment,
): Promise<Agreement | { readonly refusal: NonNullable<ReturnType<typeof checkTokenPayment>> }> {
  const accessHash = secrets.keyedHash(accessToken, owner.clientId);
  const candidate = await findTokenByAccess(tx, owner, accessHash);
  if (candidate?.authorizationId === undefined) return { refusal: "INVALID_ACCESS_TOKEN" };
  // Both queries are pipelined in one round trip. PostgreSQL reads the token after it has locked the authorization's
  // row.
  const [authorization, token] = await Promise.all([
    lockAuthorization(tx, owner, candidate.authorizationId),
    findTokenByAccess(tx, owner, accessHash),
  ]);
  const consented = token && authorization && { token, authorization };
  const refusal = checkTokenPayment(consented, paymentMethodType, now);
  const sealedAgreement = consented?.authorization.sealedAgreement;
  if (refusal || !consented || !sealedAgreement) return { refusal: refusal ?? "AUTHORIZATION_NOT_EXIST" };
  const { authorizationId, connector, account } = consented.authorization;
  const agreementToken = secrets.decrypt(sealedAgreement, authorizationId);
  return { token: consented.token, agreementToken, connector, account };
}
