import { Type } from "typebox";
import { view } from "../contract/view.ts";
import { refuse } from "../core/result.ts";
import {
  exampleGatewayKey,
  exampleKey,
  GatewayKeyForm,
  KeyReportRequest,
  KeyReportResponse,
  toKeyReport,
} from "./key-report.schema.ts";
import { formatPublicKeyPem } from "./gateway-key.ts";
import { findKeyReport } from "./key-use.sql.ts";
import type { KeyReport } from "./key-use.ts";

export const viewKeys = view({
  name: "keys",
  summary: "Shows the merchant's keys and ours, when each was last used, and which can be revoked safely.",
  description:
    "A key is safe to revoke when it has signed nothing for 24 hours while another of yours did. Uses within " +
    "the last second may be missing.",
  permission: "keys.read",

  request: KeyReportRequest,
  response: Type.Object({
    keys: KeyReportResponse.properties.keys,
    gatewayKeys: Type.Array(
      Type.Object({
        ...GatewayKeyForm.properties,
        publicKey: Type.String({
          maxLength: 2048,
          description: "Its public half, to verify responses and webhooks: SubjectPublicKeyInfo in PEM.",
        }),
      }),
      { description: "The gateway keys that sign for you." },
    ),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "UNKNOWN_CLIENT"],

  example: {
    request: { days: 7 },
    response: {
      keys: [exampleKey],
      gatewayKeys: [
        {
          ...exampleGatewayKey,
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
    const pems = new Map(report.gatewayKeys.map((key) => [key.version, formatPublicKeyPem(key.publicKey)]));
    const withPem = gatewayKeys.map((key) => ({ ...key, publicKey: pems.get(key.keyVersion) ?? "" }));
    return { code: "SUCCESS", keys, gatewayKeys: withPem };
  },
});
