import { Type } from "typebox";
import { NextCursor, PageRequest, pageWindow } from "../contract/page-request.ts";
import { withDescription, Id, OneOf, Time, toTime, type Meanings } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { isRefusal } from "../core/result.ts";
import { listAuthorizations } from "./authorization.sql.ts";
import type { Authorization, AuthorizationStatus } from "./authorization.ts";

const statuses: Meanings<AuthorizationStatus> = {
  ASKED: "The buyer has not agreed yet.",
  AGREED: "The buyer has agreed, and the code is not exchanged yet.",
  ACTIVE: "You have a token, and can charge the buyer.",
  DECLINED: "The buyer or the payment provider declined.",
  REVOKED: "You revoked the consent.",
  CANCELED: "The buyer cancelled the consent.",
  EXPIRED: "The consent has expired.",
};

/**
 * The view of agreements (authorizations). It never returns a token or a code: these are secrets of the merchant's
 * system.
 */
export const viewAuthorizations = view({
  name: "authorizations",
  summary: "Lists buyers' saved consents, the newest first.",
  permission: "payments.read",

  request: Type.Object({
    ...PageRequest,
    authorizationStatus: Type.Optional(OneOf(statuses, "Only consents with this status.")),
  }),
  response: Type.Object({
    authorizations: Type.Array(
      Type.Object(
        {
          authorizationId: withDescription(Id, "Our id of the consent."),
          authState: Type.String({ maxLength: 256, description: "Your own id of the consent." }),
          authorizationStatus: OneOf(statuses, "The status of the consent."),
          authorizationResultCode: Type.Optional(
            Type.String({ maxLength: 64, description: "The reason why the consent was declined." }),
          ),
          customerBelongsTo: Type.String({
            maxLength: 64,
            description: "The payment method of the consent.",
          }),
          provider: Type.String({
            maxLength: 32,
            description: "The connector of the payment provider that has the agreement.",
          }),
          scopes: Type.Array(Type.String({ maxLength: 64 }), {
            description: "The permissions that the buyer was asked for.",
          }),
          userLoginId: Type.Optional(
            Type.String({
              maxLength: 256,
              description: "The buyer's account, masked by the payment provider.",
            }),
          ),
          createdTime: withDescription(Time, "When the consent was requested."),
          expiryTime: withDescription(Time, "When the current status expires, unless it changes before."),
        },
        { title: "AuthorizationSummary", description: "A buyer's saved consent." },
      ),
      { description: "The consents, the newest first." },
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
          provider: "sandbox-wallet",
          scopes: ["AGREEMENT_PAY"],
          userLoginId: "+63*****1234",
          createdTime: "2026-11-15T09:30:00+00:00",
          expiryTime: "2027-11-15T09:30:00+00:00",
        },
      ],
    },
  },

  async find(call, request) {
    const window = pageWindow(request);
    if (isRefusal(window)) return window;
    const { authorizationStatus: status } = request;
    const authorizations = await listAuthorizations(call.tx, call, { status }, window);
    return pageOf(authorizations, window, ({ authorizationId }) => authorizationId);
  },

  answer(page: Page<Authorization>) {
    return { code: "SUCCESS", authorizations: page.items.map(toSummary), ...toNextCursor(page) };
  },
});

function toSummary(authorization: Authorization) {
  const { resultCode, userLoginId } = authorization;
  return {
    authorizationId: authorization.authorizationId,
    authState: authorization.authState,
    authorizationStatus: authorization.status,
    ...(resultCode && { authorizationResultCode: resultCode }),
    customerBelongsTo: authorization.customerBelongsTo,
    provider: authorization.connector,
    scopes: [...authorization.scopes],
    ...(userLoginId !== undefined && { userLoginId }),
    createdTime: toTime(authorization.createdAt),
    expiryTime: toTime(authorization.expiresAt),
  };
}
