import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Document, MediaType } from "./business-document.ts";
import type { DocumentType } from "./review.ts";

export async function insertDocument(tx: Tx, document: Document, wrapped: Uint8Array): Promise<void> {
  const { documentId, organisationId, shows, name, mediaType, bytes, sha256, uploadedAt } = document;
  await tx.query(sql`
    insert into documents (document_id, organisation_id, shows, name, media_type, bytes, sha256, wrapped, uploaded_at)
    values (${documentId}, ${organisationId}, ${shows}, ${name}, ${mediaType}, ${bytes}, ${sha256}, ${wrapped},
      ${uploadedAt})
  `);
}

export async function listDocuments(tx: Tx, organisationId: string): Promise<readonly Document[]> {
  const rows = await tx.query<DocumentRow>(sql`
    select document_id, organisation_id, shows, name, media_type, bytes, sha256, uploaded_at
    from documents where organisation_id = ${organisationId} order by uploaded_at, document_id
  `);
  return rows.map(documentOf);
}

export async function findDocument(
  tx: Tx,
  documentId: string,
): Promise<{ readonly document: Document; readonly wrapped: Uint8Array } | undefined> {
  const [row] = await tx.query<DocumentRow & { readonly wrapped: Buffer }>(sql`
    select document_id, organisation_id, shows, name, media_type, bytes, sha256, uploaded_at, wrapped
    from documents where document_id = ${documentId}
  `);
  return row && { document: documentOf(row), wrapped: row.wrapped };
}

export async function deleteDocument(
  tx: Tx,
  organisationId: string,
  documentId: string,
): Promise<Document | undefined> {
  const [row] = await tx.query<DocumentRow>(sql`
    delete from documents where organisation_id = ${organisationId} and document_id = ${documentId}
    returning document_id, organisation_id, shows, name, media_type, bytes, sha256, uploaded_at
  `);
  return row && documentOf(row);
}

interface DocumentRow {
  readonly document_id: string;
  readonly organisation_id: string;
  readonly shows: DocumentType;
  readonly name: string;
  readonly media_type: MediaType;
  readonly bytes: number;
  readonly sha256: Buffer;
  readonly uploaded_at: Date;
}

function documentOf(row: DocumentRow): Document {
  return {
    documentId: row.document_id,
    organisationId: row.organisation_id,
    shows: row.shows,
    name: row.name,
    mediaType: row.media_type,
    bytes: row.bytes,
    sha256: row.sha256,
    uploadedAt: row.uploaded_at,
  };
}
