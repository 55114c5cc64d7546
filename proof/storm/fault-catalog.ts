import { setTimeout as waitMs } from "node:timers/promises";
import type { FailOver } from "../installation/postgres-cluster.ts";
import type { FaultProxy, NetworkFault } from "../installation/fault-proxy.ts";
import type { InjectedFault } from "../oracle/history.ts";
import { database, serveLogin, workLogin, type Installation } from "../installation/installation.ts";
import type { ManagedProcess } from "../installation/managed-process.ts";
import { waitUntil } from "../installation/postgres-server.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";
import type { ProviderProcess } from "../installation/provider-process.ts";

/** A fault to inject, which repairs itself. */
export interface Fault {
  readonly kind: string;
  readonly target: string;
  /** Faults at the same place never overlap. */
  readonly resource: string;
  /**
   * Pause at this place after the fault, in ms. With continuous faults, no work would complete, and the storm would
   * prove less.
   */
  readonly pauseAfterMs?: number;
  /** Injects the fault, waits, repairs it. */
  inject(): Promise<void>;
}

/** Repair times, in ms. */
export interface Repairs {
  readonly failOvers: (FailOver & { readonly standbyMs: number })[];
  readonly restartsMs: number[];
}

export interface FaultCatalog {
  /** Draws a random fault by the weights. */
  draw(): Fault;
  /** Rare faults by name, which even a short storm must include. */
  readonly rareFaults: Readonly<Record<NamedFault, () => Fault>>;
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

export interface FaultCatalogOptions {
  /** Duration of a network partition between one serving process and its database. */
  readonly partitionMs: readonly [minMs: number, maxMs: number];
  /** Whether the providers can delay a request until after the gateway's timeout. */
  readonly lateArrival: boolean;
}

const databasePauseMs = 3_000;

/**
 * Duration of a freeze that is longer than a job lease of 15 s. After the freeze the process continues with jobs that
 * other processes have taken over.
 */
const longerThanLeaseMs = 16_500;

export function newFaultCatalog(
  installation: Installation,
  random: Random,
  options: FaultCatalogOptions,
): FaultCatalog {
  const repairs: Repairs = { failOvers: [], restartsMs: [] };
  const { cluster, serves, works, providers, proxies } = installation;
  const processes = [...serves, ...works, ...(installation.secondCell?.processes ?? [])];
  const newFailOver = (frozenFirst: boolean): Fault => ({
    kind: frozenFirst ? "failover, frozen" : "failover, killed",
    target: "primary",
    resource: "database",
    pauseAfterMs: databasePauseMs,
    async inject() {
      const outcome = await cluster.failOver({ frozenFirst });
      repairs.failOvers.push({ ...outcome, standbyMs: await cluster.buildStandby() });
    },
  });
  const newPrimaryKill = (): Fault => ({
    kind: "primary killed",
    target: "primary",
    resource: "database",
    pauseAfterMs: databasePauseMs,
    async inject() {
      await cluster.killPrimary();
      await waitMs(random.between(0, 500));
      repairs.restartsMs.push(await cluster.restartPrimary());
    },
  });
  const rareFaults = {
    "fail over": () => newFailOver(false),
    "fail over frozen": () => newFailOver(true),
    "kill primary": newPrimaryKill,
    "long freeze": () => newFreeze(random.pick(processes), longerThanLeaseMs),
    partition: () => newPartition(random, proxies, random.between(...options.partitionMs)),
    "connections used up": () => newConnectionExhaustion(installation, random),
    "small pool": () => newSmallPool(random.pick(serves), random.between(2_000, 6_000)),
  };
  const weightedFaults: readonly { readonly weight: number; readonly create: () => Fault }[] = [
    { weight: 3, create: () => newKill(random.pick(processes)) },
    { weight: 6, create: () => newFreeze(random.pick(processes), random.between(200, 2_500)) },
    { weight: 0.2, create: rareFaults["long freeze"] },
    { weight: 1, create: () => newKill(random.pick(providers).process) },
    { weight: 36, create: () => newConnectionFault(random, random.pick(listProxies(proxies))) },
    { weight: 0.2, create: rareFaults.partition },
    { weight: 0.6, create: rareFaults["connections used up"] },
    { weight: 0.4, create: rareFaults["small pool"] },
    { weight: 3, create: () => newBackendTermination(installation, random) },
    { weight: 0.4, create: newPrimaryKill },
    { weight: 0.6, create: () => newPrimaryFreeze(installation, random) },
    { weight: 0.4, create: () => newFailOver(random.chance(0.5)) },
    { weight: 40, create: () => newProviderFault(random.pick(providers), random, options) },
  ];
  return { draw: () => random.weighted(weightedFaults).create(), rareFaults, repairs };
}

/** `toInjectedFault` returns a fault as the history records it. */
export function toInjectedFault({ kind, target }: Fault, atMs: number, forMs: number): InjectedFault {
  return { kind, target, atMs, forMs };
}

function newKill(child: ManagedProcess): Fault {
  return {
    kind: "process killed",
    target: child.name,
    resource: child.name,
    async inject() {
      await child.kill();
      await child.start();
    },
  };
}

function newFreeze(child: ManagedProcess, forMs: number): Fault {
  return {
    kind: forMs > 15_000 ? "process frozen past its lease" : "process frozen",
    target: child.name,
    resource: child.name,
    async inject() {
      child.freeze();
      await waitMs(forMs);
      child.thaw();
    },
  };
}

interface NamedProxy {
  readonly name: string;
  readonly proxy: FaultProxy;
}

function listProxies(proxies: Installation["proxies"]): readonly NamedProxy[] {
  return [
    ...proxies.merchantsToServe.map((proxy, index) => ({ name: `merchants to serve ${index + 1}`, proxy })),
    ...proxies.gatewayToProviders.map((proxy, index) => ({
      name: `gateway to provider ${index + 1}`,
      proxy,
    })),
    { name: "provider to serve", proxy: proxies.providerToServe },
    { name: "work to shop", proxy: proxies.workToShop },
    ...proxies.servesToDatabase.map((proxy, index) => ({ name: `serve ${index + 1} to database`, proxy })),
    { name: "work to database", proxy: proxies.workToDatabase },
    ...proxies.toSecondCell.map((proxy) => ({ name: "cell a to cell b", proxy })),
  ];
}

function newConnectionFault(random: Random, { name, proxy }: NamedProxy): Fault {
  const forMs = random.between(100, 1_500);
  const fault = random.pick<NetworkFault | { readonly kind: "reset" }>([
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
    resource: name,
    async inject() {
      if (fault.kind === "reset") return proxy.reset();
      proxy.fail(fault);
      await waitMs(forMs);
      proxy.heal();
    },
  };
}

/** Network partition: one of two serving processes does not reach its database, for longer than callers wait. */
function newPartition(random: Random, { servesToDatabase }: Installation["proxies"], forMs: number): Fault {
  const index = random.between(0, servesToDatabase.length - 1);
  const name = `serve ${index + 1} to database`;
  return {
    kind: "partition",
    target: name,
    resource: name,
    async inject() {
      servesToDatabase[index]?.fail({ kind: "black-hole" });
      await waitMs(forMs);
      servesToDatabase[index]?.heal();
    },
  };
}

/** Connection exhaustion: PostgreSQL accepts no more connections of ours, just after half of them were closed. */
function newConnectionExhaustion({ cluster }: Installation, random: Random): Fault {
  const forMs = random.between(1_000, 3_000);
  const limitConnections = (count: number): Promise<unknown> =>
    cluster.execute(
      "postgres",
      `alter role ${serveLogin} connection limit ${count}; alter role ${workLogin} connection limit ${count}`,
    );
  return {
    kind: "connections used up",
    target: "primary",
    resource: "database",
    pauseAfterMs: databasePauseMs,
    async inject() {
      await limitConnections(0);
      await cluster.execute("postgres", terminateBackendsQuery(0.5));
      await waitMs(forMs);
      await limitConnections(-1);
    },
  };
}

/** A misconfigured pool of two connections, corrected after a while. */
function newSmallPool(child: ManagedProcess, forMs: number): Fault {
  return {
    kind: "small pool",
    target: child.name,
    resource: child.name,
    async inject() {
      await child.kill();
      await child.start({ TOLLGATE_DATABASE_CONNECTIONS_MAX: "2" });
      await waitMs(forMs);
      await child.kill();
      await child.start();
    },
  };
}

function terminateBackendsQuery(share: number): string {
  return `select pg_terminate_backend(pid) from pg_stat_activity
    where datname like '${database}%' and application_name like 'tollgate%' and random() < ${share}`;
}

function newBackendTermination({ cluster }: Installation, random: Random): Fault {
  const share = random.pick([0.2, 0.5, 1]);
  return {
    kind: "connections ended",
    target: "primary",
    resource: "database",
    pauseAfterMs: databasePauseMs,
    async inject() {
      // While clients reconnect after the last fault, PostgreSQL may refuse even a superuser with "too many clients" (53300).
      await waitUntil(
        () =>
          cluster.execute("postgres", terminateBackendsQuery(share)).then(
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

function newPrimaryFreeze({ cluster }: Installation, random: Random): Fault {
  const forMs = random.between(300, 2_500);
  return {
    kind: "primary frozen",
    target: "primary",
    resource: "database",
    pauseAfterMs: databasePauseMs,
    async inject() {
      await cluster.freezePrimary();
      await waitMs(forMs);
      await cluster.thawPrimary();
    },
  };
}

interface ProviderFault {
  readonly kind: string;
  readonly [field: string]: unknown;
}

function newProviderFault(
  provider: ProviderProcess,
  random: Random,
  { lateArrival }: FaultCatalogOptions,
): Fault {
  const verb = random.pick(["submit", "inquire", "cancel", "refund", "capture", "inquire-refund"]);
  const count = random.between(1, 3);
  const forMs = random.between(200, 900);
  const actionVerb = random.pick(["refund", "refund", "capture", "cancel"]);
  // A delayed request arrives after its retry. At the provider that is not idempotent, it arrives before the end of the
  // quiet time.
  const pendingVerb = random.pick(["refund", "capture", "cancel"]);
  const lateMs = provider.duplicatesRetries ? random.between(500, 4_000) : random.between(1_500, 13_500);
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
    {
      kind: `${pendingVerb}-pending`,
      match: { verb: pendingVerb },
      count,
      delayMs: random.between(100, 4_000),
      outcome: random.pick(["DONE", "DONE", "FAILED"]),
    },
    ...(lateArrival ? [{ kind: "late-arrival", match: { verb: actionVerb }, count, delayMs: lateMs }] : []),
  ]);
  return {
    kind: `provider: ${fault.kind}`,
    target: provider.connector,
    resource: `${provider.connector}'s conduct`,
    async inject() {
      // The error is ignored: the provider may be down at this moment because of another fault.
      await provider.control("POST", "/control/faults", fault).catch(() => undefined);
      await waitMs(forMs);
      // Unused faults must not accumulate, because they would hit every probe of an open circuit breaker.
      await provider.clearFaults().catch(() => undefined);
    },
  };
}
