import assert from "node:assert/strict";
import { test } from "node:test";
import { call, pathOf } from "../../../test/start/test-gateway.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { startTestShop } from "../../../test/start/test-shop.ts";
import { payRequest, startTestStack } from "../../../test/start/test-stack.ts";

const { merchant, provider, serve } = await startTestStack();
const shop = await startTestShop();
const { url, process: serving } = await serve({ isPublic: true, variables: { TOLLGATE_LOG_LEVEL: "info" } });
let written = "";
serving.child.stdout?.on("data", (text: Buffer | string) => (written += text.toString("utf8")));

type Line = Readonly<Record<string, unknown>>;

/** The log line of a payment that has the given field. */
async function logged(paymentId: string, field: string): Promise<Line> {
  const lines = async (): Promise<readonly Line[]> =>
    written
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => line["paymentId"] === paymentId && field in line);
  const [line] = await eventually(20_000, lines, (found) => found.length > 0);
  return line ?? {};
}

async function pay(name: string, traceparent: string): Promise<string> {
  const request = payRequest(name, { paymentNotifyUrl: shop.notifyUrl });
  const sent = {
    path: pathOf("sandbox", "payments/pay"),
    body: JSON.stringify(request),
    headers: { traceparent },
  };
  return String((await call(url, merchant, sent)).json["paymentId"]);
}

test("the log line of a request has its payment and the merchant's trace", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const paymentId = await pay("traced", `00-${traceId}-00f067aa0ba902b7-01`);
  assert.equal((await logged(paymentId, "path"))["traceId"], traceId);
});

test("a provider's callback and the resulting webhook are one trace", async () => {
  const paymentId = await pay("told", "00-not-a-trace");
  assert.match(String((await logged(paymentId, "path"))["traceId"]), /^[0-9a-f]{32}$/);
  const approve = (): ReturnType<typeof provider.control> => provider.control(paymentId, "approve");
  await eventually(20_000, approve, ({ status }) => status === 200);
  const [webhook] = await shop.waitForWebhooks(paymentId, 1);
  const { traceId } = await logged(paymentId, "callback");
  assert.match(webhook?.headers["traceparent"] ?? "", new RegExp(`^00-${String(traceId)}-[0-9a-f]{16}-01$`));
});
