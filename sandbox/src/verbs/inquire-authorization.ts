import { authorizationAnswer } from "./authorize.ts";
import { isOfOtherAccount, isReference, malformed, type Verb } from "./verb.ts";

/** Returns the state of a consent. */
export const inquireAuthorization: Verb = {
  name: "inquire-authorization",
  folder: "authorizations",
  act(wallet, fields) {
    const { reference } = fields;
    if (!isReference(reference)) return malformed("reference");
    const authorization = wallet.projection.authorization(reference);
    return authorization && !isOfOtherAccount(fields, authorization)
      ? authorizationAnswer(wallet, authorization)
      : { code: "AUTHORIZATION_NOT_EXIST" };
  },
};
