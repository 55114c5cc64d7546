import assert from "node:assert/strict";
import { test } from "node:test";
import { createPaidPayment, startAcceptingProvider } from "../../../test/shop/scripted-payment.ts";
import { startScriptedStack } from "../../../test/start/scripted-provider.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { waitForLine, startTestProcess } from "../../../test/start/test-process.ts";
import { callPayments } from "../../../test/start/test-stack.ts";

const stack = await startScriptedStack();
const { database, merchant } = stack;
const variables = { ...stack.variables, TOLLGATE_OWNER_DATABASE_URL: database.ownerUrl };
const provider = await startAcceptingProvider("provider");
await stack.connect(provider);
const { url } = await stack.serve();
const work = await stack.work();

const refund = async (refundRequestId: string, paymentId: string): Promise<string | undefined> => {
  const refundAmount = { currency: "EUR", value: "1250" };
  const { json } = await callPayments(url, merchant, "refund", { refundRequestId, paymentId, refundAmount });
  return `${json.result["resultStatus"]} ${json.result["resultCode"]}`;
};

const command = (...args: readonly string[]): ReturnType<typeof startTestProcess> =>
  startTestProcess(["server/src/main.ts", ...args], variables);

test("in a database restored on another server, balances are not reported until they are summed again", async () => {
  const paymentId = await createPaidPayment(url, merchant, provider, "before");
  const alert = waitForLine(work, /"alert":true/);
  await asSuperuser(
    "update balances_position set server = server + 1, summed_up_to = '1000000000'",
    [],
    database.superuserUrl,
  );

  assert.equal(await refund("refused", paymentId), "U UNKNOWN_EXCEPTION");
  assert.match(await alert, /"level":50.*The balances were summed on another server.*balances rebuild/);
  const laterPayment = await createPaidPayment(url, merchant, provider, "after");
  assert.equal(await refund("refused-too", laterPayment), "U UNKNOWN_EXCEPTION");

  await Promise.all(
    ["serve", "work"].map(async (start) => {
      const refused = command(start);
      await refused.exited;
      assert.equal(refused.child.exitCode, 1);
      assert.match(
        refused.stderr(),
        /summed on another server.* `node server\/src\/main\.ts balances rebuild` first\.\n$/,
      );
    }),
  );

  const rebuilding = command("balances", "rebuild");
  const summary = await waitForLine(rebuilding, /ledger rows/);
  assert.match(summary, /^2 ledger rows, \d balances changed\.$/);
  assert.equal(await refund("refused", paymentId), "S SUCCESS");
  assert.equal(await refund("refused-too", laterPayment), "S SUCCESS");
  assert.equal(await refund("too-much", laterPayment), "F REFUND_AMOUNT_EXCEED");
  assert.match(await waitForLine(command("serve"), /^Tollgate /), /serves sandbox/);
});
