import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createPaidEuroPayment } from "../../../test/shop/test-refund.ts";
import { newBrowserKey, merchantWithKey, type BrowserKey } from "../../../test/start/test-browser-key.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  requestConsole,
  resultCodeOf,
  consoleVariables,
  personToken,
} from "../../../test/start/test-console.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { callPayments, startTestStack } from "../../../test/start/test-stack.ts";

/** A merchant's onboarding in the portal, with two `serve` processes, one `work` process and a provider. */
const { provider, database, serve, work } = await startTestStack();
const { url } = await serve({ isPublic: true, variables: consoleVariables });
const { url: otherUrl } = await serve({ variables: consoleVariables });
await work();

const clientId = `SANDBOX_${randomBytes(12).toString("hex").toUpperCase()}`;
type Json = Readonly<Record<string, unknown>>;

async function requestConsoleOf(path: string, body: object): Promise<Json> {
  const token = personToken({ clientIds: [clientId], role: "developer" });
  const answer = await requestConsole(url, path, { token, body });
  assert.equal(resultCodeOf(answer), "SUCCESS", answer.text);
  return answer.json;
}

const act = (name: string, request: object): Promise<Json> => requestConsoleOf(`acts/${name}`, { request });
const listOf = async (view: string): Promise<readonly Json[]> =>
  (await requestConsoleOf(`views/${view}`, {}))[view] as readonly Json[];

async function proveKey(key: BrowserKey): Promise<object> {
  return { publicKey: key.publicKey, proof: await key.proofFor("sandbox", clientId) };
}

/**
 * Lets two days pass for the first key: moves its uses back by two more days each time, because a process may still
 * flush its counters.
 */
async function aDayLater(): Promise<readonly Json[]> {
  await asSuperuser(
    "update key_uses set first_at = first_at - interval '2 days', last_at = last_at - interval '2 days' " +
      "where client_id = $1 and version = 1 and signed = 'REQUEST'",
    [clientId],
    database.superuserUrl,
  );
  return listOf("keys");
}

test("a key created in the browser opens the client, accepts a payment, and is rotated under traffic without a failed request", async () => {
  const [first, second] = [await newBrowserKey(), await newBrowserKey()];
  const opened = await act("openClient", { name: "Coffee Lab", ...(await proveKey(first)) });
  const gatewayPublicKey = String(opened["gatewayPublicKey"]);
  const old = merchantWithKey(first, { clientId, keyVersion: 1, gatewayPublicKey });
  const paymentId = await createPaidEuroPayment({ url, merchant: old, provider }, "1250");
  // `work` adds payments to the search tables a moment after the commit.
  const [seen] = await eventually(
    10_000,
    () => listOf("payments"),
    ([newest]) => newest?.["paymentStatus"] === "SUCCESS",
  );
  assert.deepEqual([seen?.["paymentId"], seen?.["paymentStatus"]], [paymentId, "SUCCESS"]);

  let system = old;
  let isOver = false;
  const codes = new Set<string>();
  const ping = async (at: string): Promise<void> => {
    while (!isOver) {
      codes.add(resultCodeOf(await callPayments(at, system, "inquiryPayment", { paymentId })));
      // The delay keeps the requests under the rate limit on a fast machine.
      await delay(10);
    }
  };
  const traffic = [ping(url), ping(otherUrl)];
  const { keyVersion } = await act("addKey", await proveKey(second));
  assert.equal(keyVersion, 2);
  system = merchantWithKey(second, { clientId, keyVersion: 2, gatewayPublicKey });
  const keys = await eventually(
    5_000,
    () => listOf("keys"),
    ([, next]) => Number(next?.["requests"]) > 0,
  );
  assert.deepEqual(
    keys.map((key) => [key["keyVersion"], key["keyStatus"], key["isSafeToRevoke"]]),
    [
      [1, "LIVE", false],
      [2, "LIVE", false],
    ],
  );
  assert.match(String(keys[0]?.["reason"]), /signed a request within the last 24 hours/);
  assert.ok(keys[0]?.["lastUsedTime"] !== undefined);

  await eventually(5_000, aDayLater, ([key]) => key?.["isSafeToRevoke"] === true);

  await act("revokeKey", { keyVersion: 1 });
  for (const at of [url, otherUrl])
    await eventually(
      1_000,
      () => callPayments(at, old, "inquiryPayment", { paymentId }),
      (answer) => resultCodeOf(answer) === "KEY_NOT_FOUND",
    );
  isOver = true;
  await Promise.all(traffic);
  assert.deepEqual([...codes], ["SUCCESS"]);

  await createPaidEuroPayment({ url, merchant: system, provider }, "700");
  await eventually(
    10_000,
    () => listOf("payments"),
    ({ length }) => length === 2,
  );
  const left = (await listOf("keys")).map((key) => key["keyStatus"]);
  assert.deepEqual(left, ["REVOKED", "LIVE"]);
});
