import {
  findUnresolved,
  listUnresolved,
  updateAssignment,
  updateClosing,
  updateWrittenOff,
  type KnownBreak,
} from "../reconciliation/break.sql.ts";
import { findLastRun, type ReconciliationRun } from "../reconciliation/reconciliation-run.sql.ts";
import { ageNameOf, ages, type AgeName } from "../reconciliation/aged.ts";
import { sizeOf, writeOffOf, type WriteOff } from "../reconciliation/write-off.ts";
import { house } from "../ledger/account.ts";
import { writeOffEffect } from "../ledger/bank-effects.ts";
import { findHasHouse } from "../ledger/house.sql.ts";
import { lockMatching } from "../reconciliation/compare.sql.ts";
import { ageOf, sumNames, whatToDo } from "../reconciliation/break.ts";
import { formatMoney } from "../core/money.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { align } from "./table.ts";

/** Breaks that are not resolved, those that nobody has explained first. */
export async function findBreaks(
  { url, environment }: Operator,
  limit: number,
): Promise<readonly KnownBreak[]> {
  return asOwner(url, environment, systemScope, (tx) => listUnresolved(tx, limit));
}

/** `findReconciliation` returns the newest reconciliation run; undefined if nothing was ever compared. */
export async function findReconciliation({
  url,
  environment,
}: Operator): Promise<ReconciliationRun | undefined> {
  return asOwner(url, environment, systemScope, findLastRun);
}

/**
 * Closes a break that somebody can explain. Nothing in the books is changed by it: `match` counts it no more, for as long as the sums
 * stay those that were explained.
 */
export async function closeBreak(
  operator: Operator,
  breakId: number,
  closed: { readonly by: string; readonly reason: string },
): Promise<KnownBreak> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const before = await unresolved(tx, breakId);
    if (before.closed) throw new Impossible(`It was closed already: ${before.closed.reason}`);
    await updateClosing(tx, breakId, { ...closed, at: new Date() });
    const after = { kind: before.kind, reference: before.reference, sums: before.sums, isClosed: true };
    return {
      value: await unresolved(tx, breakId),
      audit: { act: "break close", subject: `break ${breakId}`, after },
    };
  });
}

export async function reopenBreak(operator: Operator, breakId: number): Promise<KnownBreak> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const { closed } = await unresolved(tx, breakId);
    if (!closed) throw new Impossible("It is open.");
    await updateClosing(tx, breakId, undefined);
    return {
      value: await unresolved(tx, breakId),
      audit: { act: "break reopen", subject: `break ${breakId}`, before: closed, after: { isClosed: false } },
    };
  });
}

/** Says who looks after a break; nobody, when `to` is absent. */
export async function assignBreak(
  operator: Operator,
  breakId: number,
  to: string | undefined,
): Promise<KnownBreak> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const { assigned } = await unresolved(tx, breakId);
    if (assigned?.to === to)
      throw new Impossible(to === undefined ? "It is nobody's." : `It is ${to}'s already.`);
    await updateAssignment(tx, breakId, to === undefined ? undefined : { to, at: new Date() });
    const [before, after] = [{ assignedTo: assigned?.to }, { assignedTo: to }];
    return {
      value: await unresolved(tx, breakId),
      audit: { act: "break assign", subject: `break ${breakId}`, before, after },
    };
  });
}

/**
 * Gives up what a break is about: the books are made to say what the wallet or the bank says, against adjustment or rounding, and the break
 * is closed. In live it takes two people. If its sums change and it opens again, the rest can be written off.
 */
export async function writeOffBreak(
  operator: Operator,
  breakId: number,
  closed: { readonly by: string; readonly reason: string },
): Promise<KnownBreak> {
  return actAsOwner(operator, [house], async (tx) => {
    // A reconciliation compares the clearing account with the write-offs of its breaks.
    await lockMatching(tx);
    const found = await unresolved(tx, breakId);
    const { account, excess } = await writeOffFor(tx, found);
    await updateWrittenOff(tx, breakId, excess.minor, closed);
    const { kind, reference, sums } = found;
    const { debit, credit, amount } = writeOffEffect(account, excess).transfer;
    const [before, after] = [
      { kind, reference, sums },
      { debit, credit, amount: formatMoney(amount) },
    ];
    return {
      value: await unresolved(tx, breakId),
      audit: { act: "break write-off", subject: `break ${breakId}`, before, after },
    };
  });
}

/** What is left to be written off of a break. */
async function writeOffFor(tx: Tx, found: KnownBreak): Promise<WriteOff> {
  if (found.closed) throw new Impossible(`It was closed already: ${found.closed.reason}`);
  const whole = writeOffOf(found);
  if (!whole)
    throw new Impossible(`"${found.kind}" is not put right by money: find the cause, or explain it.`);
  if (!(await findHasHouse(tx)))
    throw new Impossible("The books of the house are in another cell, and so is what is written off.");
  const { currency, minor } = whole.excess;
  const rest = minor - found.writtenOffMinor;
  if (rest === 0n) throw new Impossible("There is nothing left of it that could be written off: explain it.");
  return { account: whole.account, excess: { currency, minor: rest } };
}

export function agedTable(breaks: readonly KnownBreak[], now: Date): string {
  const aged = agedBreaks(breaks, now);
  if (aged.length === 0) return "There are none.";
  const rows = aged.map(({ currency, sums }) => [
    currency,
    ...sums.map(({ count, minor }) => (count === 0 ? "" : `${formatMoney({ currency, minor })} (${count})`)),
  ]);
  return align([["currency", ...ages.map(({ name }) => name)], ...rows]);
}

interface AgedSum {
  readonly age: AgeName;
  readonly count: number;
  readonly minor: bigint;
}

/** What is open, by currency and age; what was explained or written off is not. */
export function agedBreaks(
  breaks: readonly KnownBreak[],
  now: Date,
): readonly { readonly currency: string; readonly sums: readonly AgedSum[] }[] {
  const open = breaks.filter(({ closed }) => !closed);
  return [...new Set(open.map(({ currency }) => currency))].sort().map((currency) => ({
    currency,
    sums: ages.map(({ name: age }) => {
      const own = open.filter(
        (each) => each.currency === currency && ageNameOf(each.at ?? each.firstSeenAt, now) === age,
      );
      return { age, count: own.length, minor: own.reduce((sum, each) => sum + sizeOf(each), 0n) };
    }),
  }));
}

async function unresolved(tx: Tx, breakId: number): Promise<KnownBreak> {
  const found = await findUnresolved(tx, breakId);
  if (found) return found;
  throw new Impossible(`There is no break ${breakId}, or \`match\` did not find it any more.`);
}

/** `runText` says when the last reconciliation ran, and over what: an empty list means nothing if none ever ran. */
export function runText(run: ReconciliationRun | undefined): string {
  if (!run) return "Never compared: no reconciliation has run here. Run `tollgate match`.";
  const { ranAt, connector, day, walletFiles, bankFileCount } = run;
  const files = walletFiles.map((each) => `${each.connector} until ${each.until} (files: ${each.fileCount})`);
  return [
    `Last reconciliation: ${ranAt.toISOString()}, ${connector ?? "all wallets"}, ${day ?? "all days"}.`,
    `Wallet files: ${files.join(", ") || "none"}. Bank statements: ${bankFileCount}.`,
  ].join("\n");
}

export function breakTable(breaks: readonly KnownBreak[], now: Date): string {
  if (breaks.length === 0) return "There are no open breaks.";
  const head = ["break", "what", "wallet", "of", "reference", "sums", "age", "whose", "closed"];
  const rows = breaks.map((each) => [
    String(each.breakId),
    each.kind,
    each.connector ?? "none",
    each.subject,
    each.reference,
    sumNames
      .flatMap((name) => (each.sums[name] ? [`${name} ${formatMoney(each.sums[name])}`] : []))
      .join(", "),
    ageOf(each.at ?? each.firstSeenAt, now),
    each.assigned?.to ?? "",
    each.closed ? `${each.closed.by}: ${each.closed.reason}` : "",
  ]);
  const kinds = [...new Set(breaks.filter(({ closed }) => !closed).map(({ kind }) => kind))];
  const advice = kinds.map((kind) => `${kind}: ${whatToDo(kind)}`);
  return [align([head, ...rows]), ...(advice.length > 0 ? [advice.join("\n")] : [])].join("\n\n");
}
