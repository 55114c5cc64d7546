import { accountingDayOf } from "../core/accounting-day.ts";
import { bucketOf } from "../core/bucket.ts";
import { isCurrency } from "../core/currency.ts";
import { systemScope } from "../postgres/database.ts";
import type { Terms } from "./batch.ts";
import { findClosedDay } from "./batch.sql.ts";
import { listDebtorAccounts, writeDebtorAccount, type DebtorAccount } from "./payouts/debtor-account.sql.ts";
import { insertTerms, lockTerms } from "./terms.sql.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../operator-session/owner-session.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { readAccountFields, requireMerchant } from "./payouts/payout-accounts.workflow.ts";
import { formatTextTable } from "../formats/text-table.ts";

/**
 * `setTerms` sets a merchant's settlement terms from a day on. Closed batches stay unchanged, so the day must be after
 * the last closed batch.
 */
export async function setTerms(
  operator: Operator,
  clientId: string,
  currency: string,
  terms: Omit<Terms, "fromDay"> & { readonly fromDay: string | undefined },
): Promise<Terms> {
  const key = { bucket: bucketOf(clientId), clientId };
  const { settleIn } = terms;
  if (settleIn !== undefined && (!isCurrency(settleIn) || settleIn === currency))
    throw new CommandFailed(
      `--settle-in ${settleIn} is the currency of the sales. Choose another currency, or omit the option.`,
    );
  return actAsOwner(operator, [clientId], async (tx) => {
    await requireMerchant(tx, clientId);
    const storedTerms = await lockTerms(tx, key, currency);
    const closedDay = await findClosedDay(tx, { ...key, currency });
    const fromDay = terms.fromDay ?? accountingDayOf(new Date());
    if (closedDay !== undefined && fromDay <= closedDay)
      throw new CommandFailed(
        `Settlement is closed up to ${closedDay}. New terms must begin after that day.`,
      );
    const value = { ...terms, fromDay };
    await insertTerms(tx, key, currency, value);
    const before = storedTerms.findLast((each) => each.fromDay <= fromDay);
    return {
      value,
      audit: { act: "payout terms set", subject: `${clientId} ${currency}`, clientId, before, after: value },
    };
  });
}

export async function findDebtorAccounts({ url, environment }: Operator): Promise<readonly DebtorAccount[]> {
  return queryAsOwner(url, environment, systemScope, listDebtorAccounts);
}

/**
 * `setDebtorAccount` sets the operator's debtor account for payouts. A planned payout file keeps the account with which
 * it was planned.
 */
export async function setDebtorAccount(
  operator: Operator,
  debtorAccount: DebtorAccount,
): Promise<DebtorAccount> {
  const account = { ...debtorAccount, ...readAccountFields(debtorAccount) };
  return actAsOwner(operator, systemScope, async (tx) => {
    const before = (await listDebtorAccounts(tx)).find(
      ({ bank, currency }) => bank === account.bank && currency === account.currency,
    );
    await writeDebtorAccount(tx, account);
    return {
      value: account,
      audit: { act: "payout bank set", subject: account.bank, before, after: account },
    };
  });
}

export function debtorAccountTable(accounts: readonly DebtorAccount[]): string {
  if (accounts.length === 0) return "There are no debtor accounts.";
  const rows = accounts.map(({ bank, currency, holder, iban, bic = "" }) => [
    bank,
    currency,
    holder,
    iban,
    bic,
  ]);
  return formatTextTable([["bank", "currency", "holder", "IBAN", "BIC"], ...rows]);
}
