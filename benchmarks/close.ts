import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startMeasuredGateway, type Latency, type MeasuredGateway } from "./measured-gateway.ts";
import { sendSigned, sendRefunds } from "./refunds.ts";
import { endOfDay, seedLedger } from "./seed-ledger.ts";

/**
 * Measures settlement and payout commands on a large ledger, and the latency of `pay` and `refund` meanwhile.
 * `proof/close.ts` writes a report of it. The last line is JSON: figures, misses, details.
 *
 * node benchmarks/close.ts [--merchants 5000] [--movements 1000000]
 */
const days = 30;
/** Book days end at midnight UTC+8. */
const bookDayOffsetMs = 8 * 3600 * 1000;
/** Rate of `pay`: high enough that no connection of the open loop is idle until the gateway closes it. */
const perSecond = 50;
const refundsPerSecond = 5;
const seconds = 20;
const closeSecondsMax = 60;
/** Largest accepted increase of `pay` at its 99th percentile. */
const slowerMsMax = 100;

const { values: options } = parseArgs({
  options: {
    merchants: { type: "string", default: "5000" },
    movements: { type: "string", default: "1000000" },
  },
});
const [merchants, movements] = [Number(options.merchants), Number(options.movements)];
// Exit handlers end all child processes, and these signals run them, too.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
await measureClose();

interface CommandResult {
  readonly name: string;
  readonly seconds: number;
  readonly peakMb: number;
  readonly output: string;
}

interface Load {
  readonly pay: Latency;
  readonly refund: Latency;
}

async function measureClose(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-close-"));
  // The first 50 of the seeded merchants, which every benchmark has, also send requests, and are settled with the others.
  const gateway = await startMeasuredGateway({ paymentsEach: 0 });
  const today = new Date(Date.now() + bookDayOffsetMs).toISOString().slice(0, 10);
  const lastDay = addDays(today, -1);
  try {
    logLine(`seeding ${movements} movements of ${merchants} merchants`);
    await seedLedger(gateway.at, { merchants, movements, days, lastDay });
    await gateway.pay(4 * seconds * refundsPerSecond);
    await gateway.at.query("analyze");
    const baseline = await measureLoad(gateway);
    logLine(`usually ${formatLoad(baseline)}`);
    const close = await runUnderLoad(gateway, "settlement", "close", "--day", lastDay, "--json");
    // The payout day is seven days later, because a batch that was closed on a Friday is due after the weekend.
    const pay = ["payout", "run", "--bank", "first", "--day", addDays(today, 7)];
    const plan = await run(gateway, ...pay, "--dry-run");
    const payout = await runUnderLoad(gateway, ...pay, "--folder", folder, "--json");
    const until = endOfDay(lastDay);
    const others = [
      await run(gateway, "settlement", "check"),
      await run(gateway, "trial-balance", "--at", lastDay),
      await run(gateway, "reconcile", "--day", lastDay, "--until", until),
    ];
    const statement = await measureStatements(gateway, lastDay);
    const measured = { baseline, close, plan, payout, others, statement };
    process.stdout.write(`${JSON.stringify(createReport(measured))}\n`);
  } finally {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * 24 * 3600 * 1000).toISOString().slice(0, 10);
}

async function measureLoad(gateway: MeasuredGateway): Promise<Load> {
  const [pay, refund] = await Promise.all([
    gateway.latency(perSecond, seconds),
    sendRefunds(gateway.at, refundsPerSecond, seconds),
  ]);
  return { pay, refund };
}

async function runUnderLoad(
  gateway: MeasuredGateway,
  ...words: readonly string[]
): Promise<CommandResult & { readonly load: Load }> {
  const [ran, load] = await Promise.all([run(gateway, ...words), measureLoad(gateway)]);
  logLine(`meanwhile ${formatLoad(load)}`);
  return { ...ran, load };
}

/** Runs a command as an operator does, and reads its peak memory. */
async function run({ at }: MeasuredGateway, ...words: readonly string[]): Promise<CommandResult> {
  const program = fileURLToPath(new URL("../server/src/main.ts", import.meta.url));
  const variables = {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_OWNER_DATABASE_URL: at.postgres.url("bench"),
  };
  const beganMs = performance.now();
  const child = spawn(process.execPath, [program, ...words], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let [output, peakMb] = ["", 0];
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (output += text));
  const memoryTimer = setInterval(() => {
    peakMb = Math.max(peakMb, peakOf(child.pid));
  }, 100);
  const [status] = (await once(child, "close")) as [number | null];
  clearInterval(memoryTimer);
  const name = words.filter((word, index) => index < 2 || word === "--dry-run").join(" ");
  if (status !== 0) throw new Error(`\`${words.join(" ")}\` failed: ${output.slice(0, 2_000)}`);
  const ran = { name, seconds: (performance.now() - beganMs) / 1_000, peakMb, output };
  logLine(`${name}: ${ran.seconds.toFixed(1)} s, ${peakMb.toFixed(0)} MB`);
  return ran;
}

function peakOf(pid: number | undefined): number {
  try {
    const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kb ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

/** The first statement page of a merchant's last day, and of the whole month. */
async function measureStatements({ at }: MeasuredGateway, lastDay: string): Promise<readonly number[]> {
  const firstDay = addDays(lastDay, 1 - days);
  const path = "/ams/sandbox/api/v1/tollgate/inquiryStatements";
  const [merchant = { clientId: "" }] = at.merchants;
  const times: number[] = [];
  for (const fromDay of [lastDay, firstDay]) {
    const tries: number[] = [];
    for (let tried = 0; tried < 20; tried += 1)
      tries.push(
        await sendSigned(at, path, {
          clientId: merchant.clientId,
          body: { currency: "EUR", fromDay, toDay: lastDay },
        }),
      );
    times.push(tries.toSorted((a, b) => a - b)[10] ?? 0);
  }
  return times;
}

interface Measured {
  readonly baseline: Load;
  readonly close: CommandResult & { readonly load: Load };
  readonly plan: CommandResult;
  readonly payout: CommandResult & { readonly load: Load };
  readonly others: readonly CommandResult[];
  readonly statement: readonly number[];
}

function createReport({ baseline, close, plan, payout, others, statement }: Measured) {
  const closed = JSON.parse(close.output) as readonly unknown[];
  const { claimed } = JSON.parse(payout.output) as { readonly claimed: readonly unknown[] };
  const slowerMs = Math.max(close.load.pay.p99Ms, payout.load.pay.p99Ms) - baseline.pay.p99Ms;
  const commands = [close, plan, payout, ...others];
  const [day = 0, month = 0] = statement;
  return {
    figures: {
      merchants,
      movements,
      batches_closed: closed.length,
      payouts_claimed: claimed.length,
      ...Object.fromEntries(
        commands.map((ran) => [
          `${ran.name} takes`,
          `${ran.seconds.toFixed(1)} s, at most ${ran.peakMb.toFixed(0)} MB`,
        ]),
      ),
      statement_of_a_day: `${day.toFixed(0)} ms`,
      statement_of_the_month: `${month.toFixed(0)} ms`,
      usually: formatLoad(baseline),
      while_it_closes: formatLoad(close.load),
      while_it_pays_out: formatLoad(payout.load),
      load_average: loadavg()
        .map((each) => each.toFixed(1))
        .join(", "),
    },
    misses: [
      ...(closed.length < merchants
        ? [`${closed.length} batches were closed, and ${merchants} had ended.`]
        : []),
      ...(claimed.length < merchants
        ? [`${claimed.length} payouts were claimed, expected ${merchants}.`]
        : []),
      ...(close.seconds > closeSecondsMax ? [`A day's close took ${close.seconds.toFixed(0)} s.`] : []),
      ...(slowerMs > slowerMsMax
        ? [`pay takes ${slowerMs.toFixed(0)} ms longer at p99; the limit is ${slowerMsMax}.`]
        : []),
    ],
  };
}

function formatLoad({ pay, refund }: Load): string {
  const formatLatency = ({ p50Ms, p99Ms }: Latency): string =>
    `${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(0)} ms`;
  return `pay ${formatLatency(pay)}; refund ${formatLatency(refund)}`;
}

function logLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
