import { setTimeout as waitMs } from "node:timers/promises";
import type { Cell } from "./cell.ts";
import type { CellFleet, FleetMerchant } from "./cell-fleet.ts";
import { newCpuQuota, type CpuQuota } from "../installation/cpu-quota.ts";
import { payBody } from "../trial/trial.ts";

/** Throughput of several cells, compared with one. */
export interface Scale {
  readonly scale: number;
  /** The method of the measurement: with a CPU quota for each cell, or computed from CPU times. */
  readonly by: string;
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
const againMs = 50;
const giveUpMs = 20_000;

interface Measured {
  readonly rate: number;
  readonly costUs: number;
}

/** Drives complete payments, from the order to the webhook, at maximum rate: one cell, then all, alternating. */
export async function measureScale(
  fleet: CellFleet,
  options: ScaleOptions,
  say: (line: string) => void,
): Promise<Scale> {
  const quotas = fleet.cells.map(({ name }) => newCpuQuota(name, coresPerCell));
  const isConfined = quotas.every((quota) => quota !== undefined);
  try {
    // The code is warmed up before the quota is set, because with a third of a core this takes half a minute.
    await drive(fleet, fleet.cells, { ...options, seconds: options.warmSeconds });
    if (isConfined) await confineAll(fleet.cells, quotas);
    const ones: Measured[] = [];
    const threes: Measured[] = [];
    for (let round = 0; round < options.rounds; round += 1) {
      const alone = fleet.cells[round % fleet.cells.length];
      if (alone) ones.push(await drive(fleet, [alone], options));
      threes.push(await drive(fleet, fleet.cells, options));
      say(`scale: one cell ${inWords(ones.at(-1))}, three ${inWords(threes.at(-1))}`);
    }
    const [one, three] = [meanOf(ones), meanOf(threes)];
    const computed = (fleet.cells.length * one.costUs) / three.costUs;
    return {
      scale: isConfined ? three.rate / one.rate : computed,
      by: isConfined
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

async function drive(
  fleet: CellFleet,
  cells: readonly Cell[],
  { seconds, atOnce }: ScaleOptions,
): Promise<Measured> {
  const names = cells.map(({ name }) => name);
  const told = newToldBook(fleet);
  let [isOpen, whole, count] = [true, 0, 0];
  const buy = async (merchant: FleetMerchant): Promise<void> => {
    while (isOpen) {
      count += 1;
      if (await payWhole(fleet, merchant, `scale-${Math.round(fleet.nowMs())}-${count}`, told)) whole += 1;
    }
  };
  const buyers = names.flatMap((name) => {
    const living = fleet.merchants.filter(({ cell }) => cell === name);
    return Array.from({ length: atOnce }, (_, index) =>
      living.slice(index % living.length).slice(0, 1),
    ).flat();
  });
  const buying = buyers.map(buy);
  await waitMs(warmMs);
  const [fromUs, fromWhole, fromMs] = [await cpuOf(cells), whole, performance.now()];
  await waitMs(seconds * 1_000);
  const [us, done, ms] = [(await cpuOf(cells)) - fromUs, whole - fromWhole, performance.now() - fromMs];
  isOpen = false;
  await Promise.all(buying);
  told.close();
  return { rate: done / (ms / 1_000), costUs: us / Math.max(1, done) };
}

/** Webhooks of success by payment id, for callers that wait for one. */
interface ToldBook {
  wait(paymentId: string): Promise<boolean>;
  close(): void;
}

function newToldBook({ history }: CellFleet): ToldBook {
  const waiting = new Map<string, (isTold: boolean) => void>();
  let read = history.notifications.length;
  const timer = setInterval(() => {
    for (; read < history.notifications.length; read += 1) {
      const { paymentId = "", resultStatus } = history.notifications[read] ?? {};
      if (resultStatus === "S") waiting.get(paymentId)?.(true);
    }
  }, 10);
  return {
    wait: (paymentId) =>
      new Promise((resolve) => {
        const timeout = setTimeout(() => resolve(false), giveUpMs);
        waiting.set(paymentId, (isTold) => {
          clearTimeout(timeout);
          waiting.delete(paymentId);
          resolve(isTold);
        });
      }),
    close: () => clearInterval(timer),
  };
}

async function payWhole(
  fleet: CellFleet,
  merchant: FleetMerchant,
  requestId: string,
  told: ToldBook,
): Promise<boolean> {
  const body = payBody(requestId, fleet.notifyUrl);
  const pay = { verb: "pay", merchant, requestId, body, port: fleet.edge.port } as const;
  const paymentId = await untilGiven(async () => (await fleet.caller.call(pay))?.id);
  if (paymentId === undefined) return false;
  const isTold = told.wait(paymentId);
  const path = `/control/payments/${paymentId}/approve`;
  await untilGiven(async () =>
    (await fleet.provider.control("POST", path).catch(() => 0)) === 200 ? true : undefined,
  );
  return isTold;
}

/**
 * `untilGiven` repeats a request until it has a result, because the proof would later report an unfinished payment as
 * stuck.
 */
async function untilGiven<Value>(ask: () => Promise<Value | undefined>): Promise<Value | undefined> {
  for (const endMs = performance.now() + giveUpMs; performance.now() < endMs; await waitMs(againMs)) {
    const given = await ask();
    if (given !== undefined) return given;
  }
  return undefined;
}

async function cpuOf(cells: readonly Cell[]): Promise<number> {
  const all = await Promise.all(cells.map((cell) => cell.cpuTimeUs()));
  return all.reduce((sum, us) => sum + us, 0);
}

function meanOf(all: readonly Measured[]): Measured {
  const mean = (read: (one: Measured) => number): number =>
    all.reduce((sum, one) => sum + read(one), 0) / all.length;
  return { rate: mean(({ rate }) => rate), costUs: mean(({ costUs }) => costUs) };
}

function inWords(measured: Measured | undefined): string {
  return measured ? `${measured.rate.toFixed(1)}/s at ${Math.round(measured.costUs)} µs` : "nothing";
}
