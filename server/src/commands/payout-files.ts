import { randomInt } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { bookDayOf } from "../core/book-day.ts";
import { bucketOf } from "../core/bucket.ts";
import type { AtPayout } from "../core/crash-point.ts";
import { sha256 } from "../core/digest.ts";
import { newId } from "../core/id.ts";
import { formatMoney } from "../core/money.ts";
import { house } from "../ledger/account.ts";
import { systemScope } from "../postgres/database.ts";
import { inPortions } from "../postgres/portions.ts";
import type { Tx } from "../postgres/sql.ts";
import { listAccountsOf } from "../settlement/bank-account.sql.ts";
import { workingDayAfter } from "../settlement/batch.ts";
import { findHolidays } from "../settlement/holiday.sql.ts";
import type { Payout } from "../settlement/payout.ts";
import { writePayoutFile, type FilePayout, type PayoutFormat } from "../settlement/payout-file.ts";
import {
  insertPayoutFile,
  listFilesToHandOver,
  listOwnAccounts,
  lockPayoutFiles,
  updateHandedOver,
  type KeptFile,
} from "../settlement/payout-file.sql.ts";
import {
  listPayoutsOfFile,
  listUnsent,
  updatePayoutsFiled,
  updatePayoutsSent,
} from "../settlement/payout.sql.ts";
import { tellOfPayout } from "../settlement/tell-payout.tx.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { openTellers } from "./operator-teller.ts";

export interface HandedOver {
  readonly fileId: string;
  readonly path: string;
  readonly payoutCount: number;
  readonly sum: string;
}

type FileHead = Omit<KeptFile, "sha256" | "payoutCount" | "sumMinor">;

/** Puts all payouts of a bank that are in no file into one for each currency. A payout is in one file only: its row says which. */
export async function makeFiles(
  operator: Operator,
  { bank, format }: { readonly bank: string; readonly format: PayoutFormat },
  at: AtPayout,
): Promise<void> {
  const unsent = await asOwner(operator.url, operator.environment, systemScope, (tx) => listUnsent(tx, bank));
  for (const currency of new Set(unsent.map(({ amount }) => amount.currency))) {
    const payouts = unsent.filter(({ amount }) => amount.currency === currency);
    const clientIds = [...new Set(payouts.map(({ clientId }) => clientId))];
    const now = new Date();
    const today = bookDayOf(now);
    const fileId = newId("payoutFile", bucketOf(house), now, (below) => randomInt(below));
    await actAsOwner(operator, clientIds, async (tx) => {
      await lockPayoutFiles(tx);
      const executionDay = workingDayAfter(today, 0, await findHolidays(tx, currency, today));
      await makeFile(tx, { fileId, bank, currency, format, createdAt: now, executionDay }, payouts);
      at("before-file-commit");
      return { value: undefined, audit: undefined };
    });
    at("after-file-commit");
  }
}

async function makeFile(tx: Tx, head: FileHead, payouts: readonly Payout[]): Promise<void> {
  const { fileId } = head;
  let filed = 0;
  await inPortions(tx, payouts, async (some) => {
    filed += await updatePayoutsFiled(
      tx,
      fileId,
      some.map(({ payoutId }) => payoutId),
    );
  });
  if (filed < payouts.length) throw new Error("Somebody else puts payouts into files: run it again.");
  const text = await fileText(tx, head);
  await insertPayoutFile(tx, {
    ...head,
    sha256: sha256(text),
    payoutCount: payouts.length,
    sumMinor: payouts.reduce((sum, { amount }) => sum + amount.minor, 0n),
  });
}

/** The bytes of a file, from the rows of its payouts: the same every time. */
async function fileText(tx: Tx, head: FileHead): Promise<string> {
  const { fileId, bank, currency } = head;
  const from = (await listOwnAccounts(tx)).find((own) => own.bank === bank && own.currency === currency);
  if (!from) throw new Error(`${bank} has no account of ours in ${currency} any more.`);
  const payouts = await listPayoutsOfFile(tx, fileId);
  const accountOf = await listAccountsOf(tx, payouts);
  const inFile = payouts.map((payout): FilePayout => {
    const { payoutId, batchId, amount } = payout;
    const to = accountOf(payout);
    if (!to) throw new Error(`Payout ${payoutId} goes to an account that is not there.`);
    return { endToEndId: payoutId, amount, to, reference: `Settlement ${batchId}` };
  });
  return writePayoutFile({ ...head, messageId: fileId, from, payouts: inFile });
}

/** Writes every file that the bank may not have yet, and notes that it was. What was written before a crash is written again, the same. */
export async function handOverFiles(
  operator: Operator,
  { bank, folder }: { readonly bank: string; readonly folder: string },
  at: AtPayout,
): Promise<readonly HandedOver[]> {
  const { url, environment } = operator;
  const files = await asOwner(url, environment, systemScope, (tx) => listFilesToHandOver(tx, bank));
  const handed: HandedOver[] = [];
  for (const file of files) {
    const path = join(folder, `${file.fileId}.xml`);
    const { text, payouts } = await asOwner(url, environment, systemScope, async (tx) => ({
      text: await fileText(tx, file),
      payouts: await listPayoutsOfFile(tx, file.fileId),
    }));
    if (!sha256(text).equals(file.sha256))
      throw new Error(`File ${file.fileId} would not be the one that was approved: nothing was written.`);
    await writeWhole(path, text, at);
    at("after-file-renamed");
    await noteHandedOver(operator, file, payouts, at);
    const sum = formatMoney({ currency: file.currency, minor: file.sumMinor });
    handed.push({ fileId: file.fileId, path, payoutCount: file.payoutCount, sum });
  }
  return handed;
}

async function noteHandedOver(
  operator: Operator,
  { fileId }: KeptFile,
  payouts: readonly Payout[],
  at: AtPayout,
): Promise<void> {
  const clientIds = [...new Set(payouts.map(({ clientId }) => clientId))];
  await actAsOwner(operator, clientIds, async (tx) => {
    const now = new Date();
    await updateHandedOver(tx, fileId, now);
    await inPortions(tx, payouts, async (some, whose) => {
      const tellerOf = await openTellers(tx, whose, now);
      const payoutIds = some.map(({ payoutId }) => payoutId);
      for (const payout of await updatePayoutsSent(tx, payoutIds, now)) {
        const { clientId, status } = payout;
        const key = { bucket: bucketOf(clientId), clientId };
        tellOfPayout(tx, key, payout, { status, reasonCode: undefined, at: now }, tellerOf(clientId));
      }
    });
    at("before-sent-commit");
    // What was approved is in the audit; which file it went into is in the file's own row.
    return { value: undefined, audit: undefined };
  });
  at("after-handed-over-commit");
}

/**
 * Whole or not at all: under a name that nobody looks for, to the disk, and then under its own (fsync, rename). Whoever carries files to
 * the bank never sees half of one.
 */
async function writeWhole(path: string, text: string, at: AtPayout): Promise<void> {
  const there = await readFile(path, "utf8").catch(() => undefined);
  if (there === text) return;
  if (there !== undefined) throw new Error(`${path} is there already, and is another file.`);
  const temporary = `${path}.part`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  at("after-file-written");
  await rename(temporary, path);
  const folder = await open(join(path, ".."));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
