import { Type } from "typebox";
import { NextCursor, PageRequest, windowOf } from "../api/page.ts";
import { described, Id, OneOf, Time, toTime, type Meanings } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { pageOf, toNext, type Page } from "../core/page.ts";
import { isRefusal } from "../core/result.ts";
import { listAuthorizations } from "./authorization.sql.ts";
import type { Authorization, AuthorizationStatus } from "./authorization.ts";

const statuses: Meanings<AuthorizationStatus> = {
  ASKED: "The buyer has not agreed yet.",
  AGREED: "The buyer has agreed, and the code waits to be exchanged.",
  ACTIVE: "You hold a token, and can charge the buyer.",
  DECLINED: "The buyer, or the wallet, did not agree.",
  REVOKED: "You have ended it.",
  CANCELED: "The buyer has ended it.",
  EXPIRED: "It has run out.",
};

/** Agreements, and never a token or a code: these are secrets of the merchant's system. */
export const viewAuthorizations = view({
  name: "authorizations",
  summary: "Lists buyers' agreements to be charged again, the newest first.",
  right: "payments.read",

  request: Type.Object({
    ...PageRequest,
    authorizationStatus: Type.Optional(OneOf(statuses, "Only what stands there.")),
  }),
  response: Type.Object({
    authorizations: Type.Array(
      Type.Object(
        {
          authorizationId: described(Id, "Our name for the agreement."),
          authState: Type.String({ maxLength: 256, description: "Your own name for it." }),
          authorizationStatus: OneOf(statuses, "Where it stands."),
          authorizationResultCode: Type.Optional(
            Type.String({ maxLength: 64, description: "Why it was declined." }),
          ),
          customerBelongsTo: Type.String({ maxLength: 64, description: "How the buyer pays with it." }),
          wallet: Type.String({ maxLength: 32, description: "The wallet that has the agreement." }),
          scopes: Type.Array(Type.String({ maxLength: 64 }), { description: "What the buyer agrees to." }),
          userLoginId: Type.Optional(
            Type.String({ maxLength: 256, description: "The buyer's account, masked by the wallet." }),
          ),
          createdTime: described(Time, "When you asked for it."),
          expiryTime: described(Time, "Until when it stands, unless it goes on before."),
        },
        { title: "AuthorizationSummary", description: "A buyer's agreement." },
      ),
      { description: "The agreements, the newest first." },
    ),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { authorizationStatus: "ACTIVE" },
    response: {
      authorizations: [
        {
          authorizationId: "20261115093000123047604530017744120",
          authState: "buyer-77-consent-1",
          authorizationStatus: "ACTIVE",
          customerBelongsTo: "GCASH",
          wallet: "sandbox-wallet",
          scopes: ["AGREEMENT_PAY"],
          userLoginId: "+63*****1234",
          createdTime: "2026-11-15T09:30:00+00:00",
          expiryTime: "2027-11-15T09:30:00+00:00",
        },
      ],
    },
  },

  async find(call, request) {
    const window = windowOf(request);
    if (isRefusal(window)) return window;
    const { authorizationStatus: status } = request;
    const found = await listAuthorizations(call.tx, call, { status }, window);
    return pageOf(found, window, ({ authorizationId }) => authorizationId);
  },

  answer(page: Page<Authorization>) {
    return { code: "SUCCESS", authorizations: page.items.map(summaryOf), ...toNext(page) };
  },
});

function summaryOf(authorization: Authorization) {
  const { resultCode, userLoginId } = authorization;
  return {
    authorizationId: authorization.authorizationId,
    authState: authorization.authState,
    authorizationStatus: authorization.status,
    ...(resultCode && { authorizationResultCode: resultCode }),
    customerBelongsTo: authorization.customerBelongsTo,
    wallet: authorization.connector,
    scopes: [...authorization.scopes],
    ...(userLoginId !== undefined && { userLoginId }),
    createdTime: toTime(authorization.createdAt),
    expiryTime: toTime(authorization.expiresAt),
  };
}
