import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { call, pathOf } from "../../../test/start/test-gateway.ts";
import { eventually, waitForLine } from "../../../test/start/test-process.ts";
import { startTestShop } from "../../../test/start/test-shop.ts";
import { payRequest, startTestStack } from "../../../test/start/test-stack.ts";
import { newMeter } from "../../telemetry/meter.ts";
import { openSpanExporter } from "../../egress/span-exporter.ts";

interface Sent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
}

/** A collector that accepts OpenTelemetry JSON. */
async function startCollector(
  answer: (body: string, response: ServerResponse) => void,
): Promise<{ readonly url: string }> {
  const read = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    answer(Buffer.concat(await request.toArray()).toString("utf8"), response);
  };
  const server = createServer((request, response) => void read(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` };
}

const received: string[] = [];
const collector = await startCollector((body, response) => {
  received.push(body);
  response.end("{}");
});
const silentCollector = await startCollector(() => undefined);

const { merchant, provider, serve } = await startTestStack();
const shop = await startTestShop();
const traced = await serve({ isPublic: true, variables: { TOLLGATE_OTLP_URL: collector.url } });

function spans(): readonly Sent[] {
  return received.flatMap((body) => {
    const { resourceSpans } = JSON.parse(body) as {
      readonly resourceSpans: readonly {
        readonly scopeSpans: readonly { readonly spans: readonly Sent[] }[];
      }[];
    };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  });
}

function attributeOf({ attributes }: Sent, key: string): string | undefined {
  return attributes.find((attribute) => attribute.key === key)?.value.stringValue;
}

async function pay(url: string, name: string, traceparent?: string): Promise<string> {
  const request = payRequest(name, {
    paymentNotifyUrl: `${shop.notifyUrl}?canary-in-an-address`,
    metadata: "canary-in-metadata",
  });
  const sent = {
    path: pathOf("sandbox", "payments/pay"),
    body: JSON.stringify(request),
    ...(traceparent !== undefined && { headers: { traceparent } }),
  };
  const { json } = await call(url, merchant, sent);
  assert(typeof json["paymentId"] === "string", JSON.stringify(json));
  return json["paymentId"];
}

async function payAndAwaitWebhook(url: string, name: string, traceparent?: string): Promise<string> {
  const paymentId = await pay(url, name, traceparent);
  await eventually(
    20_000,
    () => provider.control(paymentId, "approve"),
    ({ status }) => status === 200,
  );
  const [webhook] = await shop.waitForWebhooks(paymentId, 1);
  return webhook?.headers["traceparent"] ?? "";
}

/** Waits until the trace has `count` spans, and returns them. */
function spansOf(traceId: string, count: number): Promise<readonly Sent[]> {
  return eventually(
    10_000,
    async () => spans().filter((span) => span.traceId === traceId),
    (found) => found.length >= count,
  );
}

test("a request, its job and the order at the provider are one trace below the caller's", async () => {
  const [traceId, caller] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  const paymentId = await pay(traced.url, "traced", `00-${traceId}-${caller}-01`);
  const found = await spansOf(traceId, 3);
  const by = new Map(found.map((span) => [span.name, span]));
  const [answered, job, order] = [
    by.get("payments/pay"),
    by.get("drive-payment"),
    by.get("provider test-provider"),
  ];
  assert(answered && job && order, [...by.keys()].join());
  assert.deepEqual(
    [answered.parentSpanId, job.parentSpanId, order.parentSpanId],
    [caller, answered.spanId, job.spanId],
  );
  assert.deepEqual([answered.kind, job.kind, order.kind], [2, 1, 3]);
  assert.equal(attributeOf(answered, "tollgate.outcome"), "PAYMENT_IN_PROCESS");
  for (const span of [answered, job]) assert.equal(attributeOf(span, "tollgate.payment_id"), paymentId);
  const aboutMs = Number(BigInt(answered.startTimeUnixNano) / 1_000_000n);
  assert(Math.abs(Date.now() - aboutMs) < 60_000, answered.startTimeUnixNano);
  assert(BigInt(answered.endTimeUnixNano) >= BigInt(order.endTimeUnixNano) - 1_000_000_000n);
});

test("a callback and the webhook that it causes are one trace, and the merchant gets the webhook's span", async () => {
  const traceparent = await payAndAwaitWebhook(traced.url, "told");
  const [, traceId = "", spanId] = traceparent.split("-");
  const found = await spansOf(traceId, 3);
  const message = found.find(({ name }) => name === "notification");
  assert.equal(message?.spanId, spanId);
  const callback = found.find(({ name }) => name === "callback");
  assert.equal(callback && attributeOf(callback, "tollgate.outcome"), "SUCCESS");
});

test("a trace that its caller does not sample is not recorded", async () => {
  const traceId = "aaaabbbbccccddddeeeeffff00001111";
  await pay(traced.url, "unrecorded", `00-${traceId}-00f067aa0ba902b7-00`);
  const recorded = "aaaabbbbccccddddeeeeffff00002222";
  await pay(traced.url, "recorded", `00-${recorded}-00f067aa0ba902b7-01`);
  await spansOf(recorded, 3);
  assert.deepEqual(
    spans().filter((span) => span.traceId === traceId),
    [],
  );
});

test("spans contain no address, no body and no buyer data", () => {
  const all = received.join("\n");
  assert.match(all, /payments\/pay/);
  assert.doesNotMatch(all, /canary|127\.0\.0\.1|http:|\b1250\b|EUR/);
  assert(!all.includes(merchant.clientId));
});

test("a collector that never responds does not delay payments, and dropped spans are counted", async () => {
  const variables = { TOLLGATE_OTLP_URL: silentCollector.url, TOLLGATE_METRICS_PORT: "0" };
  const { url, process: serving } = await serve({ variables });
  const [, metricsUrl] = /metrics at (http:\S+)/.exec(await waitForLine(serving, /metrics at/)) ?? [];
  await pay(url, "into-silence-1");
  const begunMs = performance.now();
  await pay(url, "into-silence-2");
  assert(performance.now() - begunMs < 4_000);
  await eventually(
    20_000,
    async () => (await fetch(metricsUrl ?? "")).text(),
    (text) => /^tollgate_spans_total\{outcome="dropped"\} [1-9]/m.test(text),
  );
});

test("a restart waits for one batch of a hanging collector, not for all queued spans", async () => {
  const exporter = openSpanExporter({
    url: silentCollector.url,
    percent: 100,
    resource: {},
    meter: newMeter(),
    onFault: () => undefined,
  });
  const span = { kind: "job", name: "settle", traceId: "1".repeat(32), spanId: "2".repeat(16) } as const;
  for (let index = 0; index < 1_200; index += 1)
    exporter.record({ ...span, startedMs: 0, endedMs: 1, outcome: "" });
  const closedMs = performance.now();
  await exporter.close();
  assert(performance.now() - closedMs < 9_000, "A process is to leave within ten seconds.");
});

test("a share of traces is sampled by trace id", async () => {
  const variables = { TOLLGATE_OTLP_URL: collector.url, TOLLGATE_OTLP_PERCENT: "50" };
  const { url } = await serve({ variables });
  const [chosen, other] = [`${"1".repeat(26)}7fffff`, `${"1".repeat(26)}800000`];
  await pay(url, "other", `00-${other}-00f067aa0ba902b7-01`);
  await pay(url, "chosen", `00-${chosen}-00f067aa0ba902b7-01`);
  await spansOf(chosen, 3);
  assert.deepEqual(
    spans().filter(({ traceId }) => traceId === other),
    [],
  );
});
