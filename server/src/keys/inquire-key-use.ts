import { inquiry } from "../api/operation.ts";
import { refuse } from "../core/result.ts";
import { KeyReportRequest, KeyReportResponse, toKeyReport } from "./key-report.schema.ts";
import { findKeyReport } from "./key-use.sql.ts";
import type { KeyReport } from "./key-use.ts";

export const inquireKeyUse = inquiry({
  path: "tollgate/inquiryKeyUse",
  summary: "Shows which of your keys and of ours signed how much, and which of yours you can revoke.",
  description:
    "Requests count when their signature was right, whatever came of them. A key is safe to revoke when it has signed " +
    "nothing for 24 hours while another of yours did. What was used within the last second may be missing.",

  request: KeyReportRequest,
  response: KeyReportResponse,
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED"],
  inStore: true,

  example: {
    request: { days: 7 },
    response: {
      keys: [
        {
          keyVersion: 1,
          keyStatus: "LIVE",
          createdTime: "2026-01-15T09:00:00+00:00",
          requests: 1208,
          lastUsedTime: "2026-11-13T17:20:11+00:00",
          isSafeToRevoke: true,
          reason: "It signed nothing for 24 hours, and version 2 did.",
        },
        {
          keyVersion: 2,
          keyStatus: "LIVE",
          createdTime: "2026-11-12T09:00:00+00:00",
          requests: 5120,
          lastUsedTime: "2026-11-15T09:30:00+00:00",
          isSafeToRevoke: false,
          reason: "It signed a request within the last 24 hours.",
        },
      ],
      gatewayKeys: [
        {
          keyVersion: 1,
          createdTime: "2026-01-15T09:00:00+00:00",
          isPinned: true,
          answers: 6328,
          notificationAttempts: 2045,
          lastUsedTime: "2026-11-15T09:30:00+00:00",
        },
      ],
    },
  },

  async find({ tx, clientId }, { days = 7 }) {
    return (await findKeyReport(tx, clientId, days)) ?? refuse("ACCESS_DENIED");
  },

  answer(report: KeyReport) {
    return { code: "SUCCESS", ...toKeyReport(report) };
  },
});
