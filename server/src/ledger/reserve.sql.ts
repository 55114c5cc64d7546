import type { ClientKey } from "../core/client-key.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { inTransitAccount, reserveAccount } from "./payout-effects.ts";
import { findBalance, findBalancePosition, listBalances } from "./balance.sql.ts";
import type { MerchantBalance } from "./merchant-balance.ts";
import { frozenAccount, payableAccount } from "./transfer.ts";

/** A merchant and a currency. */
export interface ReserveKey {
  readonly bucket: number;
  readonly clientId: string;
  readonly currency: string;
}

/**
 * Reserves part of the merchant's balance for a refund or a cancel; returns false if the balance does not cover it. The
 * row lock of the reserve serializes all refunds of the merchant until commit, so it is taken last. Lock order:
 * payment, reserve, job; after the reserve there are only writes.
 */
export async function reserveBalance(tx: Tx, key: ReserveKey, minor: bigint): Promise<boolean> {
  if ((await lockFreeBalance(tx, key)) < minor) return false;
  updateReserved(tx, key, minor);
  return true;
}

/**
 * Returns the merchant's balance minus open refunds, in minor units. It also locks the reserve: a transaction that
 * spends from the balance must hold this lock, as refunds do.
 */
export async function lockFreeBalance(tx: Tx, key: ReserveKey): Promise<bigint> {
  const position = await findBalancePosition(tx);
  const { openMinor, owedMinor } =
    (await lockReserve(tx, key, position)) ?? (await createAndLockReserve(tx, key, position));
  return owedMinor - openMinor;
}

/** Returns the merchant's balance minus open refunds without a lock; the result can be outdated immediately. */
export async function findFreeBalance(tx: Tx, { bucket, clientId, currency }: ReserveKey): Promise<bigint> {
  const position = await findBalancePosition(tx);
  const [balance, reserves] = await Promise.all([
    findBalance(tx, { bucket, clientId, account: payableAccount(clientId), currency }, position),
    listReserves(tx, { bucket, clientId }),
  ]);
  return -balance - (reserves.get(currency) ?? 0n);
}

interface Reserve {
  /** The amount reserved for open refunds. */
  readonly openMinor: bigint;
  readonly owedMinor: bigint;
}

/**
 * Both queries are pipelined in one round trip. PostgreSQL reads the balance after it has locked the reserve's row, so
 * both are consistent: every writer changes them in one transaction.
 */
async function lockReserve(
  tx: Tx,
  { bucket, clientId, currency }: ReserveKey,
  position: string,
): Promise<Reserve | undefined> {
  const [[row], balance] = await Promise.all([
    tx.query<{ open_refunds_minor: string }>(sql`
      select open_refunds_minor from reserves
      where bucket = ${bucket} and client_id = ${clientId} and currency = ${currency}
      for update
    `),
    findBalance(tx, { bucket, clientId, account: payableAccount(clientId), currency }, position),
  ]);
  return row && { openMinor: BigInt(row.open_refunds_minor), owedMinor: -balance };
}

async function createAndLockReserve(tx: Tx, key: ReserveKey, position: string): Promise<Reserve> {
  tx.write(sql`
    insert into reserves (bucket, client_id, currency) values (${key.bucket}, ${key.clientId}, ${key.currency})
    on conflict (bucket, client_id, currency) do nothing
  `);
  const reserve = await lockReserve(tx, key, position);
  if (!reserve) throw new Error(`${key.clientId} has no reserve row in ${key.currency}.`);
  return reserve;
}

/** Releases a reserve, whether the refund succeeded or failed. The transaction takes the reserve's row lock last. */
export function releaseReserve(tx: Tx, key: ReserveKey, minor: bigint): void {
  updateReserved(tx, key, -minor);
}

function updateReserved(tx: Tx, { bucket, clientId, currency }: ReserveKey, minor: bigint): void {
  tx.write(sql`
    update reserves set open_refunds_minor = open_refunds_minor + ${minor}
    where bucket = ${bucket} and client_id = ${clientId} and currency = ${currency}
  `);
}

/** Lists the amounts reserved for open refunds, by currency. */
export async function listReserves(
  tx: Tx,
  { bucket, clientId }: Omit<ReserveKey, "currency">,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await tx.query<{ currency: string; open_refunds_minor: string }>(sql`
    select currency, open_refunds_minor from reserves where bucket = ${bucket} and client_id = ${clientId}
  `);
  return new Map(rows.map((row) => [row.currency, BigInt(row.open_refunds_minor)]));
}

/** Lists a merchant's balances in all its currencies. */
export async function listMerchantBalances(tx: Tx, key: ClientKey): Promise<readonly MerchantBalance[]> {
  const { clientId } = key;
  const accounts = {
    owed: payableAccount(clientId),
    frozen: frozenAccount(clientId),
    reserve: reserveAccount(clientId),
    inTransit: inTransitAccount(clientId),
  };
  const [balances, openRefunds] = await Promise.all([
    listBalances(tx, key, Object.values(accounts)),
    listReserves(tx, key),
  ]);
  // These accounts are liabilities, so their balance is on the credit side.
  const creditBalance = (account: string, wantedCurrency: string): bigint =>
    -(balances.find((each) => each.account === account && each.currency === wantedCurrency)?.minor ?? 0n);
  const currencies = [...new Set([...balances.map(({ currency }) => currency), ...openRefunds.keys()])];
  return currencies.toSorted().map((currency) => ({
    currency,
    owedMinor: creditBalance(accounts.owed, currency),
    openRefundsMinor: openRefunds.get(currency) ?? 0n,
    frozenMinor: creditBalance(accounts.frozen, currency),
    reserveMinor: creditBalance(accounts.reserve, currency),
    inTransitMinor: creditBalance(accounts.inTransit, currency),
  }));
}
