import type { SecretKeeper } from "../core/secret-keeper.ts";
import type { Traces } from "../core/trace.ts";
import { wireTime } from "../core/request-time.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { writeSignatureHeader } from "../signing/signature-header.ts";
import { acknowledges, whyNotAcknowledged, type Attempt } from "../notifications/attempt.ts";
import type { Addressed, Courier } from "../notifications/deliver-notification.ts";
import type { Egress } from "./egress.ts";
import { openBody } from "../notifications/notification.ts";
import { told, type Sent } from "./sent.ts";

export interface CourierOptions {
  readonly signer: Signer;
  /** The gateway key version that a client is pinned to. */
  readonly keyVersionOf: (clientId: string) => Promise<number>;
  /** Real time: a signature is as old as its attempt, whatever the merchant's clock says. */
  readonly now: () => Date;
  readonly businessNow: Courier["now"];
  readonly egress: Egress;
  readonly secrets: SecretKeeper;
  readonly traces: Traces;
  /** Whether merchants are told why an answer was not taken as an acknowledgement: in the sandbox. */
  readonly explains: boolean;
  /** Hears the truth about an attempt that failed, which merchants do not. */
  readonly onFailure: (sent: Sent, about: Pick<Addressed, "clientId" | "notificationId">) => void;
  /** Hears of every attempt, as the merchant will see it. */
  readonly onAttempt: (attempt: Attempt, notification: Addressed) => void;
}

/** Carries notifications over HTTP, signed for the path and query of the merchant's address. */
export function httpCourier(options: CourierOptions): Courier {
  const { signer, keyVersionOf, now, businessNow, egress, secrets, explains, traces, onFailure, onAttempt } =
    options;
  return {
    now: businessNow,
    async send(notification, signal, { corrupt = false, olderMs = 0 } = {}) {
      const { clientId, notificationId, url } = notification;
      const body = openBody(notification, secrets);
      const keyVersion = await keyVersionOf(clientId);
      // `egress` refuses text that is no URL, so it does not matter what is signed for it.
      const { pathname, search } = URL.parse(url) ?? { pathname: "/", search: "" };
      // A fresh time for every attempt: against replay, receivers refuse messages older than a few minutes.
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
