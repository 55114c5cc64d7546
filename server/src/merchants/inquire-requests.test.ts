import assert from "node:assert/strict";
import { test } from "node:test";
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

interface Remembered {
  readonly requestId: string;
  readonly path: string;
  readonly resultCode: string;
  readonly durationMs: number;
}

async function remembered(merchant: TestMerchant, asked: object = {}): Promise<readonly Remembered[]> {
  const path = pathOf("sandbox", "tollgate/inquiryRequests");
  const { json } = await call(url, merchant, { path, body: JSON.stringify(asked) });
  assert.equal(json.result["resultCode"], "SUCCESS");
  return json["requests"] as readonly Remembered[];
}

function untilRemembered(
  merchant: TestMerchant,
  asked: object,
  count: number,
): Promise<readonly Remembered[]> {
  return eventually(
    5_000,
    () => remembered(merchant, asked),
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
  const refused = await untilRemembered(merchant, { resultCode: "PARAM_ILLEGAL" }, 1);
  assert.equal(refused.length, 1);
  const [found] = await untilRemembered(merchant, { resultCode: "ORDER_NOT_EXIST" }, 1);
  assert.equal(found?.requestId, headers["request-id"]);
  assert.equal(found?.path, pathOf("sandbox", "payments/inquiryPayment"));
  const byId = await remembered(merchant, { requestId: found.requestId });
  assert.deepEqual(byId, [found]);
  assert.deepEqual(await remembered(neighbour, { requestId: found.requestId }), []);
});

test("of many API requests the newest within the window are returned, oldest first", async () => {
  const merchant = await newMerchant(database);
  for (let count = 0; count < 4; count += 1) await inquire(merchant);
  const asked = { resultCode: "ORDER_NOT_EXIST" };
  const all = await untilRemembered(merchant, asked, 4);
  assert.deepEqual(await remembered(merchant, { ...asked, limit: 2 }), all.slice(-2));
  const later = {
    ...asked,
    createdFrom: "2099-01-01T00:00:00+00:00",
    createdUntil: "2099-01-02T00:00:00+00:00",
  };
  assert.deepEqual(await remembered(merchant, later), []);
});

test("a request with an invalid signature is not listed", async () => {
  const merchant = await newMerchant(database);
  const { privateKey } = await newKeyPair("otherKey");
  await inquire({ ...merchant, privateKey });
  await inquire(merchant);
  const all = await untilRemembered(merchant, {}, 1);
  assert.ok(all.every(({ resultCode }) => resultCode !== "INVALID_SIGNATURE"));
});

test("the role of `serve` cannot read the body of any request", async () => {
  await asSuperuser("select at from request_log", [], database.appUrl);
  for (const column of ["request_body", "answer_body", "request_sha256"]) {
    const reading = asSuperuser(`select ${column} from request_log`, [], database.appUrl);
    await assert.rejects(reading, /permission denied/);
  }
});
