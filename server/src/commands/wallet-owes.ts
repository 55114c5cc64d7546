import { formatMoney } from "../core/money.ts";
import { listReceivables } from "../ledger/receivable.sql.ts";
import { systemScope } from "../postgres/database.ts";
import { agedReceivable, ages, startOfAge, type AgeName } from "../reconciliation/aged.ts";
import { asOwner, type Operator } from "./as-owner.ts";
import { align } from "./table.ts";

/** What a wallet owes us at this moment, and since when. Below zero, it has paid more than it owed. */
export interface Owed {
  readonly connector: string;
  readonly currency: string;
  readonly minor: bigint;
  readonly aged: readonly { readonly age: AgeName; readonly minor: bigint }[];
}

const statementTimeoutMs = 10 * 60 * 1000;

export async function findOwed({ url, environment }: Operator, now = new Date()): Promise<readonly Owed[]> {
  const since = ages.flatMap(({ days }) => (Number.isFinite(days) ? [startOfAge(days, now)] : []));
  const found = await asOwner(url, environment, systemScope, (tx) => listReceivables(tx, since), {
    statementTimeoutMs,
  });
  return found.map(({ connector, currency, minor, added }) => {
    const parts = agedReceivable(minor, added);
    const aged = ages.map(({ name }, index) => ({ age: name, minor: parts[index] ?? 0n }));
    return { connector, currency, minor, aged };
  });
}

export function owedTable(owed: readonly Owed[]): string {
  if (owed.length === 0) return "No wallet owes us anything.";
  const head = ["wallet", "owes", ...ages.map(({ name }) => name)];
  const rows = owed.map(({ connector, currency, minor, aged }) => [
    connector,
    formatMoney({ currency, minor }),
    ...aged.map((part) => (part.minor === 0n ? "" : formatMoney({ currency, minor: part.minor }))),
  ]);
  return align([head, ...rows]);
}
