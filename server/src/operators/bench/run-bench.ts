import { bottlenecksIn, type Bottleneck } from "./bottleneck.ts";
import { watchDatabase, type DatabaseWatch } from "./database-watch.ts";
import { openLoad, type Load } from "./load.ts";
import { openMerchants, type Merchants } from "./merchants.ts";
import { quantile } from "./open-loop.ts";
import { findProcesses, processorCount, readCpuTimes, type Seen } from "./processes.ts";
import { startReceiver, type Receiver } from "./receiver.ts";
import { costIn, sizeFor, type Cost, type Size } from "./size.ts";
import { failureReasonOf, usageBetween, type Step } from "./step.ts";
import { CommandFailed } from "../../core/command-errors.ts";

export interface BenchOptions {
  /** Address of the gateway. */
  readonly url: string;
  readonly controlSecretFile: string;
  /** The database whose statistics are read; without it the report has no PostgreSQL data. */
  readonly ownerDatabaseUrl: string | undefined;
  readonly seconds: number;
  readonly fromRate: number;
  readonly toRate: number;
  readonly p99MsMax: number;
  readonly connections: number;
  /** Payments per second to size for (default: twice the sustained rate). */
  readonly forRate: number | undefined;
  /** Called when a step is complete. */
  readonly onStep: (step: Step) => void;
}

export interface BenchResult {
  readonly url: string;
  readonly processors: number;
  /** Number of processes found on this machine, by kind. */
  readonly seen: { readonly serve: number; readonly work: number; readonly postgres: boolean };
  /** Reasons why the bench could not measure certain parts. */
  readonly notes: readonly string[];
  readonly steps: readonly Step[];
  /** The highest sustained rate; undefined if the gateway did not sustain even the first rate. */
  readonly keptUpRate: number | undefined;
  /** The bottlenecks of the first step that was not sustained; undefined if all steps were sustained. */
  readonly bottlenecks: readonly Bottleneck[] | undefined;
  readonly cost: Cost | undefined;
  readonly sizes: readonly Size[];
}

const growth = 1.5;
const warmUpSeconds = 3;

/** `runBench` raises the rate step by step until the gateway falls behind. */
export async function runBench(options: BenchOptions): Promise<BenchResult> {
  const watch = options.ownerDatabaseUrl ? await watchDatabase(options.ownerDatabaseUrl) : undefined;
  const lifetimeSeconds = 60 + 60 * options.seconds;
  try {
    const merchants = await openMerchants(options.url, options.controlSecretFile, lifetimeSeconds);
    try {
      return await withMerchants(options, merchants, watch);
    } finally {
      await merchants.close();
    }
  } finally {
    await watch?.close();
  }
}

interface Bench {
  readonly options: BenchOptions;
  readonly load: Load;
  readonly receiver: Receiver | undefined;
  readonly watch: DatabaseWatch | undefined;
  readonly seen: Seen;
}

async function withMerchants(
  options: BenchOptions,
  merchants: Merchants,
  watch: DatabaseWatch | undefined,
): Promise<BenchResult> {
  const notes: string[] = [];
  const receiver = await startWebhookReceiver(options, merchants, notes);
  const load = openLoad({ ...options, merchants, receiver });
  try {
    // Warm-up for just-in-time compilation, because a new process is slower at first.
    await (await load.prepare(options.fromRate, Math.min(warmUpSeconds, options.seconds))).run();
    await receiver?.result();
    // Processes are searched after the first load, because connections are opened on demand.
    const seen = findProcesses((await watch?.backends()) ?? [], merchants.walletUrl);
    notes.push(...blindSpots(seen, watch));
    const steps = await climb({ options, load, receiver, watch, seen });
    return resultOf(options, { seen, notes, steps });
  } finally {
    load.close();
    receiver?.close();
  }
}

/** Raises the rate, then tries one rate between the last sustained and the first failed one. */
async function climb(bench: Bench): Promise<readonly Step[]> {
  const { fromRate, toRate, onStep } = bench.options;
  const steps: Step[] = [];
  const add = async (rate: number): Promise<boolean> => {
    const step = await measure(bench, rate);
    steps.push(step);
    onStep(step);
    return step.behind === undefined;
  };
  let rate = fromRate;
  while ((await add(rate)) && rate < toRate) rate = Math.min(toRate, Math.round(rate * growth));
  const [last, before] = [steps.at(-1), steps.at(-2)];
  if (last?.behind !== undefined && before) await add(Math.round(Math.sqrt(before.rate * last.rate)));
  return steps;
}

async function measure({ options, load, receiver, watch, seen }: Bench, rate: number): Promise<Step> {
  const { seconds, p99MsMax } = options;
  const prepared = await load.prepare(rate, seconds);
  const endSampling = watch?.sample();
  const before = readCpuTimes(seen);
  const { sent, ...loaded } = await prepared.run();
  const usage = usageBetween(before, readCpuTimes(seen), processorCount);
  const waits = endSampling?.();
  const told = await receiver?.result();
  const { unsent, unanswered, lateMs } = sent;
  const step = {
    rate,
    seconds,
    ...loaded,
    told,
    unsent,
    unanswered,
    sendLateMs: quantile(lateMs, 0.99),
    usage,
    waits,
  };
  return { ...step, behind: failureReasonOf(step, p99MsMax) };
}

const probeMs = 5_000;

/**
 * Tries one complete payment before the load. Parts that fail in this try are omitted from the load and reported in
 * `notes`.
 */
async function startWebhookReceiver(
  options: BenchOptions,
  merchants: Merchants,
  notes: string[],
): Promise<Receiver | undefined> {
  const probe = async (receiver: Receiver | undefined): Promise<number> => {
    const load = openLoad({ ...options, connections: 1, merchants, receiver });
    try {
      const { pay, firstRefusal } = await (await load.prepare(1, 1)).run();
      if (pay.answered === 0) throw new CommandFailed(`${options.url} accepted no payment: ${firstRefusal}`);
      if (!receiver) return 0;
      await untilApproved(receiver);
      return (await receiver.result()).answered;
    } finally {
      load.close();
    }
  };
  if (!merchants.walletUrl) {
    notes.push(
      "The provider is not a simulator of this installation, so payments are not approved and no webhooks are " +
        "sent.",
    );
    await probe(undefined);
    return undefined;
  }
  const receiver = await startReceiver();
  if ((await probe(receiver)) > 0) return receiver;
  receiver.close();
  notes.push(
    "No webhook arrived, so payments are not approved in this load. Either the simulated provider has " +
      "another control secret or runs on another machine, or `work` does not run, or webhooks to this machine " +
      "are blocked (set TOLLGATE_EGRESS_LOOPBACK=allow).",
  );
  return undefined;
}

/**
 * Waits until the receiver has recorded the buyer's approval, with a timeout. The approval follows the response to
 * `pay`.
 */
async function untilApproved(receiver: Receiver): Promise<void> {
  const untilMs = performance.now() + probeMs;
  while (!receiver.isBusy() && performance.now() < untilMs)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

function blindSpots({ serve, work, postmaster }: Seen, watch: DatabaseWatch | undefined): readonly string[] {
  if (!watch)
    return ["Without TOLLGATE_OWNER_DATABASE_URL, PostgreSQL and the gateway's processes are not measured."];
  const missing = Object.entries({
    serve: serve.length > 0,
    work: work.length > 0,
    PostgreSQL: postmaster !== undefined,
  });
  const names = missing.flatMap(([name, isThere]) => (isThere ? [] : [name]));
  if (names.length === 0) return [];
  return [
    `${names.join(" and ")} cannot be measured, because they run on another machine or as another user. ` +
      "Their CPU use is missing.",
  ];
}

function resultOf(
  { url, forRate }: BenchOptions,
  {
    seen,
    notes,
    steps,
  }: { readonly seen: Seen; readonly notes: readonly string[]; readonly steps: readonly Step[] },
): BenchResult {
  const kept = steps
    .filter(({ behind }) => behind === undefined)
    .toSorted((one, other) => one.rate - other.rate)
    .at(-1);
  const failed = steps.find(({ behind }) => behind !== undefined);
  const machine = { processors: processorCount, workCount: seen.work.length };
  const cost = kept && costIn(kept, seen.serve.length);
  const rates = kept ? [forRate ?? 2 * kept.rate] : [];
  return {
    url,
    processors: processorCount,
    seen: { serve: seen.serve.length, work: seen.work.length, postgres: seen.postmaster !== undefined },
    notes,
    steps,
    keptUpRate: kept?.rate,
    bottlenecks: failed && bottlenecksIn(failed, machine),
    cost,
    sizes: cost ? rates.map((rate) => sizeFor(rate, cost)) : [],
  };
}
