import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFaultProxy, type FaultProxy } from "./fault-proxy.ts";
import {
  copyServer,
  initializeServer,
  waitUntil,
  type PostgresServer,
  type ServerOptions,
  type ShiftedClock,
} from "./postgres-server.ts";

/**
 * A PostgreSQL primary with a synchronous standby, which has every commit before it is acknowledged. Gateways reach the
 * primary through fault proxies that follow it, so its address never changes.
 */
export interface Cluster {
  /** Creates a fault proxy to the current primary. After a failover, the proxy leads to the new primary. */
  newProxy(): Promise<FaultProxy>;
  /** The superuser's URL of the primary itself, without a proxy. */
  primaryUrl(database: string): string;
  /** The superuser's URL through a proxy of the cluster. */
  urlThrough(proxy: FaultProxy, database: string): string;
  execute<Row extends object>(database: string, statement: string): Promise<readonly Row[]>;
  /** Whether a synchronous standby has all commits, so that the primary may be lost. */
  isProtected(): boolean;
  killPrimary(): Promise<void>;
  /** Shuts the primary down cleanly, as for a minor update. The caller must start it again. */
  stopPrimary(): Promise<void>;
  /** Starts the same server on the same data folder; returns the time until it accepted connections, in ms. */
  restartPrimary(): Promise<number>;
  freezePrimary(): Promise<void>;
  thawPrimary(): Promise<void>;
  /**
   * Failover: loses the primary permanently and promotes the standby. Afterwards there is no standby until one is
   * built.
   */
  failOver(options?: FailOverOptions): Promise<FailOver>;
  /** The synchronous standby; undefined from a failover until one is built. */
  standby(): PostgresServer | undefined;
  /**
   * Builds a standby for the current primary, with its own clock; returns the time until commits wait for it, in ms.
   */
  buildStandby(clock?: ShiftedClock): Promise<number>;
  stop(): Promise<void>;
}

export interface FailOverOptions {
  /** Freezes the primary before it is lost. */
  readonly frozenFirst?: boolean;
  /** A callback that runs as soon as the proxies lead to the new primary. */
  readonly onMoved?: (() => void) | undefined;
}

export interface FailOver {
  /** Milliseconds from the decision to promote until the new primary accepted writes. */
  readonly promotedMs: number;
  /** Milliseconds from the loss of the old primary until the proxies lead to the new one. */
  readonly outageMs: number;
}

export interface ClusterOptions {
  /**
   * True if both servers run with fsync. Without fsync a killed process loses no data either, because the operating
   * system keeps running.
   */
  readonly durable: boolean;
}

export async function startCluster({ durable }: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-cluster-"));
  // If this program runs as root, PostgreSQL runs as another user, who must be able to enter its folders.
  chmodSync(folder, 0o711);
  const proxies: FaultProxy[] = [];
  const servers = new Set<PostgresServer>();
  const cleanUp = (): void => {
    for (const server of servers) server.killNow();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", cleanUp);
  const state = await startState({ proxies, servers, nextServerOptions: newServerOptions(folder, durable) });
  await buildStandby(state);
  return {
    async newProxy() {
      const proxy = await startFaultProxy(state.primary.port);
      proxies.push(proxy);
      return proxy;
    },
    primaryUrl: (database) => state.primary.url(database),
    urlThrough: (proxy, database) =>
      state.primary.url(database).replace(`:${state.primary.port}/`, `:${proxy.port}/`),
    execute: (database, statement) => state.primary.execute(database, statement),
    isProtected: () => state.standby !== undefined,
    standby: () => state.standby,
    killPrimary: () => state.primary.kill(),
    stopPrimary: () => state.primary.stop(),
    restartPrimary: () => state.primary.start(),
    freezePrimary: () => state.primary.freeze(),
    thawPrimary: () => state.primary.thaw(),
    failOver: (options = {}) => failOver(state, options),
    buildStandby: (clock) => buildStandby(state, clock),
    async stop() {
      process.off("exit", cleanUp);
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await Promise.all([...servers].map((server) => server.kill()));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface State {
  primary: PostgresServer;
  standby: PostgresServer | undefined;
  readonly proxies: readonly FaultProxy[];
  readonly servers: Set<PostgresServer>;
  readonly nextServerOptions: () => ServerOptions;
}

function newServerOptions(folder: string, durable: boolean): () => ServerOptions {
  const password = randomBytes(24).toString("hex");
  let count = 0;
  return () => {
    count += 1;
    return { name: `server_${count}`, folder, password, durable };
  };
}

async function startState(initial: Omit<State, "primary" | "standby">): Promise<State> {
  const primary = await initializeServer(initial.nextServerOptions());
  initial.servers.add(primary);
  await primary.start();
  return { ...initial, primary, standby: undefined };
}

async function buildStandby(state: State, clock?: ShiftedClock): Promise<number> {
  const startedAtMs = performance.now();
  const standby = await copyServer(state.primary, { ...state.nextServerOptions(), clock });
  state.servers.add(standby);
  await standby.start();
  await enableSynchronousReplication(state.primary, standby);
  // After a failover the new primary has no standby, and its commits must not wait for one.
  await standby.execute("postgres", "alter system reset synchronous_standby_names");
  state.standby = standby;
  return performance.now() - startedAtMs;
}

async function failOver(state: State, { frozenFirst, onMoved }: FailOverOptions): Promise<FailOver> {
  const { primary: oldPrimary, standby: newPrimary, proxies } = state;
  if (!newPrimary) throw new Error("There is no standby to promote.");
  const lostAtMs = performance.now();
  await (frozenFirst ? oldPrimary.freeze() : oldPrimary.kill());
  // Fencing comes first: no connection can reach the old primary, so there is no split brain.
  for (const proxy of proxies) proxy.fence();
  const promotedMs = await promote(newPrimary);
  state.primary = newPrimary;
  state.standby = undefined;
  for (const proxy of proxies) proxy.moveTo(newPrimary.port);
  onMoved?.();
  const outageMs = performance.now() - lostAtMs;
  await oldPrimary.remove();
  state.servers.delete(oldPrimary);
  return { promotedMs, outageMs };
}

/** Enables synchronous replication: a commit is acknowledged when the standby has it as well. */
async function enableSynchronousReplication(primary: PostgresServer, standby: PostgresServer): Promise<void> {
  await primary.execute("postgres", `alter system set synchronous_standby_names = '${standby.name}'`);
  await primary.execute("postgres", "select pg_reload_conf()");
  await waitUntil(async () => {
    const [row] = await primary.execute<{ isSynchronous: boolean }>(
      "postgres",
      `select exists (select from pg_stat_replication
         where application_name = '${standby.name}' and sync_state = 'sync' and state = 'streaming') as "isSynchronous"`,
    );
    return row?.isSynchronous === true;
  });
}

/** Ends a standby's recovery; returns the time until it accepts writes, in ms. */
export async function promote(standby: PostgresServer): Promise<number> {
  const startedAtMs = performance.now();
  await standby.execute("postgres", "select pg_promote(false)");
  await waitUntil(async () => {
    const [row] = await standby.execute<{ follows: boolean }>(
      "postgres",
      "select pg_is_in_recovery() as follows",
    );
    return row?.follows === false;
  });
  return performance.now() - startedAtMs;
}
