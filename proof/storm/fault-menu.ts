import { setTimeout as waitMs } from "node:timers/promises";
import type { FailOver } from "../installation/cluster.ts";
import type { FaultProxy, LineFault } from "../installation/fault-proxy.ts";
import type { FaultSeen } from "../oracle/history.ts";
import { database, serveLogin, workLogin, type Installation } from "../installation/installation.ts";
import type { Part } from "../installation/part.ts";
import { until } from "../installation/postgres-server.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";
import type { WalletProcess } from "../installation/provider-process.ts";

/** A fault to inject, which repairs itself. */
export interface Fault {
  readonly kind: string;
  readonly target: string;
  /** Faults at the same place never overlap. */
  readonly place: string;
  /**
   * Pause at this place after the fault, in ms. With continuous faults, no work would complete, and the storm would
   * prove less.
   */
  readonly restMs?: number;
  /** Injects the fault, waits, repairs it. */
  strike(): Promise<void>;
}

/** Repair times, in ms. */
export interface Repairs {
  readonly failOvers: (FailOver & { readonly standbyMs: number })[];
  readonly restartsMs: number[];
}

export interface Menu {
  /** Draws a random fault by the weights. */
  draw(): Fault;
  /** Rare faults by name, which even a short storm must include. */
  readonly named: Readonly<Record<NamedFault, () => Fault>>;
  readonly repairs: Repairs;
}

type NamedFault =
  | "fail over"
  | "fail over frozen"
  | "kill primary"
  | "long freeze"
  | "partition"
  | "connections used up"
  | "small pool";

export interface MenuOptions {
  /** Duration of a network partition between one serving process and its database. */
  readonly partitionMs: readonly [least: number, most: number];
  /** Whether the providers can delay a request until after the gateway's timeout. */
  readonly lateArrival: boolean;
}

const databaseRestMs = 3_000;

/**
 * Duration of a freeze that is longer than a job lease of 15 s. After the freeze the process continues with jobs that
 * other processes have taken over.
 */
const longerThanALeaseMs = 16_500;

export function newMenu(installation: Installation, random: Random, options: MenuOptions): Menu {
  const repairs: Repairs = { failOvers: [], restartsMs: [] };
  const { cluster, serves, works, providers, lines } = installation;
  const parts = [...serves, ...works, ...(installation.secondCell?.parts ?? [])];
  const failOver = (frozenFirst: boolean): Fault => ({
    kind: frozenFirst ? "failover, frozen" : "failover, killed",
    target: "primary",
    place: "database",
    restMs: databaseRestMs,
    async strike() {
      const lost = await cluster.failOver({ frozenFirst });
      repairs.failOvers.push({ ...lost, standbyMs: await cluster.buildStandby() });
    },
  });
  const killPrimary = (): Fault => ({
    kind: "primary killed",
    target: "primary",
    place: "database",
    restMs: databaseRestMs,
    async strike() {
      await cluster.killPrimary();
      await waitMs(random.between(0, 500));
      repairs.restartsMs.push(await cluster.restartPrimary());
    },
  });
  const named = {
    "fail over": () => failOver(false),
    "fail over frozen": () => failOver(true),
    "kill primary": killPrimary,
    "long freeze": () => freeze(random.pick(parts), longerThanALeaseMs),
    partition: () => partition(random, lines, random.between(...options.partitionMs)),
    "connections used up": () => connectionsUsedUp(installation, random),
    "small pool": () => smallPool(random.pick(serves), random.between(2_000, 6_000)),
  };
  const all: readonly { readonly weight: number; readonly make: () => Fault }[] = [
    { weight: 3, make: () => kill(random.pick(parts)) },
    { weight: 6, make: () => freeze(random.pick(parts), random.between(200, 2_500)) },
    { weight: 0.2, make: named["long freeze"] },
    { weight: 1, make: () => kill(random.pick(providers).part) },
    { weight: 36, make: () => lineFault(random, random.pick(linesOf(lines))) },
    { weight: 0.2, make: named.partition },
    { weight: 0.6, make: named["connections used up"] },
    { weight: 0.4, make: named["small pool"] },
    { weight: 3, make: () => terminateBackends(installation, random) },
    { weight: 0.4, make: killPrimary },
    { weight: 0.6, make: () => freezePrimary(installation, random) },
    { weight: 0.4, make: () => failOver(random.chance(0.5)) },
    { weight: 40, make: () => providerFault(random.pick(providers), random, options) },
  ];
  return { draw: () => random.weighted(all).make(), named, repairs };
}

/** `seen` returns a fault as the history records it. */
export function seen({ kind, target }: Fault, atMs: number, forMs: number): FaultSeen {
  return { kind, target, atMs, forMs };
}

function kill(part: Part): Fault {
  return {
    kind: "process killed",
    target: part.name,
    place: part.name,
    async strike() {
      await part.kill();
      await part.start();
    },
  };
}

function freeze(part: Part, forMs: number): Fault {
  return {
    kind: forMs > 15_000 ? "process frozen past its lease" : "process frozen",
    target: part.name,
    place: part.name,
    async strike() {
      part.freeze();
      await waitMs(forMs);
      part.thaw();
    },
  };
}

interface NamedLine {
  readonly name: string;
  readonly line: FaultProxy;
}

function linesOf(lines: Installation["lines"]): readonly NamedLine[] {
  return [
    ...lines.merchantsToServe.map((line, index) => ({ name: `merchants to serve ${index + 1}`, line })),
    ...lines.gatewayToProviders.map((line, index) => ({ name: `gateway to provider ${index + 1}`, line })),
    { name: "provider to serve", line: lines.providerToServe },
    { name: "work to shop", line: lines.workToShop },
    ...lines.servesToDatabase.map((line, index) => ({ name: `serve ${index + 1} to database`, line })),
    { name: "work to database", line: lines.workToDatabase },
    ...lines.toSecondCell.map((line) => ({ name: "cell a to cell b", line })),
  ];
}

function lineFault(random: Random, { name, line }: NamedLine): Fault {
  const forMs = random.between(100, 1_500);
  const fault = random.pick<LineFault | { readonly kind: "reset" }>([
    { kind: "reset" },
    { kind: "refuse" },
    { kind: "black-hole" },
    { kind: "delay", delayMs: random.between(20, 400) },
    { kind: "cut-after", bytes: random.between(1, 4_000) },
    { kind: "throttle", bytesPerSecond: random.between(2_000, 40_000) },
  ]);
  return {
    kind: `line: ${fault.kind}`,
    target: name,
    place: name,
    async strike() {
      if (fault.kind === "reset") return line.reset();
      line.fail(fault);
      await waitMs(forMs);
      line.heal();
    },
  };
}

/** Network partition: one of two serving processes does not reach its database, for longer than callers wait. */
function partition(random: Random, { servesToDatabase }: Installation["lines"], forMs: number): Fault {
  const index = random.between(0, servesToDatabase.length - 1);
  const name = `serve ${index + 1} to database`;
  return {
    kind: "partition",
    target: name,
    place: name,
    async strike() {
      servesToDatabase[index]?.fail({ kind: "black-hole" });
      await waitMs(forMs);
      servesToDatabase[index]?.heal();
    },
  };
}

/** Connection exhaustion: PostgreSQL accepts no more connections of ours, just after half of them were closed. */
function connectionsUsedUp({ cluster }: Installation, random: Random): Fault {
  const forMs = random.between(1_000, 3_000);
  const limit = (count: number): Promise<unknown> =>
    cluster.execute(
      "postgres",
      `alter role ${serveLogin} connection limit ${count}; alter role ${workLogin} connection limit ${count}`,
    );
  return {
    kind: "connections used up",
    target: "primary",
    place: "database",
    restMs: databaseRestMs,
    async strike() {
      await limit(0);
      await cluster.execute("postgres", endBackends(0.5));
      await waitMs(forMs);
      await limit(-1);
    },
  };
}

/** A misconfigured pool of two connections, corrected after a while. */
function smallPool(part: Part, forMs: number): Fault {
  return {
    kind: "small pool",
    target: part.name,
    place: part.name,
    async strike() {
      await part.kill();
      await part.start({ TOLLGATE_DATABASE_CONNECTIONS_MAX: "2" });
      await waitMs(forMs);
      await part.kill();
      await part.start();
    },
  };
}

function endBackends(share: number): string {
  return `select pg_terminate_backend(pid) from pg_stat_activity
    where datname like '${database}%' and application_name like 'tollgate%' and random() < ${share}`;
}

function terminateBackends({ cluster }: Installation, random: Random): Fault {
  const share = random.pick([0.2, 0.5, 1]);
  return {
    kind: "connections ended",
    target: "primary",
    place: "database",
    restMs: databaseRestMs,
    async strike() {
      // While clients reconnect after the last fault, PostgreSQL may refuse even a superuser with "too many clients" (53300).
      await until(
        () =>
          cluster.execute("postgres", endBackends(share)).then(
            () => true,
            (error: unknown) => {
              if ((error as { code?: string }).code !== "53300") throw error;
              return false;
            },
          ),
        30_000,
      );
    },
  };
}

function freezePrimary({ cluster }: Installation, random: Random): Fault {
  const forMs = random.between(300, 2_500);
  return {
    kind: "primary frozen",
    target: "primary",
    place: "database",
    restMs: databaseRestMs,
    async strike() {
      await cluster.freezePrimary();
      await waitMs(forMs);
      await cluster.thawPrimary();
    },
  };
}

interface ProviderFault {
  readonly kind: string;
  readonly [more: string]: unknown;
}

function providerFault(provider: WalletProcess, random: Random, { lateArrival }: MenuOptions): Fault {
  const verb = random.pick(["submit", "inquire", "cancel", "refund", "capture", "inquire-refund"]);
  const count = random.between(1, 3);
  const forMs = random.between(200, 900);
  const acts = random.pick(["refund", "refund", "capture", "cancel"]);
  // A delayed request arrives after its retry. At the provider that is not idempotent, it arrives before the end of the
  // quiet time.
  const lateMs = provider.repeatsItself ? random.between(500, 4_000) : random.between(1_500, 13_500);
  const fault = random.pick<ProviderFault>([
    { kind: "answer-lost", match: { verb }, count },
    { kind: "late-answer", match: { verb }, count, delayMs: random.between(100, 6_000) },
    { kind: "garbage", match: { verb }, count, wrong: random.pick(["body", "signature"]) },
    { kind: "error-500", match: { verb }, count },
    { kind: "refuse-connection", match: { verb }, count },
    // Stale reads: inquiries in these seconds do not find the order, whatever a callback reports.
    { kind: "inquiry-lag", count: 4 * count, delayMs: random.between(500, 5_000) },
    { kind: "callback-twice", count },
    { kind: "callback-drop", count },
    { kind: "refuse", match: { verb: random.pick(["refund", "capture"]) }, count, resultCode: "RISK_REJECT" },
    { kind: "refund-pending", match: { verb: "refund" }, count, delayMs: random.between(100, 4_000) },
    ...(lateArrival ? [{ kind: "late-arrival", match: { verb: acts }, count, delayMs: lateMs }] : []),
  ]);
  return {
    kind: `provider: ${fault.kind}`,
    target: provider.connector,
    place: `${provider.connector}'s conduct`,
    async strike() {
      // The error is ignored: the provider may be down at this moment because of another fault.
      await provider.control("POST", "/control/faults", fault).catch(() => undefined);
      await waitMs(forMs);
      // Unused faults must not accumulate, because they would hit every probe of an open circuit breaker.
      await provider.clearFaults().catch(() => undefined);
    },
  };
}
