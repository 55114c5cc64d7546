import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import {
  findFirstOpening,
  isImported,
  findOtherBank,
  insertStatement,
  listSimilarStatements,
  listEntriesOfFile,
  type BankFile,
} from "../bank/bank-file.sql.ts";
import { parseCamt } from "../bank/camt.ts";
import { isBookable, statementProblem, type BookableStatement } from "../bank/bookable-statement.ts";
import { accountingMonth } from "../core/accounting-day.ts";
import { FileProblem } from "../core/file-problem.ts";
import { house } from "../ledger/account.ts";
import { hasHouseAccount } from "../ledger/house-account.sql.ts";
import { findLastClosedMonth } from "../ledger/trial-balance.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { lockReconciliation } from "./compare.sql.ts";
import { actAsOwner, type Operator } from "../operator-session/owner-session.ts";
import { CommandFailed } from "../core/command-errors.ts";

interface StatementSource {
  readonly bank: string;
  readonly file: string;
}

export interface ImportedStatements {
  readonly statementCount: number;
  readonly entryCount: number;
  /** Whether all statements of the file were already imported without changes. */
  readonly isKnown: boolean;
}

const sizeMaxBytes = 50 * 1024 ** 2;
const statementTimeoutMs = 10 * 60 * 1000;

/**
 * `importBankStatements` imports a bank's statements (camt.053) in one transaction and posts their entries: all
 * entries, or none.
 */
export async function importBankStatements(
  operator: Operator,
  { bank, file }: StatementSource,
  now = new Date(),
): Promise<ImportedStatements> {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(bank))
    throw new CommandFailed(
      "A bank name has lower case letters, digits and hyphens, at most 40 characters, and does not begin with " +
        "a hyphen.",
    );
  const { sha256, statements } = await readStatements(file);
  const bankFile = { bank, name: basename(file), sha256, kind: "camt.053" } as const;
  const entryCount = statements.reduce((sum, { entries }) => sum + entries.length, 0);
  const counts = { statementCount: statements.length, entryCount };
  const importAll = async (tx: Tx) => {
    await lockReconciliation(tx);
    if (!(await hasHouseAccount(tx)))
      throw new CommandFailed("The house account is in another cell. Import the file there.");
    if (await isImported(tx, bankFile)) return { value: { ...counts, isKnown: true }, audit: undefined };
    const openFrom = await findOpenFrom(tx);
    let newCount = 0;
    for (const statement of statements)
      newCount += (await importStatement(tx, bankFile, statement, { openFrom, now })) ? 1 : 0;
    if (newCount === 0) return { value: { ...counts, isKnown: true }, audit: undefined };
    const after = { name: bankFile.name, sha256: sha256.toString("hex"), ...counts };
    return { value: { ...counts, isKnown: false }, audit: { act: "bank import", subject: bank, after } };
  };
  return actAsOwner(operator, [house], importAll, { statementTimeoutMs });
}

/** Reads the statements of a file, oldest first, because an account's first statement defines its opening balance. */
async function readStatements(
  file: string,
): Promise<{ readonly sha256: Buffer; readonly statements: readonly BookableStatement[] }> {
  if ((await stat(file)).size > sizeMaxBytes)
    throw new FileProblem(1, "The file is larger than 50 MiB. Ask the bank for one file per day.");
  const bytes = await readFile(file);
  const { kind, statements } = parseCamt(textOf(bytes));
  if (kind !== "camt.053")
    throw new FileProblem(
      kind,
      "Only statements (camt.053) are booked. They contain the entries of this message as well.",
    );
  for (const statement of statements) {
    const problem = statementProblem(statement);
    if (problem) throw new FileProblem(`Statement ${statement.statementId}`, problem);
  }
  return {
    sha256: createHash("sha256").update(bytes).digest(),
    statements: statements
      .filter(isBookable)
      .toSorted((a, b) => a.closing.at.getTime() - b.closing.at.getTime()),
  };
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new FileProblem(1, "The file is not UTF-8.");
  }
}

/** Returns the first moment after the last closed month. */
async function findOpenFrom(tx: Tx): Promise<Date> {
  const month = await findLastClosedMonth(tx);
  return month === undefined ? new Date(0) : accountingMonth(month).until;
}

/** Imports a statement; returns false if it was already imported. */
async function importStatement(
  tx: Tx,
  file: BankFile,
  statement: BookableStatement,
  { openFrom, now }: { readonly openFrom: Date; readonly now: Date },
): Promise<boolean> {
  const { bank } = file;
  const reject = (problem: string): never => {
    throw new FileProblem(`Statement ${statement.statementId}`, problem);
  };
  const otherBank = await findOtherBank(tx, bank, statement.account);
  if (otherBank !== undefined)
    reject(`Its account ${statement.account} belongs to the bank ${otherBank} here. Check --bank.`);
  for (const known of await listSimilarStatements(tx, file, statement)) {
    if (known.isAlike && hasSameEntries(statement, await listEntriesOfFile(tx, known.fileId))) return false;
    if (known.isSameId)
      reject(
        `It was already imported, as ${known.name}, with other entries or balances. Ask the bank which is ` +
          "correct: a bank books corrections in a later statement.",
      );
  }
  const first = await findFirstOpening(tx, bank, statement);
  if (first && statement.closing.at < first)
    reject(
      "It ends before the first imported statement of this account, whose opening balance is in the ledger. " +
        "Import the oldest statement first.",
    );
  await insertStatement(tx, file, statement, { isFirst: first === undefined, openFrom, now });
  return true;
}

/** Returns whether a statement has the same entries in the same order, ignoring the bank's own references. */
function hasSameEntries(
  { entries }: BookableStatement,
  storedEntries: Awaited<ReturnType<typeof listEntriesOfFile>>,
): boolean {
  const contentOf = (entry: (typeof storedEntries)[number]): string => {
    const { amount, isCredit, bookedAt, endToEndId, reference } = entry;
    return JSON.stringify([amount.currency, String(amount.minor), isCredit, bookedAt, endToEndId, reference]);
  };
  return (
    entries.length === storedEntries.length &&
    storedEntries.every(
      (each, index) => contentOf(each) === contentOf(entries[index] as (typeof storedEntries)[number]),
    )
  );
}
