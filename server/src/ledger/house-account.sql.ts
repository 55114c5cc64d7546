import { bucketOf } from "../core/bucket.ts";
import { unnest, type ColumnTable } from "../postgres/column-table.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { house } from "./account.ts";
import {
  receivableRowKinds,
  providerEffect,
  type ReceivableRowKind,
  type HouseEffect,
} from "./bank-effects.ts";

/** Bucket of the house account's rows, because rows without a merchant need a bucket, too. */
export const houseBucket = bucketOf(house);

/**
 * Returns whether the house account is in this database. In a fleet it is only in the cell that owns its bucket: all
 * cells import a provider's file, but its payouts must be posted once.
 */
export async function hasHouseAccount(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ here: boolean }>(sql`
    select not exists (select from cell)
      or exists (select from cell_buckets where bucket = ${houseBucket} and given_to is null) as here
  `);
  return row?.here ?? false;
}

export async function isHouseEffectPosted(
  tx: Tx,
  subjectId: string,
  effect: HouseEffect["name"],
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from ledger_transfers where bucket = ${houseBucket} and subject_id = ${subjectId} and effect = ${effect}
  `);
  return rows.length > 0;
}

export interface HousePosting extends HouseEffect {
  readonly subjectId: string;
  readonly at: Date;
}

/**
 * Posts effects of the house account, each only once: a second posting violates the unique key and rolls back its
 * transaction.
 */
export async function insertHouseEffects(tx: Tx, postings: readonly HousePosting[]): Promise<void> {
  if (postings.length === 0) return;
  await tx.query(sql`
    insert into ledger_transfers
      (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
    select ${houseBucket}, subject_id, effect, 1, ${house}, debit, credit, currency, amount, at
    from ${unnest(postingColumns, postings)} as posted (subject_id, effect, debit, credit, currency, amount, at)
  `);
}

const postingColumns: ColumnTable<HousePosting> = [
  ["subject_id", "text", ({ subjectId }) => subjectId],
  ["effect", "text", ({ name }) => name],
  ["debit", "text", ({ transfer }) => transfer.debit],
  ["credit", "text", ({ transfer }) => transfer.credit],
  ["currency", "text", ({ transfer }) => transfer.amount.currency],
  ["amount", "bigint", ({ transfer }) => transfer.amount.minor],
  ["at", "timestamptz", ({ at }) => at],
];

/** Posts the fees, payouts and adjustments in a provider's file, except those that an earlier file has. */
export async function insertProviderEffects(
  tx: Tx,
  connector: string,
  fileId: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    insert into ledger_transfers
      (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
    select ${houseBucket}, connector || ' ' || operation_reference, effect, 1, ${house}, debit, credit, currency,
      abs(amount_minor), ${at}
    from settlement_rows
    join ${unnest(ruleColumns, listProviderEffectRules(connector))} as rule (kind, sign, effect, debit, credit)
      on rule.kind = settlement_rows.kind and rule.sign = sign(amount_minor)
    where connector = ${connector} and file_id = ${fileId}
  `);
}

interface ProviderEffectRule extends HouseEffect {
  readonly kind: ReceivableRowKind;
  readonly sign: number;
}

function listProviderEffectRules(connector: string): readonly ProviderEffectRule[] {
  return receivableRowKinds.flatMap((kind) =>
    [1, -1].map((sign) => ({
      kind,
      sign,
      ...providerEffect(connector, kind, { currency: "", minor: BigInt(sign) }),
    })),
  );
}

const ruleColumns: ColumnTable<ProviderEffectRule> = [
  ["kind", "text", ({ kind }) => kind],
  ["sign", "int", ({ sign }) => sign],
  ["effect", "text", ({ name }) => name],
  ["debit", "text", ({ transfer }) => transfer.debit],
  ["credit", "text", ({ transfer }) => transfer.credit],
];
