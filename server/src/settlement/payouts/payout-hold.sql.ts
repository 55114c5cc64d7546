import { isHomeHere } from "../../cells/home.sql.ts";
import type { ClientKey } from "../../core/client-key.ts";
import { fragment, sql, type Tx } from "../../postgres/sql.ts";
import type { PayoutHold } from "./payout.ts";

/** An open hold of payouts: the merchant is not paid until the hold is released. */
export interface OpenHold {
  readonly clientId: string;
  readonly heldAt: Date;
  readonly heldBy: string;
  readonly reason: string;
}

/**
 * Returns the reason why no batch of the merchant is paid, or undefined if batches are paid. The database function
 * `payouts_are_held` has the same rule.
 */
export async function findPayoutHold(
  tx: Tx,
  { bucket, clientId }: ClientKey,
): Promise<PayoutHold | undefined> {
  const [row] = await tx.query<{ is_held: boolean; is_active: boolean }>(sql`
    select exists (select from payout_holds
        where bucket = ${bucket} and client_id = ${clientId} and released_at is null) as is_held,
      exists (select from clients
        where bucket = ${bucket} and client_id = ${clientId} and status = 'ACTIVE') as is_active
  `);
  if (row?.is_held) return "payouts on hold";
  return row?.is_active ? undefined : "merchant suspended";
}

/** Lists open holds of the merchants of this cell, oldest first; for an operator with oversight. */
export async function listOpenHolds(tx: Tx): Promise<readonly OpenHold[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<HoldRow>(sql`
    select ${columns} from payout_holds where released_at is null and ${isHomeHere} order by held_at, client_id
  `);
  return rows.map(toHold);
}

export async function findOpenHold(tx: Tx, { bucket, clientId }: ClientKey): Promise<OpenHold | undefined> {
  const [row] = await tx.query<HoldRow>(sql`
    select ${columns} from payout_holds
    where bucket = ${bucket} and client_id = ${clientId} and released_at is null
  `);
  return row && toHold(row);
}

/**
 * Inserts a hold of payouts; returns false if one is open. The database sets time and login, except for the owner's
 * login.
 */
export async function insertHold(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  hold: { readonly by: string; readonly reason: string; readonly at: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into payout_holds (bucket, client_id, held_at, held_by, held_login, reason)
    values (${bucket}, ${clientId}, ${hold.at}, ${hold.by}, session_user, ${hold.reason})
    on conflict (bucket, client_id) where released_at is null do nothing
    returning 1
  `);
  return rows.length > 0;
}

/** Releases a merchant's open hold of payouts; returns false if none is open. */
export async function updateHoldReleased(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  released: { readonly by: string; readonly at: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update payout_holds set released_at = ${released.at}, released_by = ${released.by}, released_login = session_user
    where bucket = ${bucket} and client_id = ${clientId} and released_at is null
    returning 1
  `);
  return rows.length > 0;
}

const columns = fragment`client_id, held_at, held_by, reason`;

interface HoldRow {
  readonly client_id: string;
  readonly held_at: Date;
  readonly held_by: string;
  readonly reason: string;
}

function toHold(row: HoldRow): OpenHold {
  return { clientId: row.client_id, heldAt: row.held_at, heldBy: row.held_by, reason: row.reason };
}
