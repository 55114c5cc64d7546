import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newOverloadGuard } from "./overload-guard.ts";
import { newServer } from "../merchant-api/server.ts";

const guard = newOverloadGuard(() => 0);
const app = await newServer(
  {
    environment: "sandbox",
    logLevel: "silent",
    tls: undefined,
    publicUrl: "https://pay.example",
    trustedProxies: { has: () => false },
  },
  guard,
);
app.post("/*", () => "taken on");
app.get("/docs", () => "a page");
const url = await app.listen({ host: "127.0.0.1", port: 0 });
after(() => app.close());
while (guard.register("a").take("new work"));

const post = (operation: string, form: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/ams/api/v1/${operation}`, { method: "POST", ...form });

test('without a free slot an operation gets "retry later" in the usual response format', async () => {
  const answer = await post("payments/pay");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("retry-after"), "1");
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  assert.match(answer.headers.get("request-id") ?? "", /^req_/);
  assert.equal(answer.headers.get("signature"), null);
  const { result } = (await answer.json()) as { result: Record<string, string> };
  assert.equal(result["resultCode"], "REQUEST_TRAFFIC_EXCEED_LIMIT");
  assert.equal(result["docUrl"], "https://pay.example/docs/results#REQUEST_TRAFFIC_EXCEED_LIMIT");
});

test("a chunked request is rejected before its body ends, and its connection is closed", async () => {
  const endless = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("{")) });
  const answer = await post("payments/pay", { body: endless, duplex: "half" });
  assert.equal(answer.headers.get("connection"), "close");
  assert.match(await answer.text(), /REQUEST_TRAFFIC_EXCEED_LIMIT/);
});

test("old work and pages are admitted", async () => {
  assert.notEqual((await post("payments/inquiryPayment")).headers.get("retry-after"), "1");
  assert.equal(await (await fetch(`${url}/docs`)).text(), "a page");
});
