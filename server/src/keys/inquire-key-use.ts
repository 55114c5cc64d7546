import { Type } from "typebox";
import { inquiry } from "../api/operation.ts";
import { described, OneOf, Time, toTime } from "../api/schemas.ts";
import { refuse } from "../core/result.ts";
import { findKeyReport } from "./key-use.sql.ts";
import { revocationLight, type KeyReport } from "./key-use.ts";

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const KeyVersion = Type.Integer({ minimum: 0, description: "Which key." });

export const inquireKeyUse = inquiry({
  path: "tollgate/inquiryKeyUse",
  summary: "Shows which of your keys and of ours signed how much, and which of yours you can revoke.",
  description:
    "Requests count when their signature was right, whatever came of them. A key is safe to revoke when it has signed " +
    "nothing for 24 hours while another of yours did. What was used within the last second may be missing.",

  request: Type.Object({
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        description: "How far back to count, today included; 7 if not given.",
      }),
    ),
  }),
  response: Type.Object({
    keys: Type.Array(
      Type.Object(
        {
          keyVersion: KeyVersion,
          keyStatus: OneOf(
            { LIVE: "Requests may be signed with it.", REVOKED: "It is refused, for ever." },
            "Whether requests may be signed with it.",
          ),
          createdTime: described(Time, "Since when we have it."),
          revokedTime: Type.Optional(described(Time, "Since when it is refused.")),
          requests: Count("How many requests it signed."),
          lastUsedTime: Type.Optional(described(Time, "When it last signed something.")),
          isSafeToRevoke: Type.Boolean({ description: "Whether you will not miss it." }),
          reason: Type.String({ maxLength: 256, description: "Why, or why not." }),
        },
        { title: "MerchantKey", description: "A key of yours." },
      ),
      { description: "Your keys." },
    ),
    gatewayKeys: Type.Array(
      Type.Object({
        keyVersion: KeyVersion,
        createdTime: described(Time, "Since when we have it."),
        isPinned: Type.Boolean({ description: "Whether it signs for you now; see `useGatewayKey`." }),
        answers: Count("How many answers to you it signed."),
        notificationAttempts: Count("How many attempts to deliver a notification to you it signed."),
        lastUsedTime: Type.Optional(described(Time, "When it last signed something for you.")),
      }),
      { description: "Our keys, as far as they sign for you." },
    ),
  }),
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
    return {
      code: "SUCCESS",
      keys: report.merchantKeys.map((key) => ({
        keyVersion: key.version,
        keyStatus: key.revokedAt ? "REVOKED" : "LIVE",
        createdTime: toTime(key.createdAt),
        ...(key.revokedAt && { revokedTime: toTime(key.revokedAt) }),
        requests: key.requests,
        ...(key.lastUsedAt && { lastUsedTime: toTime(key.lastUsedAt) }),
        ...revocationLight(key, report),
      })),
      gatewayKeys: report.gatewayKeys.map((key) => ({
        keyVersion: key.version,
        createdTime: toTime(key.createdAt),
        isPinned: key.isPinned,
        answers: key.answers,
        notificationAttempts: key.notificationAttempts,
        ...(key.lastUsedAt && { lastUsedTime: toTime(key.lastUsedAt) }),
      })),
    };
  },
});
