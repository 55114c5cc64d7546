import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { test } from "node:test";
import { Client } from "pg";
import { newOperatorProcess } from "../../../test/start/operator-process.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { isResponseSigned, pathOf, writeTestFile } from "../../../test/start/test-gateway.ts";
import { eventually, startTestProcess } from "../../../test/start/test-process.ts";
import { callPayments, payRequest, startTestStack } from "../../../test/start/test-stack.ts";
import { addGatewayKey } from "./manage-gateway-keys.ts";
import { openOperatorsSigner } from "./connector-test.ts";
import { readSettings } from "../../settings/settings.ts";

/**
 * This test rotates the key file during payments without downtime. One process has both files, another only the new
 * one.
 */
const stack = await startTestStack();
const { database, merchant } = stack;
const oldKeyFile = stack.variables["TOLLGATE_KEY_FILE"] ?? "";
await addGatewayKey(database.ownerUrl, "sandbox", oldKeyFile);
const keyFile = writeTestFile("next-key-file", randomBytes(32).toString("base64"));
chmodSync(keyFile, 0o400);
const both = { TOLLGATE_KEY_FILE: keyFile, TOLLGATE_OLD_KEY_FILE: oldKeyFile };
const operatorVariables = {
  ...stack.variables,
  ...both,
  TOLLGATE_OWNER_DATABASE_URL: database.ownerUrl,
};
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const commands = newOperatorProcess(operatorVariables);

let isPaying = true;
let paidCount = 0;

async function keepPaying(url: string): Promise<void> {
  const path = pathOf("sandbox", "payments/pay");
  for (let at = 0; isPaying; at += 1) {
    const answer = await callPayments(url, merchant, "pay", payRequest(`order-${url}-${at}`));
    assert.equal(answer.json.result["resultCode"], "PAYMENT_IN_PROCESS", answer.text);
    assert.ok(isResponseSigned(answer, path, merchant.gatewayPublicKey));
    paidCount += 1;
  }
}

function readWrappedKeys(): Promise<readonly object[]> {
  return asSuperuser(
    `select wrapped_private_key as key from gateway_keys union all select wrapped_ed25519_private_key from gateway_keys
     union all select wrapped_secret from installation`,
    [],
    database.superuserUrl,
  );
}

test("the key file is rotated during payments, and an interrupted rotation changes nothing", async () => {
  const { url } = await stack.serve({ variables: both });
  const paying = keepPaying(url);
  const before = await readWrappedKeys();

  // The command is killed halfway: the secret is written, and the last key waits for a lock that this test holds.
  const holder = new Client({ connectionString: database.superuserUrl });
  await holder.connect();
  await holder.query("begin; select from gateway_keys where version = 2 for update");
  const victim = startTestProcess(["server/src/main.ts", "key-file", "rotate"], operatorVariables);
  const waits =
    "select from pg_stat_activity where application_name = 'tollgate operator' and wait_event_type = 'Lock'";
  await eventually(
    20_000,
    () => asSuperuser(waits, [], database.superuserUrl),
    ({ length }) => length === 1,
  );
  victim.kill("SIGKILL");
  await victim.exited;
  await holder.end();
  assert.deepEqual(await readWrappedKeys(), before);

  const paidBefore = paidCount;
  const rotated = await commands.jsonOf("key-file rotate");
  assert.deepEqual(rotated, { gatewayKeyVersions: [1, 2], installationSecret: true });
  assert.match(
    await commands.stdoutOf("key-file rotate"),
    /^All keys are already wrapped with TOLLGATE_KEY_FILE\./,
  );
  const after = await readWrappedKeys();
  assert.equal(after.length, 5);
  for (const row of after) assert.ok(!before.some((was) => JSON.stringify(was) === JSON.stringify(row)));
  await eventually(
    20_000,
    async () => paidCount,
    (count) => count > paidBefore + 3,
  );
  isPaying = false;
  await paying;
});

test("after the rotation the new file is sufficient, and the old one unwraps nothing", async () => {
  isPaying = true;
  const { url } = await stack.serve({ variables: { TOLLGATE_KEY_FILE: keyFile } });
  const paying = keepPaying(url);
  const paidBefore = paidCount;
  await eventually(
    20_000,
    async () => paidCount,
    (count) => count > paidBefore,
  );
  isPaying = false;
  await paying;

  await assert.rejects(openOperatorsSigner(operator, readSettings(stack.variables)), {
    message:
      "Gateway key 1 of sandbox does not open: the key file is not the one with which it was wrapped, or the row was changed.",
  });
  const withOldFile = newOperatorProcess({ ...stack.variables, TOLLGATE_KEY_FILE: oldKeyFile });
  const { code, stdout } = await withOldFile.run("preflight");
  assert.deepEqual([code, /does not open/.test(stdout)], [1, true], stdout);
});
