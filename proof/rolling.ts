import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../server/src/postgres/temporary-postgres.ts";
import type { Answer } from "./oracle/history.ts";
import { buildImage, newImageOperator, startImage, imageUser } from "./packages/package-image.ts";
import type { Container } from "./packages/podman.ts";
import { runProof, type ProofResult } from "./reports/run-proof.ts";
import {
  prepareHost,
  isReady,
  openCounterparties,
  waitUntil,
  type PreparedHost,
  type Counterparties,
} from "./trial/test-environment.ts";
import { payBody } from "./trial/trial.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const proxyFile = join(root, "deploy/haproxy/haproxy.cfg");
/** The first commit after which migrations were only added, and the parent of this commit. */
const olderCommitsDefault = ["506902a", "HEAD^"];
/** The limit of the additional latency of the slowest call during replacements. */
const addedMsMax = 1_000;
/** Warm-up in ms that is not measured, because a process that has just started responds more slowly. */
const warmMs = 25_000;
const calmMs = 15_000;
const betweenMs = 20_000;

await runProof({
  name: "rolling",
  claim:
    "Two `serve` and a `work` of an older commit's image run behind HAProxy with deploy/haproxy/haproxy.cfg, and merchants pay at a constant rate. The database is migrated, and each process is replaced by the new " +
    "image's, one after the other; then each is restarted once more. No call fails, each paid payment has its webhook, and every process exits with 0. " +
    `During the replacements the slowest call takes at most ${addedMsMax} ms more than the slowest at other times. ` +
    "Needs root, buildah, podman, runc and haproxy. Tries are payments per second, and the reached rate is reported; arguments are older commits, one after the other.",
  triesDefault: 30,
  async run({ tries, args, logProgress }) {
    const newImage = await buildImage();
    const commitResults: ProofResult[] = [];
    for (const olderCommit of args.length > 0 ? args : olderCommitsDefault) {
      logProgress(`from ${olderCommit}, load average ${loadavg()[0]?.toFixed(1)}`);
      const result = await upgradeFrom(olderCommit, newImage, { perSecond: tries, logProgress });
      const prefixed = (figure: string): string => `${olderCommit}_${figure}`;
      commitResults.push({
        figures: Object.fromEntries(
          Object.entries(result.figures).map(([key, value]) => [prefixed(key), value]),
        ),
        misses: result.misses.map((miss) => `${olderCommit}: ${miss}`),
      });
    }
    return {
      figures: Object.assign(
        { payments_a_second_meant: tries },
        ...commitResults.map(({ figures }) => figures),
      ),
      misses: commitResults.flatMap(({ misses }) => misses),
    };
  },
});

async function upgradeFrom(
  olderCommit: string,
  newImage: string,
  { perSecond, logProgress }: Pick<UpgradeOptions, "perSecond" | "logProgress">,
): Promise<ProofResult> {
  const oldImage = await buildOlder(olderCommit);
  logProgress(`built ${oldImage.slice(0, 12)} from ${olderCommit}, next to ${newImage.slice(0, 12)}`);
  const host = await prepareHost(imageUser);
  try {
    const counterparties = await openCounterparties(host, newImageOperator(oldImage, host));
    try {
      return await runUpgrade({ host, counterparties, oldImage, newImage, perSecond, logProgress });
    } finally {
      await counterparties.stop();
    }
  } finally {
    await host.stop();
  }
}

interface UpgradeOptions {
  readonly host: PreparedHost;
  readonly counterparties: Counterparties;
  readonly oldImage: string;
  readonly newImage: string;
  readonly perSecond: number;
  logProgress(line: string): void;
}

async function runUpgrade({
  host,
  counterparties,
  oldImage,
  newImage,
  perSecond,
  logProgress,
}: UpgradeOptions): Promise<ProofResult> {
  const ports = [await findFreePort(), await findFreePort()];
  const slots: ProcessSlot[] = [
    ...ports.map((port, index) => ({ name: `serve ${index + 1}`, port, ...newServeSlot(port) })),
    { name: "work", command: "work" as const, extraVariables: {} },
  ];
  const running = new Map<string, Container>();
  const startSlot = async (slot: ProcessSlot, image: string): Promise<void> => {
    running.set(slot.name, await startImage(image, host, slot.command, slot.extraVariables));
    const { port } = slot;
    if (port !== undefined) await waitUntil(() => isReady(port), `${slot.name} to be ready`);
  };
  for (const slot of slots) await startSlot(slot, oldImage);
  const proxy = startProxy(host.port, ports);
  try {
    await waitUntil(() => isReady(host.port), "HAProxy to reach a server");
    const load = startOpenLoop(counterparties, host.port, perSecond);
    await waitMs(warmMs);
    const measuredFromMs = counterparties.nowMs();
    await waitMs(calmMs);
    const replacedFromMs = counterparties.nowMs();
    const loads = [loadavg()[0]];
    const statuses: number[] = [];
    const migrated = await newImageOperator(newImage, host)("migrate");
    logProgress(`migrated: ${migrated.split("\n").join(", ")}`);
    for (const slot of [...slots, ...slots]) {
      await waitMs(betweenMs);
      statuses.push((await running.get(slot.name)?.stop()) ?? -1);
      await startSlot(slot, newImage);
      logProgress(`${slot.name} is replaced`);
    }
    await waitMs(betweenMs);
    const replacedUntilMs = counterparties.nowMs();
    loads.push(loadavg()[0]);
    await waitMs(calmMs);
    const { sentCount, approved } = await load.stop();
    await waitUntil(
      async () => findUnnotified(counterparties, approved).length === 0,
      "all notifications",
      60_000,
    ).catch(() => undefined);
    for (const { name } of slots) statuses.push((await running.get(name)?.stop()) ?? -1);
    const isDuringReplacement = ({ sentAtMs }: Answer): boolean =>
      sentAtMs >= replacedFromMs && sentAtMs < replacedUntilMs;
    const isOutsideReplacement = (answer: Answer): boolean =>
      answer.sentAtMs >= measuredFromMs && !isDuringReplacement(answer);
    return buildResult({
      counterparties,
      sentCount,
      approved,
      statuses,
      isDuringReplacement,
      isOutsideReplacement,
      loads,
    });
  } finally {
    proxy.kill();
    for (const container of running.values()) await container.stop(1).catch(() => undefined);
  }
}

interface ProcessSlot {
  readonly name: string;
  readonly command: "serve" | "work";
  /** The port of a serving process. */
  readonly port?: number;
  readonly extraVariables: Readonly<Record<string, string>>;
}

function newServeSlot(port: number): Pick<ProcessSlot, "command" | "extraVariables"> {
  return { command: "serve", extraVariables: { TOLLGATE_PORT: String(port), TOLLGATE_DRAIN_SECONDS: "5" } };
}

/** The operators' file, unchanged. */
function startProxy(frontPort: number, ports: readonly number[]): { kill(): void } {
  const [first, second] = ports.map((port) => `127.0.0.1:${port}`);
  const proxyVariables = {
    TOLLGATE_FRONT: `127.0.0.1:${frontPort}`,
    TOLLGATE_SERVE_1: first,
    TOLLGATE_SERVE_2: second,
  };
  const proxy = spawn("haproxy", ["-db", "-f", proxyFile], {
    env: { ...process.env, ...proxyVariables },
    stdio: "ignore",
  });
  const kill = (): void => void proxy.kill();
  process.once("exit", kill);
  return { kill };
}

interface OpenLoop {
  /** Waits for the payments in progress. */
  stop(): Promise<{ readonly sentCount: number; readonly approved: ReadonlySet<string> }>;
}

/**
 * Open loop: merchants arrive at a constant rate, however slow the gateway is. Every call is made once, without
 * retries.
 */
function startOpenLoop(
  { caller, merchants, notifyUrl, approve, nowMs }: Counterparties,
  port: number,
  perSecond: number,
): OpenLoop {
  const inProgress = new Set<Promise<void>>();
  const approved = new Set<string>();
  const startedAtMs = nowMs();
  let sentCount = 0;
  const pay = async (requestId: string): Promise<void> => {
    const merchant = merchants[sentCount % merchants.length];
    if (!merchant) return;
    const body = payBody(requestId, notifyUrl);
    const answer = await caller.call({ verb: "pay", merchant, requestId, body, port });
    if (answer?.id === undefined) return;
    if (await approve(answer.id)) approved.add(answer.id);
  };
  const timer = setInterval(() => {
    while (sentCount < ((nowMs() - startedAtMs) / 1_000) * perSecond) {
      sentCount += 1;
      const payment = pay(`rolling-${sentCount}`).finally(() => inProgress.delete(payment));
      inProgress.add(payment);
    }
  }, 10);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(inProgress);
      return { sentCount, approved };
    },
  };
}

function findUnnotified({ history }: Counterparties, approved: ReadonlySet<string>): readonly string[] {
  const notified = new Set(
    history.notifications
      .filter(({ isSigned, resultStatus }) => isSigned && resultStatus === "S")
      .map(({ paymentId }) => paymentId),
  );
  return [...approved].filter((id) => !notified.has(id));
}

interface UpgradeRun {
  readonly counterparties: Counterparties;
  readonly sentCount: number;
  readonly approved: ReadonlySet<string>;
  readonly statuses: readonly number[];
  /** Load of the machine, before and after processes were replaced. */
  readonly loads: readonly (number | undefined)[];
  /**
   * Returns whether a call was made during the replacements; `isOutsideReplacement` returns whether it was made while
   * nothing happened.
   */
  isDuringReplacement(answer: Answer): boolean;
  isOutsideReplacement(answer: Answer): boolean;
}

function buildResult({
  counterparties,
  sentCount,
  approved,
  statuses,
  isDuringReplacement,
  isOutsideReplacement,
  loads,
}: UpgradeRun): ProofResult {
  const { answers, unansweredAtMs } = counterparties.history;
  const allFailed = answers.filter(({ id, isSigned }) => id === undefined || !isSigned);
  // At the start, new processes get the full rate at once. Their rejections in this time do not count, because the
  // rolling upgrade does not cause them.
  const failed = allFailed.filter((answer) => isOutsideReplacement(answer) || isDuringReplacement(answer));
  const usualLatencies = latencies(answers.filter(isOutsideReplacement));
  const replacementLatencies = latencies(answers.filter(isDuringReplacement));
  const unnotified = findUnnotified(counterparties, approved);
  const addedMs = percentile(replacementLatencies, 1) - percentile(usualLatencies, 1);
  return {
    figures: {
      payments_a_second: measureRate(answers),
      calls: sentCount,
      calls_while_replaced: replacementLatencies.length,
      refused_while_warming_up: allFailed.length - failed.length,
      failed: failed.length + unansweredAtMs.length,
      failed_while_replaced: failed.filter(isDuringReplacement).length,
      usual_p50_p99_most_ms: [
        percentile(usualLatencies, 0.5),
        percentile(usualLatencies, 0.99),
        percentile(usualLatencies, 1),
      ].join(", "),
      replaced_p50_p99_most_ms: [
        percentile(replacementLatencies, 0.5),
        percentile(replacementLatencies, 0.99),
        percentile(replacementLatencies, 1),
      ].join(", "),
      paid_and_told: `${approved.size - unnotified.length} of ${approved.size}`,
      exit_statuses: statuses.join(" "),
      load_average: loads.map((load) => load?.toFixed(1)).join(", "),
    },
    misses: [
      ...failed.map(({ requestId, httpStatus, resultCode }) => `${requestId}: ${httpStatus} ${resultCode}`),
      ...unansweredAtMs.map((ms) => `no response at ${Math.round(ms)} ms`),
      ...(addedMs > addedMsMax
        ? [`the slowest call during the replacements took ${addedMs} ms more than at other times`]
        : []),
      ...unnotified.map((id) => `${id} was paid, and its merchant got no webhook`),
      ...statuses.filter((status) => status !== 0).map((status) => `a container exited with ${status}`),
    ],
  };
}

/** Responses per second, from the first call to the last response. */
function measureRate(answers: readonly Answer[]): number {
  const firstMs = answers.reduce((ms, { sentAtMs }) => Math.min(ms, sentAtMs), Infinity);
  const lastMs = answers.reduce((ms, { answeredAtMs }) => Math.max(ms, answeredAtMs), 0);
  return Math.round((answers.length / (lastMs - firstMs)) * 10_000) / 10;
}

function latencies(answers: readonly Answer[]): readonly number[] {
  return answers.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs).sort((a, b) => a - b);
}

function percentile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

/** The image of an older commit, built by its own scripts. */
async function buildOlder(commit: string): Promise<string> {
  const tree = mkdtempSync(join(tmpdir(), "tollgate-older-"));
  try {
    const input = execFileSync("git", ["archive", "--format=tar", commit], { cwd: root, maxBuffer: 2 ** 28 });
    execFileSync("tar", ["-x", "-C", tree], { input });
    symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
    return await buildImage(tree);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}
