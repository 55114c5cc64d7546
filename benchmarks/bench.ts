import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { compareWith } from "./compare-revisions.ts";
import { full, smoke, type Extent } from "./extent.ts";
import { startMeasuredGateway, type MeasuredGateway } from "./measured-gateway.ts";
import {
  countColumns,
  kindColumns,
  lastLine,
  limitColumns,
  median,
  formatTable,
  type KindRound,
  type LimitRound,
} from "./report.ts";
import { startLimit, type Limit } from "./start-limit.ts";
import { withoutTelemetry } from "./without-telemetry.ts";

/**
 * Measures the CPU time of an inquiry and of a payment, compared with a fixed limit (`limit-1.ts`). Both are measured
 * alternately in one run, because a machine's speed drifts. With `--against REV`, another revision replaces the limit.
 */
const usage = `Measure the CPU time of a payment and of an inquiry.\n\n  npm run bench [-- OPTIONS]\n\n  --smoke         Run two short rounds, as a test without valid figures\n  --rounds N      Number of rounds (default 5)\n  --against REV   Compare with another revision instead of the limit\n  --unwatched     Compare with the last commit without metrics and traces\n`;

interface Round {
  readonly limit: LimitRound;
  readonly accept: KindRound;
  readonly whole: KindRound;
  readonly inquiry: KindRound;
}

// Exit handlers end all child processes, and these signals run them, too.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    rounds: { type: "string" },
    against: { type: "string" },
    unwatched: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
const defaultExtent = options.smoke ? smoke : full;
const extentOfRun = { ...defaultExtent, rounds: Number(options.rounds ?? defaultExtent.rounds) };
if (!(extentOfRun.rounds >= 1)) throw new Error("--rounds must be at least 1.");
if (options.help) print(usage);
else if (options.unwatched) await compareWith(withoutTelemetry, extentOfRun, print);
else if (options.against !== undefined)
  await compareWith({ name: options.against, revision: options.against }, extentOfRun, print);
else await benchWithLimit(extentOfRun);

async function benchWithLimit(extent: Extent): Promise<void> {
  const limit = await startLimit();
  try {
    const gateway = await startMeasuredGateway();
    try {
      await benchAll(limit, gateway, extent);
    } finally {
      await gateway.stop();
    }
  } finally {
    await limit.stop();
  }
}

async function benchAll(limit: Limit, gateway: MeasuredGateway, extent: Extent): Promise<void> {
  await gateway.warmUp(extent.warmUpMs, extent.payments);
  await limit.round(extent.limitPayments);
  const rounds: Round[] = [];
  while (rounds.length < extent.rounds) rounds.push(await measureRound(limit, gateway, extent));
  print(
    formatTable(
      "limit-1, CPU µs",
      limitColumns,
      rounds.map((round) => round.limit),
    ),
  );
  const kinds = {
    accept: medianOfKind(rounds, "accept"),
    whole: medianOfKind(rounds, "whole"),
    inquiry: medianOfKind(rounds, "inquiry"),
  };
  const halfLoad = Math.max(1, Math.round(kinds.accept.perSecond / 2));
  const { p50Ms, p99Ms } = await gateway.latency(halfLoad, extent.latencySeconds);
  print(`pay at half load, open loop: ${halfLoad}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
  const { counts } = await gateway.count(extent.counted);
  print(formatTable("counted per whole payment", countColumns, [counts]));
  print(`load average ${loadavg()[0]?.toFixed(2)}`);
  print(lastLine(kinds));
}

function medianOfKind(rounds: readonly Round[], kind: "accept" | "whole" | "inquiry"): KindRound {
  const roundsOfKind = rounds.map((round) => round[kind]);
  print(formatTable(`${kind}, CPU µs`, kindColumns, roundsOfKind));
  return median(kindColumns, roundsOfKind);
}

async function measureRound(limit: Limit, gateway: MeasuredGateway, extent: Extent): Promise<Round> {
  const limitRound = await limit.round(extent.limitPayments);
  const payment = await gateway.pay(extent.payments);
  const inquiry = await gateway.inquire(extent.inquiryMs);
  const { accept, settle, perSecond } = payment;
  const whole = {
    serveUs: accept.serveUs + settle.serveUs,
    workUs: accept.workUs + settle.workUs,
    postgresUs: accept.postgresUs + settle.postgresUs,
    allUs: accept.allUs + settle.allUs,
  };
  return {
    limit: limitRound,
    accept: compareWithLimit(limitRound.acceptUs, limitRound.acceptHopsUs, { ...accept, perSecond }),
    whole: compareWithLimit(limitRound.wholeUs, limitRound.wholeHopsUs, { ...whole, perSecond }),
    inquiry: compareWithLimit(limitRound.inquiryUs, limitRound.inquiryHopsUs, inquiry),
  };
}

function compareWithLimit(
  forcedUs: number,
  limitUs: number,
  ours: Omit<KindRound, "forcedUs" | "limitUs" | "ratio">,
): KindRound {
  return { ...ours, forcedUs, limitUs, ratio: limitUs / ours.allUs };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
