import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { cpus } from "node:os";
import type { BackendActivity } from "./activity.sql.ts";

/** Processes of the installation on this machine. Processes on other machines or of other users are not visible. */
export interface InstallationProcesses {
  readonly serve: readonly number[];
  readonly work: readonly number[];
  readonly provider: readonly number[];
  /** PostgreSQL's first process, the parent of all others. */
  readonly postmaster: number | undefined;
}

/** CPU time since process start, in ms. */
export interface CpuTimes {
  readonly atMs: number;
  readonly serveMs: number | undefined;
  /** CPU time of the JavaScript thread of each `serve`; a thread uses at most one processor. */
  readonly mainThreadsMs: readonly number[];
  readonly workMs: number | undefined;
  readonly providerMs: number | undefined;
  readonly postgresMs: number | undefined;
  readonly benchMs: number;
  /** CPU time of the whole machine, all programs included. */
  readonly machineMs: number | undefined;
}

export const processorCount = cpus().length;

/** A kernel clock tick is 10 ms on Linux. */
const tickMs = 10;

/**
 * `findProcesses` finds the installation's processes by their database connections. PostgreSQL knows each client's
 * port, and the kernel knows the port's process, so process names do not matter.
 */
export function findProcesses(
  backends: readonly BackendActivity[],
  walletUrl: string | undefined,
): InstallationProcesses {
  const sockets = socketsOfMachine();
  const processesOf = (application: string): readonly number[] => {
    const ports = backends
      .filter((each) => each.application === application)
      .map(({ pid, port }) => port ?? parsePortInTitle(pid));
    return sockets.owners(
      sockets.inodes(({ localPort, isListening }) => !isListening && ports.includes(localPort)),
    );
  };
  const walletPort = Number(URL.parse(walletUrl ?? "")?.port ?? 0);
  return {
    serve: processesOf("tollgate serve"),
    work: processesOf("tollgate work"),
    provider: sockets.owners(
      sockets.inodes(({ localPort, isListening }) => isListening && localPort === walletPort),
    ),
    postmaster: findPostmaster(backends),
  };
}

export function readCpuTimes({ serve, work, provider, postmaster }: InstallationProcesses): CpuTimes {
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    serveMs: totalCpuMs(serve),
    mainThreadsMs: serve.map((pid) => readProcessStat(`${pid}/task/${pid}`)?.ownMs ?? 0),
    workMs: totalCpuMs(work),
    providerMs: totalCpuMs(provider),
    postgresMs: postmaster === undefined ? undefined : processTreeMs(postmaster),
    benchMs: (user + system) / 1000,
    machineMs: machineMs(),
  };
}

function totalCpuMs(pids: readonly number[]): number | undefined {
  if (pids.length === 0) return undefined;
  return pids.reduce((sum, pid) => sum + (readProcessStat(String(pid))?.ownMs ?? 0), 0);
}

/**
 * Sums the CPU time of a process and its children. PostgreSQL has one process for each connection; the time of an ended
 * child is counted at its parent.
 */
function processTreeMs(parent: number): number {
  const parentStat = readProcessStat(String(parent));
  const children = processIds().map((pid) => readProcessStat(pid));
  return children.reduce(
    (sum, child) => sum + (child?.parent === parent ? child.ownMs : 0),
    (parentStat?.ownMs ?? 0) + (parentStat?.endedChildrenMs ?? 0),
  );
}

/**
 * Returns a backend's parent process, if the process with this id is PostgreSQL; the server may be on another
 * machine.
 */
function findPostmaster(backends: readonly BackendActivity[]): number | undefined {
  const localBackend = backends.find(({ pid }) => readProcessStat(String(pid))?.name.startsWith("postgres"));
  return localBackend && readProcessStat(String(localBackend.pid))?.parent;
}

/** Parses the client port from PostgreSQL's process title: `postgres: app shop 127.0.0.1(40512) idle`. */
function parsePortInTitle(pid: number): number | undefined {
  const [, port] = /\((\d+)\)/.exec(readProcFile(`/proc/${pid}/cmdline`)) ?? [];
  return port === undefined ? undefined : Number(port);
}

function machineMs(): number | undefined {
  const [, ...ticks] = (readProcFile("/proc/stat").split("\n")[0] ?? "").split(/\s+/).map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = ticks;
  return ticks.length === 0 ? undefined : (user + nice + system + irq + softIrq) * tickMs;
}

interface Stat {
  readonly name: string;
  readonly parent: number;
  readonly ownMs: number;
  readonly endedChildrenMs: number;
}

function readProcessStat(procPath: string): Stat | undefined {
  const text = readProcFile(`/proc/${procPath}/stat`);
  if (text === "") return undefined;
  // The process name in `/proc/PID/stat` is in parentheses and can contain any character; the numeric fields follow it.
  const end = text.lastIndexOf(")");
  const fields = text
    .slice(end + 2)
    .split(" ")
    .map(Number);
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
  return {
    name: text.slice(text.indexOf("(") + 1, end),
    parent: fields[1] ?? 0,
    ownMs: (user + system) * tickMs,
    endedChildrenMs: (childrenUser + childrenSystem) * tickMs,
  };
}

interface TcpSocket {
  readonly localPort: number;
  readonly isListening: boolean;
  readonly inode: string;
}

interface Sockets {
  inodes(filter: (socket: TcpSocket) => boolean): ReadonlySet<string>;
  owners(inodes: ReadonlySet<string>): readonly number[];
}

const listening = "0A";

function socketsOfMachine(): Sockets {
  const sockets = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    readProcFile(file).split("\n").slice(1).flatMap(parseSocket),
  );
  return {
    inodes: (filter) => new Set(sockets.filter(filter).map(({ inode }) => inode)),
    owners(inodes) {
      if (inodes.size === 0) return [];
      return processIds()
        .filter((pid) => openSockets(pid).some((inode) => inodes.has(inode)))
        .map(Number);
    },
  };
}

function parseSocket(line: string): readonly TcpSocket[] {
  const [, local = "", , state, , , , , , inode = "0"] = line.trim().split(/\s+/);
  const localPort = parseInt(local.split(":")[1] ?? "", 16);
  return Number.isNaN(localPort) || inode === "0"
    ? []
    : [{ localPort, isListening: state === listening, inode }];
}

/** Returns the sockets of a process, or none for a process of another user. */
function openSockets(pid: string): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).map(
      (name) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? "",
    );
  } catch {
    return [];
  }
}

function processIds(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/**
 * Returns the text of a file in `/proc`. It is empty if the file does not exist: the system is not Linux, or the
 * process has ended.
 */
function readProcFile(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
