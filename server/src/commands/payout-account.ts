import { randomInt } from "node:crypto";
import { DatabaseError } from "pg";
import { bucketOf } from "../core/bucket.ts";
import type { ClientKey } from "../core/client-key.ts";
import { isCurrency } from "../core/currency.ts";
import { newId } from "../core/id.ts";
import { findClient } from "../merchants/client.sql.ts";
import type { OpenTeller } from "../notifications/tell-merchant.tx.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import {
  findApprovedAccount,
  findSessionLogin,
  hasHadAccount,
  insertBankAccount,
  listAccounts,
  listAccountsOf,
  lockAccount,
  updateAccountApproved,
  updateAccountEnded,
  type BankAccount,
} from "../settlement/bank-account.sql.ts";
import { isBic, parseIban } from "../settlement/iban.ts";
import { nameForBanks } from "../settlement/payout-file.ts";
import { tellOfAccount } from "../settlement/tell-payout.tx.ts";
import { actAsOwner, asOwner, nameOf, type Operator } from "./as-owner.ts";
import { Impossible, UsageError } from "./command.ts";
import { openTellers } from "./operator-teller.ts";
import { shownTime } from "./show.ts";
import { align } from "./table.ts";

export interface AccountAsked {
  readonly currency: string;
  readonly holder: string;
  readonly iban: string;
  readonly bic: string | undefined;
  /** Hours between approval and the first payout. Default 72, and 0 for the first account of a merchant in any currency. */
  readonly waitHours: number | undefined;
}

/** The database refuses a shorter wait unless the owner's login requests it. */
const waitHoursUsual = 72;

/** An account's fields as banks take them; what is wrong with them is told. */
export function readAccountFields(asked: {
  readonly currency: string;
  readonly holder: string;
  readonly iban: string;
  readonly bic: string | undefined;
}): { readonly holder: string; readonly iban: string } {
  const iban = parseIban(asked.iban);
  const holder = nameForBanks(asked.holder);
  if (!isCurrency(asked.currency)) throw new UsageError(`${asked.currency} is no currency.`);
  if (iban === undefined)
    throw new UsageError("The IBAN is wrong: its length or its check digits do not hold.");
  if (holder === undefined)
    throw new UsageError("--holder has to be in Latin letters, as the bank writes it, 1 to 140 characters.");
  if (asked.bic !== undefined && !isBic(asked.bic)) throw new UsageError("--bic has 8 or 11 characters.");
  return { holder, iban };
}

/** Asks for an account. Nothing is paid to it before somebody has approved it. One that was asked for before is given up. */
export async function askForAccount(
  operator: Operator,
  clientId: string,
  asked: AccountAsked,
): Promise<BankAccount> {
  const { holder, iban } = readAccountFields(asked);
  const { currency, bic } = asked;
  const key = { bucket: bucketOf(clientId), clientId };
  return actAsOwner(operator, [clientId], async (tx) => {
    await requireMerchant(tx, clientId);
    const now = new Date();
    const before = await findApprovedAccount(tx, key, currency);
    const teller = (await openTellers(tx, [clientId], now))(clientId);
    const open = await listAccounts(tx, clientId);
    for (const each of open)
      if (!each.approvedBy && each.currency === currency) await endOne(tx, key, each, now, teller);
    // Two requests are not both the first one, whichever is approved first.
    const isFirst =
      open.every((each) => each.currency === currency && !each.approvedBy) && !(await hasHadAccount(tx, key));
    const accountId = newId("bankAccount", key.bucket, now, (below) => randomInt(below));
    const waitHours = asked.waitHours ?? (isFirst ? 0 : waitHoursUsual);
    const account = {
      accountId,
      currency,
      holder,
      iban,
      bic,
      waitHours,
      askedBy: nameOf(operator),
      askedAt: now,
    };
    await insertBankAccount(tx, key, account).catch(explainRefusal);
    const value = await found(tx, clientId, accountId);
    tellOfAccount(tx, key, value, { type: "ACCOUNT_REQUESTED", at: now }, teller);
    const audit = {
      act: "payout account set",
      subject: clientId,
      clientId,
      before: before && { account: shownAccount(before) },
      after: { account: shownAccount(value), accountId, waitHours, approved: false },
    };
    return { value, audit };
  });
}

/** The second person's word: from then on the account before is paid to no more, and this one after its time. */
export async function approveAccount(
  operator: Operator,
  clientId: string,
  accountId: string,
): Promise<BankAccount> {
  const key = { bucket: bucketOf(clientId), clientId };
  return actAsOwner(operator, [clientId], async (tx) => {
    const asked = await found(tx, clientId, accountId);
    if (asked.approvedBy) throw new Impossible("It was approved before.");
    const isSame = asked.askedLogin === (await findSessionLogin(tx));
    if (operator.environment === "live" && isSame && !operator.by?.alone) throw new Impossible(takesAnother);
    const now = new Date();
    const before = await findApprovedAccount(tx, key, asked.currency);
    const teller = (await openTellers(tx, [clientId], now))(clientId);
    if (before) await endOne(tx, key, before, now, teller);
    const approval = { by: nameOf(operator), at: now };
    const usableFrom = await updateAccountApproved(tx, key, accountId, approval).catch(explainRefusal);
    tellOfAccount(tx, key, asked, { type: "ACCOUNT_APPROVED", at: now, usableFrom }, teller);
    const audit = {
      act: "payout account approve",
      subject: clientId,
      clientId,
      before: before && { account: shownAccount(before) },
      after: { account: shownAccount(asked), accountId, usableFrom, ...(isSame && { alone: true }) },
    };
    return { value: await found(tx, clientId, accountId), audit };
  });
}

const takesAnother =
  "This login has asked for it: it takes somebody else, with a login of their own. The owner's login may do it --alone.";

const waitIsShort =
  "The merchant had an approved bank account before: another one waits at least 72 hours. A shorter wait needs the owner's login.";

/** What the database refuses, in words. */
function explainRefusal(error: unknown): never {
  const constraint = error instanceof DatabaseError ? error.constraint : undefined;
  if (constraint === "bank_accounts_approved_by_another_login") throw new Impossible(takesAnother);
  if (constraint === "bank_accounts_wait_is_long_enough") throw new Impossible(waitIsShort);
  throw error;
}

/** Ends an account, or takes back what was asked for. What is due waits until there is another. */
export async function endAccount(
  operator: Operator,
  clientId: string,
  accountId: string,
): Promise<BankAccount> {
  return actAsOwner(operator, [clientId], async (tx) => {
    const account = await found(tx, clientId, accountId);
    const now = new Date();
    const teller = (await openTellers(tx, [clientId], now))(clientId);
    await endOne(tx, { bucket: bucketOf(clientId), clientId }, account, now, teller);
    const before = { account: shownAccount(account), accountId };
    const audit = { act: "payout account end", subject: clientId, clientId, before, after: { ended: true } };
    return { value: account, audit };
  });
}

async function endOne(
  tx: Tx,
  key: ClientKey,
  account: BankAccount,
  at: Date,
  teller: OpenTeller,
): Promise<void> {
  await updateAccountEnded(tx, key, account.accountId, at);
  const type = account.approvedBy ? "ACCOUNT_ENDED" : "ACCOUNT_REFUSED";
  tellOfAccount(tx, key, account, { type, at }, teller);
}

async function found(tx: Tx, clientId: string, accountId: string): Promise<BankAccount> {
  const account = await lockAccount(tx, { bucket: bucketOf(clientId), clientId }, accountId);
  if (account && !account.endedAt) return account;
  throw new Impossible(`${clientId} has no account ${accountId}: \`tollgate payout account list\` has them.`);
}

export async function requireMerchant(tx: Tx, clientId: string): Promise<void> {
  if (!(await findClient(tx, clientId))) throw new Impossible(`There is no merchant ${clientId}.`);
}

/** Accounts with their IBANs in part, or in full for whoever may read them. */
export async function findAccounts(
  { url, environment }: Operator,
  { clientId, inFull }: { readonly clientId: string | undefined; readonly inFull: boolean },
): Promise<readonly (BankAccount & { readonly iban: string })[]> {
  return asOwner(url, environment, systemScope, async (tx) => {
    const accounts = await listAccounts(tx, clientId);
    const inFullOf = inFull ? await listAccountsOf(tx, accounts).catch(inWords) : undefined;
    return accounts.map((each) => ({ ...each, iban: inFullOf?.(each)?.iban ?? each.ibanShown }));
  });
}

function inWords(error: unknown): never {
  const isRight = error instanceof DatabaseError && error.code === "42501";
  throw isRight ? new Impossible("Whole IBANs are for people of finance.") : error;
}

const shownAccount = ({ currency, holder, ibanShown }: BankAccount): string =>
  `${currency} ${holder} ${ibanShown}`;

export function accountTable(
  accounts: readonly (BankAccount & { readonly iban?: string })[],
  now: Date,
): string {
  if (accounts.length === 0) return "There are none.";
  const head = ["merchant", "account", "currency", "holder", "IBAN", "asked by", "approved by", "paid to"];
  const rows = accounts.map((each) => [
    each.clientId,
    each.accountId,
    each.currency,
    each.holder,
    each.iban ?? each.ibanShown,
    each.askedBy,
    each.approvedBy ?? "nobody yet",
    !each.usableFrom ? "no" : each.usableFrom > now ? `from ${shownTime(each.usableFrom)}` : "yes",
  ]);
  return align([head, ...rows]);
}
