import { sql, type Tx } from "./sql.ts";

/** Whether commits wait for a synchronous standby. */
export async function isStandbyExpected(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ expected: boolean }>(
    sql`select current_setting('synchronous_standby_names') <> '' as expected`,
  );
  return row?.expected === true;
}
