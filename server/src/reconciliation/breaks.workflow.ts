import {
  findUnresolvedBreak,
  listUnresolvedBreaks,
  updateBreakAssignment,
  updateBreakClosing,
  updateBreakWrittenOff,
  type StoredBreak,
} from "./break.sql.ts";
import { findLastRun, type ReconciliationRun } from "./reconciliation-run.sql.ts";
import { ageClassOf, ageClasses, type AgeClass } from "./age-class.ts";
import { breakSizeOf, writeOffOf, type WriteOff } from "./write-off.ts";
import { house } from "../ledger/account.ts";
import { writeOffEffect } from "../ledger/bank-effects.ts";
import { hasHouseAccount } from "../ledger/house-account.sql.ts";
import { lockReconciliation } from "./compare.sql.ts";
import { breakAgeOf, sumNames, recommendedActionFor } from "./break.ts";
import { formatMoney } from "../core/money.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../operator-session/owner-session.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { formatTextTable } from "../formats/text-table.ts";

/** Returns unresolved breaks, unexplained ones first. */
export async function findBreaks(
  { url, environment }: Operator,
  limit: number,
): Promise<readonly StoredBreak[]> {
  return queryAsOwner(url, environment, systemScope, (tx) => listUnresolvedBreaks(tx, limit));
}

/** `findReconciliation` returns the newest reconciliation run; undefined if there was none. */
export async function findReconciliation({
  url,
  environment,
}: Operator): Promise<ReconciliationRun | undefined> {
  return queryAsOwner(url, environment, systemScope, findLastRun);
}

/**
 * `closeBreak` closes a break with an explanation. The ledger does not change. `reconcile` ignores the break while its
 * amounts stay the same.
 */
export async function closeBreak(
  operator: Operator,
  breakId: number,
  closed: { readonly by: string; readonly reason: string },
): Promise<StoredBreak> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const before = await requireUnresolved(tx, breakId);
    if (before.closed) throw new CommandFailed(`The break is already closed: ${before.closed.reason}`);
    await updateBreakClosing(tx, breakId, { ...closed, at: new Date() });
    const after = { kind: before.kind, reference: before.reference, sums: before.sums, isClosed: true };
    return {
      value: await requireUnresolved(tx, breakId),
      audit: { act: "break close", subject: `break ${breakId}`, after },
    };
  });
}

export async function reopenBreak(operator: Operator, breakId: number): Promise<StoredBreak> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const { closed } = await requireUnresolved(tx, breakId);
    if (!closed) throw new CommandFailed("The break is already open.");
    await updateBreakClosing(tx, breakId, undefined);
    return {
      value: await requireUnresolved(tx, breakId),
      audit: { act: "break reopen", subject: `break ${breakId}`, before: closed, after: { isClosed: false } },
    };
  });
}

/** `assignBreak` assigns a break to a person; an absent `to` unassigns it. */
export async function assignBreak(
  operator: Operator,
  breakId: number,
  to: string | undefined,
): Promise<StoredBreak> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const { assigned } = await requireUnresolved(tx, breakId);
    if (assigned?.to === to)
      throw new CommandFailed(
        to === undefined ? "The break is not assigned." : `The break is already assigned to ${to}.`,
      );
    await updateBreakAssignment(tx, breakId, to === undefined ? undefined : { to, at: new Date() });
    const [before, after] = [{ assignedTo: assigned?.to }, { assignedTo: to }];
    return {
      value: await requireUnresolved(tx, breakId),
      audit: { act: "break assign", subject: `break ${breakId}`, before, after },
    };
  });
}

/**
 * `writeOffBreak` posts the difference to the account `adjustment` or `rounding`, so that the ledger agrees with the
 * provider or the bank, and closes the break. In live it needs an approval. If the break's amounts change and it opens
 * again, the rest can be written off.
 */
export async function writeOffBreak(
  operator: Operator,
  breakId: number,
  closed: { readonly by: string; readonly reason: string },
): Promise<StoredBreak> {
  return actAsOwner(operator, [house], async (tx) => {
    // Lock: a reconciliation compares the account `clearing` with the write-offs of its breaks.
    await lockReconciliation(tx);
    const found = await requireUnresolved(tx, breakId);
    const { account, excess } = await writeOffFor(tx, found);
    await updateBreakWrittenOff(tx, breakId, excess.minor, closed);
    const { kind, reference, sums } = found;
    const { debit, credit, amount } = writeOffEffect(account, excess).transfer;
    const [before, after] = [
      { kind, reference, sums },
      { debit, credit, amount: formatMoney(amount) },
    ];
    return {
      value: await requireUnresolved(tx, breakId),
      audit: { act: "break write-off", subject: `break ${breakId}`, before, after },
    };
  });
}

/** Returns the rest of a break that can be written off. */
async function writeOffFor(tx: Tx, found: StoredBreak): Promise<WriteOff> {
  if (found.closed) throw new CommandFailed(`The break is already closed: ${found.closed.reason}`);
  const writeOff = writeOffOf(found);
  if (!writeOff)
    throw new CommandFailed(
      `A break of the kind "${found.kind}" cannot be written off. Find the cause, or close the break with an ` +
        "explanation.",
    );
  if (!(await hasHouseAccount(tx)))
    throw new CommandFailed("The house account is in another cell. Write off the break there.");
  const { currency, minor } = writeOff.excess;
  const rest = minor - found.writtenOffMinor;
  if (rest === 0n)
    throw new CommandFailed("Nothing is left to write off. Close the break with an explanation.");
  return { account: writeOff.account, excess: { currency, minor: rest } };
}

export function breakAgeTable(breaks: readonly StoredBreak[], now: Date): string {
  const aged = sumBreaksByAge(breaks, now);
  if (aged.length === 0) return "There are no open breaks.";
  const rows = aged.map(({ currency, sums }) => [
    currency,
    ...sums.map(({ count, minor }) => (count === 0 ? "" : `${formatMoney({ currency, minor })} (${count})`)),
  ]);
  return formatTextTable([["currency", ...ageClasses.map(({ name }) => name)], ...rows]);
}

interface AgedSum {
  readonly age: AgeClass;
  readonly count: number;
  readonly minor: bigint;
}

/** Sums open breaks by currency and age, without explained and written-off ones. */
export function sumBreaksByAge(
  breaks: readonly StoredBreak[],
  now: Date,
): readonly { readonly currency: string; readonly sums: readonly AgedSum[] }[] {
  const open = breaks.filter(({ closed }) => !closed);
  return [...new Set(open.map(({ currency }) => currency))].sort().map((currency) => ({
    currency,
    sums: ageClasses.map(({ name: age }) => {
      const ofAge = open.filter(
        (each) => each.currency === currency && ageClassOf(each.at ?? each.firstSeenAt, now) === age,
      );
      return { age, count: ofAge.length, minor: ofAge.reduce((sum, each) => sum + breakSizeOf(each), 0n) };
    }),
  }));
}

async function requireUnresolved(tx: Tx, breakId: number): Promise<StoredBreak> {
  const found = await findUnresolvedBreak(tx, breakId);
  if (found) return found;
  throw new CommandFailed(`There is no unresolved break ${breakId}. List them with \`tollgate break list\`.`);
}

/**
 * `runSummary` formats time and scope of the last reconciliation run, because an empty list of breaks means nothing
 * without a run.
 */
export function runSummary(run: ReconciliationRun | undefined): string {
  if (!run) return "No reconciliation has run yet. Run `tollgate reconcile`.";
  const { ranAt, connector, day, providerFiles, bankFileCount } = run;
  const files = providerFiles.map(
    (each) => `${each.connector} until ${each.until} (files: ${each.fileCount})`,
  );
  return [
    `Last reconciliation: ${ranAt.toISOString()}, ${connector ?? "all connectors"}, ${day ?? "all days"}.`,
    `Provider files: ${files.join(", ") || "none"}. Bank statements: ${bankFileCount}.`,
  ].join("\n");
}

export function breakTable(breaks: readonly StoredBreak[], now: Date): string {
  if (breaks.length === 0) return "There are no open breaks.";
  const head = ["break", "what", "provider", "of", "reference", "sums", "age", "whose", "closed"];
  const rows = breaks.map((each) => [
    String(each.breakId),
    each.kind,
    each.connector ?? "none",
    each.subject,
    each.reference,
    sumNames
      .flatMap((name) => (each.sums[name] ? [`${name} ${formatMoney(each.sums[name])}`] : []))
      .join(", "),
    breakAgeOf(each.at ?? each.firstSeenAt, now),
    each.assigned?.to ?? "",
    each.closed ? `${each.closed.by}: ${each.closed.reason}` : "",
  ]);
  const kinds = [...new Set(breaks.filter(({ closed }) => !closed).map(({ kind }) => kind))];
  const advice = kinds.map((kind) => `${kind}: ${recommendedActionFor(kind)}`);
  return [formatTextTable([head, ...rows]), ...(advice.length > 0 ? [advice.join("\n")] : [])].join("\n\n");
}
