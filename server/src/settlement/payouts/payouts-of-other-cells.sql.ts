import { listOwnBuckets, findCell } from "../../cells/home.sql.ts";
import { parseId } from "../../core/id.ts";
import { sql, type Tx } from "../../postgres/sql.ts";
import { bucketOfPayout, mayBePayoutOf } from "./payout-id.ts";

/** The payout references in a bank report whose payouts belong to merchants in other cells. */
export interface OtherCellsPayouts {
  /** End-to-end ids of other cells' payouts, and ids of files without a payout of this cell. */
  readonly references: ReadonlySet<string>;
  /** Merchants that are moving to another cell: no cell can import their payouts before the move has finished. */
  readonly leaving: readonly string[];
}

/**
 * `findPayoutsOfOtherCells` returns the references that belong to another cell. It uses only this cell's database:
 * copies of merchants that left, and the bucket in the reference. A reference with a bucket of this cell belongs to
 * another cell only if it can name a merchant that left. A reference in another format belongs to no cell. For an
 * installation without cells, no reference belongs to another cell.
 */
export async function findPayoutsOfOtherCells(
  tx: Tx,
  endToEndIds: readonly string[],
  fileIds: readonly string[],
): Promise<OtherCellsPayouts> {
  if ((await findCell(tx)) === undefined) return { references: new Set(), leaving: [] };
  const copies = await listPayoutCopies(tx, endToEndIds, fileIds);
  const knownReferences = new Set(copies.map(({ reference }) => reference));
  const buckets = new Set(await listOwnBuckets(tx));
  const departedMerchants = await listDepartedMerchants(tx, [
    ...new Set(endToEndIds.map((each) => bucketOfPayout(each))),
  ]);
  const isOfOtherCell = (reference: string): boolean => {
    const bucket = bucketOfPayout(reference);
    if (bucket === undefined || knownReferences.has(reference)) return knownReferences.has(reference);
    return !buckets.has(bucket) || departedMerchants.some((clientId) => mayBePayoutOf(reference, clientId));
  };
  // A file id does not contain its cell, so each well-formed file id may be that of another cell.
  const otherFiles = fileIds.filter((fileId) => parseId(fileId)?.kind === "payoutFile");
  return {
    references: new Set([...knownReferences, ...endToEndIds.filter(isOfOtherCell), ...otherFiles]),
    leaving: [...new Set(copies.filter(({ state }) => state === "leaving").map(({ clientId }) => clientId))],
  };
}

interface PayoutCopy {
  readonly reference: string;
  readonly clientId: string;
  readonly state: string;
}

/** Lists payouts in this database whose merchants have another home cell. */
async function listPayoutCopies(
  tx: Tx,
  endToEndIds: readonly string[],
  fileIds: readonly string[],
): Promise<readonly PayoutCopy[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  return tx.query<PayoutCopy>(sql`
    select p.end_to_end_id as reference, p.client_id as "clientId", home.state
    from payouts as p join client_homes as home on home.bucket = p.bucket and home.client = p.client_id and home.state <> 'here'
    where p.end_to_end_id = any (${endToEndIds}::text[]) or p.file_id = any (${fileIds}::text[])
  `);
}

/** Lists merchants of these buckets that have another home cell. */
async function listDepartedMerchants(
  tx: Tx,
  buckets: readonly (number | undefined)[],
): Promise<readonly string[]> {
  const rows = await tx.query<{ client: string }>(sql`
    select client from client_homes
    where state in ('gone', 'arriving', 'ready') and bucket = any (${buckets.filter((each) => each !== undefined)}::int[])
  `);
  return rows.map(({ client }) => client);
}
