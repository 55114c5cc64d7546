import { setTimeout as waitMs } from "node:timers/promises";
import type { Cell } from "./cell.ts";
import type { CellFleet, FleetMerchant } from "./cell-fleet.ts";
import { newCpuQuota, type CpuQuota } from "../installation/cpu-quota.ts";
import { payBody } from "../trial/trial.ts";

/** Throughput of several cells, compared with one. */
export interface Scale {
  readonly scale: number;
  /** The method of the measurement: with a CPU quota for each cell, or computed from CPU times. */
  readonly method: string;
  readonly oneRate: number;
  readonly threeRate: number;
  /** CPU time of a cell for a complete payment, in microseconds. */
  readonly oneCostUs: number;
  readonly threeCostUs: number;
}

export interface ScaleOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmSeconds: number;
  /** Concurrent payments for each cell. */
  readonly atOnce: number;
}

/** The share of a core for each cell, including PostgreSQL. Load generator, provider and edge are not limited. */
export const coresPerCell = 0.3;
/** Warm-up of a round in milliseconds, which is not measured, because the queues are empty at the start. */
const warmMs = 1_500;
const retryMs = 50;
const giveUpMs = 20_000;

interface Throughput {
  readonly rate: number;
  readonly costUs: number;
}

/** Drives complete payments, from the order to the webhook, at maximum rate: one cell, then all, alternating. */
export async function measureScale(
  fleet: CellFleet,
  options: ScaleOptions,
  logProgress: (line: string) => void,
): Promise<Scale> {
  const quotas = fleet.cells.map(({ name }) => newCpuQuota(name, coresPerCell));
  const isConfined = quotas.every((quota) => quota !== undefined);
  try {
    // The code is warmed up before the quota is set, because with a third of a core this takes half a minute.
    await driveLoad(fleet, fleet.cells, { ...options, seconds: options.warmSeconds });
    if (isConfined) await confineAll(fleet.cells, quotas);
    const ones: Throughput[] = [];
    const threes: Throughput[] = [];
    for (let round = 0; round < options.rounds; round += 1) {
      const singleCell = fleet.cells[round % fleet.cells.length];
      if (singleCell) ones.push(await driveLoad(fleet, [singleCell], options));
      threes.push(await driveLoad(fleet, fleet.cells, options));
      logProgress(`scale: one cell ${describeRate(ones.at(-1))}, three ${describeRate(threes.at(-1))}`);
    }
    const [one, three] = [meanOf(ones), meanOf(threes)];
    const computed = (fleet.cells.length * one.costUs) / three.costUs;
    return {
      scale: isConfined ? three.rate / one.rate : computed,
      method: isConfined
        ? `quota of ${coresPerCell} core for each cell`
        : "CPU for each payment: no CPU quota can be set here",
      oneRate: one.rate,
      threeRate: three.rate,
      oneCostUs: one.costUs,
      threeCostUs: three.costUs,
    };
  } finally {
    for (const quota of quotas) quota?.release();
  }
}

async function confineAll(cells: readonly Cell[], quotas: readonly (CpuQuota | undefined)[]): Promise<void> {
  for (const [index, cell] of cells.entries()) quotas[index]?.confine(await cell.pids());
}

async function driveLoad(
  fleet: CellFleet,
  cells: readonly Cell[],
  { seconds, atOnce }: ScaleOptions,
): Promise<Throughput> {
  const names = cells.map(({ name }) => name);
  const webhooks = newWebhookWaiter(fleet);
  let [isOpen, completedCount, count] = [true, 0, 0];
  const buy = async (merchant: FleetMerchant): Promise<void> => {
    while (isOpen) {
      count += 1;
      if (await completePayment(fleet, merchant, `scale-${Math.round(fleet.nowMs())}-${count}`, webhooks))
        completedCount += 1;
    }
  };
  const buyers = names.flatMap((name) => {
    const cellMerchants = fleet.merchants.filter(({ cell }) => cell === name);
    return Array.from({ length: atOnce }, (_, index) =>
      cellMerchants.slice(index % cellMerchants.length).slice(0, 1),
    ).flat();
  });
  const buying = buyers.map(buy);
  await waitMs(warmMs);
  const [cpuBeforeUs, completedBefore, startMs] = [
    await sumCpuTimeUs(cells),
    completedCount,
    performance.now(),
  ];
  await waitMs(seconds * 1_000);
  const [cpuUs, done, ms] = [
    (await sumCpuTimeUs(cells)) - cpuBeforeUs,
    completedCount - completedBefore,
    performance.now() - startMs,
  ];
  isOpen = false;
  await Promise.all(buying);
  webhooks.close();
  return { rate: done / (ms / 1_000), costUs: cpuUs / Math.max(1, done) };
}

/** Webhooks of success by payment id, for callers that wait for one. */
interface WebhookWaiter {
  wait(paymentId: string): Promise<boolean>;
  close(): void;
}

function newWebhookWaiter({ history }: CellFleet): WebhookWaiter {
  const waiting = new Map<string, (isNotified: boolean) => void>();
  let readValue = history.notifications.length;
  const timer = setInterval(() => {
    for (; readValue < history.notifications.length; readValue += 1) {
      const { paymentId = "", resultStatus } = history.notifications[readValue] ?? {};
      if (resultStatus === "S") waiting.get(paymentId)?.(true);
    }
  }, 10);
  return {
    wait: (paymentId) =>
      new Promise((resolve) => {
        const timeout = setTimeout(() => resolve(false), giveUpMs);
        waiting.set(paymentId, (isNotified) => {
          clearTimeout(timeout);
          waiting.delete(paymentId);
          resolve(isNotified);
        });
      }),
    close: () => clearInterval(timer),
  };
}

async function completePayment(
  fleet: CellFleet,
  merchant: FleetMerchant,
  requestId: string,
  webhooks: WebhookWaiter,
): Promise<boolean> {
  const body = payBody(requestId, fleet.notifyUrl);
  const pay = { verb: "pay", merchant, requestId, body, port: fleet.edge.port } as const;
  const paymentId = await retryUntilResult(async () => (await fleet.caller.call(pay))?.id);
  if (paymentId === undefined) return false;
  const isNotified = webhooks.wait(paymentId);
  const path = `/control/payments/${paymentId}/approve`;
  await retryUntilResult(async () =>
    (await fleet.provider.control("POST", path).catch(() => 0)) === 200 ? true : undefined,
  );
  return isNotified;
}

/**
 * `retryUntilResult` repeats a request until it has a result, because the proof would later report an unfinished
 * payment as stuck.
 */
async function retryUntilResult<Value>(
  request: () => Promise<Value | undefined>,
): Promise<Value | undefined> {
  for (const endMs = performance.now() + giveUpMs; performance.now() < endMs; await waitMs(retryMs)) {
    const result = await request();
    if (result !== undefined) return result;
  }
  return undefined;
}

async function sumCpuTimeUs(cells: readonly Cell[]): Promise<number> {
  const all = await Promise.all(cells.map((cell) => cell.cpuTimeUs()));
  return all.reduce((sum, cpuUs) => sum + cpuUs, 0);
}

function meanOf(all: readonly Throughput[]): Throughput {
  const mean = (readValue: (one: Throughput) => number): number =>
    all.reduce((sum, one) => sum + readValue(one), 0) / all.length;
  return { rate: mean(({ rate }) => rate), costUs: mean(({ costUs }) => costUs) };
}

function describeRate(throughput: Throughput | undefined): string {
  return throughput ? `${throughput.rate.toFixed(1)}/s at ${Math.round(throughput.costUs)} µs` : "nothing";
}
