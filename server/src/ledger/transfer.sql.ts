import type { ClientKey } from "../core/client-key.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { Effect, EffectName, PostedTransfer } from "./transfer.ts";

interface Subject {
  readonly bucket: number;
  readonly clientId: string;
  readonly subjectId: string;
}

/**
 * Posts an effect to the ledger exactly once: a second posting violates the unique key and rolls back its transaction.
 */
export function insertEffect(tx: Tx, subject: Subject, effect: Effect, at: Date): void {
  const { bucket, clientId, subjectId } = subject;
  const { name, transfers } = effect;
  tx.write(sql`
    insert into ledger_transfers
      (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
    select ${bucket}, ${subjectId}, ${name}, line, ${clientId}, debit, credit, currency, amount, ${at}
    from unnest(${transfers.map(({ debit }) => debit)}::text[], ${transfers.map(({ credit }) => credit)}::text[],
      ${transfers.map(({ amount }) => amount.currency)}::text[],
      ${transfers.map(({ amount }) => amount.minor)}::bigint[])
      with ordinality as posted (debit, credit, currency, amount, line)
  `);
}

/** Lists all transfers of these records in the ledger, in posting order. */
export async function listTransfersOfRecords(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  subjectIds: readonly string[],
): Promise<readonly PostedTransfer[]> {
  const rows = await tx.query<TransferRow>(sql`
    select ${transferColumns} from ledger_transfers
    where bucket = ${bucket} and client_id = ${clientId} and subject_id = any(${subjectIds}::text[])
    order by at, subject_id, effect, line
  `);
  return rows.map(toPostedTransfer);
}

/** The position of a transfer in the ledger. */
export type TransferPosition = Pick<PostedTransfer, "subjectId" | "effect" | "line">;

/** Lists a merchant's transfers by record, newest record first. There is no index on the time of a transfer. */
export async function listTransfers(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  {
    idFrom,
    idBefore,
    currency,
    before,
    limit,
  }: {
    readonly idFrom: string;
    readonly idBefore: string;
    readonly currency: string | undefined;
    readonly before: TransferPosition | undefined;
    readonly limit: number;
  },
): Promise<readonly PostedTransfer[]> {
  const rows = await tx.query<TransferRow>(sql`
    select ${transferColumns} from ledger_transfers
    where bucket = ${bucket} and client_id = ${clientId} and subject_id >= ${idFrom} and subject_id < ${idBefore}
      and (${before?.subjectId}::text is null or (subject_id, effect, line)
        < (${before?.subjectId}::text, ${before?.effect}::text, ${before?.line}::int))
      and (${currency}::text is null or currency = ${currency})
    order by subject_id desc, effect desc, line desc limit ${limit}::int + 1
  `);
  return rows.map(toPostedTransfer);
}

export const transferColumns = fragment`subject_id, effect, line, debit_account, credit_account, currency, amount_minor, at`;

export interface TransferRow {
  readonly subject_id: string;
  readonly effect: EffectName;
  readonly line: number;
  readonly debit_account: string;
  readonly credit_account: string;
  readonly currency: string;
  readonly amount_minor: string;
  readonly at: Date;
}

export function toPostedTransfer(row: TransferRow): PostedTransfer {
  return {
    subjectId: row.subject_id,
    effect: row.effect,
    line: row.line,
    debit: row.debit_account,
    credit: row.credit_account,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    at: row.at,
  };
}
