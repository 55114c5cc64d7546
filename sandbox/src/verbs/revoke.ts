import { changeAuthorization } from "../wallet/change-authorization.ts";
import { authorizationAnswer } from "./authorize.ts";
import { isName, malformed, received, type Verb } from "./verb.ts";

/**
 * Revokes a consent for the merchant, so that it can pay no more orders. Idempotent: an ended consent does not change.
 */
export const revoke: Verb = {
  name: "revoke",
  folder: "authorizations",
  act(wallet, fields) {
    const { reference } = fields;
    if (!isName(reference)) {
      wallet.record(received("revoke", fields, "malformed"));
      return malformed("reference");
    }
    const authorization = wallet.book.authorization(reference);
    if (!authorization) {
      wallet.record(received("revoke", fields, "refused"));
      return { code: "AUTHORIZATION_NOT_EXIST" };
    }
    const revoked = changeAuthorization(wallet, authorization, { event: "revoke", by: "gateway" });
    wallet.record(received("revoke", fields, typeof revoked === "string" ? "unchanged" : "done"));
    return authorizationAnswer(wallet, typeof revoked === "string" ? authorization : revoked);
  },
};
