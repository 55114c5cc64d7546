import { changeAuthorization } from "../wallet/change-authorization.ts";
import { authorizationAnswer } from "./authorize.ts";
import { isOfOtherAccount, isReference, malformed, callRecord, type Verb } from "./verb.ts";

/**
 * Revokes a consent for the merchant, so that it can pay no more orders. Idempotent: an ended consent does not change.
 */
export const revoke: Verb = {
  name: "revoke",
  folder: "authorizations",
  act(wallet, fields) {
    const { reference } = fields;
    if (!isReference(reference)) {
      wallet.record(callRecord("revoke", fields, "malformed"));
      return malformed("reference");
    }
    const authorization = wallet.projection.authorization(reference);
    if (!authorization || isOfOtherAccount(fields, authorization)) {
      wallet.record(callRecord("revoke", fields, "refused"));
      return { code: "AUTHORIZATION_NOT_EXIST" };
    }
    const revoked = changeAuthorization(wallet, authorization, { event: "revoke", by: "gateway" });
    wallet.record(callRecord("revoke", fields, typeof revoked === "string" ? "unchanged" : "done"));
    return authorizationAnswer(wallet, typeof revoked === "string" ? authorization : revoked);
  },
};
