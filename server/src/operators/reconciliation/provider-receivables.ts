import { formatMoney } from "../../core/money.ts";
import { listReceivables, type Receivable } from "../../ledger/receivable.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import { agedReceivable, ages, startOfAge, type AgeName } from "../../reconciliation/aged.ts";
import { asOwner, type Operator } from "../../operator-session/as-owner.ts";
import { align } from "../../formats/text-table.ts";

/** The amount that a provider owes now, and its age. Negative if the provider paid too much. */
export interface Owed {
  readonly connector: string;
  readonly currency: string;
  readonly minor: bigint;
  readonly aged: readonly { readonly age: AgeName; readonly minor: bigint }[];
}

const statementTimeoutMs = 10 * 60 * 1000;

/**
 * Returns the providers' debts from one database, or from all cells of a fleet. Each cell has the sales of its
 * merchants, and one cell has the fees and payments of the providers.
 */
export async function findProviderReceivables(
  operators: readonly Operator[],
  now = new Date(),
): Promise<readonly Owed[]> {
  const since = ages.flatMap(({ days }) => (Number.isFinite(days) ? [startOfAge(days, now)] : []));
  const found: Receivable[] = [];
  for (const { url, environment } of operators)
    found.push(
      ...(await asOwner(url, environment, systemScope, (tx) => listReceivables(tx, since), {
        statementTimeoutMs,
      })),
    );
  return receivablesTogether(found).map(({ connector, currency, minor, added }) => {
    const parts = agedReceivable(minor, added);
    const aged = ages.map(({ name }, index) => ({ age: name, minor: parts[index] ?? 0n }));
    return { connector, currency, minor, aged };
  });
}

/** Sums the receivables of all cells by provider and currency; drops zero sums. */
function receivablesTogether(all: readonly Receivable[]): readonly Receivable[] {
  const groups = Map.groupBy(all, ({ connector, currency }) => `${connector} ${currency}`);
  return [...groups.values()].flatMap((parts) => {
    const [first] = parts;
    const minor = parts.reduce((sum, each) => sum + each.minor, 0n);
    if (!first || minor === 0n) return [];
    const added = first.added.map((_, age) => parts.reduce((sum, each) => sum + (each.added[age] ?? 0n), 0n));
    return [{ ...first, minor, added }];
  });
}

export function owedTable(owed: readonly Owed[]): string {
  if (owed.length === 0) return "No provider owes anything.";
  const head = ["provider", "owes", ...ages.map(({ name }) => name)];
  const rows = owed.map(({ connector, currency, minor, aged }) => [
    connector,
    formatMoney({ currency, minor }),
    ...aged.map((part) => (part.minor === 0n ? "" : formatMoney({ currency, minor: part.minor }))),
  ]);
  return align([head, ...rows]);
}
