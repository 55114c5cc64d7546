import { call, newMerchant, pathOf } from "../start/test-gateway.ts";
import type { ResultProducers } from "./pay-results.ts";
import type { ResultEnvironment } from "./result-environment.ts";

/** Tollgate's own operations: each succeeds with these requests. */
const validRequests: Readonly<Record<string, object>> = {
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
const settingChanges = [
  "tollgate/resendNotifications",
  "tollgate/changeEndpoints",
  "tollgate/changeBrand",
  "tollgate/useGatewayKey",
];

const duplicateFault = { faultRequestId: "twice", fault: "DUPLICATE", count: 1 };

export const tollgateResults: Readonly<Record<string, ResultProducers>> = {
  ...Object.fromEntries(
    Object.entries(validRequests).map(([path, request]) => [
      path,
      {
        SUCCESS: (environment: ResultEnvironment) => environment.codeOf(path, request),
        ...(settingChanges.includes(path) && {
          REPEAT_REQ_INCONSISTENT: (environment: ResultEnvironment) =>
            outdatedChangeCode(environment, path, request),
        }),
      },
    ]),
  ),
  "tollgate/advanceClock": {
    SUCCESS: async (environment) => {
      const merchant = await newMerchant(environment.database, "Clock Lab");
      const advanceRequest = { turnRequestId: "once", bySeconds: 60 };
      return environment.finalCodeOf("tollgate/advanceClock", advanceRequest, merchant);
    },
    REPEAT_REQ_INCONSISTENT: async (environment) => {
      const merchant = await newMerchant(environment.database, "Turned Lab");
      await environment.finalCodeOf(
        "tollgate/advanceClock",
        { turnRequestId: "once", bySeconds: 60 },
        merchant,
      );
      return environment.codeOf("tollgate/advanceClock", { turnRequestId: "once", bySeconds: 61 }, merchant);
    },
    ACCESS_DENIED: (environment) =>
      liveCodeOf(environment, "tollgate/advanceClock", { turnRequestId: "once", bySeconds: 60 }),
  },
  "tollgate/orderFault": {
    SUCCESS: async (environment) =>
      environment.codeOf(
        "tollgate/orderFault",
        duplicateFault,
        await newMerchant(environment.database, "Faulty Lab"),
      ),
    REPEAT_REQ_INCONSISTENT: (environment) =>
      outdatedChangeCode(environment, "tollgate/orderFault", duplicateFault),
    ACCESS_DENIED: (environment) => liveCodeOf(environment, "tollgate/orderFault", duplicateFault),
  },
};

/**
 * Sends a change of a setting that was signed before a change that has already arrived, and returns the result code.
 */
async function outdatedChangeCode(
  { url, database }: ResultEnvironment,
  path: string,
  request: object,
): Promise<string> {
  const merchant = await newMerchant(database, "Late Lab");
  const sent = { path: pathOf("sandbox", path), body: JSON.stringify(request) };
  await call(url, merchant, sent);
  const { json } = await call(url, merchant, { ...sent, time: String(Date.now() - 60_000) });
  return String(json.result["resultCode"]);
}

/** Sandbox operations are denied in live. */
async function liveCodeOf({ live }: ResultEnvironment, path: string, body: object): Promise<string> {
  const sent = { path: pathOf("live", path), body: JSON.stringify(body) };
  const { json } = await call(live.url, live.merchant, sent);
  return String(json.result["resultCode"]);
}
