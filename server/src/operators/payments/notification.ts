import type { Act } from "../../audit/audit.ts";
import { bucketOf } from "../../core/bucket.ts";
import { findClient } from "../../merchants/client.sql.ts";
import type { Delivery, Selection } from "../../notifications/delivery.ts";
import { listDeliveries, resendAll } from "../../notifications/delivery.sql.ts";
import type { Tx } from "../../postgres/sql.ts";
import { actAsOwner, asOwner, type Operator } from "../../operator-session/as-owner.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { shownTime, align } from "../../formats/text-table.ts";

/** A webhook for operators, without its body and the merchant's response. */
export interface ShownNotification extends Omit<Delivery, "attempts" | "url"> {
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
  selection: Selection,
): Promise<readonly ShownNotification[]> {
  const deliveries = await asOwner(url, environment, [clientId], (tx) => find(tx, clientId, selection));
  return deliveries.map(shownOf);
}

/** `resendNotifications` sends webhooks again: same body, new signature, and the attempts start again. */
export async function resendNotifications(
  operator: Operator,
  clientId: string,
  selection: Selection,
): Promise<readonly ShownNotification[]> {
  const deliveries = await actAsOwner(operator, [clientId], async (tx) => {
    const found = await find(tx, clientId, selection);
    await resendAll(tx, { bucket: bucketOf(clientId), clientId }, found);
    return { value: found, audit: resent(clientId, found) };
  });
  return deliveries.map(shownOf);
}

/** Maximum number of webhook ids in an audit row; the row counts the rest. */
const namedMax = 100;

function resent(clientId: string, found: readonly Delivery[]): Act {
  const notificationIds = found.slice(0, namedMax).map(({ notificationId }) => notificationId);
  const after = { count: found.length, notificationIds };
  return { act: "notification resend", subject: clientId, clientId, after };
}

async function find(tx: Tx, clientId: string, selection: Selection): Promise<readonly Delivery[]> {
  if (!(await findClient(tx, clientId))) throw new CommandFailed(`There is no client ${clientId}.`);
  return listDeliveries(tx, { bucket: bucketOf(clientId), clientId }, selection);
}

function shownOf({ attempts, url, ...delivery }: Delivery): ShownNotification {
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

export function notificationTable(notifications: readonly ShownNotification[], limit: number): string {
  if (notifications.length === 0) return "No webhooks found.";
  const head = ["notification", "kind", "status", "attempts", "last", "next", "to"];
  const rows = notifications.map((each) => [
    each.notificationId,
    each.kind,
    each.status,
    String(each.attemptCount),
    each.lastHttpStatus === undefined ? "" : String(each.lastHttpStatus || "no response"),
    each.status === "WAITING" ? shownTime(each.nextAttemptAt, "queued") : "",
    each.origin ?? "no address",
  ]);
  const more =
    notifications.length === limit ? [`There may be more than ${limit} rows. Use --limit or --from.`] : [];
  return [align([head, ...rows]), ...more].join("\n");
}
