import { formatMoney } from "../../core/money.ts";
import { listReceivables, type Receivable } from "../../ledger/receivable.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import {
  splitReceivableByAge,
  ageClasses,
  startOfAge,
  type AgeClass,
} from "../../reconciliation/age-class.ts";
import { queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { formatTextTable } from "../../formats/text-table.ts";

/** The amount that a provider owes now, and its age. Negative if the provider paid too much. */
export interface ProviderReceivable {
  readonly connector: string;
  readonly currency: string;
  readonly minor: bigint;
  readonly aged: readonly { readonly age: AgeClass; readonly minor: bigint }[];
}

const statementTimeoutMs = 10 * 60 * 1000;

/**
 * Returns the providers' debts from one database, or from all cells of a fleet. Each cell has the sales of its
 * merchants, and one cell has the fees and payments of the providers.
 */
export async function findProviderReceivables(
  operators: readonly Operator[],
  now = new Date(),
): Promise<readonly ProviderReceivable[]> {
  const since = ageClasses.flatMap(({ days }) => (Number.isFinite(days) ? [startOfAge(days, now)] : []));
  const found: Receivable[] = [];
  for (const { url, environment } of operators)
    found.push(
      ...(await queryAsOwner(url, environment, systemScope, (tx) => listReceivables(tx, since), {
        statementTimeoutMs,
      })),
    );
  return mergeReceivables(found).map(({ connector, currency, minor, added }) => {
    const parts = splitReceivableByAge(minor, added);
    const aged = ageClasses.map(({ name }, index) => ({ age: name, minor: parts[index] ?? 0n }));
    return { connector, currency, minor, aged };
  });
}

/** Sums the receivables of all cells by provider and currency; drops zero sums. */
function mergeReceivables(receivables: readonly Receivable[]): readonly Receivable[] {
  const groups = Map.groupBy(receivables, ({ connector, currency }) => `${connector} ${currency}`);
  return [...groups.values()].flatMap((parts) => {
    const [first] = parts;
    const minor = parts.reduce((sum, each) => sum + each.minor, 0n);
    if (!first || minor === 0n) return [];
    const added = first.added.map((_, age) => parts.reduce((sum, each) => sum + (each.added[age] ?? 0n), 0n));
    return [{ ...first, minor, added }];
  });
}

export function receivablesTable(owed: readonly ProviderReceivable[]): string {
  if (owed.length === 0) return "No provider owes anything.";
  const head = ["provider", "owes", ...ageClasses.map(({ name }) => name)];
  const rows = owed.map(({ connector, currency, minor, aged }) => [
    connector,
    formatMoney({ currency, minor }),
    ...aged.map((part) => (part.minor === 0n ? "" : formatMoney({ currency, minor: part.minor }))),
  ]);
  return formatTextTable([head, ...rows]);
}
