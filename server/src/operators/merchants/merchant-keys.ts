import { type KeyReport, adviseRevocation } from "../../keys/key-use.ts";
import { findKeyReport } from "../../keys/key-use.sql.ts";
import { queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { formatTextTable } from "../../formats/text-table.ts";

const reportDays = 7;

/** Returns the keys of a merchant with their use. */
export async function findMerchantKeys({ url, environment }: Operator, clientId: string): Promise<KeyReport> {
  const report = await queryAsOwner(url, environment, [clientId], (tx) =>
    findKeyReport(tx, clientId, reportDays),
  );
  if (!report) throw new Error(`There is no client ${clientId}.`);
  return report;
}

/** Formats a table of a merchant's keys: their use, and which ones can be revoked. */
export function merchantKeysTable(report: KeyReport): string {
  return `${merchantTable(report)}\n\n${gatewayTable(report)}`;
}

/** Formats the report as JSON, without the keys themselves. */
export function merchantKeysJson(report: KeyReport): object {
  const { merchantKeys, gatewayKeys, countedSince, now } = report;
  return {
    days: reportDays,
    countedSince,
    now,
    merchantKeys: merchantKeys.map((key) => ({ ...key, ...adviseRevocation(key, report) })),
    gatewayKeys: gatewayKeys.map((key) => ({ ...key, publicKey: undefined })),
  };
}

function merchantTable(report: KeyReport): string {
  const head = ["merchant key", "status", "created", `requests in ${reportDays} days`, "last used", "revoke"];
  const rows = report.merchantKeys.map((key) => {
    const { isSafeToRevoke, reason } = adviseRevocation(key, report);
    return [
      String(key.version),
      key.revokedAt ? `revoked ${formatTime(key.revokedAt)}` : "live",
      formatTime(key.createdAt),
      String(key.requests),
      formatTime(key.lastUsedAt),
      key.revokedAt ? "" : `${isSafeToRevoke ? "SAFE" : "no"}: ${reason}`,
    ];
  });
  return formatTextTable([head, ...rows]);
}

function gatewayTable({ gatewayKeys }: KeyReport): string {
  const head = [
    "gateway key",
    "status",
    "created",
    `responses in ${reportDays} days`,
    "webhook attempts",
    "last used",
  ];
  const rows = gatewayKeys.map((key) => [
    String(key.version),
    key.isPinned ? "pinned" : "",
    formatTime(key.createdAt),
    String(key.answers),
    String(key.notificationAttempts),
    formatTime(key.lastUsedAt),
  ]);
  return formatTextTable([head, ...rows]);
}

function formatTime(time: Date | undefined): string {
  return time ? time.toISOString().slice(0, 19) : "never";
}
