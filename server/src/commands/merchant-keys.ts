import type { KeyReport } from "../keys/key-use.ts";
import { revocationLight } from "../keys/key-use.ts";
import { findKeyReport } from "../keys/key-use.sql.ts";
import { asOwner, type Operator } from "./as-owner.ts";
import { align } from "./table.ts";

const days = 7;

/** Which key signed what for a merchant. */
export async function findMerchantKeys({ url, environment }: Operator, clientId: string): Promise<KeyReport> {
  const report = await asOwner(url, environment, [clientId], (tx) => findKeyReport(tx, clientId, days));
  if (!report) throw new Error(`There is no client ${clientId}.`);
  return report;
}

/** For people: which keys are in use, and which can be revoked. */
export function keysTable(report: KeyReport): string {
  return `${merchantTable(report)}\n\n${gatewayTable(report)}`;
}

/** For programs: the same, without the keys themselves. */
export function keysJson(report: KeyReport): object {
  const { merchantKeys, gatewayKeys, countedSince, now } = report;
  return {
    days,
    countedSince,
    now,
    merchantKeys: merchantKeys.map((key) => ({ ...key, ...revocationLight(key, report) })),
    gatewayKeys: gatewayKeys.map((key) => ({ ...key, publicKey: undefined })),
  };
}

function merchantTable(report: KeyReport): string {
  const head = ["merchant key", "status", "created", `requests in ${days} days`, "last used", "revoke"];
  const rows = report.merchantKeys.map((key) => {
    const { isSafeToRevoke, reason } = revocationLight(key, report);
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
    `answers in ${days} days`,
    "notification attempts",
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
