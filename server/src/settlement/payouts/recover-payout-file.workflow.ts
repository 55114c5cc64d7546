import { readFile } from "node:fs/promises";
import { sha256 } from "../../core/digest.ts";
import { parseId } from "../../core/id.ts";
import { formatMoney } from "../../core/money.ts";
import { house } from "../../ledger/account.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { findApprovedAccount } from "./bank-account.sql.ts";
import { listDueBatches, type PayableBatch } from "../batch.sql.ts";
import { readPayoutFile, type ParsedPayoutFile } from "./read-payout-file.ts";
import {
  listFileStatuses,
  listOpenFiles,
  lockPayoutFiles,
  type FileLine,
  type StoredPayoutFile,
} from "./payout-file.sql.ts";
import {
  actAsOwner,
  queryAsOwner,
  operatorName,
  type Operator,
} from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { auditFieldsOf, insertPlan } from "./write-payout-files.workflow.ts";

/** Later than every due day. */
const lastDay = "9999-12-31";

/**
 * `recoverFile` plans a payout file from its copy, because the bank received it after the time to which the database
 * was restored. End-to-end ids are derived from merchant, day and attempt, so each payment leads to its due batch in
 * the restored database. If one payment does not fit, the command plans nothing.
 */
export async function recoverFile(operator: Operator, bank: string, path: string): Promise<StoredPayoutFile> {
  const text = await readFile(path, "utf8");
  const parsedFile = readPayoutFile(text);
  const { url, environment } = operator;
  const lines = await queryAsOwner(url, environment, systemScope, async (tx) => {
    if ((await listFileStatuses(tx, [parsedFile.messageId])).size > 0)
      throw new CommandFailed(`The payout file ${parsedFile.messageId} is already in this database.`);
    return findLines(tx, parsedFile);
  });
  const clientIds = [...new Set(lines.map(({ clientId }) => clientId)), house];
  return actAsOwner(operator, clientIds, async (tx) => {
    await lockPayoutFiles(tx);
    const open = (await listOpenFiles(tx, bank)).find(
      ({ currency: openCurrency }) => openCurrency === parsedFile.currency,
    );
    if (open)
      throw new CommandFailed(
        `Payout file ${open.fileId} in the same currency is open. If it was recovered, approve it and run ` +
          "`payout run`, which stores it as handed over; otherwise drop it with `payout void`. Then recover this " +
          "file.",
      );
    const { messageId: fileId, currency, format, createdAt, executionDay, from } = parsedFile;
    const head = { fileId, bank, currency, format, createdAt, executionDay, from };
    const value = await insertPlan(tx, { head, lines, plannedBy: operatorName(operator), isRecovered: true });
    if (!sha256(text).equals(value.sha256))
      throw new CommandFailed(
        "This copy is not a payout file of this installation, because its bytes differ from those of its lines.",
      );
    return { value, audit: { act: "payout recover", subject: fileId, after: auditFieldsOf(value) } };
  });
}

async function findLines(tx: Tx, { payments, currency }: ParsedPayoutFile): Promise<readonly FileLine[]> {
  const due = new Map((await listDueBatches(tx, lastDay)).map((batch) => [batch.payoutId, batch]));
  const lines: FileLine[] = [];
  const problems: string[] = [];
  for (const { endToEndId, amount, iban } of payments) {
    const batch = parseId(endToEndId)?.kind === "payout" ? due.get(endToEndId) : undefined;
    const line = batch && (await lineOf(tx, batch, iban));
    if (!batch || !line) problems.push(`${endToEndId}: no due batch, or another account`);
    else if (batch.netMinor !== amount.minor || batch.currency !== currency)
      problems.push(`${endToEndId}: paid ${formatMoney(amount)}, due ${formatMoney(line.amount)}`);
    else lines.push(line);
  }
  if (problems.length > 0)
    throw new CommandFailed(
      "The file does not match the due batches here. First close the settlement up to its day (`settlement " +
        "close`). Hold the merchants that still differ (`payout hold`) and correct them by hand: " +
        `${problems.slice(0, 20).join("; ")}.`,
    );
  return lines;
}

async function lineOf(tx: Tx, batch: PayableBatch, iban: string): Promise<FileLine | undefined> {
  const { clientId, batchId, attempt, payoutId, currency, netMinor } = batch;
  const account = await findApprovedAccount(
    tx,
    { bucket: parseId(payoutId)?.bucket ?? 0, clientId },
    currency,
  );
  const isSame = account?.ibanShown === `${iban.slice(0, 4)} … ${iban.slice(-4)}`;
  return isSame
    ? {
        clientId,
        batchId,
        attempt,
        payoutId,
        amount: { currency, minor: netMinor },
        accountId: account.accountId,
      }
    : undefined;
}
