import { Type } from "typebox";
import { OneOf, Url } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { kindMeanings } from "./notification-kinds.ts";
import { listEndpoints, type Endpoints } from "./endpoint.sql.ts";

export const viewEndpoints = view({
  name: "endpoints",
  summary: "Shows the merchant's webhook URLs, by kind of webhook, and the paused delivery queues.",
  description:
    "The query of a URL is left out, because it may contain a secret. To set a URL, send the complete URL " +
    "with `changeEndpoints`.",
  permission: "notifications.read",

  request: Type.Object({}),
  response: Type.Object({
    endpoints: Type.Array(
      Type.Object({
        notificationKind: OneOf(kindMeanings, "The kind of webhook."),
        url: Url("The target URL, without its query."),
        isCut: Type.Boolean({ description: "Whether the URL has a query that is not shown." }),
      }),
      { description: "The URLs that are set. A URL in a request takes precedence." },
    ),
    paused: Type.Array(
      Type.String({ maxLength: 2048, description: "A URL or a kind of webhook whose delivery is paused." }),
      { description: "Delivery queues that are paused until they are resumed." },
    ),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: {},
    response: {
      endpoints: [{ notificationKind: "notifyRefund", url: "https://shop.example/refunds", isCut: false }],
      paused: ["https://old.shop.example"],
    },
  },

  find: ({ tx, bucket, clientId }) => listEndpoints(tx, { bucket, clientId }),

  answer({ notifyUrls, paused }: Endpoints) {
    const endpoints = notifyUrls.map(({ kind, url }) => {
      const withoutQuery = url.replace(/[?#].*$/s, "");
      return { notificationKind: kind, url: withoutQuery, isCut: withoutQuery !== url };
    });
    return { code: "SUCCESS", endpoints, paused: [...paused] };
  },
});
