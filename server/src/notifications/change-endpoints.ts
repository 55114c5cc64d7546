import { Type } from "typebox";
import { change } from "../contract/operation.ts";
import { OneOf, Url } from "../contract/schemas.ts";
import { refuse } from "../core/result.ts";
import { kindMeanings, notificationKinds, type NotificationKind } from "./notification-kinds.ts";
import { deleteNotifyUrl, insertNotifyUrl, listEndpoints, type Endpoints } from "./endpoint.sql.ts";
import { endpointQueue } from "./notification.ts";
import { deletePausedQueue, insertPausedQueue } from "./paused-queue.sql.ts";
import { isAllowedWebhookUrl, webhookPathRule } from "../merchants/url-rules.ts";

const Kind = OneOf(kindMeanings, "The kind of webhook.");

export const changeEndpoints = change({
  path: "tollgate/changeEndpoints",
  summary: "Sets the URLs for webhooks, and pauses or resumes the delivery to a URL.",
  description:
    "A URL in a request takes precedence over the URL that is set for its kind. While a URL is paused, " +
    "its webhooks wait, and are sent when you resume it. Without any field, the request only returns the " +
    "settings.",

  request: Type.Object({
    notifyUrls: Type.Optional(
      Type.Array(Type.Object({ notificationKind: Kind, url: Url("The URL that receives the webhooks.") }), {
        maxItems: 16,
        description: "URLs to set, by kind of webhook.",
      }),
    ),
    removeNotifyUrls: Type.Optional(
      Type.Array(Kind, { maxItems: 16, description: "Kinds of webhooks whose URL is removed." }),
    ),
    pause: Type.Optional(
      Type.Array(Url("A URL; its path is ignored."), {
        maxItems: 16,
        description: "URLs whose delivery is paused.",
      }),
    ),
    resume: Type.Optional(
      Type.Array(Url("A URL; its path is ignored."), {
        maxItems: 16,
        description: "URLs whose delivery is resumed.",
      }),
    ),
  }),
  response: Type.Object({
    notifyUrls: Type.Array(
      Type.Object({ notificationKind: Kind, url: Url("The URL that receives the webhooks.") }),
      {
        description: "The URLs that are set, by kind of webhook.",
      },
    ),
    paused: Type.Array(Type.String({ maxLength: 2048, description: "A paused URL." }), {
      description: "URLs whose delivery is paused.",
    }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "REPEAT_REQ_INCONSISTENT"],
  inStore: true,

  example: {
    request: {
      notifyUrls: [{ notificationKind: "notifyRefund", url: "https://shop.example/refunds" }],
      pause: ["https://old.shop.example"],
    },
    response: {
      notifyUrls: [{ notificationKind: "notifyRefund", url: "https://shop.example/refunds" }],
      paused: ["https://old.shop.example"],
    },
  },
  moreExamples: [
    {
      title: "Only return the settings",
      request: {},
      response: {
        notifyUrls: [{ notificationKind: "notifyRefund", url: "https://shop.example/refunds" }],
        paused: [],
      },
    },
    {
      title: "Resume the delivery to a URL",
      request: { resume: ["https://old.shop.example"] },
      response: { notifyUrls: [], paused: [] },
    },
  ],

  async change(call, { notifyUrls = [], removeNotifyUrls = [], pause = [], resume = [] }) {
    const { tx, clientId, bucket, now } = call;
    const kinds = [...notifyUrls.map(({ notificationKind }) => notificationKind), ...removeNotifyUrls];
    if (!kinds.every(isNotificationKind)) return refuse("PARAM_ILLEGAL", { field: "notificationKind" });
    const addresses = [...notifyUrls.map(({ url }) => url), ...pause, ...resume];
    const invalidUrl = addresses.find((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ""));
    if (invalidUrl !== undefined) return refuse("PARAM_ILLEGAL", { detail: "A URL must start with https." });

    if (!notifyUrls.every(({ url }) => isAllowedWebhookUrl(url)))
      return refuse("PARAM_ILLEGAL", {
        field: "notifyUrls",
        detail: `The URL is not allowed: ${webhookPathRule}`,
      });

    for (const { notificationKind: kind, url } of notifyUrls)
      insertNotifyUrl(tx, { bucket, clientId, kind, url });
    for (const kind of removeNotifyUrls) deleteNotifyUrl(tx, { bucket, clientId, kind });
    const endpoints = await listEndpoints(tx, call);
    for (const queue of pause.flatMap((url) => findQueues(clientId, url, endpoints)))
      insertPausedQueue(tx, { bucket, clientId, queue }, now);
    for (const queue of resume.flatMap((url) => findQueues(clientId, url, endpoints)))
      deletePausedQueue(tx, { bucket, clientId, queue });
    return listEndpoints(tx, call);
  },

  answer({ notifyUrls, paused }: Endpoints) {
    return {
      code: "SUCCESS",
      notifyUrls: notifyUrls.map(({ kind, url }) => ({ notificationKind: kind, url })),
      paused: paused.filter((endpoint) => !isNotificationKind(endpoint)),
    };
  },
});

/**
 * `findQueues` returns the delivery queues of a URL: the queue of webhooks whose request had the URL, and the queues of
 * the kinds for which the URL is set.
 */
function findQueues(clientId: string, url: string, { notifyUrls }: Endpoints): readonly string[] {
  const queue = endpointQueue({ clientId, kind: "notifyPayment", url });
  const kinds = notificationKinds.filter((kind) =>
    notifyUrls.some(
      (setUrl) => setUrl.kind === kind && endpointQueue({ clientId, kind, url: setUrl.url }) === queue,
    ),
  );
  return [queue, ...kinds.map((kind) => endpointQueue({ clientId, kind, url: undefined }))];
}

function isNotificationKind(text: string): text is NotificationKind {
  return notificationKinds.some((kind) => kind === text);
}
