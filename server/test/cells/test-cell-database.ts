import { randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { initCell } from "../../src/operators/cells/manage-cell.ts";
import { addGatewayKey } from "../../src/operators/providers/manage-gateway-keys.ts";
import { asSuperuser, newTestDatabase, type TestDatabase } from "../start/test-database.ts";
import { writeTestFile } from "../start/test-gateway.ts";

/** A cell without processes, for tests of the databases alone. */
export async function newCellDatabase(name: string, buckets: readonly number[]): Promise<TestDatabase> {
  const database = await newTestDatabase("sandbox");
  const keyFile = writeTestFile(`${name}.key`, randomBytes(32).toString("base64"));
  chmodSync(keyFile, 0o400);
  await addGatewayKey(database.ownerUrl, "sandbox", keyFile);
  await initCell({ url: database.ownerUrl, environment: "sandbox" }, name, buckets);
  return database;
}

/** Whether this cell is the client's home, according to its database. */
export async function isHomeOf({ superuserUrl }: TestDatabase, clientId: string): Promise<boolean> {
  const rows = await asSuperuser(
    `select from clients where client_id = $1
     and not exists (select from client_homes where client = $1 and state <> 'here')`,
    [clientId],
    superuserUrl,
  );
  return rows.length === 1;
}
