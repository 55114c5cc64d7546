import { call, newMerchant, pathOf } from "../start/test-gateway.ts";
import type { Produced } from "./pay-results.ts";
import type { ResultWorld } from "./world.ts";

/** Tollgate's own operations: each succeeds with these requests. */
const asked: Readonly<Record<string, object>> = {
  "tollgate/inquiryBalance": {},
  "tollgate/inquiryStatements": { currency: "EUR", fromDay: "2026-11-15" },
  "tollgate/inquirySettlements": {},
  "tollgate/inquiryOpenRecords": {},
  "tollgate/inquiryEvents": {},
  "tollgate/inquiryNotifications": {},
  "tollgate/resendNotifications": { subjectId: "20260301123450000000001000000000000" },
  "tollgate/changeEndpoints": { notifyUrls: [] },
  "tollgate/changeBrand": { remove: [] },
  "tollgate/inquiryKeyUse": {},
  "tollgate/useGatewayKey": { keyVersion: 1 },
  "tollgate/inquiryRequests": {},
};

/** Operations that change a setting: an older request must not undo a newer one. */
const changes = [
  "tollgate/resendNotifications",
  "tollgate/changeEndpoints",
  "tollgate/changeBrand",
  "tollgate/useGatewayKey",
];

const twice = { faultRequestId: "twice", fault: "DUPLICATE", count: 1 };

export const ownResults: Readonly<Record<string, Produced>> = {
  ...Object.fromEntries(
    Object.entries(asked).map(([path, request]) => [
      path,
      {
        SUCCESS: (world: ResultWorld) => world.codeOf(path, request),
        ...(changes.includes(path) && {
          REPEAT_REQ_INCONSISTENT: (world: ResultWorld) => tooLateCodeOf(world, path, request),
        }),
      },
    ]),
  ),
  "tollgate/advanceClock": {
    SUCCESS: async (world) => {
      const merchant = await newMerchant(world.database, "Clock Lab");
      const turn = { turnRequestId: "once", bySeconds: 60 };
      return world.finalCodeOf("tollgate/advanceClock", turn, merchant);
    },
    REPEAT_REQ_INCONSISTENT: async (world) => {
      const merchant = await newMerchant(world.database, "Turned Lab");
      await world.finalCodeOf("tollgate/advanceClock", { turnRequestId: "once", bySeconds: 60 }, merchant);
      return world.codeOf("tollgate/advanceClock", { turnRequestId: "once", bySeconds: 61 }, merchant);
    },
    ACCESS_DENIED: (world) =>
      liveCodeOf(world, "tollgate/advanceClock", { turnRequestId: "once", bySeconds: 60 }),
  },
  "tollgate/orderFault": {
    SUCCESS: async (world) =>
      world.codeOf("tollgate/orderFault", twice, await newMerchant(world.database, "Faulty Lab")),
    REPEAT_REQ_INCONSISTENT: (world) => tooLateCodeOf(world, "tollgate/orderFault", twice),
    ACCESS_DENIED: (world) => liveCodeOf(world, "tollgate/orderFault", twice),
  },
};

/**
 * Sends a change of a setting that was signed before a change that has already arrived, and returns the result code.
 */
async function tooLateCodeOf({ url, database }: ResultWorld, path: string, request: object): Promise<string> {
  const merchant = await newMerchant(database, "Late Lab");
  const sent = { path: pathOf("sandbox", path), body: JSON.stringify(request) };
  await call(url, merchant, sent);
  const { json } = await call(url, merchant, { ...sent, time: String(Date.now() - 60_000) });
  return String(json.result["resultCode"]);
}

/** Sandbox operations are denied in live. */
async function liveCodeOf({ live }: ResultWorld, path: string, body: object): Promise<string> {
  const sent = { path: pathOf("live", path), body: JSON.stringify(body) };
  const { json } = await call(live.url, live.merchant, sent);
  return String(json.result["resultCode"]);
}
