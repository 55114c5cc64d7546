import type { ClientKey } from "../core/client-key.ts";
import { unnest, type ColumnTable } from "../postgres/column-table.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { EvidenceType } from "../providers/dispute-values.ts";
import type { Dispute } from "./dispute.ts";
import type { Evidence, EvidenceFormat, SuppliedDocument, TypedEvidence } from "./evidence.ts";

/** `insertEvidence` inserts the documents of a defense. They replace those of an attempt that never reached the provider. */
export async function insertEvidence(
  tx: Tx,
  { bucket, clientId, disputeId, defenses }: Dispute,
  documents: readonly TypedEvidence[],
  now: Date,
): Promise<void> {
  const positioned = documents.map((document, index) => ({ ...document, position: index + 1 }));
  await tx.query(sql`
    delete from dispute_evidence
    where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${disputeId} and number = ${defenses}
  `);
  await tx.query(sql`
    insert into dispute_evidence
      (bucket, dispute_id, number, client_id, created_at, position, type, format, sha256, content)
    select ${bucket}, ${disputeId}, ${defenses}, ${clientId}, ${now}, * from ${unnest(documentColumns, positioned)}
  `);
}

const documentColumns: ColumnTable<TypedEvidence & { readonly position: number }> = [
  ["position", "smallint", ({ position }) => position],
  ["type", "text", ({ type }) => type],
  ["format", "text", ({ format }) => format],
  ["sha256", "bytea", ({ sha256 }) => sha256],
  ["content", "bytea", ({ content }) => content],
];

/** `listLastEvidence` returns the documents of the last defense. */
export async function listLastEvidence(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  disputeId: string,
): Promise<readonly TypedEvidence[]> {
  return tx.query<EvidenceRow>(sql`
    select type, format, sha256, content from dispute_evidence
    where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${disputeId} and number = (
      select max(number) from dispute_evidence
      where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${disputeId})
    order by position
  `);
}

interface EvidenceRow {
  readonly type: EvidenceType;
  readonly format: EvidenceFormat;
  readonly sha256: Buffer;
  readonly content: Buffer;
}

/** `findEvidence` returns a document; by default, the first document of the last defense. */
export async function findEvidence(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  disputeId: string,
  { number, position }: Partial<Pick<SuppliedDocument, "number" | "position">> = {},
): Promise<Evidence | undefined> {
  const [row] = await tx.query<{ format: EvidenceFormat; content: Buffer }>(sql`
    select format, content from dispute_evidence
    where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${disputeId}
      and number = coalesce(${number}::int, number) and position = coalesce(${position}::smallint, position)
    order by number desc, position limit 1
  `);
  return row;
}

/** `listEvidence` lists all supplied documents, without their content. */
export async function listEvidence(
  tx: Tx,
  { bucket, clientId, disputeId }: Pick<Dispute, "bucket" | "clientId" | "disputeId">,
): Promise<readonly SuppliedDocument[]> {
  const rows = await tx.query<SuppliedDocumentRow>(sql`
    select number, position, type, format, octet_length(content) as bytes, encode(sha256, 'hex') as sha256, created_at
    from dispute_evidence
    where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${disputeId}
    order by number, position
  `);
  return rows.map(({ created_at: at, ...row }) => ({ ...row, at }));
}

interface SuppliedDocumentRow extends Omit<SuppliedDocument, "at"> {
  readonly created_at: Date;
}

/** `isSameEvidence` returns whether the last defense has these documents (idempotency). */
export async function isSameEvidence(
  tx: Tx,
  dispute: Dispute,
  documents: readonly TypedEvidence[],
): Promise<boolean> {
  const { defenses } = dispute;
  const stored = (await listEvidence(tx, dispute)).filter(({ number }) => number === defenses);
  return (
    stored.length === documents.length &&
    documents.every(
      ({ type, sha256 }, index) =>
        stored[index]?.type === type && stored[index].sha256 === Buffer.from(sha256).toString("hex"),
    )
  );
}
