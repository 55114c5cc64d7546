import assert from "node:assert/strict";
import type { Authorization, AuthorizationTerms } from "../wallet/authorization.ts";
import { onTheWire } from "../wallet/change-authorization.ts";
import type { CallOutcome } from "../wallet/effect.ts";
import type { Answer } from "../wallet/result.ts";
import { newRandomId, type Wallet } from "../wallet/wallet.ts";
import { parseTime } from "../wallet/wire-time.ts";
import { isProviderId, isReference, isText, malformed, callRecord, type Fields, type Verb } from "./verb.ts";

/** Opens a consent page. Idempotent by reference. */
export const authorize: Verb = {
  name: "authorize",
  folder: "authorizations",
  act(wallet, fields) {
    const log = (outcome: CallOutcome): void => wallet.record(callRecord("authorize", fields, outcome));
    const invalidField = rules.find(([field, isRight]) => !isRight(fields[field]))?.[0];
    if (invalidField) {
      log("malformed");
      return malformed(invalidField);
    }
    const terms = termsOf(fields);
    const earlier = wallet.projection.authorization(terms.reference);
    if (earlier) {
      const isSame = haveSameTerms(earlier, terms);
      log(isSame ? "repeated" : "inconsistent");
      return isSame ? authorizationAnswer(wallet, earlier) : { code: "REPEAT_REQ_INCONSISTENT" };
    }
    const { reference, ...rest } = terms;
    const newAuthorization = { ...rest, providerAuthorizationId: newRandomId("wa_"), token: newRandomId("") };
    wallet.record({ ...callRecord("authorize", fields, "opened"), authorization: newAuthorization });
    const authorization = wallet.projection.authorization(reference);
    assert(authorization, "an authorization that was recorded is in the projection");
    return authorizationAnswer(wallet, authorization);
  },
};

export function authorizationAnswer(wallet: Wallet, authorization: Authorization): Answer {
  return { code: "SUCCESS", fields: { authorization: onTheWire(wallet, authorization) } };
}

const rules: readonly (readonly [field: string, isRight: (value: unknown) => boolean])[] = [
  ["reference", isReference],
  ["merchantId", isReference],
  ["account", (value) => value === undefined || isProviderId(value)],
  ["merchantName", (value) => isText(value, 256)],
  ["scopes", (value) => Array.isArray(value) && value.length > 0 && value.every(isReference)],
  ["authState", (value) => isText(value, 256) && value !== ""],
  ["redirectUrl", (value) => isText(value, 2048) && URL.canParse(value)],
  ["expiryTime", (value) => typeof value === "string" && parseTime(value) !== undefined],
  ["callbackUrl", (value) => isText(value, 2048) && /^https?:$/.test(URL.parse(value)?.protocol ?? "")],
];

function termsOf(fields: Fields): AuthorizationTerms {
  const text = (field: string): string => String(fields[field]);
  return {
    reference: text("reference"),
    merchantId: text("merchantId"),
    ...(fields["account"] !== undefined && { account: text("account") }),
    merchantName: text("merchantName"),
    scopes: fields["scopes"] as readonly string[],
    authState: text("authState"),
    redirectUrl: text("redirectUrl"),
    expiryTime: text("expiryTime"),
    callbackUrl: text("callbackUrl"),
  };
}

/** Idempotency: names, times and addresses of a repeated request may differ. */
function haveSameTerms(one: AuthorizationTerms, other: AuthorizationTerms): boolean {
  return (
    one.merchantId === other.merchantId &&
    one.account === other.account &&
    one.authState === other.authState &&
    [...one.scopes].sort().join() === [...other.scopes].sort().join()
  );
}
