import type { Act } from "../../audit/audit.ts";
import { bucketOf } from "../../core/bucket.ts";
import { findClient } from "../../merchants/client.sql.ts";
import type { Delivery, DeliverySelection } from "../../notifications/delivery.ts";
import { listDeliveries, resendDeliveries } from "../../notifications/delivery.sql.ts";
import type { Tx } from "../../postgres/sql.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { formatUtcTime, formatTextTable } from "../../formats/text-table.ts";

/** A webhook for operators, without its body and the merchant's response. */
export interface NotificationSummary extends Omit<Delivery, "attempts" | "url"> {
  /** Origin only: path and query may contain a secret of the merchant. */
  readonly origin: string | undefined;
  readonly attemptCount: number;
  readonly lastAttemptAt: Date | undefined;
  readonly lastHttpStatus: number | undefined;
  readonly lastFailure: string | undefined;
}

export async function listNotifications(
  { url, environment }: Operator,
  clientId: string,
  selection: DeliverySelection,
): Promise<readonly NotificationSummary[]> {
  const deliveries = await queryAsOwner(url, environment, [clientId], (tx) =>
    findDeliveries(tx, clientId, selection),
  );
  return deliveries.map(toSummary);
}

/** `resendNotifications` sends webhooks again: same body, new signature, and the attempts start again. */
export async function resendNotifications(
  operator: Operator,
  clientId: string,
  selection: DeliverySelection,
): Promise<readonly NotificationSummary[]> {
  const deliveries = await actAsOwner(operator, [clientId], async (tx) => {
    const selectedDeliveries = await findDeliveries(tx, clientId, selection);
    await resendDeliveries(tx, { bucket: bucketOf(clientId), clientId }, selectedDeliveries);
    return { value: selectedDeliveries, audit: resendAudit(clientId, selectedDeliveries) };
  });
  return deliveries.map(toSummary);
}

/** Maximum number of webhook ids in an audit row; the row counts the rest. */
const auditedIdsMax = 100;

function resendAudit(clientId: string, found: readonly Delivery[]): Act {
  const notificationIds = found.slice(0, auditedIdsMax).map(({ notificationId }) => notificationId);
  const after = { count: found.length, notificationIds };
  return { act: "notification resend", subject: clientId, clientId, after };
}

async function findDeliveries(
  tx: Tx,
  clientId: string,
  selection: DeliverySelection,
): Promise<readonly Delivery[]> {
  if (!(await findClient(tx, clientId))) throw new CommandFailed(`There is no client ${clientId}.`);
  return listDeliveries(tx, { bucket: bucketOf(clientId), clientId }, selection);
}

function toSummary({ attempts, url, ...delivery }: Delivery): NotificationSummary {
  const last = attempts.at(-1);
  return {
    ...delivery,
    origin: url === undefined ? undefined : URL.parse(url)?.origin,
    attemptCount: attempts.length,
    lastAttemptAt: last?.at,
    lastHttpStatus: last?.httpStatus,
    lastFailure: last?.failure,
  };
}

export function notificationTable(notifications: readonly NotificationSummary[], limit: number): string {
  if (notifications.length === 0) return "No webhooks found.";
  const head = ["notification", "kind", "status", "attempts", "last", "next", "to"];
  const rows = notifications.map((each) => [
    each.notificationId,
    each.kind,
    each.status,
    String(each.attemptCount),
    each.lastHttpStatus === undefined ? "" : String(each.lastHttpStatus || "no response"),
    each.status === "WAITING" ? formatUtcTime(each.nextAttemptAt, "queued") : "",
    each.origin ?? "no address",
  ]);
  const hint =
    notifications.length === limit ? [`There may be more than ${limit} rows. Use --limit or --from.`] : [];
  return [formatTextTable([head, ...rows]), ...hint].join("\n");
}
