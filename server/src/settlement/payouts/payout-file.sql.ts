import { isHomeHere } from "../../cells/home.sql.ts";
import { bucketOf } from "../../core/bucket.ts";
import type { ClientKey } from "../../core/client-key.ts";
import type { Money } from "../../core/money.ts";
import { fragment, sql, type Tx } from "../../postgres/sql.ts";
import type { FileAccount, PayoutFileStatus, PayoutFormat } from "./payout-file.ts";
import type { WaitReason } from "./payout.ts";

/** A planned payout file: its header, and the SHA-256 of its bytes. */
export interface PlannedFile {
  readonly fileId: string;
  readonly bank: string;
  readonly currency: string;
  readonly format: PayoutFormat;
  readonly sha256: Buffer;
  readonly payoutCount: number;
  readonly sumMinor: bigint;
  readonly createdAt: Date;
  /** Requested execution day: the file's day, or the first business day after it. */
  readonly executionDay: string;
  /** Our debtor account. */
  readonly from: FileAccount;
  readonly plannedBy: string;
  /** Whether the file was planned from its copy in the bank folder, after a restore to a time before its handover. */
  readonly isRecovered: boolean;
}

export interface StoredPayoutFile extends PlannedFile {
  readonly status: PayoutFileStatus;
  readonly plannedLogin: string;
  readonly approvedBy: string | undefined;
  readonly approvedAt: Date | undefined;
  readonly voidRequestedBy: string | undefined;
  readonly handedOverAt: Date | undefined;
}

/** One payee of a file. */
export interface FileLine {
  readonly clientId: string;
  readonly batchId: string;
  readonly attempt: number;
  readonly payoutId: string;
  readonly amount: Money;
  readonly accountId: string;
}

/** A line with the approver's information. */
export interface ReviewLine extends FileLine {
  readonly holder: string;
  /** The first and the last four characters of the IBAN. */
  readonly ibanShown: string;
  readonly droppedFor: string | undefined;
  /** The account of the merchant's last payout in this currency; absent for its first payout. */
  readonly lastIbanShown: string | undefined;
  readonly isSameAccount: boolean;
  /** The outcome of the previous payout attempt, for the second and later attempts. */
  readonly lastAttempt: string | undefined;
}

export async function insertPlannedFile(tx: Tx, file: PlannedFile): Promise<void> {
  await tx.query(sql`
    insert into payout_files (file_id, bank, currency, format, sha256, payout_count, sum_minor, created_at, execution_day,
      from_holder, from_iban, from_bic, is_recovered, planned_by)
    values (${file.fileId}, ${file.bank}, ${file.currency}, ${file.format}, ${file.sha256}, ${file.payoutCount},
      ${file.sumMinor}, ${file.createdAt}, ${file.executionDay}, ${file.from.holder}, ${file.from.iban}, ${file.from.bic},
      ${file.isRecovered}, ${file.plannedBy})
  `);
}

/**
 * Inserts the lines of a file. It must run in the transaction of `insertPlannedFile`, because the database rejects
 * lines that are added later.
 */
export async function insertFileLines(tx: Tx, fileId: string, lines: readonly FileLine[]): Promise<void> {
  await tx.query(sql`
    insert into payout_file_lines (bucket, client_id, file_id, batch_id, attempt, payout_id, currency, amount_minor, account_id)
    select bucket, client_id, ${fileId}, batch_id, attempt, payout_id, currency, amount_minor, account_id
    from unnest(${lines.map(({ clientId }) => bucketOf(clientId))}::int[], ${lines.map(({ clientId }) => clientId)}::text[],
      ${lines.map(({ batchId }) => batchId)}::text[], ${lines.map(({ attempt }) => attempt)}::int[],
      ${lines.map(({ payoutId }) => payoutId)}::text[], ${lines.map(({ amount }) => amount.currency)}::text[],
      ${lines.map(({ amount }) => amount.minor)}::bigint[], ${lines.map(({ accountId }) => accountId)}::text[])
      as planned (bucket, client_id, batch_id, attempt, payout_id, currency, amount_minor, account_id)
  `);
}

/** Lists all planned lines of a file. */
export async function listFileLines(tx: Tx, fileId: string): Promise<readonly FileLine[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<LineRow>(sql`
    select client_id, batch_id, attempt, payout_id, currency, amount_minor, account_id from payout_file_lines
    where file_id = ${fileId}
  `);
  return rows.map(toLine);
}

/** Lists the lines of a file, of this cell's merchants, that have no payout yet and were not dropped. */
export async function listOpenLines(tx: Tx, fileId: string): Promise<readonly FileLine[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<LineRow>(sql`
    select client_id, batch_id, attempt, payout_id, currency, amount_minor, account_id from payout_file_lines as l
    where file_id = ${fileId} and dropped_for is null and ${isHomeHere}
      and not exists (select from payouts as p where p.bucket = l.bucket and p.client_id = l.client_id and p.payout_id = l.payout_id)
    order by client_id, batch_id
  `);
  return rows.map(toLine);
}

/** Lists all lines of a file with the information that its approver needs. */
export async function listReviewLines(tx: Tx, fileId: string): Promise<readonly ReviewLine[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<ReviewLineRow>(sql`
    select l.client_id, l.batch_id, l.attempt, l.payout_id, l.currency, l.amount_minor, l.account_id, l.dropped_for, a.holder,
      a.iban_shown, last.iban_shown as last_iban_shown, last.account_id = l.account_id as is_same_account, (
        select concat_ws(' ', p.status, p.reason_code) from payouts as p
        where p.bucket = l.bucket and p.client_id = l.client_id and p.batch_id = l.batch_id and p.payout_id < l.payout_id
        order by p.payout_id desc limit 1
      ) as last_attempt
    from payout_file_lines as l
    join bank_accounts as a on a.bucket = l.bucket and a.client_id = l.client_id and a.account_id = l.account_id
    left join lateral (
      select b.iban_shown, b.account_id from payouts as p
      join bank_accounts as b on b.bucket = p.bucket and b.client_id = p.client_id and b.account_id = p.account_id
      where p.bucket = l.bucket and p.client_id = l.client_id and p.currency = l.currency and p.file_id <> l.file_id
      order by p.created_at desc limit 1
    ) as last on true
    where l.file_id = ${fileId}
    order by l.client_id, l.batch_id
  `);
  return rows.map((row) => ({
    ...toLine(row),
    holder: row.holder,
    ibanShown: row.iban_shown,
    droppedFor: row.dropped_for ?? undefined,
    lastIbanShown: row.last_iban_shown ?? undefined,
    isSameAccount: row.is_same_account === true,
    lastAttempt: row.last_attempt ?? undefined,
  }));
}

export function updateLineDropped(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { fileId, batchId }: { readonly fileId: string; readonly batchId: string },
  reason: WaitReason,
): void {
  tx.write(sql`
    update payout_file_lines set dropped_for = ${reason}
    where bucket = ${bucket} and client_id = ${clientId} and file_id = ${fileId} and batch_id = ${batchId}
  `);
}

/** Lists files of a bank that are planned, approved or released, oldest first. */
export async function listOpenFiles(tx: Tx, bank: string): Promise<readonly StoredPayoutFile[]> {
  const rows = await tx.query<FileRow>(sql`
    select ${fileColumns} from payout_files
    where bank = ${bank} and status in ('PLANNED', 'APPROVED', 'RELEASED') order by file_id
  `);
  return rows.map(toStoredFile);
}

export async function listFiles(tx: Tx, limit: number): Promise<readonly StoredPayoutFile[]> {
  const rows = await tx.query<FileRow>(sql`
    select ${fileColumns} from payout_files order by file_id desc limit ${limit}
  `);
  return rows.map(toStoredFile);
}

export async function findFile(tx: Tx, fileId: string): Promise<StoredPayoutFile | undefined> {
  const [row] = await tx.query<FileRow>(sql`
    select ${fileColumns} from payout_files where file_id = ${fileId}
  `);
  return row && toStoredFile(row);
}

/** Waits for concurrent transactions that change the file, and then reads the file. */
export async function lockFile(tx: Tx, fileId: string): Promise<StoredPayoutFile | undefined> {
  const [row] = await tx.query<FileRow>(sql`
    select ${fileColumns} from payout_files where file_id = ${fileId} for no key update
  `);
  return row && toStoredFile(row);
}

/**
 * Returns the digest of a file that two people approve. The database computes the digest from the file's header and
 * lines.
 */
export async function findFileDigest(tx: Tx, fileId: string): Promise<Buffer> {
  const [row] = await tx.query<{ digest: Buffer | null }>(sql`
    select payout_file_digest(${fileId}) as digest
  `);
  return row?.digest ?? Buffer.alloc(0);
}

/** Returns the statuses of these files, as far as the database knows them. */
export async function listFileStatuses(
  tx: Tx,
  fileIds: readonly string[],
): Promise<ReadonlyMap<string, PayoutFileStatus>> {
  const rows = await tx.query<{ file_id: string; status: PayoutFileStatus }>(sql`
    select file_id, status from payout_files where file_id = any (${fileIds}::text[])
  `);
  return new Map(rows.map(({ file_id, status }) => [file_id, status]));
}

/** Returns the file of a bank that was handed over last. */
export async function findNewestHandedOver(
  tx: Tx,
  bank: string,
): Promise<Pick<StoredPayoutFile, "fileId" | "handedOverAt"> | undefined> {
  const [row] = await tx.query<{ file_id: string; handed_over_at: Date }>(sql`
    select file_id, handed_over_at from payout_files
    where bank = ${bank} and handed_over_at is not null order by handed_over_at desc, file_id desc limit 1
  `);
  return row && { fileId: row.file_id, handedOverAt: row.handed_over_at };
}

export async function updateFileStatus(
  tx: Tx,
  fileId: string,
  status: "RELEASED" | "DROPPED",
): Promise<void> {
  await tx.query(sql`update payout_files set status = ${status} where file_id = ${fileId}`);
}

/** Approves a file. The database rejects a wrong digest, and in live the login that planned the file. */
export async function updateFileApproved(
  tx: Tx,
  fileId: string,
  approved: { readonly by: string; readonly digest: Buffer },
): Promise<void> {
  await tx.query(sql`
    update payout_files set status = 'APPROVED', approved_by = ${approved.by}, approved_digest = ${approved.digest}
    where file_id = ${fileId}
  `);
}

export async function updateHandedOver(
  tx: Tx,
  fileId: string,
  handover: {
    readonly sha256: Buffer;
    readonly payoutCount: number;
    readonly sumMinor: bigint;
    readonly at: Date;
  },
): Promise<void> {
  await tx.query(sql`
    update payout_files set status = 'HANDED_OVER', handed_over_at = ${handover.at}, sent_sha256 = ${handover.sha256},
      sent_count = ${handover.payoutCount}, sent_minor = ${handover.sumMinor}
    where file_id = ${fileId}
  `);
}

export async function updateVoidRequested(tx: Tx, fileId: string, by: string): Promise<void> {
  await tx.query(sql`update payout_files set void_requested_by = ${by} where file_id = ${fileId}`);
}

/** Voids a file. In live the database rejects the login that requested the voiding. */
export async function updateVoided(tx: Tx, fileId: string, by: string): Promise<void> {
  await tx.query(sql`update payout_files set status = 'VOIDED', voided_by = ${by} where file_id = ${fileId}`);
}

const fileColumns = fragment`file_id, bank, currency, format, sha256, payout_count, sum_minor, created_at, execution_day::text,
  from_holder, from_iban, from_bic, is_recovered, planned_by, planned_login, status, approved_by, approved_at, void_requested_by,
  handed_over_at`;

interface FileRow {
  readonly file_id: string;
  readonly bank: string;
  readonly currency: string;
  readonly format: PayoutFormat;
  readonly sha256: Buffer;
  readonly payout_count: number;
  readonly sum_minor: string;
  readonly created_at: Date;
  readonly execution_day: string | null;
  readonly from_holder: string | null;
  readonly from_iban: string | null;
  readonly from_bic: string | null;
  readonly is_recovered: boolean;
  readonly planned_by: string | null;
  readonly planned_login: string | null;
  readonly status: PayoutFileStatus;
  readonly approved_by: string | null;
  readonly approved_at: Date | null;
  readonly void_requested_by: string | null;
  readonly handed_over_at: Date | null;
}

/** Columns that a later release added are empty in old files, which were handed over and are never rendered again. */
function toStoredFile(row: FileRow): StoredPayoutFile {
  return {
    fileId: row.file_id,
    bank: row.bank,
    currency: row.currency,
    format: row.format,
    sha256: row.sha256,
    payoutCount: row.payout_count,
    sumMinor: BigInt(row.sum_minor),
    createdAt: row.created_at,
    executionDay: row.execution_day ?? "",
    from: { holder: row.from_holder ?? "", iban: row.from_iban ?? "", bic: row.from_bic ?? undefined },
    isRecovered: row.is_recovered,
    plannedBy: row.planned_by ?? "",
    plannedLogin: row.planned_login ?? "",
    status: row.status,
    approvedBy: row.approved_by ?? undefined,
    approvedAt: row.approved_at ?? undefined,
    voidRequestedBy: row.void_requested_by ?? undefined,
    handedOverAt: row.handed_over_at ?? undefined,
  };
}

interface LineRow {
  readonly client_id: string;
  readonly batch_id: string;
  readonly attempt: number;
  readonly payout_id: string;
  readonly currency: string;
  readonly amount_minor: string;
  readonly account_id: string;
}

interface ReviewLineRow extends LineRow {
  readonly dropped_for: string | null;
  readonly holder: string;
  readonly iban_shown: string;
  readonly last_iban_shown: string | null;
  readonly is_same_account: boolean | null;
  readonly last_attempt: string | null;
}

function toLine(row: LineRow): FileLine {
  return {
    clientId: row.client_id,
    batchId: row.batch_id,
    attempt: row.attempt,
    payoutId: row.payout_id,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    accountId: row.account_id,
  };
}

/** Serialises payout runs and plans in the whole installation until the transaction ends. */
export async function lockPayoutFiles(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(7045530)`);
}
