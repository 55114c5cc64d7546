import { findBottlenecks, type Bottleneck } from "./bottleneck.ts";
import { watchDatabase, type DatabaseWatch } from "./database-watch.ts";
import { openLoadGenerator, type LoadGenerator } from "./bench-load.ts";
import { openMerchants, type BenchMerchants } from "./bench-merchants.ts";
import { quantile } from "./open-loop.ts";
import { findProcesses, processorCount, readCpuTimes, type InstallationProcesses } from "./process-cpu.ts";
import { startReceiver, type WebhookReceiver } from "./webhook-receiver.ts";
import { costPerPayment, sizeFor, type PaymentCost, type InstallationSize } from "./installation-size.ts";
import { failureReasonOf, usageBetween, type BenchStep } from "./bench-step.ts";
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
  readonly onStep: (step: BenchStep) => void;
}

export interface BenchResult {
  readonly url: string;
  readonly processors: number;
  /** Number of processes found on this machine, by kind. */
  readonly seen: { readonly serve: number; readonly work: number; readonly postgres: boolean };
  /** Reasons why the bench could not measure certain parts. */
  readonly notes: readonly string[];
  readonly steps: readonly BenchStep[];
  /** The highest sustained rate; undefined if the gateway did not sustain even the first rate. */
  readonly keptUpRate: number | undefined;
  /** The bottlenecks of the first step that was not sustained; undefined if all steps were sustained. */
  readonly bottlenecks: readonly Bottleneck[] | undefined;
  readonly cost: PaymentCost | undefined;
  readonly sizes: readonly InstallationSize[];
}

const rateFactor = 1.5;
const warmUpSeconds = 3;

/** `runBench` raises the rate step by step until the gateway falls behind. */
export async function runBench(options: BenchOptions): Promise<BenchResult> {
  const watch = options.ownerDatabaseUrl ? await watchDatabase(options.ownerDatabaseUrl) : undefined;
  const lifetimeSeconds = 60 + 60 * options.seconds;
  try {
    const merchants = await openMerchants(options.url, options.controlSecretFile, lifetimeSeconds);
    try {
      return await benchWithMerchants(options, merchants, watch);
    } finally {
      await merchants.close();
    }
  } finally {
    await watch?.close();
  }
}

interface BenchRun {
  readonly options: BenchOptions;
  readonly load: LoadGenerator;
  readonly receiver: WebhookReceiver | undefined;
  readonly watch: DatabaseWatch | undefined;
  readonly seen: InstallationProcesses;
}

async function benchWithMerchants(
  options: BenchOptions,
  merchants: BenchMerchants,
  watch: DatabaseWatch | undefined,
): Promise<BenchResult> {
  const notes: string[] = [];
  const receiver = await startWebhookReceiver(options, merchants, notes);
  const load = openLoadGenerator({ ...options, merchants, receiver });
  try {
    // Warm-up for just-in-time compilation, because a new process is slower at first.
    await (await load.prepare(options.fromRate, Math.min(warmUpSeconds, options.seconds))).run();
    await receiver?.result();
    // Processes are searched after the first load, because connections are opened on demand.
    const seen = findProcesses((await watch?.backends()) ?? [], merchants.providerUrl);
    notes.push(...listUnmeasured(seen, watch));
    const steps = await raiseRate({ options, load, receiver, watch, seen });
    return buildResult(options, { seen, notes, steps });
  } finally {
    load.close();
    receiver?.close();
  }
}

/** Raises the rate, then tries one rate between the last sustained and the first failed one. */
async function raiseRate(bench: BenchRun): Promise<readonly BenchStep[]> {
  const { fromRate, toRate, onStep } = bench.options;
  const steps: BenchStep[] = [];
  const add = async (rate: number): Promise<boolean> => {
    const step = await measure(bench, rate);
    steps.push(step);
    onStep(step);
    return step.behind === undefined;
  };
  let rate = fromRate;
  while ((await add(rate)) && rate < toRate) rate = Math.min(toRate, Math.round(rate * rateFactor));
  const [last, before] = [steps.at(-1), steps.at(-2)];
  if (last?.behind !== undefined && before) await add(Math.round(Math.sqrt(before.rate * last.rate)));
  return steps;
}

async function measure({ options, load, receiver, watch, seen }: BenchRun, rate: number): Promise<BenchStep> {
  const { seconds, p99MsMax } = options;
  const preparedLoad = await load.prepare(rate, seconds);
  const endSampling = watch?.sample();
  const before = readCpuTimes(seen);
  const { sent, ...loadResult } = await preparedLoad.run();
  const usage = usageBetween(before, readCpuTimes(seen), processorCount);
  const waits = endSampling?.();
  const told = await receiver?.result();
  const { unsent, unanswered, lateMs } = sent;
  const step = {
    rate,
    seconds,
    ...loadResult,
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
  merchants: BenchMerchants,
  notes: string[],
): Promise<WebhookReceiver | undefined> {
  const probe = async (receiver: WebhookReceiver | undefined): Promise<number> => {
    const load = openLoadGenerator({ ...options, connections: 1, merchants, receiver });
    try {
      const { pay, firstRefusal } = await (await load.prepare(1, 1)).run();
      if (pay.answered === 0) throw new CommandFailed(`${options.url} accepted no payment: ${firstRefusal}`);
      if (!receiver) return 0;
      await waitForApproval(receiver);
      return (await receiver.result()).answered;
    } finally {
      load.close();
    }
  };
  if (!merchants.providerUrl) {
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
async function waitForApproval(receiver: WebhookReceiver): Promise<void> {
  const deadlineMs = performance.now() + probeMs;
  while (!receiver.isBusy() && performance.now() < deadlineMs)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

function listUnmeasured(
  { serve, work, postmaster }: InstallationProcesses,
  watch: DatabaseWatch | undefined,
): readonly string[] {
  if (!watch)
    return ["Without TOLLGATE_OWNER_DATABASE_URL, PostgreSQL and the gateway's processes are not measured."];
  const measured = Object.entries({
    serve: serve.length > 0,
    work: work.length > 0,
    PostgreSQL: postmaster !== undefined,
  });
  const names = measured.flatMap(([name, isThere]) => (isThere ? [] : [name]));
  if (names.length === 0) return [];
  return [
    `${names.join(" and ")} cannot be measured, because they run on another machine or as another user. ` +
      "Their CPU use is missing.",
  ];
}

function buildResult(
  { url, forRate }: BenchOptions,
  {
    seen,
    notes,
    steps,
  }: {
    readonly seen: InstallationProcesses;
    readonly notes: readonly string[];
    readonly steps: readonly BenchStep[];
  },
): BenchResult {
  const sustained = steps
    .filter(({ behind }) => behind === undefined)
    .toSorted((left, right) => left.rate - right.rate)
    .at(-1);
  const failedStep = steps.find(({ behind }) => behind !== undefined);
  const machine = { processors: processorCount, workCount: seen.work.length };
  const cost = sustained && costPerPayment(sustained, seen.serve.length);
  const rates = sustained ? [forRate ?? 2 * sustained.rate] : [];
  return {
    url,
    processors: processorCount,
    seen: { serve: seen.serve.length, work: seen.work.length, postgres: seen.postmaster !== undefined },
    notes,
    steps,
    keptUpRate: sustained?.rate,
    bottlenecks: failedStep && findBottlenecks(failedStep, machine),
    cost,
    sizes: cost ? rates.map((rate) => sizeFor(rate, cost)) : [],
  };
}
