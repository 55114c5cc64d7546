import assert from "node:assert/strict";
import { test } from "node:test";
import { results } from "../core/result.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import {
  call,
  newKeyPair,
  newMerchant,
  pathOf,
  startTestGateway,
  type TestMerchant,
} from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";

const { url, database } = await startTestGateway("sandbox");

interface ListedRequest {
  readonly requestId: string;
  readonly path: string;
  readonly resultCode: string;
  readonly durationMs: number;
}

async function listRequests(merchant: TestMerchant, filter: object = {}): Promise<readonly ListedRequest[]> {
  const path = pathOf("sandbox", "tollgate/inquiryRequests");
  const { json } = await call(url, merchant, { path, body: JSON.stringify(filter) });
  assert.equal(json.result["resultCode"], "SUCCESS");
  return json["requests"] as readonly ListedRequest[];
}

function waitForRequests(
  merchant: TestMerchant,
  filter: object,
  count: number,
): Promise<readonly ListedRequest[]> {
  return eventually(
    5_000,
    () => listRequests(merchant, filter),
    ({ length }) => length >= count,
  );
}

function inquire(merchant: TestMerchant, body = '{"paymentId":"1"}'): ReturnType<typeof call> {
  return call(url, merchant, { path: pathOf("sandbox", "payments/inquiryPayment"), body });
}

test("a merchant sees its own API requests, including refused ones, and none of other merchants", async () => {
  const [merchant, neighbour] = [await newMerchant(database), await newMerchant(database)];
  const { headers } = await inquire(merchant);
  await inquire(merchant, "[]");
  await inquire(neighbour);
  const refusedRequests = await waitForRequests(merchant, { resultCode: "PARAM_ILLEGAL" }, 1);
  assert.equal(refusedRequests.length, 1);
  const [missingOrder] = await waitForRequests(merchant, { resultCode: "ORDER_NOT_EXIST" }, 1);
  assert.equal(missingOrder?.requestId, headers["request-id"]);
  assert.equal(missingOrder?.path, pathOf("sandbox", "payments/inquiryPayment"));
  const byId = await listRequests(merchant, { requestId: missingOrder.requestId });
  assert.deepEqual(byId, [missingOrder]);
  assert.deepEqual(await listRequests(neighbour, { requestId: missingOrder.requestId }), []);
});

test("of many API requests the newest within the window are returned, oldest first", async () => {
  const merchant = await newMerchant(database);
  for (let count = 0; count < 4; count += 1) await inquire(merchant);
  const asked = { resultCode: "ORDER_NOT_EXIST" };
  const all = await waitForRequests(merchant, asked, 4);
  assert.deepEqual(await listRequests(merchant, { ...asked, limit: 2 }), all.slice(-2));
  const later = {
    ...asked,
    createdFrom: "2099-01-01T00:00:00+00:00",
    createdUntil: "2099-01-02T00:00:00+00:00",
  };
  assert.deepEqual(await listRequests(merchant, later), []);
});

test("a request with an invalid signature is not listed", async () => {
  const merchant = await newMerchant(database);
  const { privateKey } = await newKeyPair("otherKey");
  await inquire({ ...merchant, privateKey });
  await inquire(merchant);
  const all = await waitForRequests(merchant, {}, 1);
  assert.ok(all.every(({ resultCode }) => resultCode !== "INVALID_SIGNATURE"));
});

test("the role of `serve` cannot read the body of any request", async () => {
  await asSuperuser("select at from request_log", [], database.appUrl);
  for (const column of ["request_body", "answer_body", "request_sha256"]) {
    const reading = asSuperuser(`select ${column} from request_log`, [], database.appUrl);
    await assert.rejects(reading, /permission denied/);
  }
});

test("the index of refused requests omits exactly the result codes that are no refusal", async () => {
  const [index] = await asSuperuser<{ condition: string }>(
    "select pg_get_expr(indpred, indrelid) as condition from pg_index where indexrelid = 'request_log_refused'::regclass",
    [],
    database.superuserUrl,
  );
  const omitted = [...(index?.condition.matchAll(/'(\w+)'/g) ?? [])].map(([, code]) => code);
  const notRefused = Object.entries(results).flatMap(([code, { status }]) => (status === "F" ? [] : [code]));
  assert.deepEqual(new Set(omitted), new Set(notRefused));
});
