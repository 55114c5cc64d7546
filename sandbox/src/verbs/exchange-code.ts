import { isCodeExpired } from "../wallet/authorization.ts";
import { agreementTokenOf, changeAuthorization, onTheWire } from "../wallet/change-authorization.ts";
import type { CallOutcome } from "../wallet/effect.ts";
import { hashOfCode } from "../wallet/payment-code.ts";
import { isName, isText, malformed, received, type Verb } from "./verb.ts";

/**
 * Exchanges a code for an agreement. Idempotent while the agreement exists, because a response may be lost. The code of
 * another merchant is invalid.
 */
export const exchangeCode: Verb = {
  name: "exchange-code",
  folder: "authorizations",
  act(wallet, fields) {
    const { authCode, merchantId } = fields;
    const wrong = !isText(authCode, 128) ? "authCode" : isName(merchantId) ? undefined : "merchantId";
    if (wrong || !isText(authCode, 128)) {
      wallet.record(received("exchange-code", fields, "malformed"));
      return malformed(wrong ?? "authCode");
    }
    const found = wallet.book.authorizationByCode(hashOfCode(authCode));
    const own = found?.merchantId === merchantId ? found : undefined;
    const log = (outcome: CallOutcome): void => {
      const named = own ? { ...fields, reference: own.reference } : fields;
      wallet.record(received("exchange-code", named, outcome));
    };
    if (own?.state !== "AGREED" && own?.state !== "ACTIVE") {
      log("refused");
      return { code: "INVALID_AUTHCODE" };
    }
    if (own.state === "AGREED" && isCodeExpired(own, wallet.now())) {
      log("refused");
      return { code: "AUTH_CODE_EXPIRED" };
    }
    log(own.state === "ACTIVE" ? "repeated" : "done");
    const active =
      own.state === "ACTIVE" ? own : changeAuthorization(wallet, own, { event: "exchange", by: "gateway" });
    if (typeof active === "string") return { code: "INVALID_AUTHCODE" };
    const agreement = {
      agreementToken: agreementTokenOf(wallet, active),
      userLoginId: "b***r@sandbox.example",
    };
    return { code: "SUCCESS", fields: { authorization: onTheWire(wallet, active), agreement } };
  },
};
