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
import { findBinFolder, freePort } from "../../server/src/postgres/temporary-postgres.ts";
import type { Cluster } from "../installation/cluster.ts";
import { startEtcd, type Etcd } from "../installation/etcd.ts";
import { startFaultProxy, type FaultProxy } from "../installation/fault-proxy.ts";
import { startNodeLines, type NodeLines } from "./lines.ts";
import { ask, isWhole, withRole } from "./rest-api.ts";
import { haproxyText, nodeText, type PatroniNode, type Place } from "./settings.ts";
import { otherMinor, programsIn, type Programs } from "../packages/postgres-minor.ts";
import { execute, until } from "../installation/postgres-server.ts";
import { pythonTool } from "../packages/python-tool.ts";

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
  whole(): Promise<void>;
  /** Kills only PostgreSQL, or the node with its Patroni. */
  kill(name: string, what: "postgresql" | "node"): void;
  freeze(name: string): void;
  thaw(name: string): void;
  /** Disconnects a node from etcd, from one of its standbys, or from etcd, all other Patronis and its standbys. */
  cut(name: string, from: "etcd" | "everybody" | { readonly standby: string }): void;
  /** The holder of the leader key, as etcd reports it; empty if the key has expired. */
  keyHolder(): Promise<string>;
  /** Restores all connections. */
  heal(): void;
  /** Starts Patroni again after a kill. */
  revive(name: string): void;
  /** Stops a node like its operator, and starts it with the other minor version of PostgreSQL. */
  upgrade(name: string): Promise<void>;
  /** The minor versions; twice the same one if Debian has no other. */
  readonly minors: readonly [Programs, Programs];
  readonly nodes: readonly string[];
  /** Sends a request to Patroni on a node, like patronictl. */
  ask(name: string, what: "switchover" | "reinitialize", how: object): Promise<void>;
}

export const programs = ["etcd", "haproxy"];
/**
 * In Debian 12's version the election of a leader could fail with etcd version 3. Versions from 3.3 on do not have this
 * bug.
 */
const patroniPackages = ["patroni[etcd3]>=4,<5", "psycopg[binary]>=3,<4"] as const;
const names = ["node_1", "node_2", "node_3"] as const;
const nobody = 65_534;
const wholeWithinMs = 300_000;
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

interface Running extends PatroniNode {
  readonly lines: NodeLines;
  binFolder: string;
  patroni: ChildProcess | undefined;
}

export async function startPatroniCluster(): Promise<PatroniCluster> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-patroni-"));
  chmodSync(folder, 0o711);
  const tools = await pythonTool(...patroniPackages);
  const start = run.bind(undefined, folder);
  const etcd = await startEtcd(folder, start);
  process.once("exit", etcd.killAll);
  const place: Place = {
    folder,
    password: randomBytes(18).toString("hex"),
    haproxyPort: await freePort(),
  };
  const installed = programsIn(await findBinFolder());
  const minors = [installed, otherMinor(installed, folder) ?? installed] as const;
  const nodes: Running[] = [];
  for (const name of names) nodes.push(await newNode(name, etcd.ports, installed.folder));
  const others: ChildProcess[] = [];
  const endAll = (): void => {
    for (const node of nodes) signalNode(place, node, "SIGKILL", true);
    for (const other of others) other.kill("SIGKILL");
    etcd.killAll();
  };
  const leaveNothing = (): void => {
    endAll();
    removeSoon(folder);
  };
  process.once("exit", leaveNothing);

  const revive = (node: Running): void => {
    writeFileSync(join(folder, `${node.name}.json`), nodeText(place, node), { mode: 0o644 });
    const words = ["-c", reaper, join(tools, "patroni"), join(folder, `${node.name}.json`)];
    node.patroni = start(node.name, join(tools, "python"), words);
  };
  const upgrade = async (node: Running): Promise<void> => {
    await stopNode(node);
    node.binFolder = minors.find(({ folder: each }) => each !== node.binFolder)?.folder ?? node.binFolder;
    revive(node);
  };
  for (const node of nodes) revive(node);
  writeFileSync(join(folder, "haproxy.cfg"), haproxyText(place, nodes));
  others.push(start("haproxy", "haproxy", ["-db", "-f", join(folder, "haproxy.cfg")]));
  const whole = async (): Promise<void> => {
    await until(() => isWhole(nodes), wholeWithinMs);
    await etcd.whole();
  };
  await whole();
  const named = (name: string): Running => nodes.find((node) => node.name === name) ?? failed(name);
  return {
    cluster: behindHaproxy(place, async () => {
      process.off("exit", leaveNothing);
      leaveNothing();
      await Promise.all(nodes.map(({ lines }) => lines.close()));
    }),
    whole,
    etcd,
    version: execFileSync(join(tools, "patroni"), ["--version"], { encoding: "utf8" }).trim(),
    leader: () => withRole(nodes, "leader"),
    syncStandby: () => withRole(nodes, "sync_standby"),
    kill: (name, what) => signalNode(place, named(name), "SIGKILL", what === "node"),
    freeze: (name) => signalNode(place, named(name), "SIGSTOP", true),
    thaw: (name) => signalNode(place, named(name), "SIGCONT", true),
    cut: (name, from) => cut(nodes, named(name), from),
    keyHolder: () => etcd.read("/service/tollgate/leader"),
    heal: () => nodes.forEach(({ lines }) => lines.heal()),
    revive: (name) => revive(named(name)),
    upgrade: (name) => upgrade(named(name)),
    minors,
    nodes: names,
    ask: (name, what, how) => ask(named(name), what, how),
  };
}

async function newNode(name: string, etcdPorts: readonly number[], binFolder: string): Promise<Running> {
  const [port, restPort] = [await freePort(), await freePort()];
  const others = names.filter((each) => each !== name);
  const lines = await startNodeLines({ etcd: etcdPorts, postgresql: port, rest: restPort }, others);
  return { name, port, restPort, binFolder, lines, patroni: undefined };
}

function cut(
  nodes: readonly Running[],
  { name, lines }: Running,
  from: Parameters<PatroniCluster["cut"]>[1],
): void {
  if (typeof from === "object") return lines.cutFromStandby(from.standby);
  lines.cutFromEtcd();
  if (from === "etcd") return;
  for (const other of nodes) {
    // All nodes send their requests to a Patroni through the same proxy port. So the proxies cut these requests of all
    // nodes, and only etcd tells the nodes who leads.
    other.lines.cutRest();
    if (other.name !== name) lines.cutFromStandby(other.name);
  }
}

/** `removeSoon` waits 300 ms before it removes the folder, because the killed process may still be writing. */
function removeSoon(folder: string): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function failed(name: string): never {
  throw new Error(`There is no node ${name}.`);
}

/**
 * Runs a program in its own folder. If this program is root, the other runs as an unprivileged user, because PostgreSQL refuses
 * to run as root.
 */
function run(folder: string, name: string, program: string, words: readonly string[]): ChildProcess {
  const own = join(folder, name);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(own, nobody, nobody);
  const log = openSync(join(own, "log"), "a");
  return spawn(program, words, {
    cwd: own,
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: own },
    stdio: ["ignore", log, log],
    ...(isRoot && { uid: nobody, gid: nobody }),
  });
}

/** Signals PostgreSQL with all its processes, and also Patroni with all its processes if the node is signalled. */
function signalNode(
  { folder }: Place,
  { name, patroni }: Running,
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
async function stopNode({ name, patroni }: Running): Promise<void> {
  if (patroni?.pid === undefined) throw new Error(`${name} does not run.`);
  const ended = once(patroni, "exit", { signal: AbortSignal.timeout(stopWithinMs) });
  // The signal goes to the children, because the process that was started directly is only the reaper.
  for (const pid of childrenOf(patroni.pid)) process.kill(pid, "SIGTERM");
  await ended;
}

function childrenOf(pid: number): readonly number[] {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const pairs = listed.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child = 0]) => child);
}

function behindHaproxy({ password, haproxyPort }: Place, end: () => Promise<void>): Cluster {
  const lines: FaultProxy[] = [];
  const url = (port: number, database: string): string =>
    `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const isPatronis = (): never => {
    throw new Error("Only Patroni may do this.");
  };
  return {
    async newLine() {
      const line = await startFaultProxy(haproxyPort);
      lines.push(line);
      return line;
    },
    primaryUrl: (database) => url(haproxyPort, database),
    urlOver: (line, database) => url(line.port, database),
    execute: (database, statement) => execute(url(haproxyPort, database), statement),
    isProtected: isPatronis,
    standby: isPatronis,
    killPrimary: isPatronis,
    stopPrimary: isPatronis,
    restartPrimary: isPatronis,
    freezePrimary: isPatronis,
    thawPrimary: isPatronis,
    failOver: isPatronis,
    buildStandby: isPatronis,
    async stop() {
      await Promise.all(lines.map((line) => line.close()));
      await end();
    },
  };
}
