import type { Money } from "../core/money.ts";

/** Opening and closing balance of a statement, or of a page. */
export interface StatementBalances {
  readonly bank: string;
  readonly account: string;
  readonly currency: string;
  readonly statementId: string;
  readonly openingMinor: bigint;
  readonly openingAt: Date;
  readonly closingMinor: bigint;
  readonly closingAt: Date;
}

/** Two amounts of one account that should be equal. */
export interface BankDifference {
  readonly bank: string;
  readonly reference: string;
  readonly currency: string;
  readonly actualMinor: bigint;
  readonly expectedMinor: bigint;
  readonly at: Date;
}

/**
 * `chainStatements` chains the statements of each account: each opens with the closing balance of the previous one.
 * Statements of the same days are chained by their balances, because a bank may send a day in parts, in any order. The
 * list must be sorted, the oldest first.
 */
export function chainStatements(statements: readonly StatementBalances[]): readonly StatementBalances[] {
  const byAccount = Map.groupBy(statements, accountOf);
  return [...byAccount.values()].flatMap((all) => {
    const chained: StatementBalances[] = [];
    for (const sameDays of Map.groupBy(all, daysOf).values()) {
      const remaining = [...sameDays];
      while (remaining.length > 0) {
        const closingMinor = chained.at(-1)?.closingMinor;
        const next = remaining.findIndex(({ openingMinor }) => openingMinor === closingMinor);
        chained.push(...remaining.splice(Math.max(next, 0), 1));
      }
    }
    return chained;
  });
}

/**
 * Returns each statement that does not open with the closing balance of the previous one, so that a statement between
 * them is missing. The list must be the result of `chainStatements`.
 */
export function findGaps(chained: readonly StatementBalances[]): readonly BankDifference[] {
  return chained.flatMap((statement, index): readonly BankDifference[] => {
    const previous = chained[index - 1];
    const isFirst = !previous || accountOf(previous) !== accountOf(statement);
    if (isFirst || previous.closingMinor === statement.openingMinor) return [];
    const { bank, statementId: reference, currency, openingMinor, openingAt: at } = statement;
    return [
      { bank, reference, currency, actualMinor: openingMinor, expectedMinor: previous.closingMinor, at },
    ];
  });
}

/**
 * Returns banks whose ledger account differs from their last statements. The list must be the result of
 * `chainStatements`.
 */
export function findWrongBalances(
  chained: readonly StatementBalances[],
  booked: readonly (Money & { readonly bank: string })[],
  now: Date,
): readonly BankDifference[] {
  const last = [...new Map(chained.map((each) => [accountOf(each), each])).values()];
  const byBank = Map.groupBy([...last, ...booked], ({ bank, currency }) => `${bank} ${currency}`);
  return [...byBank.values()].flatMap((both): readonly BankDifference[] => {
    const statements = both.filter((each) => "closingMinor" in each);
    const expectedMinor = statements.reduce((sum, { closingMinor }) => sum + closingMinor, 0n);
    const actualMinor = both.reduce((sum, each) => sum + ("minor" in each ? each.minor : 0n), 0n);
    const [first] = both;
    if (!first || actualMinor === expectedMinor) return [];
    const at = statements.map(({ closingAt }) => closingAt).toSorted((a, b) => b.getTime() - a.getTime())[0];
    const { bank, currency } = first;
    return [{ bank, reference: bank, currency, actualMinor, expectedMinor, at: at ?? now }];
  });
}

const accountOf = ({ bank, account, currency }: StatementBalances): string =>
  `${bank} ${account} ${currency}`;

const daysOf = ({ closingAt, openingAt }: StatementBalances): string =>
  `${closingAt.toISOString()} ${openingAt.toISOString()}`;
