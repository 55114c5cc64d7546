import { Type } from "typebox";
import { view } from "../api/view.ts";
import { refuse } from "../core/result.ts";
import { GatewayKeyForm, KeyReportRequest, KeyReportResponse, toKeyReport } from "./key-report.schema.ts";
import { publicKeyPem } from "./gateway-key.ts";
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
  response: Type.Object({
    keys: KeyReportResponse.properties.keys,
    gatewayKeys: Type.Array(
      Type.Object({
        ...GatewayKeyForm.properties,
        publicKey: Type.String({
          maxLength: 2048,
          description:
            "Its public half, to verify answers and notifications with: SubjectPublicKeyInfo in PEM.",
        }),
      }),
      { description: "Our keys, as far as they sign for you." },
    ),
  }),
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
          publicKey: "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq…\n-----END PUBLIC KEY-----\n",
        },
      ],
    },
  },

  async find({ tx, clientId }, { days = 7 }) {
    return (await findKeyReport(tx, clientId, days)) ?? refuse("UNKNOWN_CLIENT");
  },

  answer(report: KeyReport) {
    const { keys, gatewayKeys } = toKeyReport(report);
    const pems = new Map(report.gatewayKeys.map((key) => [key.version, publicKeyPem(key.publicKey)]));
    const withPem = gatewayKeys.map((key) => ({ ...key, publicKey: pems.get(key.keyVersion) ?? "" }));
    return { code: "SUCCESS", keys, gatewayKeys: withPem };
  },
});
