import { wireResult } from "../core/result.ts";
import type { Authorization } from "./authorization.ts";

/** The part of a notification that depends on its kind. */
export type AuthorizationNews =
  | { readonly authorizationNotifyType: "AUTHCODE_CREATED"; readonly authCode: string }
  | { readonly authorizationNotifyType: "TOKEN_CREATED"; readonly accessToken: string }
  | {
      readonly authorizationNotifyType: "TOKEN_CANCELED";
      readonly accessToken: string;
      readonly reason?: string;
    };

/** The body of notifyAuthorization, as bytes that every attempt repeats. Only what went well is told. */
export function authorizationNotificationBody(authorization: Authorization, news: AuthorizationNews): Buffer {
  const { authState, authClientId, userLoginId, sequence } = authorization;
  const body = {
    ...news,
    ...(authClientId !== undefined && { authClientId }),
    ...(news.authorizationNotifyType !== "TOKEN_CANCELED" && { authState }),
    ...(news.authorizationNotifyType === "TOKEN_CREATED" && userLoginId !== undefined && { userLoginId }),
    result: wireResult("SUCCESS"),
    sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}
