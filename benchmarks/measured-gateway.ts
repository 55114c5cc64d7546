import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { countPerPayment } from "./counts.ts";
import { cpuTimeUs, familyCpuTimeUs } from "./cpu-time.ts";
import { install, type InstallOptions, type Installation } from "./installation.ts";
import type { Burst } from "./load-generator.ts";
import { startLoad, type Load } from "./start-load.ts";

/** CPU µs per operation: total of the gateway's processes and its PostgreSQL, divided by the number of operations. */
export interface Cpu {
  readonly serveUs: number;
  readonly workUs: number;
  readonly postgresUs: number;
  readonly allUs: number;
}

export interface PaymentCost {
  /** `pay` until its signed response, with the order at the provider. */
  readonly accept: Cpu;
  /**
   * The payment after `accept`: the provider's callback, the ledger, the webhook until it is acknowledged, and search.
   */
  readonly settle: Cpu;
  readonly acceptUs: number;
  readonly wholeUs: number;
  /** Closed loop, 32 in flight. */
  readonly perSecond: number;
}

export interface InquiryCost extends Cpu {
  readonly answers: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A gateway under load: its merchants, their buyers, and the server that receives webhooks. */
export interface MeasuredGateway {
  readonly at: Installation;
  /** Warm-up: code is compiled, connections prepare their statements, and the planner gets realistic statistics. */
  warmUp(ms: number, payments: number): Promise<void>;
  pay(payments: number): Promise<PaymentCost>;
  inquire(ms: number): Promise<InquiryCost>;
  /** Latency of `pay` in an open loop. */
  latency(perSecond: number, seconds: number): Promise<Latency>;
  /** Whole payments in an open loop: each is approved some seconds after its request. Returns the rate per second. */
  flow(perSecond: number, seconds: number): Promise<number>;
  /**
   * `count` returns the counts per whole payment. It must be the last call, because it stops `serve` and `work` to
   * complete their statistics.
   */
  count(payments: number): ReturnType<typeof countPerPayment>;
  stop(): Promise<void>;
}

interface LoadWorld {
  readonly at: Installation;
  readonly inquiries: Load;
  readonly payments: Load;
  /** The number of webhooks that the merchants have received. */
  readonly webhooks: { count: number };
}

const inFlight = 32;
const seededEach = 2_000;
const chunkSeconds = 5;
/** The request log is flushed in batches, at most a quarter of a second after the response. */
const flushMs = 500;

export interface MeasuredOptions extends InstallOptions {
  /** Number of merchants that send requests; by default all. */
  readonly merchants?: number;
}

export async function startMeasuredGateway(options: MeasuredOptions = {}): Promise<MeasuredGateway> {
  const at = await install(options);
  const webhooks = { count: 0 };
  const receiver = await startWebhookReceiver(webhooks);
  const { port } = receiver.address() as AddressInfo;
  const plan = {
    url: at.serveUrl,
    clientIds: at.merchants.slice(0, options.merchants).map(({ clientId }) => clientId),
    privateKey: at.privateKey,
    gatewayPublicKey: at.gatewayPublicKey,
    paymentsEach: options.paymentsEach ?? seededEach,
    inFlight,
  };
  const prefix = "/ams/sandbox/api/v1/payments";
  const inquiries = await startLoad({ ...plan, path: `${prefix}/inquiryPayment`, requestCount: 2_000 });
  const notifyUrl = `http://127.0.0.1:${port}/notify`;
  const payments = await startLoad({ ...plan, path: `${prefix}/pay`, requestCount: 0, notifyUrl });
  const world = { at, inquiries, payments, webhooks };
  let paymentCount = 0;
  let inquiryCount = 0;
  const pay = (count: number): Promise<PaymentCost> => {
    paymentCount += count;
    return measurePayments(world, count);
  };
  const countedInquire = async (ms: number): Promise<InquiryCost> => {
    const cost = await inquire(world, ms);
    inquiryCount += cost.answers;
    return cost;
  };
  return {
    at,
    pay,
    inquire: countedInquire,
    async warmUp(ms, count) {
      await countedInquire(ms);
      await pay(count);
      await at.query("analyze");
    },
    async latency(perSecond, seconds) {
      paymentCount += perSecond * seconds;
      return measureLatency(world, perSecond, seconds);
    },
    async flow(perSecond, seconds) {
      const { count, elapsedMs } = await payContinuously(world, perSecond, seconds);
      paymentCount += count;
      return (count / elapsedMs) * 1_000;
    },
    count: (count) =>
      countPerPayment(at, {
        count,
        paid: paymentCount + count,
        asked: inquiryCount,
        pay: () => measurePayments(world, count),
      }),
    async stop() {
      inquiries.stop();
      payments.stop();
      receiver.close();
      receiver.closeAllConnections();
      await at.stop();
    },
  };
}

async function measurePayments({ at, payments, webhooks }: LoadWorld, count: number): Promise<PaymentCost> {
  const before = cpuOf(at);
  const burst = await payments.send({ ms: 120_000, answersMax: count });
  assertAllAnswered(burst, count);
  await waitUntilAccepted(at, burst.paymentIds);
  const accepted = cpuOf(at);
  await approveAndAwaitAll({ at, webhooks }, burst.paymentIds);
  const accept = perOperation(before, accepted, count);
  const settle = perOperation(accepted, cpuOf(at), count);
  return {
    accept,
    settle,
    acceptUs: accept.allUs,
    wholeUs: accept.allUs + settle.allUs,
    perSecond: (count / burst.elapsedMs) * 1_000,
  };
}

async function inquire({ at, inquiries }: LoadWorld, ms: number): Promise<InquiryCost> {
  const before = cpuOf(at);
  const burst = await inquiries.send({ ms });
  assertAllAnswered(burst, burst.answers);
  await sleep(flushMs);
  const cpu = perOperation(before, cpuOf(at), burst.answers);
  const { answers, elapsedMs, p99Ms } = burst;
  return { ...cpu, answers, perSecond: (answers / elapsedMs) * 1_000, p99Ms };
}

async function measureLatency(
  { at, payments, webhooks }: LoadWorld,
  perSecond: number,
  seconds: number,
): Promise<Latency> {
  const answersMax = perSecond * seconds;
  const burst = await payments.send({ ms: seconds * 10_000, answersMax, perSecond });
  assertAllAnswered(burst, answersMax);
  await waitUntilAccepted(at, burst.paymentIds);
  await approveAndAwaitAll({ at, webhooks }, burst.paymentIds);
  return { p50Ms: burst.p50Ms, p99Ms: burst.p99Ms };
}

function assertAllAnswered({ failures, firstFailure, answers }: Burst, count: number): void {
  if (failures > 0) throw new Error(`${failures} requests failed, first: ${firstFailure}`);
  if (answers !== count || count === 0) throw new Error(`${answers} of ${count} requests were answered.`);
}

/** While new payments are requested, earlier ones are approved and their webhooks delivered. */
async function payContinuously(
  world: LoadWorld,
  perSecond: number,
  seconds: number,
): Promise<{ readonly count: number; readonly elapsedMs: number }> {
  const startedMs = performance.now();
  const answersMax = perSecond * chunkSeconds;
  let [count, before] = [0, [] as readonly string[]];
  while (performance.now() - startedMs < seconds * 1_000) {
    const [burst] = await Promise.all([
      world.payments.send({ ms: chunkSeconds * 10_000, answersMax, perSecond }),
      approveAndAwaitWebhooks(world, before),
    ]);
    assertAllAnswered(burst, answersMax);
    await waitUntilAccepted(world.at, burst.paymentIds);
    count += answersMax;
    before = burst.paymentIds;
  }
  const elapsedMs = performance.now() - startedMs;
  await approveAndAwaitAll(world, before);
  return { count, elapsedMs };
}

async function approveAndAwaitWebhooks({ at, webhooks }: LoadWorld, ids: readonly string[]): Promise<void> {
  const expectedCount = webhooks.count + ids.length;
  await approve(at, ids);
  while (webhooks.count < expectedCount) await sleep(20);
}

/** Lets the buyers pay, and waits until all webhooks, request log rows and search rows are written. */
async function approveAndAwaitAll(
  { at, webhooks }: Pick<LoadWorld, "at" | "webhooks">,
  ids: readonly string[],
): Promise<void> {
  const expectedCount = webhooks.count + ids.length;
  await approve(at, ids);
  while (webhooks.count < expectedCount) await sleep(20);
  await waitForCount(at, 0, "select count(*)::int as count from jobs");
  // Revisions without search tables have nothing to wait for.
  const [search] = await at.query<{ exists: boolean }>(
    "select to_regclass('changed_payments_queue') is not null as exists",
  );
  if (search?.exists) await waitForCount(at, 0, "select count(*)::int as count from changed_payments_queue");
}

/**
 * `waitUntilAccepted` queries payments by key (bucket and id), because the cost of a scan would count as the gateway's
 * work.
 */
function waitUntilAccepted(at: Installation, paymentIds: readonly string[]): Promise<void> {
  const buckets = paymentIds.map((id) => Number(id.slice(17, 21)));
  const idRows = `unnest('{${buckets.join(",")}}'::smallint[], '{${paymentIds.join(",")}}'::text[])`;
  return waitForCount(
    at,
    paymentIds.length,
    `select count(*)::int as count from ${idRows} as given (bucket, payment_id)
     join payments using (bucket, payment_id) where provider_accepted_at is not null`,
  );
}

async function waitForCount(
  { query }: Installation,
  expectedCount: number,
  countQuery: string,
): Promise<void> {
  for (const giveUpAtMs = performance.now() + 60_000; ; await sleep(50)) {
    const [row] = await query<{ count: number }>(countQuery);
    if (row?.count === expectedCount) return;
    if (performance.now() > giveUpAtMs)
      throw new Error(`${row?.count} instead of ${expectedCount}: ${countQuery.slice(0, 200)}`);
  }
}

/** Approves payments as their buyers do, a few at a time. */
async function approve({ provider }: Installation, paymentIds: readonly string[]): Promise<void> {
  const waiting = [...paymentIds];
  const headers = { authorization: `Bearer ${provider.controlSecret}` };
  const approveNext = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const path = `/control/payments/${id}/approve`;
      const { status } = await fetch(`${provider.url}${path}`, { method: "POST", headers });
      if (status !== 200) throw new Error(`The provider answered ${status} to an approval.`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, approveNext));
}

function cpuOf(at: Installation): Cpu {
  const cpu = {
    serveUs: cpuTimeUs(at.servePid),
    workUs: cpuTimeUs(at.workPid),
    postgresUs: familyCpuTimeUs(at.postgres.pid),
  };
  return { ...cpu, allUs: cpu.serveUs + cpu.workUs + cpu.postgresUs };
}

function perOperation(before: Cpu, after: Cpu, count: number): Cpu {
  const each = (part: keyof Cpu): number => (after[part] - before[part]) / count;
  return {
    serveUs: each("serveUs"),
    workUs: each("workUs"),
    postgresUs: each("postgresUs"),
    allUs: each("allUs"),
  };
}

async function startWebhookReceiver(webhooks: { count: number }): Promise<Server> {
  const acknowledged = JSON.stringify({
    result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success" },
  });
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => {
      webhooks.count += 1;
      response.end(acknowledged);
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  return receiver;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
