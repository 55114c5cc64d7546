import type { ClientKey } from "../core/client-key.ts";
import { namesOf, unnest, type ColumnTable } from "../postgres/column-table.ts";
import { sql, type Tx } from "../postgres/sql.ts";

/** What a verified caller asked and what it was told. Bodies are masked before they get here. */
export interface LoggedRequest {
  readonly bucket: number;
  readonly at: Date;
  readonly requestId: string;
  readonly clientId: string;
  readonly keyVersion: number;
  readonly path: string;
  readonly resultCode: string;
  readonly durationUs: number;
  readonly requestSha256: Buffer;
  readonly requestBody: string;
  readonly answerBody: string;
}

export async function insertRequests(tx: Tx, requests: readonly LoggedRequest[]): Promise<void> {
  await tx.query(sql`
    insert into request_log (${requestColumnNames}) select * from ${unnest(requestColumns, requests)}
  `);
}

/** A call as its merchant may see it again: without the bodies, which the serving role cannot read. */
export type RememberedRequest = Pick<
  LoggedRequest,
  "at" | "requestId" | "keyVersion" | "path" | "resultCode" | "durationUs"
>;

/** Which calls are meant. */
export interface RequestSelection {
  readonly from: Date;
  readonly until: Date;
  readonly resultCode: string | undefined;
  readonly requestId: string | undefined;
  readonly limit: number;
}

/** The newest of those that are meant, oldest first. */
export async function listRequests(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { from, until, resultCode, requestId, limit }: RequestSelection,
): Promise<readonly RememberedRequest[]> {
  const rows = await tx.query<RequestRow>(sql`
    select at, request_id, key_version, path, result_code, duration_us
    from request_log
    where bucket = ${bucket} and client_id = ${clientId} and at >= ${from} and at < ${until}
      and (${resultCode}::text is null or result_code = ${resultCode})
      and (${requestId}::text is null or request_id = ${requestId})
    order by at desc, request_id desc limit ${limit}
  `);
  return rows.toReversed().map((row) => ({
    at: row.at,
    requestId: row.request_id,
    keyVersion: row.key_version,
    path: row.path,
    resultCode: row.result_code,
    durationUs: row.duration_us,
  }));
}

interface RequestRow {
  readonly at: Date;
  readonly request_id: string;
  readonly key_version: number;
  readonly path: string;
  readonly result_code: string;
  readonly duration_us: number;
}

const requestColumns: ColumnTable<LoggedRequest> = [
  ["bucket", "smallint", ({ bucket }) => bucket],
  ["at", "timestamptz", ({ at }) => at],
  ["request_id", "text", ({ requestId }) => requestId],
  ["client_id", "text", ({ clientId }) => clientId],
  ["key_version", "int", ({ keyVersion }) => keyVersion],
  ["path", "text", ({ path }) => path],
  ["result_code", "text", ({ resultCode }) => resultCode],
  ["duration_us", "int", ({ durationUs }) => durationUs],
  ["request_sha256", "bytea", ({ requestSha256 }) => requestSha256],
  ["request_body", "text", ({ requestBody }) => requestBody],
  ["answer_body", "text", ({ answerBody }) => answerBody],
];
const requestColumnNames = namesOf(requestColumns);

/** Makes the partitions of the coming days, and drops those that are older than the owner wants to keep. */
export async function maintainRequestLog(tx: Tx): Promise<void> {
  await tx.query(sql`select maintain_request_log()`);
}

/** For the database owner only: the role that serves may not change the retention. */
export async function updateRetention(tx: Tx, days: number): Promise<void> {
  await tx.query(sql`update request_log_retention set days = ${days}`);
}
