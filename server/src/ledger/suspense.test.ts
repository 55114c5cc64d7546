import assert from "node:assert/strict";
import { after, test } from "node:test";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { openDatabase, systemScope } from "../postgres/database.ts";
import { listSuspense } from "./suspense.sql.ts";

const { workUrl, appUrl, superuserUrl } = await newTestDatabase("sandbox");
const openAs = (url: string): ReturnType<typeof openDatabase> => {
  const database = openDatabase({
    url,
    applicationName: "test",
    connectionsMax: 1,
    onFault: () => undefined,
  });
  after(() => database.close());
  return database;
};
const worker = openAs(workUrl).reader(systemScope);

test("the worker reads the sum in suspense of all merchants, and no merchant's balance", async () => {
  assert.deepEqual(await listSuspense(worker), []);
  await asSuperuser(
    `insert into balances (bucket, client_id, account, currency, amount_minor) values
       (1, 'SANDBOX_A', 'suspense', 'EUR', -1200), (2, 'SANDBOX_B', 'suspense', 'EUR', -50),
       (2, 'SANDBOX_B', 'suspense', 'JPY', 0), (2, 'SANDBOX_B', 'merchant payable SANDBOX_B', 'EUR', -7)`,
    [],
    superuserUrl,
  );
  assert.deepEqual(await listSuspense(worker), [{ currency: "EUR", minor: 1250 }]);
});

test("the serving role has no privilege to read it", async () => {
  await assert.rejects(listSuspense(openAs(appUrl).reader(systemScope)), { code: "42501" });
});
