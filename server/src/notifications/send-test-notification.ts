import { Type } from "typebox";
import { notifications } from "../api/notifications.ts";
import { change } from "../api/operation.ts";
import { NotificationId, OneOf, toTime, Url } from "../api/schemas.ts";
import { refuse } from "../core/result.ts";
import { mayNotify, notifyRule } from "../merchants/address.ts";
import { kindsInWords } from "./delivery-filter.schema.ts";
import { testBody } from "./test-body.ts";
import { tellUnderId } from "./tell-merchant.tx.ts";

interface Sent {
  readonly notificationId: string;
}

export const sendTestNotification = change({
  path: "tollgate/sendTestNotification",
  summary:
    "Sends a notification of a kind to the merchant's system, in the sandbox, about a record that does not exist.",
  description:
    "It is signed, sent, retried and listed as any other, and stands in the feed. Its ids are made up, and those that would be the " +
    "merchant's own begin with `test-`: a system that looks them up may well say no to it.",

  request: Type.Object({
    notificationKind: OneOf(kindsInWords, "What it tells."),
    url: Type.Optional(Url("Where to; the address that is set for the kind unless said otherwise.")),
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
    const told = notifications.find((each) => each.kind === kind);
    if (!told) return refuse("PARAM_ILLEGAL", { field: "notificationKind" });
    if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
      return refuse("PARAM_ILLEGAL", { field: "url", detail: "An address begins with https." });
    if (url !== undefined && !mayNotify(url))
      return refuse("PARAM_ILLEGAL", { field: "url", detail: `An address: ${notifyRule}` });

    const subjectId = call.newId("payment");
    const body = Buffer.from(JSON.stringify(testBody(told.example, subjectId, toTime(now))), "utf8");
    const news = { bucket, clientId, kind: told.kind, subjectId, sequence: 1, url, body };
    const sent: Sent = { notificationId: call.newId("notification") };
    // A code or a token is stored encrypted, also one that opens nothing.
    const isSealed = told.kind === "notifyAuthorization";
    tellUnderId(tx, sent.notificationId, { ...news, isSealed }, call);
    return sent;
  },

  answer: ({ notificationId }: Sent) => ({ code: "SUCCESS", notificationId }),
});
