import {
  findUnresolved,
  listUnresolved,
  updateClosing,
  type KnownBreak,
} from "../reconciliation/break.sql.ts";
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

async function unresolved(tx: Tx, breakId: number): Promise<KnownBreak> {
  const found = await findUnresolved(tx, breakId);
  if (found) return found;
  throw new Impossible(`There is no break ${breakId}, or \`match\` did not find it any more.`);
}

export function breakTable(breaks: readonly KnownBreak[], now: Date): string {
  if (breaks.length === 0) return "There are none.";
  const head = ["break", "what", "wallet", "of", "reference", "sums", "age", "closed"];
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
    each.closed ? `${each.closed.by}: ${each.closed.reason}` : "",
  ]);
  const kinds = [...new Set(breaks.filter(({ closed }) => !closed).map(({ kind }) => kind))];
  const advice = kinds.map((kind) => `${kind}: ${whatToDo(kind)}`);
  return [align([head, ...rows]), ...(advice.length > 0 ? [advice.join("\n")] : [])].join("\n\n");
}
