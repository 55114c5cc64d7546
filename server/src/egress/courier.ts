import type { SecretKeeper } from "../core/secret-keeper.ts";
import type { Traces } from "../telemetry/trace.ts";
import { wireTime } from "../core/request-time.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { writeSignatureHeader } from "../signing/signature-header.ts";
import { acknowledges, whyNotAcknowledged, type Attempt } from "../notifications/attempt.ts";
import type { Addressed, Courier } from "../notifications/deliver-notification.ts";
import type { Egress } from "./egress.ts";
import { openBody } from "../notifications/notification.ts";
import { told, type Sent } from "./delivery-outcome.ts";

export interface CourierOptions {
  readonly signer: Signer;
  /** The gateway key version to which a client is pinned. */
  readonly keyVersionOf: (clientId: string) => Promise<number>;
  /** Real time: a signature has the time of its delivery attempt, whatever the merchant's test clock shows. */
  readonly now: () => Date;
  readonly businessNow: Courier["now"];
  readonly egress: Egress;
  readonly secrets: SecretKeeper;
  readonly traces: Traces;
  /** Whether merchants see why a response was no acknowledgement: only in the sandbox. */
  readonly explains: boolean;
  /** Called with the full details of a failed attempt, which merchants do not see. */
  readonly onFailure: (sent: Sent, about: Pick<Addressed, "clientId" | "notificationId">) => void;
  /** Called for every attempt, with the details that the merchant sees. */
  readonly onAttempt: (attempt: Attempt, notification: Addressed) => void;
}

/** Sends webhooks over HTTP, signed for the path and query of the merchant's address. */
export function httpCourier(options: CourierOptions): Courier {
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
      const time = wireTime(at.getTime() - olderMs);
      const method = corrupt ? "PUT" : "POST";
      const parts = { method, path: pathname + search, clientId, time, body };
      const signed = await signer.sign({ kind: "notification", keyVersion, parts });
      const signature = writeSignatureHeader(keyVersion, signed);
      const headers = {
        "content-type": "application/json; charset=UTF-8",
        "client-id": clientId,
        "request-time": time,
        signature,
      };
      const sent = await traces.send({ kind: "message", name: "notification" }, async (trace) => {
        const answered = await egress.post(url, { headers: { ...headers, ...trace }, body, signal });
        if (answered.failure) traces.ends("fault");
        return answered;
      });
      if (sent.failure) onFailure(sent, { clientId, notificationId });
      const isAcknowledged = sent.failure === undefined && acknowledges(sent.httpStatus, sent.answer);
      const shown = { at, keyVersion, isAcknowledged, ...told(sent) };
      const isClear = isAcknowledged || shown.failure !== undefined || !explains;
      const attempt = isClear
        ? shown
        : { ...shown, failure: whyNotAcknowledged(sent.httpStatus, sent.answer) };
      onAttempt(attempt, notification);
      return attempt;
    },
  };
}
