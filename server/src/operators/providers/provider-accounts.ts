import { changedFields } from "../../audit/audit.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { formatTextTable, formatUtcTime } from "../../formats/text-table.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { listConnectors } from "../../providers/connector.sql.ts";
import { accountProblem } from "../../providers/provider-account.ts";
import {
  deleteProviderAccount,
  findProviderAccount,
  listProviderAccountsAt,
  listProviderAccountsOf,
  upsertProviderAccount,
  type ProviderAccount,
} from "../../providers/provider-account.sql.ts";
import { requireClient } from "../merchants/merchant.ts";
import { requireNamed } from "./connector-settings.ts";

type AccountKey = Pick<ProviderAccount, "clientId" | "connector">;

/** `setProviderAccount` sets a merchant's account at a connector for new orders. Orders that exist keep theirs. */
export async function setProviderAccount(
  operator: Operator,
  { clientId, connector, account }: Omit<ProviderAccount, "setAt">,
): Promise<Omit<ProviderAccount, "setAt">> {
  const problem = accountProblem(account);
  if (problem !== undefined) throw new CommandFailed(problem);
  return actAsOwner(operator, [clientId], async (tx) => {
    await requireAccountUse(tx, connector);
    await requireClient(tx, clientId);
    const before = await findProviderAccount(tx, clientId, connector);
    const value = { clientId, connector, account };
    if (before === account) return { value, audit: undefined };
    await upsertProviderAccount(tx, value);
    const act = { act: "connector account set", subject: connector, clientId };
    return { value, audit: { ...act, ...changedFields({ account: before }, { account }) } };
  });
}

/** `removeProviderAccount` removes a merchant's account for new orders. */
export async function removeProviderAccount(
  operator: Operator,
  { clientId, connector }: AccountKey,
): Promise<AccountKey> {
  return actAsOwner(operator, [clientId], async (tx) => {
    const account = await findProviderAccount(tx, clientId, connector);
    if (account === undefined)
      throw new CommandFailed(
        `Merchant ${clientId} has no account at connector ${connector}. List accounts with \`tollgate connector account list\`.`,
      );
    await deleteProviderAccount(tx, clientId, connector);
    const act = { act: "connector account remove", subject: connector, clientId };
    return { value: { clientId, connector }, audit: { ...act, before: { account } } };
  });
}

async function requireAccountUse(tx: Tx, name: string): Promise<void> {
  const { terms } = requireNamed(await listConnectors(tx), name);
  if (terms.accounts === "none")
    throw new CommandFailed(
      `Connector ${name} does not use accounts. Allow them with \`tollgate connector set ${name} --accounts optional\`.`,
    );
}

/** Filter of the list of accounts; without a field, all merchants or connectors. */
export interface AccountFilter {
  readonly clientId: string | undefined;
  readonly connector: string | undefined;
  readonly limit: number;
}

export async function findProviderAccounts(
  { url, environment }: Operator,
  { clientId, connector, limit }: AccountFilter,
): Promise<readonly ProviderAccount[]> {
  if (clientId !== undefined) {
    const accounts = await queryAsOwner(url, environment, [clientId], (tx) =>
      listProviderAccountsOf(tx, clientId),
    );
    return accounts.filter((each) => connector === undefined || each.connector === connector);
  }
  return queryAsOwner(url, environment, systemScope, async (tx) => {
    const names = connector === undefined ? (await listConnectors(tx)).map(({ name }) => name) : [connector];
    const found: ProviderAccount[] = [];
    for (const name of names) found.push(...(await listProviderAccountsAt(tx, name, limit - found.length)));
    return found;
  });
}

export function providerAccountTable(accounts: readonly ProviderAccount[]): string {
  const rows = accounts.map((each) => [
    each.clientId,
    each.connector,
    each.account,
    formatUtcTime(each.setAt),
  ]);
  return rows.length === 0
    ? "No merchant has an account. Set one with `tollgate connector account set`."
    : formatTextTable([["merchant", "connector", "account", "since"], ...rows]);
}
