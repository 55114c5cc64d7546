import { wireResult } from "../core/result.ts";
import type { Authorization } from "./authorization.ts";

/** The fields of `notifyAuthorization` that depend on its type. */
export type AuthorizationChanged =
  | { readonly authorizationNotifyType: "AUTHCODE_CREATED"; readonly authCode: string }
  | { readonly authorizationNotifyType: "TOKEN_CREATED"; readonly accessToken: string }
  | {
      readonly authorizationNotifyType: "TOKEN_CANCELED";
      readonly accessToken: string;
      readonly reason?: string;
    };

/**
 * `authorizationNotificationBody` returns the body of `notifyAuthorization`. The bytes are stored, so that each
 * delivery attempt sends the same body. There is no webhook for a declined or expired consent.
 */
export function authorizationNotificationBody(
  authorization: Authorization,
  news: AuthorizationChanged,
): Buffer {
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
