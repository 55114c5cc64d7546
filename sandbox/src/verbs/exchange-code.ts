import { isCodeExpired } from "../wallet/authorization.ts";
import { agreementTokenOf, changeAuthorization, onTheWire } from "../wallet/change-authorization.ts";
import type { CallOutcome } from "../wallet/effect.ts";
import { hashOfCode } from "../wallet/payment-code.ts";
import { isOfOtherAccount, isReference, isText, malformed, callRecord, type Verb } from "./verb.ts";

/**
 * Exchanges a code for an agreement. Idempotent while the agreement exists, because a response may be lost. The code of
 * another merchant is invalid.
 */
export const exchangeCode: Verb = {
  name: "exchange-code",
  folder: "authorizations",
  act(wallet, fields) {
    const { authCode, merchantId } = fields;
    const invalidField = !isText(authCode, 128)
      ? "authCode"
      : isReference(merchantId)
        ? undefined
        : "merchantId";
    if (invalidField || !isText(authCode, 128)) {
      wallet.record(callRecord("exchange-code", fields, "malformed"));
      return malformed(invalidField ?? "authCode");
    }
    const codeAuthorization = wallet.projection.authorizationByCode(hashOfCode(authCode));
    const isOwn =
      codeAuthorization?.merchantId === merchantId && !isOfOtherAccount(fields, codeAuthorization);
    const authorization = isOwn ? codeAuthorization : undefined;
    const log = (outcome: CallOutcome): void => {
      const named = authorization ? { ...fields, reference: authorization.reference } : fields;
      wallet.record(callRecord("exchange-code", named, outcome));
    };
    if (authorization?.state !== "AGREED" && authorization?.state !== "ACTIVE") {
      log("refused");
      return { code: "INVALID_AUTHCODE" };
    }
    if (authorization.state === "AGREED" && isCodeExpired(authorization, wallet.now())) {
      log("refused");
      return { code: "AUTH_CODE_EXPIRED" };
    }
    log(authorization.state === "ACTIVE" ? "repeated" : "done");
    const active =
      authorization.state === "ACTIVE"
        ? authorization
        : changeAuthorization(wallet, authorization, { event: "exchange", by: "gateway" });
    if (typeof active === "string") return { code: "INVALID_AUTHCODE" };
    const agreement = {
      agreementToken: agreementTokenOf(wallet, active),
      userLoginId: "b***r@sandbox.example",
    };
    return { code: "SUCCESS", fields: { authorization: onTheWire(wallet, active), agreement } };
  },
};
