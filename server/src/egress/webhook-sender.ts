import type { SecretCipher } from "../core/secret-cipher.ts";
import type { Traces } from "../telemetry/trace.ts";
import { formatWireTime } from "../core/request-time.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { writeSignatureHeader } from "../signing/signature-header.ts";
import {
  isAcknowledgingAnswer,
  explainMissingAcknowledgement,
  type Attempt,
} from "../notifications/delivery-attempt.ts";
import type { AddressedNotification, WebhookSender } from "../notifications/deliver-notification.ts";
import type { Egress } from "./egress.ts";
import { openBody } from "../notifications/notification.ts";
import { hideNetworkDetails, type PostOutcome } from "./delivery-outcome.ts";

export interface WebhookSenderOptions {
  readonly signer: Signer;
  /** The gateway key version to which a client is pinned. */
  readonly keyVersionOf: (clientId: string) => Promise<number>;
  /** Real time: a signature has the time of its delivery attempt, whatever the merchant's test clock shows. */
  readonly now: () => Date;
  readonly businessNow: WebhookSender["now"];
  readonly egress: Egress;
  readonly secrets: SecretCipher;
  readonly traces: Traces;
  /** Whether merchants see why a response was no acknowledgement: only in the sandbox. */
  readonly explains: boolean;
  /** Called with the full details of a failed attempt, which merchants do not see. */
  readonly onFailure: (
    sent: PostOutcome,
    notification: Pick<AddressedNotification, "clientId" | "notificationId">,
  ) => void;
  /** Called for every attempt, with the details that the merchant sees. */
  readonly onAttempt: (attempt: Attempt, notification: AddressedNotification) => void;
}

/** Sends webhooks over HTTP, signed for the path and query of the merchant's address. */
export function createHttpWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { signer, keyVersionOf, now, businessNow, egress, secrets, explains, traces, onFailure, onAttempt } =
    options;
  return {
    now: businessNow,
    async send(notification, signal, { corrupt = false, olderMs = 0 } = {}) {
      const { clientId, notificationId, url } = notification;
      const body = openBody(notification, secrets);
      const keyVersion = await keyVersionOf(clientId);
      // For a text that is no URL the signed path does not matter, because `egress` rejects the text.
      const { pathname, search } = URL.parse(url) ?? { pathname: "/", search: "" };
      // Every attempt has a new time, because receivers reject messages older than a few minutes (replay protection).
      const at = now();
      const time = formatWireTime(at.getTime() - olderMs);
      const method = corrupt ? "PUT" : "POST";
      const parts = { method, path: pathname + search, clientId, time, body };
      const signatureValue = await signer.sign({ kind: "notification", keyVersion, parts });
      const signature = writeSignatureHeader(keyVersion, signatureValue);
      const headers = {
        "content-type": "application/json; charset=UTF-8",
        "client-id": clientId,
        "request-time": time,
        signature,
      };
      const outcome = await traces.send({ kind: "message", name: "notification" }, async (trace) => {
        const postOutcome = await egress.post(url, { headers: { ...headers, ...trace }, body, signal });
        if (postOutcome.failure) traces.recordOutcome("fault");
        return postOutcome;
      });
      if (outcome.failure) onFailure(outcome, { clientId, notificationId });
      const isAcknowledged =
        outcome.failure === undefined && isAcknowledgingAnswer(outcome.httpStatus, outcome.answer);
      const visibleAttempt = { at, keyVersion, isAcknowledged, ...hideNetworkDetails(outcome) };
      const needsNoExplanation = isAcknowledged || visibleAttempt.failure !== undefined || !explains;
      const attempt = needsNoExplanation
        ? visibleAttempt
        : { ...visibleAttempt, failure: explainMissingAcknowledgement(outcome.httpStatus, outcome.answer) };
      onAttempt(attempt, notification);
      return attempt;
    },
  };
}
