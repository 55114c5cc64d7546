import { Type } from "typebox";
import { OneOf, Url } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { kindsInWords } from "./delivery-filter.schema.ts";
import { listEndpoints, type Endpoints } from "./endpoint.sql.ts";

export const viewEndpoints = view({
  name: "endpoints",
  summary: "Shows where the merchant is told, by kind of notification, and what is paused.",
  description:
    "The query of an address is left out, because it may hold a secret. To set an address, send all of it with the act `changeEndpoints`.",
  right: "notifications.read",

  request: Type.Object({}),
  response: Type.Object({
    endpoints: Type.Array(
      Type.Object({
        notificationKind: OneOf(kindsInWords, "Which notifications."),
        url: Url("Where to, without its query."),
        isCut: Type.Boolean({ description: "Whether the address has a query that is not shown." }),
      }),
      { description: "The addresses that are set. One in a request beats them." },
    ),
    paused: Type.Array(
      Type.String({ maxLength: 2048, description: "An address or a kind that nothing is sent for." }),
      { description: "What waits until somebody lets it go on." },
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
      const shown = url.replace(/[?#].*$/s, "");
      return { notificationKind: kind, url: shown, isCut: shown !== url };
    });
    return { code: "SUCCESS", endpoints, paused: [...paused] };
  },
});
