import { type KeyReport, adviseRevocation } from "../../keys/key-use.ts";
import { findKeyReport } from "../../keys/key-use.sql.ts";
import { asOwner, type Operator } from "../../operator-session/as-owner.ts";
import { align } from "../../formats/text-table.ts";

const days = 7;

/** Returns the keys of a merchant with their use. */
export async function findMerchantKeys({ url, environment }: Operator, clientId: string): Promise<KeyReport> {
  const report = await asOwner(url, environment, [clientId], (tx) => findKeyReport(tx, clientId, days));
  if (!report) throw new Error(`There is no client ${clientId}.`);
  return report;
}

/** Formats a table of a merchant's keys: their use, and which ones can be revoked. */
export function keysTable(report: KeyReport): string {
  return `${merchantTable(report)}\n\n${gatewayTable(report)}`;
}

/** Formats the report as JSON, without the keys themselves. */
export function keysJson(report: KeyReport): object {
  const { merchantKeys, gatewayKeys, countedSince, now } = report;
  return {
    days,
    countedSince,
    now,
    merchantKeys: merchantKeys.map((key) => ({ ...key, ...adviseRevocation(key, report) })),
    gatewayKeys: gatewayKeys.map((key) => ({ ...key, publicKey: undefined })),
  };
}

function merchantTable(report: KeyReport): string {
  const head = ["merchant key", "status", "created", `requests in ${days} days`, "last used", "revoke"];
  const rows = report.merchantKeys.map((key) => {
    const { isSafeToRevoke, reason } = adviseRevocation(key, report);
    return [
      String(key.version),
      key.revokedAt ? `revoked ${shown(key.revokedAt)}` : "live",
      shown(key.createdAt),
      String(key.requests),
      shown(key.lastUsedAt),
      key.revokedAt ? "" : `${isSafeToRevoke ? "SAFE" : "no"}: ${reason}`,
    ];
  });
  return align([head, ...rows]);
}

function gatewayTable({ gatewayKeys }: KeyReport): string {
  const head = [
    "gateway key",
    "status",
    "created",
    `responses in ${days} days`,
    "webhook attempts",
    "last used",
  ];
  const rows = gatewayKeys.map((key) => [
    String(key.version),
    key.isPinned ? "pinned" : "",
    shown(key.createdAt),
    String(key.answers),
    String(key.notificationAttempts),
    shown(key.lastUsedAt),
  ]);
  return align([head, ...rows]);
}

function shown(time: Date | undefined): string {
  return time ? time.toISOString().slice(0, 19) : "never";
}
