import { sql, type Tx } from "../postgres/sql.ts";
import type { Effect } from "./transfer.ts";

interface Subject {
  readonly bucket: number;
  readonly clientId: string;
  readonly subjectId: string;
}

/** Posts an effect. Exactly once: a second posting violates the unique key and rolls back its transaction. */
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
