import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBinFolder, findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import type { Cluster } from "../installation/postgres-cluster.ts";
import { startEtcd, type Etcd } from "../installation/etcd.ts";
import { startFaultProxy, type FaultProxy } from "../installation/fault-proxy.ts";
import { startNodeProxies, type NodeProxies } from "./node-proxies.ts";
import { requestAction, isHealthy, findNodeWithRole } from "./rest-api.ts";
import {
  buildHaproxyConfig,
  buildNodeConfig,
  type PatroniNode,
  type ClusterSettings,
} from "./patroni-settings.ts";
import { installOtherMinor, readPrograms, type Programs } from "../packages/postgres-minor.ts";
import { execute, waitUntil } from "../installation/postgres-server.ts";
import { installPythonTool } from "../packages/python-tool.ts";

/** Three PostgreSQL nodes with Patroni, with etcd for the leader election and HAProxy to find the leader. */
export interface PatroniCluster {
  /** The cluster for an installation, which only knows HAProxy's address. */
  readonly cluster: Cluster;
  readonly etcd: Etcd;
  /** The output of `patroni --version`. */
  readonly version: string;
  leader(): Promise<string>;
  /** The name of the synchronous standby, for which every commit waits. */
  syncStandby(): Promise<string>;
  /** Resolves when both standbys follow the leader, one of them is synchronous, and all etcd members run. */
  waitUntilHealthy(): Promise<void>;
  /** Kills only PostgreSQL, or the node with its Patroni. */
  kill(name: string, target: "postgresql" | "node"): void;
  freeze(name: string): void;
  thaw(name: string): void;
  /** Disconnects a node from etcd, from one of its standbys, or from etcd, all other Patronis and its standbys. */
  cut(name: string, from: "etcd" | "everybody" | { readonly standby: string }): void;
  /** The holder of the leader key, as etcd reports it; empty if the key has expired. */
  keyHolder(): Promise<string>;
  /** Restores all connections. */
  heal(): void;
  /** Starts Patroni again after a kill. */
  restart(name: string): void;
  /** Stops a node like its operator, and starts it with the other minor version of PostgreSQL. */
  upgrade(name: string): Promise<void>;
  /** The minor versions; twice the same one if Debian has no other. */
  readonly minors: readonly [Programs, Programs];
  readonly nodes: readonly string[];
  /** Sends a request to Patroni on a node, like patronictl. */
  requestAction(name: string, action: "switchover" | "reinitialize", parameters: object): Promise<void>;
}

export const programs = ["etcd", "haproxy"];
/**
 * In Debian 12's version the election of a leader could fail with etcd version 3. Versions from 3.3 on do not have this
 * bug.
 */
const patroniPackages = ["patroni[etcd3]>=4,<5", "psycopg[binary]>=3,<4"] as const;
const names = ["node_1", "node_2", "node_3"] as const;
const unprivilegedUserId = 65_534;
const healthyWithinMs = 300_000;
const stopWithinMs = 60_000;
/**
 * A reaper that does the work of init on a real machine: it reaps PostgreSQL's process as soon as the process has
 * exited. Without a reaper, Patroni considers the process running for another second, so a switchover takes a second
 * longer. 36 is PR_SET_CHILD_SUBREAPER.
 */
const reaper = `
import ctypes, os, sys
ctypes.CDLL(None).prctl(36, 1)
patroni = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
while os.wait()[0] != patroni: pass
`;

interface RunningNode extends PatroniNode {
  readonly proxies: NodeProxies;
  binFolder: string;
  patroni: ChildProcess | undefined;
}

export async function startPatroniCluster(): Promise<PatroniCluster> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-patroni-"));
  chmodSync(folder, 0o711);
  const tools = await installPythonTool(...patroniPackages);
  const spawnInFolder = spawnProgram.bind(undefined, folder);
  const etcd = await startEtcd(folder, spawnInFolder);
  process.once("exit", etcd.killAll);
  const settings: ClusterSettings = {
    folder,
    password: randomBytes(18).toString("hex"),
    haproxyPort: await findFreePort(),
  };
  const installed = readPrograms(await findBinFolder());
  const minors = [installed, installOtherMinor(installed, folder) ?? installed] as const;
  const nodes: RunningNode[] = [];
  for (const name of names) nodes.push(await newNode(name, etcd.ports, installed.folder));
  const otherProcesses: ChildProcess[] = [];
  const killAllProcesses = (): void => {
    for (const node of nodes) signalNode(settings, node, "SIGKILL", true);
    for (const otherProcess of otherProcesses) otherProcess.kill("SIGKILL");
    etcd.killAll();
  };
  const cleanUp = (): void => {
    killAllProcesses();
    removeAfterDelay(folder);
  };
  process.once("exit", cleanUp);

  const restart = (node: RunningNode): void => {
    writeFileSync(join(folder, `${node.name}.json`), buildNodeConfig(settings, node), { mode: 0o644 });
    const args = ["-c", reaper, join(tools, "patroni"), join(folder, `${node.name}.json`)];
    node.patroni = spawnInFolder(node.name, join(tools, "python"), args);
  };
  const upgrade = async (node: RunningNode): Promise<void> => {
    await stopNode(node);
    node.binFolder = minors.find(({ folder: each }) => each !== node.binFolder)?.folder ?? node.binFolder;
    restart(node);
  };
  for (const node of nodes) restart(node);
  writeFileSync(join(folder, "haproxy.cfg"), buildHaproxyConfig(settings, nodes));
  otherProcesses.push(spawnInFolder("haproxy", "haproxy", ["-db", "-f", join(folder, "haproxy.cfg")]));
  const waitUntilHealthy = async (): Promise<void> => {
    await waitUntil(() => isHealthy(nodes), healthyWithinMs);
    await etcd.waitUntilHealthy();
  };
  await waitUntilHealthy();
  const findNode = (name: string): RunningNode => nodes.find((node) => node.name === name) ?? noNode(name);
  return {
    cluster: newHaproxyCluster(settings, async () => {
      process.off("exit", cleanUp);
      cleanUp();
      await Promise.all(nodes.map(({ proxies }) => proxies.close()));
    }),
    waitUntilHealthy,
    etcd,
    version: execFileSync(join(tools, "patroni"), ["--version"], { encoding: "utf8" }).trim(),
    leader: () => findNodeWithRole(nodes, "leader"),
    syncStandby: () => findNodeWithRole(nodes, "sync_standby"),
    kill: (name, target) => signalNode(settings, findNode(name), "SIGKILL", target === "node"),
    freeze: (name) => signalNode(settings, findNode(name), "SIGSTOP", true),
    thaw: (name) => signalNode(settings, findNode(name), "SIGCONT", true),
    cut: (name, from) => cut(nodes, findNode(name), from),
    keyHolder: () => etcd.read("/service/tollgate/leader"),
    heal: () => nodes.forEach(({ proxies }) => proxies.heal()),
    restart: (name) => restart(findNode(name)),
    upgrade: (name) => upgrade(findNode(name)),
    minors,
    nodes: names,
    requestAction: (name, action, parameters) => requestAction(findNode(name), action, parameters),
  };
}

async function newNode(name: string, etcdPorts: readonly number[], binFolder: string): Promise<RunningNode> {
  const [port, restPort] = [await findFreePort(), await findFreePort()];
  const otherNames = names.filter((each) => each !== name);
  const proxies = await startNodeProxies(
    { etcd: etcdPorts, postgresql: port, restApi: restPort },
    otherNames,
  );
  return { name, port, restPort, binFolder, proxies, patroni: undefined };
}

function cut(
  nodes: readonly RunningNode[],
  { name, proxies }: RunningNode,
  from: Parameters<PatroniCluster["cut"]>[1],
): void {
  if (typeof from === "object") return proxies.cutFromStandby(from.standby);
  proxies.cutFromEtcd();
  if (from === "etcd") return;
  for (const otherProcess of nodes) {
    // All nodes send their requests to a Patroni through the same proxy port. So the proxies cut these requests of all
    // nodes, and only etcd tells the nodes who leads.
    otherProcess.proxies.cutRest();
    if (otherProcess.name !== name) proxies.cutFromStandby(otherProcess.name);
  }
}

/** `removeAfterDelay` waits 300 ms before it removes the folder, because the killed process may still be writing. */
function removeAfterDelay(folder: string): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function noNode(name: string): never {
  throw new Error(`There is no node ${name}.`);
}

/**
 * Runs a program in its own folder. If this program is root, the other runs as an unprivileged user, because PostgreSQL refuses
 * to run as root.
 */
function spawnProgram(folder: string, name: string, program: string, args: readonly string[]): ChildProcess {
  const ownFolder = join(folder, name);
  mkdirSync(ownFolder, { recursive: true, mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(ownFolder, unprivilegedUserId, unprivilegedUserId);
  const log = openSync(join(ownFolder, "log"), "a");
  return spawn(program, args, {
    cwd: ownFolder,
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: ownFolder },
    stdio: ["ignore", log, log],
    ...(isRoot && { uid: unprivilegedUserId, gid: unprivilegedUserId }),
  });
}

/** Signals PostgreSQL with all its processes, and also Patroni with all its processes if the node is signalled. */
function signalNode(
  { folder }: ClusterSettings,
  { name, patroni }: RunningNode,
  signal: NodeJS.Signals,
  withPatroni: boolean,
): void {
  const pids: number[] = [];
  if (withPatroni && patroni?.pid !== undefined && patroni.exitCode === null && patroni.signalCode === null)
    pids.push(patroni.pid, ...childrenOf(patroni.pid));
  const file = join(folder, name, "data", "postmaster.pid");
  if (existsSync(file)) {
    const postmaster = Number.parseInt(readFileSync(file, "utf8"), 10);
    pids.push(postmaster, ...childrenOf(postmaster));
  }
  for (const pid of new Set(pids)) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already ended.
    }
  }
}

/** `stopNode` stops a node's Patroni, which stops its PostgreSQL before it exits. */
async function stopNode({ name, patroni }: RunningNode): Promise<void> {
  if (patroni?.pid === undefined) throw new Error(`${name} does not run.`);
  const exited = once(patroni, "exit", { signal: AbortSignal.timeout(stopWithinMs) });
  // The signal goes to the children, because the process that was started directly is only the reaper.
  for (const pid of childrenOf(patroni.pid)) process.kill(pid, "SIGTERM");
  await exited;
}

function childrenOf(pid: number): readonly number[] {
  const processTable = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const pairs = processTable.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child = 0]) => child);
}

function newHaproxyCluster(
  { password, haproxyPort }: ClusterSettings,
  stopNodes: () => Promise<void>,
): Cluster {
  const proxies: FaultProxy[] = [];
  const url = (port: number, database: string): string =>
    `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const rejectManualAction = (): never => {
    throw new Error("Only Patroni may do this.");
  };
  return {
    async newProxy() {
      const proxy = await startFaultProxy(haproxyPort);
      proxies.push(proxy);
      return proxy;
    },
    primaryUrl: (database) => url(haproxyPort, database),
    urlThrough: (proxy, database) => url(proxy.port, database),
    execute: (database, statement) => execute(url(haproxyPort, database), statement),
    isProtected: rejectManualAction,
    standby: rejectManualAction,
    killPrimary: rejectManualAction,
    stopPrimary: rejectManualAction,
    restartPrimary: rejectManualAction,
    freezePrimary: rejectManualAction,
    thawPrimary: rejectManualAction,
    failOver: rejectManualAction,
    buildStandby: rejectManualAction,
    async stop() {
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await stopNodes();
    },
  };
}
