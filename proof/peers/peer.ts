import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import { promisify } from "node:util";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { newHttp, newStripeClient } from "./peer-client.ts";
import { measureSubject, type PeerRow } from "./measure-peer.ts";

/** An alternative program of another project. */
export interface Peer {
  readonly name: string;
  /** How the product differs from the gateway, so that readers do not misunderstand the figures. */
  readonly differs: string;
  /** Commands that install the product into the folder without running the package's scripts. */
  install(folder: string): readonly CommandLine[];
  start(folder: string, port: number): CommandLine;
}

export type CommandLine = readonly [program: string, ...args: string[]];

const python = process.env["PYTHON"] ?? "python3";

/**
 * A preload that limits the compared programs to the loopback address. Without it they listen on every address of the
 * machine.
 */
const loopbackInNode =
  'data:text/javascript,import { Server } from "node:net"; const { listen } = Server.prototype; ' +
  "Server.prototype.listen = function (at, ...more) { return listen.call(this, " +
  '{ ...(typeof at === "object" ? at : { port: Number(at) }), host: "127.0.0.1" }, ' +
  '...more.filter((each) => typeof each === "function")); };';
const loopbackInPython =
  "import socket, sys; bind = socket.socket.bind; " +
  "socket.socket.bind = lambda self, at: bind(self, ('::ffff:127.0.0.1' if self.family == socket.AF_INET6 else '127.0.0.1', at[1])); " +
  // The program stores its data in one file at a fixed path, which a second copy would share. This change puts the file
  // into the folder.
  "import localstripe.resources as kept; kept.open = lambda path, mode: open('store', mode); " +
  "from localstripe.server import start; start()";

/** Alternatives that install within a minute or two; all three implement the same interface. */
export const peers: readonly Peer[] = [
  {
    name: "emulate 0.12.2",
    differs:
      "keeps payments in memory, asks for no signature, has no provider and no ledger; a token is good for 5,000 calls an hour, so each 2,000 have another",
    install: (folder) => [
      ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, "emulate@0.12.2"],
    ],
    start: (folder, port) => [
      process.execPath,
      "--import",
      loopbackInNode,
      join(folder, "node_modules/.bin/emulate"),
      "start",
      "--service",
      "stripe",
      "--port",
      String(port),
    ],
  },
  {
    name: "localstripe 1.15.10",
    differs:
      "keeps payments in memory and writes all of them to one file at each change, so each payment costs more than the one before; asks for a key, and verifies no signature",
    install: (folder) => [
      [python, "-m", "venv", join(folder, "venv")],
      [
        join(folder, "venv/bin/pip"),
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "localstripe==1.15.10",
      ],
    ],
    start: (folder, port) => [
      join(folder, "venv/bin/python"),
      "-c",
      loopbackInPython,
      "--from-scratch",
      "--port",
      String(port),
    ],
  },
  {
    name: "stripe-mock 0.203.0",
    differs: "keeps nothing: each answer is an example of the right shape, and no payment is ever paid",
    install: (folder) => [
      [
        "env",
        `GOBIN=${folder}`,
        `GOPATH=${folder}/go`,
        `GOCACHE=${folder}/cache`,
        "GOFLAGS=-modcacherw -buildvcs=false",
        "go",
        "install",
        "github.com/stripe/stripe-mock@v0.203.0",
      ],
    ],
    start: (folder, port) => [join(folder, "stripe-mock"), "-http-addr", `127.0.0.1:${port}`],
  },
];

const run = promisify(execFile);
const installTimeoutMs = 240_000;
const startTimeoutMs = 20_000;

/** Installs an alternative in an empty folder, measures it, and removes it; returns the failed step if it fails. */
export async function measurePeer(peer: Peer, seconds: number): Promise<PeerRow | string> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-peer-"));
  const startedAtMs = performance.now();
  try {
    for (const [program, ...args] of peer.install(folder))
      await run(program, args, {
        timeout: installTimeoutMs,
        cwd: folder,
        env: { ...process.env, TMPDIR: folder },
      });
    const installSeconds = (performance.now() - startedAtMs) / 1000;
    return { ...(await measureStartedPeer(peer, folder, seconds)), installSeconds };
  } catch (error) {
    return `not measured: ${(error as Error).message.split("\n").slice(0, 2).join(" ").slice(0, 200)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function measureStartedPeer(peer: Peer, folder: string, seconds: number): Promise<PeerRow> {
  const port = await findFreePort();
  const [program, ...args] = peer.start(folder, port);
  const env = { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder };
  const child = spawn(program, args, { cwd: folder, env, stdio: "ignore" });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  try {
    const http = newHttp(port);
    const startedMs = performance.now();
    while (!(await http.isReachable())) {
      if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}`);
      if (performance.now() - startedMs > startTimeoutMs) throw new Error("it did not answer within 20 s");
      await waitMs(50);
    }
    const client = await newStripeClient(http);
    return await measureSubject(
      { name: peer.name, differs: peer.differs, pids: [child.pid ?? 0], client },
      seconds,
    );
  } finally {
    process.off("exit", kill);
    kill();
  }
}
