import { randomInt } from "node:crypto";
import { DatabaseError } from "pg";
import { bucketOf } from "../../core/bucket.ts";
import type { ClientKey } from "../../core/client-key.ts";
import { isCurrency } from "../../core/currency.ts";
import { newId } from "../../core/id.ts";
import { findClient } from "../../merchants/client.sql.ts";
import type { Notifier } from "../../notifications/notify-merchant.tx.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import {
  findApprovedAccount,
  findSessionLogin,
  hasHadAccount,
  insertBankAccount,
  listAccounts,
  findPayoutAccounts,
  lockAccount,
  updateAccountApproved,
  updateAccountEnded,
  type BankAccount,
} from "./bank-account.sql.ts";
import { isBic, parseIban } from "./iban.ts";
import { nameForBanks } from "./payout-file.ts";
import { notifyOfAccount } from "./notify-payout.tx.ts";
import {
  actAsOwner,
  queryAsOwner,
  operatorName,
  type Operator,
} from "../../operator-session/owner-session.ts";
import { CommandFailed, UsageError } from "../../core/command-errors.ts";
import { openNotifiers } from "../../notifications/open-notifiers.workflow.ts";
import { formatUtcTime, formatTextTable } from "../../formats/text-table.ts";

export interface AccountRequest {
  readonly currency: string;
  readonly holder: string;
  readonly iban: string;
  readonly bic: string | undefined;
  /**
   * Hours between the approval of a bank account and its first payout. The default is 72, and 0 for the first account
   * of a merchant in any currency.
   */
  readonly waitHours: number | undefined;
}

/** Default wait in hours. The database rejects a shorter wait, unless the owner's login requests it. */
const waitHoursDefault = 72;

/** Reads the fields of a bank account in the form that banks accept; throws if one is invalid. */
export function readAccountFields(fields: {
  readonly currency: string;
  readonly holder: string;
  readonly iban: string;
  readonly bic: string | undefined;
}): { readonly holder: string; readonly iban: string } {
  const iban = parseIban(fields.iban);
  const holder = nameForBanks(fields.holder);
  if (!isCurrency(fields.currency)) throw new UsageError(`${fields.currency} is not a currency code.`);
  if (iban === undefined)
    throw new UsageError("The IBAN is invalid: its length or its check digits are wrong.");
  if (holder === undefined)
    throw new UsageError("--holder must be 1 to 140 Latin characters, as the bank writes the name.");
  if (fields.bic !== undefined && !isBic(fields.bic))
    throw new UsageError("--bic must have 8 or 11 characters.");
  return { holder, iban };
}

/**
 * `requestAccount` requests a bank account for a merchant. The account is paid only after another person's approval. An
 * earlier request is withdrawn.
 */
export async function requestAccount(
  operator: Operator,
  clientId: string,
  request: AccountRequest,
): Promise<BankAccount> {
  const { holder, iban } = readAccountFields(request);
  const { currency, bic } = request;
  const key = { bucket: bucketOf(clientId), clientId };
  return actAsOwner(operator, [clientId], async (tx) => {
    await requireMerchant(tx, clientId);
    const now = new Date();
    const before = await findApprovedAccount(tx, key, currency);
    const notifier = (await openNotifiers(tx, [clientId], now))(clientId);
    const open = await listAccounts(tx, clientId);
    for (const each of open)
      if (!each.approvedBy && each.currency === currency)
        await endStoredAccount(tx, key, each, now, notifier);
    // Only one open request counts as the request for the first account, whichever is approved first.
    const isFirst =
      open.every((each) => each.currency === currency && !each.approvedBy) && !(await hasHadAccount(tx, key));
    const accountId = newId("bankAccount", key.bucket, now, (below) => randomInt(below));
    const waitHours = request.waitHours ?? (isFirst ? 0 : waitHoursDefault);
    const account = {
      accountId,
      currency,
      holder,
      iban,
      bic,
      waitHours,
      askedBy: operatorName(operator),
      askedAt: now,
    };
    await insertBankAccount(tx, key, account).catch(explainRefusal);
    const value = await requireAccount(tx, clientId, accountId);
    notifyOfAccount(tx, key, value, { type: "ACCOUNT_REQUESTED", at: now }, notifier);
    const audit = {
      act: "payout account set",
      subject: clientId,
      clientId,
      before: before && { account: accountSummary(before) },
      after: { account: accountSummary(value), accountId, waitHours, approved: false },
    };
    return { value, audit };
  });
}

/**
 * `approveAccount` approves a merchant's bank account. The previous account ends, and the new one is paid after its
 * cooling-off period.
 */
export async function approveAccount(
  operator: Operator,
  clientId: string,
  accountId: string,
): Promise<BankAccount> {
  const key = { bucket: bucketOf(clientId), clientId };
  return actAsOwner(operator, [clientId], async (tx) => {
    const requested = await requireAccount(tx, clientId, accountId);
    if (requested.approvedBy) throw new CommandFailed("The account is already approved.");
    const isSame = requested.askedLogin === (await findSessionLogin(tx));
    if (operator.environment === "live" && isSame && !operator.by?.alone)
      throw new CommandFailed(otherPersonRequired);
    const now = new Date();
    const before = await findApprovedAccount(tx, key, requested.currency);
    const notifier = (await openNotifiers(tx, [clientId], now))(clientId);
    if (before) await endStoredAccount(tx, key, before, now, notifier);
    const approval = { by: operatorName(operator), at: now };
    const usableFrom = await updateAccountApproved(tx, key, accountId, approval).catch(explainRefusal);
    notifyOfAccount(tx, key, requested, { type: "ACCOUNT_APPROVED", at: now, usableFrom }, notifier);
    const audit = {
      act: "payout account approve",
      subject: clientId,
      clientId,
      before: before && { account: accountSummary(before) },
      after: { account: accountSummary(requested), accountId, usableFrom, ...(isSame && { alone: true }) },
    };
    return { value: await requireAccount(tx, clientId, accountId), audit };
  });
}

const otherPersonRequired =
  "You requested this account with this login. Another person must approve it with their own login; the " +
  "owner's login may use --alone.";

const waitTooShort =
  "The merchant already had an approved bank account, so a new one waits at least 72 hours. A shorter wait " +
  "needs the owner's login.";

/** Translates the database's rejections into messages. */
function explainRefusal(error: unknown): never {
  const constraint = error instanceof DatabaseError ? error.constraint : undefined;
  if (constraint === "bank_accounts_approved_by_another_login") throw new CommandFailed(otherPersonRequired);
  if (constraint === "bank_accounts_wait_is_long_enough") throw new CommandFailed(waitTooShort);
  throw error;
}

/**
 * `endAccount` ends a merchant's bank account, or withdraws its request. Due batches wait until another account is
 * usable.
 */
export async function endAccount(
  operator: Operator,
  clientId: string,
  accountId: string,
): Promise<BankAccount> {
  return actAsOwner(operator, [clientId], async (tx) => {
    const account = await requireAccount(tx, clientId, accountId);
    const now = new Date();
    const notifier = (await openNotifiers(tx, [clientId], now))(clientId);
    await endStoredAccount(tx, { bucket: bucketOf(clientId), clientId }, account, now, notifier);
    const before = { account: accountSummary(account), accountId };
    const audit = { act: "payout account end", subject: clientId, clientId, before, after: { ended: true } };
    return { value: account, audit };
  });
}

async function endStoredAccount(
  tx: Tx,
  key: ClientKey,
  account: BankAccount,
  at: Date,
  notifier: Notifier,
): Promise<void> {
  await updateAccountEnded(tx, key, account.accountId, at);
  const type = account.approvedBy ? "ACCOUNT_ENDED" : "ACCOUNT_REFUSED";
  notifyOfAccount(tx, key, account, { type, at }, notifier);
}

async function requireAccount(tx: Tx, clientId: string, accountId: string): Promise<BankAccount> {
  const account = await lockAccount(tx, { bucket: bucketOf(clientId), clientId }, accountId);
  if (account && !account.endedAt) return account;
  throw new CommandFailed(
    `${clientId} has no account ${accountId}. List the accounts with \`tollgate payout account list\`.`,
  );
}

export async function requireMerchant(tx: Tx, clientId: string): Promise<void> {
  if (!(await findClient(tx, clientId))) throw new CommandFailed(`There is no merchant ${clientId}.`);
}

/** Returns the bank accounts with masked IBANs, or with full ones if the login may read them. */
export async function findAccounts(
  { url, environment }: Operator,
  { clientId, inFull }: { readonly clientId: string | undefined; readonly inFull: boolean },
): Promise<readonly (BankAccount & { readonly iban: string })[]> {
  return queryAsOwner(url, environment, systemScope, async (tx) => {
    const accounts = await listAccounts(tx, clientId);
    const fullAccountOf = inFull
      ? await findPayoutAccounts(tx, accounts).catch(explainPermissionError)
      : undefined;
    return accounts.map((each) => ({ ...each, iban: fullAccountOf?.(each)?.iban ?? each.ibanShown }));
  });
}

function explainPermissionError(error: unknown): never {
  const isPermissionError = error instanceof DatabaseError && error.code === "42501";
  throw isPermissionError ? new CommandFailed("Only finance may read full IBANs.") : error;
}

const accountSummary = ({ currency, holder, ibanShown }: BankAccount): string =>
  `${currency} ${holder} ${ibanShown}`;

export function accountTable(
  accounts: readonly (BankAccount & { readonly iban?: string })[],
  now: Date,
): string {
  if (accounts.length === 0) return "There are no bank accounts.";
  const head = ["merchant", "account", "currency", "holder", "IBAN", "requested by", "approved by", "usable"];
  const rows = accounts.map((each) => [
    each.clientId,
    each.accountId,
    each.currency,
    each.holder,
    each.iban ?? each.ibanShown,
    each.askedBy,
    each.approvedBy ?? "pending",
    !each.usableFrom ? "no" : each.usableFrom > now ? `from ${formatUtcTime(each.usableFrom)}` : "yes",
  ]);
  return formatTextTable([head, ...rows]);
}
