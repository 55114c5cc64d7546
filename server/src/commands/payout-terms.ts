import { bookDayOf } from "../core/book-day.ts";
import { bucketOf } from "../core/bucket.ts";
import { isCurrency } from "../core/currency.ts";
import { systemScope } from "../postgres/database.ts";
import type { Terms } from "../settlement/batch.ts";
import { findClosedDay } from "../settlement/batch.sql.ts";
import { listOwnAccounts, writeOwnAccount, type OwnAccount } from "../settlement/own-account.sql.ts";
import { insertTerms, lockTerms } from "../settlement/terms.sql.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { readAccountFields, requireMerchant } from "./payout-account.ts";
import { align } from "./table.ts";

/** How a merchant is settled from a day on. What was closed stays as it was closed, so the day is after it. */
export async function setTerms(
  operator: Operator,
  clientId: string,
  currency: string,
  terms: Omit<Terms, "fromDay"> & { readonly fromDay: string | undefined },
): Promise<Terms> {
  const key = { bucket: bucketOf(clientId), clientId };
  const { settleIn } = terms;
  if (settleIn !== undefined && (!isCurrency(settleIn) || settleIn === currency))
    throw new Impossible(`${settleIn}: --settle-in is another currency than that of the sales.`);
  return actAsOwner(operator, [clientId], async (tx) => {
    await requireMerchant(tx, clientId);
    const known = await lockTerms(tx, key, currency);
    const closedDay = await findClosedDay(tx, { ...key, currency });
    const fromDay = terms.fromDay ?? bookDayOf(new Date());
    if (closedDay !== undefined && fromDay <= closedDay)
      throw new Impossible(`Its settlement is closed up to ${closedDay}: new terms begin after that.`);
    const value = { ...terms, fromDay };
    await insertTerms(tx, key, currency, value);
    const before = known.findLast((each) => each.fromDay <= fromDay);
    return {
      value,
      audit: { act: "payout terms set", subject: `${clientId} ${currency}`, clientId, before, after: value },
    };
  });
}

export async function findOwnAccounts({ url, environment }: Operator): Promise<readonly OwnAccount[]> {
  return asOwner(url, environment, systemScope, listOwnAccounts);
}

/** Our own account, from which payouts go. A payout file that is planned already keeps the account that it was planned with. */
export async function setOwnAccount(operator: Operator, asked: OwnAccount): Promise<OwnAccount> {
  const account = { ...asked, ...readAccountFields(asked) };
  return actAsOwner(operator, systemScope, async (tx) => {
    const before = (await listOwnAccounts(tx)).find(
      ({ bank, currency }) => bank === account.bank && currency === account.currency,
    );
    await writeOwnAccount(tx, account);
    return {
      value: account,
      audit: { act: "payout bank set", subject: account.bank, before, after: account },
    };
  });
}

export function ownAccountTable(accounts: readonly OwnAccount[]): string {
  if (accounts.length === 0) return "There are none.";
  const rows = accounts.map(({ bank, currency, holder, iban, bic = "" }) => [
    bank,
    currency,
    holder,
    iban,
    bic,
  ]);
  return align([["bank", "currency", "holder", "IBAN", "BIC"], ...rows]);
}
