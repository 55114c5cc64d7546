import { Type } from "typebox";
import { change } from "../contract/operation.ts";
import { NotificationId, OneOf, toTime, Url } from "../contract/schemas.ts";
import { refuse } from "../core/result.ts";
import { isAllowedWebhookUrl, webhookPathRule } from "../merchants/url-rules.ts";
import { kindMeanings, type NotificationKind } from "./notification-kinds.ts";
import { buildTestBody } from "./test-body.ts";
import { notifyWithId } from "./notify-merchant.tx.ts";

interface SentTest {
  readonly notificationId: string;
}

/** A kind of webhook with an example of its body; the catalog lists them (`catalog/notifications.ts`). */
interface NotificationExample {
  readonly kind: NotificationKind;
  readonly example: object;
}

/**
 * `sendTestNotification` creates the operation that sends a test webhook, for a list of kinds. The list is a parameter,
 * because the catalog imports the operations.
 */
export const sendTestNotification = (notifications: readonly NotificationExample[]) =>
  change({
    path: "tollgate/sendTestNotification",
    summary:
      "Sends a test webhook of one kind to the merchant's system, in the sandbox, about a record that " +
      "does not exist.",
    description:
      "It is signed, sent, retried and listed like any other webhook, and it is in the event feed. Its " +
      "ids are invented, and ids of the merchant's own start with `test-`: a system that looks them up " +
      "may refuse the webhook.",

    request: Type.Object({
      notificationKind: OneOf(kindMeanings, "The kind of webhook."),
      url: Type.Optional(Url("The target URL (default: the URL that is set for the kind).")),
    }),
    response: Type.Object({ notificationId: NotificationId }),
    results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "REPEAT_REQ_INCONSISTENT"],
    inStore: true,

    example: {
      request: { notificationKind: "notifyPayment", url: "https://shop.example/notify" },
      response: { notificationId: "20261115093104377047608530017744120" },
    },

    async change(call, { notificationKind: kind, url }) {
      const { tx, bucket, clientId, environment, now } = call;
      if (environment !== "sandbox") return refuse("ACCESS_DENIED");
      const kindExample = notifications.find((each) => each.kind === kind);
      if (!kindExample) return refuse("PARAM_ILLEGAL", { field: "notificationKind" });
      if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
        return refuse("PARAM_ILLEGAL", { field: "url", detail: "A URL must start with https." });
      if (url !== undefined && !isAllowedWebhookUrl(url))
        return refuse("PARAM_ILLEGAL", {
          field: "url",
          detail: `The URL is not allowed: ${webhookPathRule}`,
        });

      const subjectId = call.newId("payment");
      const body = Buffer.from(
        JSON.stringify(buildTestBody(kindExample.example, subjectId, toTime(now))),
        "utf8",
      );
      const notification = { bucket, clientId, kind: kindExample.kind, subjectId, sequence: 1, url, body };
      const sentTest: SentTest = { notificationId: call.newId("notification") };
      // Codes and tokens are stored encrypted, also the invalid ones of a test webhook.
      const isSealed = kindExample.kind === "notifyAuthorization";
      notifyWithId(tx, sentTest.notificationId, { ...notification, isSealed }, call);
      return sentTest;
    },

    answer: ({ notificationId }: SentTest) => ({ code: "SUCCESS", notificationId }),
  });
