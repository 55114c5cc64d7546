import { sql, type Tx } from "../postgres/sql.ts";

/** Returns the installation secret as PostgreSQL stores it: wrapped (encrypted). */
export async function findWrappedSecret(tx: Tx): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ wrapped_secret: Buffer }>(sql`select wrapped_secret from installation`);
  return row?.wrapped_secret;
}

export async function updateWrappedSecret(tx: Tx, wrapped: Uint8Array): Promise<void> {
  await tx.query(sql`update installation set wrapped_secret = ${wrapped}`);
}

export async function insertWrappedSecret(tx: Tx, wrapped: Uint8Array): Promise<void> {
  await tx.query(sql`insert into installation (wrapped_secret) values (${wrapped}) on conflict do nothing`);
}
