import { view } from "../api/view.ts";
import { refuse } from "../core/result.ts";
import { KeyReportRequest, KeyReportResponse, toKeyReport } from "./key-report.schema.ts";
import { findKeyReport } from "./key-use.sql.ts";
import type { KeyReport } from "./key-use.ts";

export const viewKeys = view({
  name: "keys",
  summary: "Shows the merchant's keys and ours, when each was last used, and which can be revoked safely.",
  description:
    "A key is safe to revoke when it has signed nothing for 24 hours while another of yours did. What was used within " +
    "the last second may be missing.",
  right: "keys.read",

  request: KeyReportRequest,
  response: KeyReportResponse,
  results: ["SUCCESS", "PARAM_ILLEGAL", "UNKNOWN_CLIENT"],

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
    return (await findKeyReport(tx, clientId, days)) ?? refuse("UNKNOWN_CLIENT");
  },

  answer(report: KeyReport) {
    return { code: "SUCCESS", ...toKeyReport(report) };
  },
});
