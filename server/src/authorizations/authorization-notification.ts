import { toWireResult } from "../core/result.ts";
import type { Authorization } from "./authorization.ts";

/** The fields of `notifyAuthorization` that depend on its type. */
export type AuthorizationWebhookFields =
  | { readonly authorizationNotifyType: "AUTHCODE_CREATED"; readonly authCode: string }
  | { readonly authorizationNotifyType: "TOKEN_CREATED"; readonly accessToken: string }
  | {
      readonly authorizationNotifyType: "TOKEN_CANCELED";
      readonly accessToken: string;
      readonly reason?: string;
    };

/**
 * `buildAuthorizationNotification` returns the body of `notifyAuthorization`. The bytes are stored, so that each
 * delivery attempt sends the same body. There is no webhook for a declined or expired consent.
 */
export function buildAuthorizationNotification(
  authorization: Authorization,
  change: AuthorizationWebhookFields,
): Buffer {
  const { authState, authClientId, userLoginId, sequence } = authorization;
  const body = {
    ...change,
    ...(authClientId !== undefined && { authClientId }),
    ...(change.authorizationNotifyType !== "TOKEN_CANCELED" && { authState }),
    ...(change.authorizationNotifyType === "TOKEN_CREATED" && userLoginId !== undefined && { userLoginId }),
    result: toWireResult("SUCCESS"),
    sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}
