import { authorizationAnswer } from "./authorize.ts";
import { isName, malformed, type Verb } from "./verb.ts";

/** Returns the state of a consent. */
export const inquireAuthorization: Verb = {
  name: "inquire-authorization",
  folder: "authorizations",
  act(wallet, { reference }) {
    if (!isName(reference)) return malformed("reference");
    const authorization = wallet.book.authorization(reference);
    return authorization ? authorizationAnswer(wallet, authorization) : { code: "AUTHORIZATION_NOT_EXIST" };
  },
};
