import type { ClientKey } from "../core/client-key.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { Dispute } from "./dispute.ts";
import type { Evidence, EvidenceFormat, SuppliedDocument } from "./evidence.ts";

/** `insertEvidence` inserts a document, or replaces an earlier one that never reached the provider (upsert). */
export async function insertEvidence(
  tx: Tx,
  { bucket, clientId, disputeId, defenses }: Dispute,
  { format, content, sha256 }: Evidence & { readonly sha256: Uint8Array },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into dispute_evidence (bucket, dispute_id, number, client_id, format, sha256, content, created_at)
    values (${bucket}, ${disputeId}, ${defenses}, ${clientId}, ${format}, ${sha256}, ${content}, ${now})
    on conflict (bucket, dispute_id, number) do update
      set format = excluded.format, sha256 = excluded.sha256, content = excluded.content,
        created_at = excluded.created_at
  `);
}

/** `findEvidence` returns the document that was supplied last. */
export async function findEvidence(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  disputeId: string,
): Promise<Evidence | undefined> {
  const [row] = await tx.query<{ format: EvidenceFormat; content: Buffer }>(sql`
    select format, content from dispute_evidence
    where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${disputeId}
    order by number desc limit 1
  `);
  return row;
}

/** `listEvidence` lists all supplied documents, without their content. */
export async function listEvidence(
  tx: Tx,
  { bucket, clientId, disputeId }: Pick<Dispute, "bucket" | "clientId" | "disputeId">,
): Promise<readonly SuppliedDocument[]> {
  const rows = await tx.query<SuppliedDocumentRow>(sql`
    select number, format, octet_length(content) as bytes, encode(sha256, 'hex') as sha256, created_at
    from dispute_evidence
    where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${disputeId}
    order by number
  `);
  return rows.map(({ created_at: at, ...row }) => ({ ...row, at }));
}

interface SuppliedDocumentRow extends Omit<SuppliedDocument, "at"> {
  readonly created_at: Date;
}

/** `isSameEvidence` returns whether the last document has this hash (idempotency). */
export async function isSameEvidence(
  tx: Tx,
  { bucket, clientId, disputeId, defenses }: Dispute,
  sha256: Uint8Array,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from dispute_evidence
    where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${disputeId} and number = ${defenses}
      and sha256 = ${sha256}
  `);
  return rows.length === 1;
}
