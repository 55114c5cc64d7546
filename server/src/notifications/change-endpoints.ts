import { Type } from "typebox";
import { change } from "../api/operation.ts";
import { OneOf, Url } from "../api/schemas.ts";
import { refuse } from "../core/result.ts";
import { kindsInWords } from "./delivery-filter.schema.ts";
import { deleteNotifyUrl, insertNotifyUrl, listEndpoints, type Endpoints } from "./endpoint.sql.ts";
import { endpointLane, notificationKinds, type NotificationKind } from "./notification.ts";
import { deletePausedLane, insertPausedLane } from "./paused-lane.sql.ts";
import { mayNotify, notifyRule } from "../merchants/address.ts";

const Kind = OneOf(kindsInWords, "Which notifications.");

export const changeEndpoints = change({
  path: "tollgate/changeEndpoints",
  summary: "Sets where you want to be told, and stops and starts the delivery to an address.",
  description:
    "An address in a request beats the one that is set for its kind. While an address is paused, what is meant for it " +
    "waits, and goes out when you let it. Without any field it only shows what is set.",

  request: Type.Object({
    notifyUrls: Type.Optional(
      Type.Array(Type.Object({ notificationKind: Kind, url: Url("Where to.") }), {
        maxItems: 16,
        description: "Addresses to set, by kind of notification.",
      }),
    ),
    removeNotifyUrls: Type.Optional(
      Type.Array(Kind, { maxItems: 16, description: "Kinds whose address is to be forgotten." }),
    ),
    pause: Type.Optional(
      Type.Array(Url("An address; its path does not matter."), {
        maxItems: 16,
        description: "Addresses to which nothing is to be sent for now.",
      }),
    ),
    resume: Type.Optional(
      Type.Array(Url("An address; its path does not matter."), {
        maxItems: 16,
        description: "Addresses to which is to be sent again.",
      }),
    ),
  }),
  response: Type.Object({
    notifyUrls: Type.Array(Type.Object({ notificationKind: Kind, url: Url("Where to.") }), {
      description: "The addresses that are set, by kind of notification.",
    }),
    paused: Type.Array(Type.String({ maxLength: 2048, description: "An address that nothing is sent to." }), {
      description: "Addresses to which nothing is sent for now.",
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
  scenes: [
    {
      title: "Only show what is set",
      request: {},
      response: {
        notifyUrls: [{ notificationKind: "notifyRefund", url: "https://shop.example/refunds" }],
        paused: [],
      },
    },
    {
      title: "Send to an address again",
      request: { resume: ["https://old.shop.example"] },
      response: { notifyUrls: [], paused: [] },
    },
  ],

  async change(call, { notifyUrls = [], removeNotifyUrls = [], pause = [], resume = [] }) {
    const { tx, clientId, bucket, now } = call;
    const kinds = [...notifyUrls.map(({ notificationKind }) => notificationKind), ...removeNotifyUrls];
    if (!kinds.every(isKind)) return refuse("PARAM_ILLEGAL", { field: "notificationKind" });
    const addresses = [...notifyUrls.map(({ url }) => url), ...pause, ...resume];
    const odd = addresses.find((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ""));
    if (odd !== undefined) return refuse("PARAM_ILLEGAL", { detail: "An address begins with https." });

    if (!notifyUrls.every(({ url }) => mayNotify(url)))
      return refuse("PARAM_ILLEGAL", { field: "notifyUrls", detail: `An address: ${notifyRule}` });

    for (const { notificationKind: kind, url } of notifyUrls)
      insertNotifyUrl(tx, { bucket, clientId, kind, url });
    for (const kind of removeNotifyUrls) deleteNotifyUrl(tx, { bucket, clientId, kind });
    const set = await listEndpoints(tx, call);
    for (const lane of pause.flatMap((url) => lanesAt(clientId, url, set)))
      insertPausedLane(tx, { bucket, clientId, lane }, now);
    for (const lane of resume.flatMap((url) => lanesAt(clientId, url, set)))
      deletePausedLane(tx, { bucket, clientId, lane });
    return listEndpoints(tx, call);
  },

  answer({ notifyUrls, paused }: Endpoints) {
    return {
      code: "SUCCESS",
      notifyUrls: notifyUrls.map(({ kind, url }) => ({ notificationKind: kind, url })),
      paused: paused.filter((place) => !isKind(place)),
    };
  },
});

/** The lane of notifications whose request named the address, and the lanes of the kinds that it is set for. */
function lanesAt(clientId: string, url: string, { notifyUrls }: Endpoints): readonly string[] {
  const lane = endpointLane({ clientId, kind: "notifyPayment", url });
  const kinds = notificationKinds.filter((kind) =>
    notifyUrls.some((set) => set.kind === kind && endpointLane({ clientId, kind, url: set.url }) === lane),
  );
  return [lane, ...kinds.map((kind) => endpointLane({ clientId, kind, url: undefined }))];
}

function isKind(text: string): text is NotificationKind {
  return notificationKinds.some((kind) => kind === text);
}
