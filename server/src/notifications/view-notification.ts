import { Type } from "typebox";
import { NotificationId } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { sha256 } from "../core/digest.ts";
import { listDeliveriesById } from "./delivery.sql.ts";
import { withoutSecrets, type Delivery } from "./delivery.ts";
import { findNotification } from "./notification.sql.ts";
import { SentNotification, toSentNotification } from "./sent-notification.schema.ts";

interface NotificationDetails {
  readonly delivery?: Delivery;
  readonly body?: Uint8Array | undefined;
}

export const viewNotification = view({
  name: "notification",
  summary: "Shows one webhook: its body, and every attempt with its timings and response.",
  description:
    "A webhook that may contain a code or a token has no body here: it is stored encrypted, and decrypted " +
    "only for delivery.",
  permission: "notifications.read",

  request: Type.Object({ notificationId: NotificationId }),
  response: Type.Object({
    notification: Type.Optional(SentNotification),
    body: Type.Optional(
      Type.String({ maxLength: 65_536, description: "The body, which every attempt sends." }),
    ),
    bodyBytes: Type.Optional(Type.Integer({ minimum: 0, description: "Size of the body in bytes." })),
    bodySha256: Type.Optional(Type.String({ maxLength: 64, description: "SHA-256 of the body." })),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { notificationId: "20261115093104377047608530017744120" },
    response: {
      notification: {
        notificationId: "20261115093104377047608530017744120",
        notificationKind: "notifyPayment",
        notificationStatus: "DELIVERED",
        subjectId: "20261115093000123047601530017744120",
        sequence: 2,
        url: "https://shop.example/notify",
        createdTime: "2026-11-15T09:31:04+00:00",
        deliveredTime: "2026-11-15T09:31:04+00:00",
        attempts: [
          {
            attemptTime: "2026-11-15T09:31:04+00:00",
            keyVersion: 1,
            httpStatus: 200,
            answer: '{"result":{"resultStatus":"S"}}',
            dnsMs: 3,
            connectMs: 11,
            tlsMs: 24,
            firstByteMs: 61,
            totalMs: 62,
          },
        ],
      },
      body: '{"notifyType":"PAYMENT_RESULT"}',
      bodyBytes: 31,
      bodySha256: "f7f5f2b1c6b0f0a0c1a5f0b7c4a4d5d2f2f1e2a0b9c8d7e6f5a4b3c2d1e0f9a8",
    },
  },

  async find({ tx, bucket, clientId, aheadMs }, { notificationId }): Promise<NotificationDetails> {
    const [delivery] = await listDeliveriesById(tx, { bucket, clientId }, [notificationId], aheadMs);
    if (!delivery) return {};
    const notification = await findNotification(tx, { bucket, clientId, notificationId });
    const isBodyVisible =
      notification && !notification.isSealed && notification.kind !== "notifyAuthorization";
    return { delivery: withoutSecrets(delivery), body: isBodyVisible ? notification.body : undefined };
  },

  answer({ delivery, body }: NotificationDetails) {
    return {
      code: "SUCCESS",
      ...(delivery && { notification: toSentNotification(delivery) }),
      ...(body && {
        body: Buffer.from(body).toString("utf8"),
        bodyBytes: body.length,
        bodySha256: sha256(body).toString("hex"),
      }),
    };
  },
});
