import { deleteJob } from "../jobs/job.sql.ts";
import { notifyMerchant } from "../notifications/notify-merchant.tx.ts";
import type { RecordingContext } from "../contract/provider-driver.ts";
import type { Tx } from "../postgres/sql.ts";
import {
  buildAuthorizationNotification,
  type AuthorizationWebhookFields,
} from "./authorization-notification.ts";
import {
  updateAuthorizationAccepted,
  updateAuthorizationStatus,
  updateProviderNotified,
} from "./authorization.sql.ts";
import { codeLifetimeMs, nextFollowStep, isEnded, type Authorization } from "./authorization.ts";
import type { AuthorizationChange, AuthorizationDecision } from "./decide-authorization.ts";
import { decryptPair } from "./token-pair.ts";
import { findNewestToken, retireTokens } from "./token.sql.ts";

/**
 * `recordAuthorization` records a decision on an authorization that the caller's transaction has locked. State, event,
 * tokens and the merchant's webhook (outbox) commit in one transaction. It returns the changed authorization.
 */
export async function recordAuthorization(
  tx: Tx,
  authorization: Authorization,
  decision: AuthorizationDecision,
  context: RecordingContext,
): Promise<Authorization> {
  const { now } = context;
  switch (decision.kind) {
    case "nothing":
      return authorization;
    case "accepted":
      updateAuthorizationAccepted(tx, authorization, decision.url, now);
      return { ...authorization, acceptedAt: now, providerUrl: decision.url ?? authorization.providerUrl };
    case "told":
      updateProviderNotified(tx, authorization, now);
      return { ...authorization, providerNotifiedAt: now };
    case "moved":
      return changeStatus(tx, authorization, decision.change, context);
  }
}

async function changeStatus(
  tx: Tx,
  before: Authorization,
  { status, resultCode, authCode, reason, url }: AuthorizationChange,
  context: RecordingContext,
): Promise<Authorization> {
  const { now, secrets } = context;
  const token = before.status === "ACTIVE" ? await findNewestToken(tx, before) : undefined;
  const after = updateAuthorizationStatus(
    tx,
    before,
    {
      status,
      ...(resultCode && { resultCode }),
      ...(url !== undefined && { url }),
      ...(authCode !== undefined && {
        codeHash: secrets.keyedHash(authCode, before.clientId),
        expiresAt: new Date(now.getTime() + codeLifetimeMs),
      }),
    },
    now,
  );
  if (authCode !== undefined)
    insertAuthorizationWebhook(tx, after, { authorizationNotifyType: "AUTHCODE_CREATED", authCode }, context);
  if (!isEnded(after)) return after;
  const { bucket, clientId, authorizationId: subjectId } = after;
  if (nextFollowStep(after, now) === "nothing")
    deleteJob(tx, { bucket, clientId, subjectId, job: "follow-authorization" });
  retireTokens(tx, after);
  const pair = token && decryptPair(token, secrets);
  if (status === "CANCELED" && pair) {
    const { accessToken } = pair;
    const reasonField = reason === undefined ? {} : { reason };
    const notification = { authorizationNotifyType: "TOKEN_CANCELED", accessToken, ...reasonField } as const;
    insertAuthorizationWebhook(tx, after, notification, context);
  }
  return after;
}

/**
 * `insertAuthorizationWebhook` inserts a webhook about an authorization. The webhook's body contains a code or a token,
 * so it is stored encrypted.
 */
export function insertAuthorizationWebhook(
  tx: Tx,
  authorization: Authorization,
  change: AuthorizationWebhookFields,
  context: RecordingContext,
): void {
  const { bucket, clientId, authorizationId: subjectId, sequence, notifyUrl: url } = authorization;
  const body = buildAuthorizationNotification(authorization, change);
  const kind = "notifyAuthorization";
  notifyMerchant(tx, { bucket, clientId, kind, subjectId, sequence, url, body, isSealed: true }, context);
}
