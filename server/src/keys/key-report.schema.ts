import { Type, type Static } from "typebox";
import { withDescription, OneOf, Time, toTime } from "../contract/schemas.ts";
import { adviseRevocation, type KeyReport } from "./key-use.ts";

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const KeyVersion = Type.Integer({ minimum: 0, description: "Which key." });

export const KeyReportRequest = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 30,
      description: "Number of days to count, today included (default 7).",
    }),
  ),
});

export const GatewayKeyForm = Type.Object({
  keyVersion: KeyVersion,
  createdTime: withDescription(Time, "When it was created."),
  isPinned: Type.Boolean({ description: "Whether it signs for you now; see `useGatewayKey`." }),
  answers: Count("Number of responses to you that it signed."),
  notificationAttempts: Count("Number of delivery attempts to you that it signed."),
  lastUsedTime: Type.Optional(withDescription(Time, "When it last signed a message to you.")),
});

export const KeyReportResponse = Type.Object({
  keys: Type.Array(
    Type.Object(
      {
        keyVersion: KeyVersion,
        keyStatus: OneOf(
          { LIVE: "Requests may be signed with it.", REVOKED: "It is rejected permanently." },
          "Whether requests may be signed with it.",
        ),
        createdTime: withDescription(Time, "When it was registered."),
        revokedTime: Type.Optional(withDescription(Time, "When it was revoked.")),
        requests: Count("Number of requests that it signed."),
        lastUsedTime: Type.Optional(withDescription(Time, "When it last signed a request.")),
        isSafeToRevoke: Type.Boolean({ description: "Whether it can be revoked without failing requests." }),
        reason: Type.String({ maxLength: 256, description: "The reason." }),
      },
      { title: "MerchantKey", description: "One of your keys." },
    ),
    { description: "Your keys." },
  ),
  gatewayKeys: Type.Array(GatewayKeyForm, { description: "The gateway keys that sign for you." }),
});

export const exampleKey = {
  keyVersion: 1,
  keyStatus: "LIVE",
  createdTime: "2026-01-15T09:00:00+00:00",
  requests: 1208,
  lastUsedTime: "2026-11-13T17:20:11+00:00",
  isSafeToRevoke: true,
  reason: "It signed nothing for 24 hours, and version 2 did.",
} as const;

export const exampleGatewayKey = {
  keyVersion: 1,
  createdTime: "2026-01-15T09:00:00+00:00",
  isPinned: true,
  answers: 6328,
  notificationAttempts: 2045,
  lastUsedTime: "2026-11-15T09:30:00+00:00",
} as const;

export function toKeyReport(report: KeyReport): Static<typeof KeyReportResponse> {
  return {
    keys: report.merchantKeys.map((key) => ({
      keyVersion: key.version,
      keyStatus: key.revokedAt ? "REVOKED" : "LIVE",
      createdTime: toTime(key.createdAt),
      ...(key.revokedAt && { revokedTime: toTime(key.revokedAt) }),
      requests: key.requests,
      ...(key.lastUsedAt && { lastUsedTime: toTime(key.lastUsedAt) }),
      ...adviseRevocation(key, report),
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
