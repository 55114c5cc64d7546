import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
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
import { findBinFolder, freePort } from "../server/src/postgres/throw-away.ts";
import type { Cluster } from "./cluster.ts";
import { startEtcd, type Etcd } from "./etcd.ts";
import { startFaultProxy, type FaultProxy } from "./fault-proxy.ts";
import { haproxyText, nodeText, type PatroniNode, type Place } from "./patroni-settings.ts";
import { execute, until } from "./postgres-server.ts";
import { pythonTool } from "./python-tool.ts";

/** Three PostgreSQL nodes under Patroni, with etcd for the leader election and HAProxy to find the leader. */
export interface PatroniCluster {
  /** For an installation, which knows HAProxy's address only. */
  readonly cluster: Cluster;
  readonly etcd: Etcd;
  /** What `patroni --version` says. */
  readonly version: string;
  leader(): Promise<string>;
  /** The standby that every commit waits for. */
  syncStandby(): Promise<string>;
  /** Resolves when all three nodes run, and one replica is synchronous; and so do all of etcd. */
  whole(): Promise<void>;
  /** Kills PostgreSQL alone, or the node with its Patroni. */
  kill(name: string, what: "postgresql" | "node"): void;
  freeze(name: string): void;
  thaw(name: string): void;
  /** Starts Patroni again after a kill. */
  revive(name: string): void;
  /** Asks Patroni on a node for something, as patronictl does. */
  ask(name: string, what: "switchover" | "reinitialize", how: object): Promise<void>;
}

export const programs = ["etcd", "haproxy"];
/** 3.3 and later do not lose the race for the leader's key that Debian 12's version could lose with etcd's version 3. */
const patroniPackages = ["patroni[etcd3]>=4,<5", "psycopg[binary]>=3,<4"] as const;
const nobody = 65_534;
const wholeWithinMs = 120_000;

interface Running extends PatroniNode {
  patroni: ChildProcess | undefined;
}

export async function startPatroniCluster(): Promise<PatroniCluster> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-patroni-"));
  chmodSync(folder, 0o711);
  const patroniProgram = join(await pythonTool(...patroniPackages), "patroni");
  const start = (name: string, program: string, words: readonly string[]): ChildProcess =>
    run(folder, name, program, words);
  const etcd = await startEtcd(folder, start);
  process.once("exit", etcd.killAll);
  const place: Place = {
    folder,
    binFolder: await findBinFolder(),
    password: randomBytes(18).toString("hex"),
    etcdPorts: etcd.ports,
    haproxyPort: await freePort(),
  };
  const nodes: Running[] = [];
  for (const name of ["node_1", "node_2", "node_3"])
    nodes.push({ name, port: await freePort(), restPort: await freePort(), patroni: undefined });
  const others: ChildProcess[] = [];
  const endAll = (): void => {
    for (const node of nodes) signalNode(place, node, "SIGKILL", true);
    for (const other of others) other.kill("SIGKILL");
    etcd.killAll();
  };
  const leaveNothing = (): void => {
    endAll();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once("exit", leaveNothing);

  const revive = (node: Running): void => {
    node.patroni = start(node.name, patroniProgram, [join(folder, `${node.name}.json`)]);
  };
  for (const node of nodes) {
    writeFileSync(join(folder, `${node.name}.json`), nodeText(place, node), { mode: 0o644 });
    revive(node);
  }
  writeFileSync(join(folder, "haproxy.cfg"), haproxyText(place, nodes));
  others.push(start("haproxy", "haproxy", ["-db", "-f", join(folder, "haproxy.cfg")]));
  const whole = async (): Promise<void> => {
    await until(() => isWhole(nodes), wholeWithinMs);
    await etcd.whole();
  };
  await whole();
  const named = (name: string): Running => nodes.find((node) => node.name === name) ?? failed(name);
  return {
    cluster: behindHaproxy(place, () => {
      process.off("exit", leaveNothing);
      leaveNothing();
    }),
    whole,
    etcd,
    version: execFileSync(patroniProgram, ["--version"], { encoding: "utf8" }).trim(),
    leader: () => withRole(nodes, "leader"),
    syncStandby: () => withRole(nodes, "sync_standby"),
    kill: (name, what) => signalNode(place, named(name), "SIGKILL", what === "node"),
    freeze: (name) => signalNode(place, named(name), "SIGSTOP", true),
    thaw: (name) => signalNode(place, named(name), "SIGCONT", true),
    revive: (name) => revive(named(name)),
    async ask(name, what, how) {
      const asked = { method: "POST", body: JSON.stringify(how) };
      const response = await fetch(`http://127.0.0.1:${named(name).restPort}/${what}`, asked);
      if (!response.ok) throw new Error(`${what}: ${await response.text()}`);
    },
  };
}

function failed(name: string): never {
  throw new Error(`There is no node ${name}.`);
}

/**
 * Runs a program with a folder of its own, as user nobody if we are root; PostgreSQL refuses to run as root.
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

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

async function membersOf(nodes: readonly PatroniNode[]): Promise<readonly Member[]> {
  for (const { restPort } of nodes) {
    const signal = AbortSignal.timeout(1_000);
    const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal }).catch(() => undefined);
    if (response?.ok) return ((await response.json()) as { members: readonly Member[] }).members;
  }
  return [];
}

async function withRole(nodes: readonly PatroniNode[], wanted: string): Promise<string> {
  return (await membersOf(nodes)).find(({ role }) => role === wanted)?.name ?? "";
}

async function isWhole(nodes: readonly PatroniNode[]): Promise<boolean> {
  const members = await membersOf(nodes);
  const roles = members
    .filter(({ state }) => state === "running" || state === "streaming")
    .map(({ role }) => role);
  return roles.length === nodes.length && roles.includes("leader") && roles.includes("sync_standby");
}

/** Signals PostgreSQL with all its processes, and Patroni if it is to share its fate. */
function signalNode(
  { folder }: Place,
  { name, patroni }: Running,
  signal: NodeJS.Signals,
  withPatroni: boolean,
): void {
  const pids: number[] = [];
  if (withPatroni && patroni?.pid !== undefined && patroni.exitCode === null && patroni.signalCode === null)
    pids.push(patroni.pid);
  const file = join(folder, name, "data", "postmaster.pid");
  if (existsSync(file)) {
    const postmaster = Number.parseInt(readFileSync(file, "utf8"), 10);
    pids.push(postmaster, ...childrenOf(postmaster));
  }
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already ended.
    }
  }
}

function childrenOf(pid: number): readonly number[] {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const pairs = listed.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child = 0]) => child);
}

function behindHaproxy({ password, haproxyPort }: Place, end: () => void): Cluster {
  const lines: FaultProxy[] = [];
  const url = (port: number, database: string): string =>
    `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const isPatronis = (): never => {
    throw new Error("This is for Patroni to do.");
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
      end();
    },
  };
}
