import { readFile } from "node:fs/promises";
import { sha256 } from "../core/digest.ts";
import { addressOf } from "../core/id.ts";
import { formatMoney } from "../core/money.ts";
import { house } from "../ledger/account.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { findApprovedAccount } from "../settlement/bank-account.sql.ts";
import { listDueBatches, type PayableBatch } from "../settlement/batch.sql.ts";
import { readPayoutFile, type ReadPayoutFile } from "../settlement/read-payout-file.ts";
import {
  listFileStatuses,
  listOpenFiles,
  lockPayoutFiles,
  type FileLine,
  type KeptFile,
} from "../settlement/payout-file.sql.ts";
import { actAsOwner, asOwner, nameOf, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { factsOf, insertPlan } from "./payout-files.ts";

/** Later than every due day. */
const lastDay = "9999-12-31";

/**
 * Plans a payout file from its copy: the bank received it after the moment to which the database was restored. End-to-end ids derive from
 * merchant, day and attempt, so each payment leads to the batch that is due here. All of it fits, or nothing is planned.
 */
export async function recoverFile(operator: Operator, bank: string, path: string): Promise<KeptFile> {
  const text = await readFile(path, "utf8");
  const read = readPayoutFile(text);
  const { url, environment } = operator;
  const lines = await asOwner(url, environment, systemScope, async (tx) => {
    if ((await listFileStatuses(tx, [read.messageId])).size > 0)
      throw new Impossible(`This database knows payout file ${read.messageId} already.`);
    return findLines(tx, read);
  });
  const clientIds = [...new Set(lines.map(({ clientId }) => clientId)), house];
  return actAsOwner(operator, clientIds, async (tx) => {
    await lockPayoutFiles(tx);
    const open = (await listOpenFiles(tx, bank)).find(({ currency: of }) => of === read.currency);
    if (open)
      throw new Impossible(
        `Payout file ${open.fileId} is open, in the same currency. If it was recovered, it is approved and \`payout run\` stores it as handed ` +
          "over; otherwise drop it with `payout void`. Then recover this one.",
      );
    const { messageId: fileId, currency, format, createdAt, executionDay, from } = read;
    const head = { fileId, bank, currency, format, createdAt, executionDay, from };
    const value = await insertPlan(tx, { head, lines, plannedBy: nameOf(operator), isRecovered: true });
    if (!sha256(text).equals(value.sha256))
      throw new Impossible(
        "This copy is not a payout file of this installation: its bytes differ from those of its lines.",
      );
    return { value, audit: { act: "payout recover", subject: fileId, after: factsOf(value) } };
  });
}

async function findLines(tx: Tx, { payments, currency }: ReadPayoutFile): Promise<readonly FileLine[]> {
  const due = new Map((await listDueBatches(tx, lastDay)).map((batch) => [batch.payoutId, batch]));
  const lines: FileLine[] = [];
  const problems: string[] = [];
  for (const { endToEndId, amount, iban } of payments) {
    const batch = addressOf(endToEndId)?.kind === "payout" ? due.get(endToEndId) : undefined;
    const line = batch && (await lineOf(tx, batch, iban));
    if (!batch || !line) problems.push(`${endToEndId}: no batch that is due, or another account`);
    else if (batch.netMinor !== amount.minor || batch.currency !== currency)
      problems.push(`${endToEndId}: paid ${formatMoney(amount)}, due ${formatMoney(line.amount)}`);
    else lines.push(line);
  }
  if (problems.length > 0)
    throw new Impossible(
      `The file does not fit what is due here. Close the settlement up to its day first (\`settlement close\`); hold the merchants that ` +
        `still differ (\`payout hold\`) and correct them by hand: ${problems.slice(0, 20).join("; ")}.`,
    );
  return lines;
}

async function lineOf(tx: Tx, batch: PayableBatch, iban: string): Promise<FileLine | undefined> {
  const { clientId, batchId, attempt, payoutId, currency, netMinor } = batch;
  const account = await findApprovedAccount(
    tx,
    { bucket: addressOf(payoutId)?.bucket ?? 0, clientId },
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
