import type { ClientKey } from "../core/client-key.ts";
import { namesOf, unnest, type ColumnTable } from "../postgres/column-table.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { RememberedRequest } from "./remembered-request.ts";

/** What a verified caller asked and what it was told. Bodies are masked before they get here. */
export interface LoggedRequest extends RememberedRequest {
  readonly bucket: number;
  readonly clientId: string;
  readonly requestSha256: Buffer;
  readonly requestBody: string;
  readonly answerBody: string;
}

export async function insertRequests(tx: Tx, requests: readonly LoggedRequest[]): Promise<void> {
  await tx.query(sql`
    insert into request_log (${requestColumnNames}) select * from ${unnest(requestColumns, requests)}
  `);
}

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
  return rows.toReversed().map(toRemembered);
}

/** What a person looks for among the calls. */
export interface CallLookup {
  readonly from: Date;
  readonly until: Date;
  readonly resultCode: string | undefined;
  /** Only calls that were answered with one of these codes, or only those that were not; undefined for all. */
  readonly among: { readonly codes: readonly string[]; readonly isIn: boolean } | undefined;
  /** The last call that was shown; the page goes on behind it. */
  readonly before: { readonly at: Date; readonly requestId: string } | undefined;
  readonly limit: number;
}

/** The newest first. Read along the primary key, past what does not fit. */
export async function listNewestRequests(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { from, until, resultCode, among, before, limit }: CallLookup,
): Promise<readonly RememberedRequest[]> {
  const rows = await tx.query<RequestRow>(sql`
    select at, request_id, key_version, path, result_code, duration_us
    from request_log
    where bucket = ${bucket} and client_id = ${clientId} and at >= ${from} and at < ${until}
      and (${before?.at}::timestamptz is null
        or (at, request_id) < (${before?.at}::timestamptz, ${before?.requestId}::text))
      and (${resultCode}::text is null or result_code = ${resultCode})
      and (${among?.isIn}::boolean is null
        or (result_code = any(${among?.codes ?? []}::text[])) = ${among?.isIn}::boolean)
    order by at desc, request_id desc limit ${limit}
  `);
  return rows.map(toRemembered);
}

interface RequestRow {
  readonly at: Date;
  readonly request_id: string;
  readonly key_version: number;
  readonly path: string;
  readonly result_code: string;
  readonly duration_us: number;
}

function toRemembered(row: RequestRow): RememberedRequest {
  return {
    at: row.at,
    requestId: row.request_id,
    keyVersion: row.key_version,
    path: row.path,
    resultCode: row.result_code,
    durationUs: row.duration_us,
  };
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
