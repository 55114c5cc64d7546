import { inquiry } from "../contract/operation.ts";
import { refuse } from "../core/result.ts";
import {
  exampleGatewayKey,
  exampleKey,
  KeyReportRequest,
  KeyReportResponse,
  toKeyReport,
} from "./key-report.schema.ts";
import { findKeyReport } from "./key-use.sql.ts";
import type { KeyReport } from "./key-use.ts";

export const inquireKeyUse = inquiry({
  path: "tollgate/inquiryKeyUse",
  summary: "Shows how often each of your keys and ours was used, and which of yours you can revoke.",
  description:
    "A request with a valid signature counts, whatever its result. A key is safe to revoke when it has signed " +
    "nothing for 24 hours while another of yours did. Uses within the last second may be missing.",

  request: KeyReportRequest,
  response: KeyReportResponse,
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED"],
  inStore: true,

  example: {
    request: { days: 7 },
    response: {
      keys: [
        exampleKey,
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
      gatewayKeys: [exampleGatewayKey],
    },
  },

  async find({ tx, clientId }, { days = 7 }) {
    return (await findKeyReport(tx, clientId, days)) ?? refuse("ACCESS_DENIED");
  },

  answer(report: KeyReport) {
    return { code: "SUCCESS", ...toKeyReport(report) };
  },
});
