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
  const column = <Key extends keyof LoggedRequest>(key: Key): LoggedRequest[Key][] =>
    requests.map((r) => r[key]);
  await tx.query(sql`
    insert into request_log (bucket, at, request_id, client_id, key_version, path, result_code, duration_us,
      request_sha256, request_body, answer_body)
    select * from unnest(${column("bucket")}::smallint[], ${column("at")}::timestamptz[],
      ${column("requestId")}::text[], ${column("clientId")}::text[], ${column("keyVersion")}::int[],
      ${column("path")}::text[], ${column("resultCode")}::text[], ${column("durationUs")}::int[],
      ${column("requestSha256")}::bytea[], ${column("requestBody")}::text[], ${column("answerBody")}::text[])
  `);
}

/** Makes the partitions of the coming days, and drops those that are older than the owner wants to keep. */
export async function maintainRequestLog(tx: Tx): Promise<void> {
  await tx.query(sql`select maintain_request_log()`);
}

/** For the database owner only: the role that serves may not change the retention. */
export async function updateRetention(tx: Tx, days: number): Promise<void> {
  await tx.query(sql`update request_log_retention set days = ${days}`);
}
