import assert from "node:assert/strict";
import { after, test } from "node:test";
import { addGatewayKey } from "../operators/providers/manage-gateway-keys.ts";
import { serve } from "../processes/serve.ts";
import { readSettings } from "../settings/settings.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { insertTestEvents } from "../../test/shop/test-feed.ts";
import {
  call,
  newMerchant,
  pathOf,
  startTestGateway,
  type SentRequest,
  type TestMerchant,
} from "../../test/start/test-gateway.ts";

/** Replay: these tests send a recorded request again with the same bytes, within the clock tolerance of ten minutes. */
const { url, database, variables } = await startTestGateway("sandbox");
await addGatewayKey(database.ownerUrl, "sandbox", variables["TOLLGATE_KEY_FILE"] ?? "");
const startMs = Date.now() - 60_000;

/** A request that is signed this many seconds after the start. */
function signRequest(operation: string, body: object, seconds: number): SentRequest {
  const time = String(startMs + seconds * 1000);
  return { path: pathOf("sandbox", `tollgate/${operation}`), body: JSON.stringify(body), time };
}

function requestNotifyPath(path: string, seconds: number): SentRequest {
  const notifyUrls = [{ notificationKind: "notifyPayment", url: `https://${path}.shop.example/notify` }];
  return signRequest("changeEndpoints", { notifyUrls }, seconds);
}

async function codeOf(
  merchant: TestMerchant,
  request: SentRequest,
  gatewayUrl = url,
): Promise<string | undefined> {
  return (await call(gatewayUrl, merchant, request)).json.result["resultCode"];
}

async function findNotifyPath(merchant: TestMerchant): Promise<string> {
  const { json } = await call(url, merchant, signRequest("changeEndpoints", {}, 0));
  const [set] = json["notifyUrls"] as { url: string }[];
  return new URL(set?.url ?? "").hostname.split(".")[0] ?? "";
}

test("a replayed request does not restore a URL that was replaced since", async () => {
  const merchant = await newMerchant(database);
  const [old, newer] = [requestNotifyPath("old", 1), requestNotifyPath("new", 2)];
  assert.equal(await codeOf(merchant, old), "SUCCESS");
  assert.equal(await codeOf(merchant, newer), "SUCCESS");
  assert.equal(await codeOf(merchant, old), "REPEAT_REQ_INCONSISTENT");
  assert.equal(await findNotifyPath(merchant), "new");
  assert.equal(await codeOf(merchant, newer), "SUCCESS", "The newest request is a repeat.");
  assert.equal(
    await codeOf(await newMerchant(database), old),
    "SUCCESS",
    "Each merchant has its own last change.",
  );
});

test("two changes within one second both count, and the first cannot be replayed", async () => {
  const merchant = await newMerchant(database);
  const [first, second] = [requestNotifyPath("first", 1), requestNotifyPath("second", 1)];
  for (const sent of [first, first, second, second]) assert.equal(await codeOf(merchant, sent), "SUCCESS");
  assert.equal(await codeOf(merchant, first), "REPEAT_REQ_INCONSISTENT");
  assert.equal(await findNotifyPath(merchant), "second");
});

test("at most 32 changes with the same signed time are accepted", async () => {
  const merchant = await newMerchant(database);
  const codes: (string | undefined)[] = [];
  for (let each = 0; each < 33; each += 1)
    codes.push(await codeOf(merchant, requestNotifyPath(`place-${each}`, 1)));
  assert.deepEqual(
    [codes.filter((code) => code === "SUCCESS").length, codes.at(-1)],
    [32, "REPEAT_REQ_INCONSISTENT"],
  );
});

test("a replayed request does not move a merchant back to a former gateway key", async () => {
  const merchant = await newMerchant(database);
  const move = (keyVersion: number, seconds: number): SentRequest =>
    signRequest("useGatewayKey", { keyVersion }, seconds);
  const firstChange = move(1, 1);
  assert.equal(await codeOf(merchant, firstChange), "SUCCESS");
  assert.equal(await codeOf(merchant, move(2, 2)), "SUCCESS");
  assert.equal(await codeOf(merchant, firstChange), "REPEAT_REQ_INCONSISTENT");
  const { json } = await call(url, merchant, signRequest("useGatewayKey", {}, 0));
  assert.equal(json["keyVersion"], 2);
});

test("a replayed request does not restore a fault that was removed since", async () => {
  const merchant = await newMerchant(database);
  const order = (count: number, seconds: number): SentRequest =>
    signRequest("orderFault", { faultRequestId: "one", fault: "DUPLICATE", count }, seconds);
  assert.equal(await codeOf(merchant, order(5, 1)), "SUCCESS");
  assert.equal(await codeOf(merchant, order(0, 2)), "SUCCESS");
  assert.equal(await codeOf(merchant, order(5, 1)), "REPEAT_REQ_INCONSISTENT");
});

test("a resend request sends webhooks once, however often it is replayed", async () => {
  const merchant = await newMerchant(database);
  const resentId = "20261115093104377047608530017744120";
  await insertTestEvents(database, merchant, [resentId]);
  const resend = signRequest("resendNotifications", { notificationId: resentId }, 1);
  const waitingAfter = async (sent: SentRequest): Promise<boolean> => {
    const markDelivered = "update notifications set status = 'DELIVERED' where client_id = $1";
    await asSuperuser(markDelivered, [merchant.clientId], database.superuserUrl);
    const { json } = await call(url, merchant, sent);
    assert.deepEqual(json["notificationIds"], [resentId]);
    const selectStatus = "select status from notifications where client_id = $1";
    const [row] = await asSuperuser<{ status: string }>(
      selectStatus,
      [merchant.clientId],
      database.superuserUrl,
    );
    return row?.status === "WAITING";
  };
  assert.equal(await waitingAfter(resend), true);
  assert.equal(await waitingAfter(resend), false, "The same request sends nothing.");
  assert.equal(await waitingAfter({ ...resend, time: String(startMs + 2_000) }), true, "A new request does.");
  assert.equal(await codeOf(merchant, resend), "REPEAT_REQ_INCONSISTENT");
});

test("a request that only reads the settings is never refused as too old", async () => {
  const merchant = await newMerchant(database);
  assert.equal(await codeOf(merchant, requestNotifyPath("here", 5)), "SUCCESS");
  assert.equal(await codeOf(merchant, signRequest("changeEndpoints", {}, 1)), "SUCCESS");
});

test("of many concurrent changes at two processes, the one with the newest signed time wins", async () => {
  const secondGateway = await serve(readSettings(variables));
  after(() => secondGateway.stop());
  const merchant = await newMerchant(database);
  const order = [7, 2, 11, 5, 9, 1, 12, 3, 10, 4, 8, 6];
  const codes = await Promise.all(
    order.map((seconds, index) =>
      codeOf(merchant, requestNotifyPath(`at-${seconds}`, seconds), index % 2 ? secondGateway.url : url),
    ),
  );
  assert.equal(codes[order.indexOf(12)], "SUCCESS");
  assert.deepEqual(
    codes.filter((code) => code !== "SUCCESS" && code !== "REPEAT_REQ_INCONSISTENT"),
    [],
  );
  assert.equal(await findNotifyPath(merchant), "at-12");
});
