import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../server/src/postgres/temporary-postgres.ts";
import type { Answer } from "./oracle/history.ts";
import { buildImage, operateImage, startOfImage, userOfImage } from "./packages/package-image.ts";
import type { Container } from "./packages/podman.ts";
import { runProof, type Shown } from "./reports/run-proof.ts";
import {
  breakGround,
  isReady,
  openStreet,
  until,
  type Ground,
  type Street,
} from "./trial/test-environment.ts";
import { payBody } from "./trial/trial.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const proxyFile = join(root, "deploy/haproxy/haproxy.cfg");
/** The first commit after which migrations were only added, and the parent of this commit. */
const oldersDefault = ["506902a", "HEAD^"];
/** The limit of the additional latency of the slowest call during replacements. */
const moreMsMost = 1_000;
/** Warm-up in ms that is not measured, because a process that has just started responds more slowly. */
const warmMs = 25_000;
const calmMs = 15_000;
const betweenMs = 20_000;

await runProof({
  name: "rolling",
  claim:
    "Two `serve` and a `work` of an older commit's image run behind HAProxy with deploy/haproxy/haproxy.cfg, and merchants pay at a constant rate. The database is migrated, and each process is replaced by the new " +
    "image's, one after the other; then each is restarted once more. No call fails, each paid payment has its webhook, and every process exits with 0. " +
    `During the replacements the slowest call takes at most ${moreMsMost} ms more than the slowest at other times. ` +
    "Needs root, buildah, podman, runc and haproxy. Tries are payments per second, and the reached rate is reported; arguments are older commits, one after the other.",
  triesDefault: 30,
  async run({ tries, words, say }) {
    const next = await buildImage();
    const rolled: Shown[] = [];
    for (const older of words.length > 0 ? words : oldersDefault) {
      say(`from ${older}, load average ${loadavg()[0]?.toFixed(1)}`);
      const shown = await rollFrom(older, next, { perSecond: tries, say });
      const name = (figure: string): string => `${older}_${figure}`;
      rolled.push({
        figures: Object.fromEntries(Object.entries(shown.figures).map(([key, value]) => [name(key), value])),
        misses: shown.misses.map((miss) => `${older}: ${miss}`),
      });
    }
    return {
      figures: Object.assign({ payments_a_second_meant: tries }, ...rolled.map(({ figures }) => figures)),
      misses: rolled.flatMap(({ misses }) => misses),
    };
  },
});

async function rollFrom(
  older: string,
  next: string,
  { perSecond, say }: Pick<Rolling, "perSecond" | "say">,
): Promise<Shown> {
  const before = await buildOlder(older);
  say(`built ${before.slice(0, 12)} from ${older}, beside ${next.slice(0, 12)}`);
  const ground = await breakGround(userOfImage);
  try {
    const street = await openStreet(ground, operateImage(before, ground));
    try {
      return await roll({ ground, street, before, next, perSecond, say });
    } finally {
      await street.stop();
    }
  } finally {
    await ground.stop();
  }
}

interface Rolling {
  readonly ground: Ground;
  readonly street: Street;
  readonly before: string;
  readonly next: string;
  readonly perSecond: number;
  say(line: string): void;
}

async function roll({ ground, street, before, next, perSecond, say }: Rolling): Promise<Shown> {
  const ports = [await freePort(), await freePort()];
  const places: Place[] = [
    ...ports.map((port, index) => ({ name: `serve ${index + 1}`, port, ...serving(port) })),
    { name: "work", command: "work" as const, more: {} },
  ];
  const running = new Map<string, Container>();
  const start = async (place: Place, image: string): Promise<void> => {
    running.set(place.name, await startOfImage(image, ground, place.command, place.more));
    const { port } = place;
    if (port !== undefined) await until(() => isReady(port), `${place.name} to be ready`);
  };
  for (const place of places) await start(place, before);
  const proxy = startProxy(ground.port, ports);
  try {
    await until(() => isReady(ground.port), "HAProxy to reach a server");
    const load = startPayments(street, ground.port, perSecond);
    await waitMs(warmMs);
    const usualFromMs = street.nowMs();
    await waitMs(calmMs);
    const rolledFromMs = street.nowMs();
    const loads = [loadavg()[0]];
    const statuses: number[] = [];
    const migrated = await operateImage(next, ground)("migrate");
    say(`migrated: ${migrated.split("\n").join(", ")}`);
    for (const place of [...places, ...places]) {
      await waitMs(betweenMs);
      statuses.push((await running.get(place.name)?.stop()) ?? -1);
      await start(place, next);
      say(`${place.name} is replaced`);
    }
    await waitMs(betweenMs);
    const rolledUntilMs = street.nowMs();
    loads.push(loadavg()[0]);
    await waitMs(calmMs);
    const { asked, approved } = await load.stop();
    await until(async () => untold(street, approved).length === 0, "all notifications", 60_000).catch(
      () => undefined,
    );
    for (const { name } of places) statuses.push((await running.get(name)?.stop()) ?? -1);
    const isRolled = ({ sentAtMs }: Answer): boolean => sentAtMs >= rolledFromMs && sentAtMs < rolledUntilMs;
    const isUsual = (answer: Answer): boolean => answer.sentAtMs >= usualFromMs && !isRolled(answer);
    return judged({ street, asked, approved, statuses, isRolled, isUsual, loads });
  } finally {
    proxy.kill();
    for (const container of running.values()) await container.stop(1).catch(() => undefined);
  }
}

interface Place {
  readonly name: string;
  readonly command: "serve" | "work";
  /** The port of a serving process. */
  readonly port?: number;
  readonly more: Readonly<Record<string, string>>;
}

function serving(port: number): Pick<Place, "command" | "more"> {
  return { command: "serve", more: { TOLLGATE_PORT: String(port), TOLLGATE_DRAIN_SECONDS: "5" } };
}

/** The operators' file, unchanged. */
function startProxy(front: number, ports: readonly number[]): { kill(): void } {
  const [first, second] = ports.map((port) => `127.0.0.1:${port}`);
  const own = { TOLLGATE_FRONT: `127.0.0.1:${front}`, TOLLGATE_SERVE_1: first, TOLLGATE_SERVE_2: second };
  const proxy = spawn("haproxy", ["-db", "-f", proxyFile], {
    env: { ...process.env, ...own },
    stdio: "ignore",
  });
  const kill = (): void => void proxy.kill();
  process.once("exit", kill);
  return { kill };
}

interface Payments {
  /** Waits for the payments in progress. */
  stop(): Promise<{ readonly asked: number; readonly approved: ReadonlySet<string> }>;
}

/**
 * Open loop: merchants arrive at a constant rate, however slow the gateway is. Every call is made once, without
 * retries.
 */
function startPayments(
  { caller, merchants, notifyUrl, approve, nowMs }: Street,
  port: number,
  perSecond: number,
): Payments {
  const underWay = new Set<Promise<void>>();
  const approved = new Set<string>();
  const startedAtMs = nowMs();
  let asked = 0;
  const pay = async (requestId: string): Promise<void> => {
    const merchant = merchants[asked % merchants.length];
    if (!merchant) return;
    const body = payBody(requestId, notifyUrl);
    const answer = await caller.call({ verb: "pay", merchant, requestId, body, port });
    if (answer?.id === undefined) return;
    if (await approve(answer.id)) approved.add(answer.id);
  };
  const timer = setInterval(() => {
    while (asked < ((nowMs() - startedAtMs) / 1_000) * perSecond) {
      asked += 1;
      const payment = pay(`rolling-${asked}`).finally(() => underWay.delete(payment));
      underWay.add(payment);
    }
  }, 10);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      return { asked, approved };
    },
  };
}

function untold({ history }: Street, approved: ReadonlySet<string>): readonly string[] {
  const told = new Set(
    history.notifications
      .filter(({ isSigned, resultStatus }) => isSigned && resultStatus === "S")
      .map(({ paymentId }) => paymentId),
  );
  return [...approved].filter((id) => !told.has(id));
}

interface Ended {
  readonly street: Street;
  readonly asked: number;
  readonly approved: ReadonlySet<string>;
  readonly statuses: readonly number[];
  /** Load of the machine, before and after processes were replaced. */
  readonly loads: readonly (number | undefined)[];
  /**
   * Returns whether a call was made during the replacements; `isUsual` returns whether it was made while nothing
   * happened.
   */
  isRolled(answer: Answer): boolean;
  isUsual(answer: Answer): boolean;
}

function judged({ street, asked, approved, statuses, isRolled, isUsual, loads }: Ended): Shown {
  const { answers, unansweredAtMs } = street.history;
  const allFailed = answers.filter(({ id, isSigned }) => id === undefined || !isSigned);
  // At the start, new processes get the full rate at once. Their rejections in this time do not count, because the
  // rolling upgrade does not cause them.
  const failed = allFailed.filter((answer) => isUsual(answer) || isRolled(answer));
  const calm = latencies(answers.filter(isUsual));
  const rolled = latencies(answers.filter(isRolled));
  const unheard = untold(street, approved);
  const moreMs = at(rolled, 1) - at(calm, 1);
  return {
    figures: {
      payments_a_second: reached(answers),
      calls: asked,
      calls_while_replaced: rolled.length,
      refused_while_warming_up: allFailed.length - failed.length,
      failed: failed.length + unansweredAtMs.length,
      failed_while_replaced: failed.filter(isRolled).length,
      usual_p50_p99_most_ms: [at(calm, 0.5), at(calm, 0.99), at(calm, 1)].join(", "),
      replaced_p50_p99_most_ms: [at(rolled, 0.5), at(rolled, 0.99), at(rolled, 1)].join(", "),
      paid_and_told: `${approved.size - unheard.length} of ${approved.size}`,
      exit_statuses: statuses.join(" "),
      load_average: loads.map((load) => load?.toFixed(1)).join(", "),
    },
    misses: [
      ...failed.map(({ requestId, httpStatus, resultCode }) => `${requestId}: ${httpStatus} ${resultCode}`),
      ...unansweredAtMs.map((ms) => `no response at ${Math.round(ms)} ms`),
      ...(moreMs > moreMsMost
        ? [`the slowest call during the replacements took ${moreMs} ms more than at other times`]
        : []),
      ...unheard.map((id) => `${id} was paid, and its merchant got no webhook`),
      ...statuses.filter((status) => status !== 0).map((status) => `a container exited with ${status}`),
    ],
  };
}

/** Responses per second, from the first call to the last response. */
function reached(answers: readonly Answer[]): number {
  const firstMs = answers.reduce((ms, { sentAtMs }) => Math.min(ms, sentAtMs), Infinity);
  const lastMs = answers.reduce((ms, { answeredAtMs }) => Math.max(ms, answeredAtMs), 0);
  return Math.round((answers.length / (lastMs - firstMs)) * 10_000) / 10;
}

function latencies(answers: readonly Answer[]): readonly number[] {
  return answers.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs).sort((a, b) => a - b);
}

function at(sorted: readonly number[], share: number): number {
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
