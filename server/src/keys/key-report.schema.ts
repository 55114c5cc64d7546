import { Type, type Static } from "typebox";
import { described, OneOf, Time, toTime } from "../api/schemas.ts";
import { revocationLight, type KeyReport } from "./key-use.ts";

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const KeyVersion = Type.Integer({ minimum: 0, description: "Which key." });

export const KeyReportRequest = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 30,
      description: "How far back to count, today included; 7 if not given.",
    }),
  ),
});

export const GatewayKeyForm = Type.Object({
  keyVersion: KeyVersion,
  createdTime: described(Time, "Since when we have it."),
  isPinned: Type.Boolean({ description: "Whether it signs for you now; see `useGatewayKey`." }),
  answers: Count("How many answers to you it signed."),
  notificationAttempts: Count("How many attempts to deliver a notification to you it signed."),
  lastUsedTime: Type.Optional(described(Time, "When it last signed something for you.")),
});

export const KeyReportResponse = Type.Object({
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
  gatewayKeys: Type.Array(GatewayKeyForm, { description: "Our keys, as far as they sign for you." }),
});

export function toKeyReport(report: KeyReport): Static<typeof KeyReportResponse> {
  return {
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
}
