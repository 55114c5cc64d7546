import type { ClientKey } from "../core/client-key.ts";
import { columnNames, unnest, type ColumnTable } from "../postgres/column-table.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { RequestSummary } from "./request-summary.ts";

/**
 * An authenticated request with its response. The bodies are already masked: they contain no personal data and no
 * secrets.
 */
export interface LoggedRequest extends RequestSummary {
  readonly bucket: number;
  readonly clientId: string;
  /** Hash of the id of the request's record; request-record.ts explains it. */
  readonly recordHash?: number | undefined;
  readonly requestSha256: Buffer;
  readonly requestBody: string;
  readonly answerBody: string;
}

export async function insertRequests(tx: Tx, requests: readonly LoggedRequest[]): Promise<void> {
  await tx.query(sql`
    insert into request_log (${requestColumnNames}) select * from ${unnest(requestColumns, requests)}
  `);
}

/** Conditions of a query for requests. */
export interface RequestSelection {
  readonly from: Date;
  readonly until: Date;
  readonly resultCode: string | undefined;
  readonly requestId: string | undefined;
  readonly limit: number;
}

/** `listRequests` returns the newest requests that match the filter, oldest first. */
export async function listRequests(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { from, until, resultCode, requestId, limit }: RequestSelection,
): Promise<readonly RequestSummary[]> {
  const rows = await tx.query<RequestRow>(sql`
    select at, request_id, key_version, path, result_code, duration_us
    from request_log
    where bucket = ${bucket} and client_id = ${clientId} and at >= ${from} and at < ${until}
      and (${resultCode}::text is null or result_code = ${resultCode})
      and (${requestId}::text is null or request_id = ${requestId})
    order by at desc, request_id desc limit ${limit}
  `);
  return rows.toReversed().map(toRequestSummary);
}

/** Filter of a person's search in the portal. */
export interface RequestSearch {
  readonly from: Date;
  readonly until: Date;
  readonly resultCode: string | undefined;
  /** Only refused requests, only the others, or all. */
  readonly section: "refused" | "others" | "all";
  /** The last request of the previous page; the page continues after it. */
  readonly before: { readonly at: Date; readonly requestId: string } | undefined;
  readonly limit: number;
}

/** The condition of the index `request_log_refused`: the result codes with the status F. */
const isRefused = fragment`result_code not in ('SUCCESS', 'REQUEST_TRAFFIC_EXCEED_LIMIT', 'PAYMENT_IN_PROCESS',
  'CAPTURE_IN_PROCESS', 'REFUND_IN_PROCESS', 'AUTH_IN_PROCESS', 'UNKNOWN_EXCEPTION')`;

/**
 * `listNewestRequests` lists requests, the newest first. Refused requests have an index. For the others it scans the
 * primary key and skips rows that do not match the filter.
 */
export async function listNewestRequests(
  tx: Tx,
  key: ClientKey,
  search: RequestSearch,
): Promise<readonly RequestSummary[]> {
  if (search.section === "refused") return listNewestRefused(tx, key, search);
  const { bucket, clientId } = key;
  const { from, until, resultCode, section, before, limit } = search;
  const rows = await tx.query<RequestRow>(sql`
    select at, request_id, key_version, path, result_code, duration_us
    from request_log
    where bucket = ${bucket} and client_id = ${clientId} and at >= ${from} and at < ${until}
      and (${before?.at}::timestamptz is null
        or (at, request_id) < (${before?.at}::timestamptz, ${before?.requestId}::text))
      and (${resultCode}::text is null or result_code = ${resultCode})
      and (${section === "all"} or not (${isRefused}))
    order by at desc, request_id desc limit ${limit}
  `);
  return rows.map(toRequestSummary);
}

async function listNewestRefused(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { from, until, resultCode, before, limit }: RequestSearch,
): Promise<readonly RequestSummary[]> {
  const rows = await tx.query<RequestRow>(sql`
    select request_id, at, key_version, path, result_code, duration_us
    from request_log
    where bucket = ${bucket} and client_id = ${clientId} and at >= ${from} and at < ${until}
      and (${before?.at}::timestamptz is null
        or (at, request_id) < (${before?.at}::timestamptz, ${before?.requestId}::text))
      and (${resultCode}::text is null or result_code = ${resultCode})
      and ${isRefused}
    order by at desc, request_id desc limit ${limit}
  `);
  return rows.map(toRequestSummary);
}

interface RequestRow {
  readonly at: Date;
  readonly request_id: string;
  readonly key_version: number;
  readonly path: string;
  readonly result_code: string;
  readonly duration_us: number;
}

function toRequestSummary(row: RequestRow): RequestSummary {
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
  ["record_hash", "int", ({ recordHash }) => recordHash],
];
const requestColumnNames = columnNames(requestColumns);

/** `maintainRequestLog` creates the partitions of the next days, and drops partitions older than the retention. */
export async function maintainRequestLog(tx: Tx): Promise<void> {
  await tx.query(sql`select maintain_request_log()`);
}

/**
 * `updateRetention` changes the retention of the request log. It needs the owner's role: the role of `serve` may not
 * change the retention.
 */
export async function updateRetention(tx: Tx, days: number): Promise<void> {
  await tx.query(sql`update request_log_retention set days = ${days}`);
}
