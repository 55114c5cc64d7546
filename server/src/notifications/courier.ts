import { wireTime } from "../core/request-time.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { writeSignatureHeader } from "../signing/signature-header.ts";
import { signedText } from "../signing/signed-text.ts";
import { postBytes } from "../wallets/post-bytes.ts";
import type { Acknowledgement, Courier } from "./deliver-notification.ts";
import type { Notification } from "./notification.ts";

export interface CourierOptions {
  readonly signer: Signer;
  /** The gateway key version that a client is pinned to. */
  readonly keyVersionOf: (clientId: string) => Promise<number>;
  readonly now: () => Date;
}

const answerBytesMax = 16 * 1024;

/** Carries notifications over HTTP, signed for the path and query of the merchant's address. */
export function httpCourier({ signer, keyVersionOf, now }: CourierOptions): Courier {
  return {
    now,
    async send(notification, signal) {
      const keyVersion = await keyVersionOf(notification.clientId);
      const url = new URL(notification.url);
      // A fresh time for every attempt: receivers refuse what is older than a few minutes.
      const time = wireTime(now().getTime());
      const { clientId, body } = notification;
      const text = signedText({ method: "POST", path: url.pathname + url.search, clientId, time, body });
      const signature = writeSignatureHeader(keyVersion, await signer.sign(keyVersion, text));
      return post(url, notification, { clientId, time, signature }, signal);
    },
  };
}

async function post(
  url: URL,
  { body }: Notification,
  {
    clientId,
    time,
    signature,
  }: { readonly clientId: string; readonly time: string; readonly signature: string },
  signal: AbortSignal,
): Promise<Acknowledgement> {
  try {
    const answer = await postBytes(url, {
      signal,
      body,
      answerBytesMax,
      headers: {
        "content-type": "application/json; charset=UTF-8",
        "client-id": clientId,
        "request-time": time,
        signature,
      },
    });
    return { httpStatus: answer.status, body: answer.body.toString("utf8") };
  } catch {
    // A merchant that cannot be reached is an attempt that failed, and nothing worse.
    return { httpStatus: 0, body: "" };
  }
}
