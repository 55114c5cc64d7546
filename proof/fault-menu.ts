import { setTimeout as waitMs } from "node:timers/promises";
import type { FailOver } from "./cluster.ts";
import type { FaultProxy, LineFault } from "./fault-proxy.ts";
import type { FaultSeen } from "./history.ts";
import { database, type Installation } from "./installation.ts";
import type { Part } from "./part.ts";
import type { Random } from "./random.ts";

/** Something that goes wrong, and is put right again. */
export interface Fault {
  readonly kind: string;
  readonly target: string;
  /** Two faults with the same of these never overlap. */
  readonly place: string;
  /** How long the place is left alone afterwards: a storm that never lets go proves less, since nothing gets done. */
  readonly restMs?: number;
  /** Breaks it, waits, repairs it. */
  strike(): Promise<void>;
}

/** What was measured while faults were put right, in ms. */
export interface Repairs {
  readonly failOvers: (FailOver & { readonly standbyMs: number })[];
  readonly restartsMs: number[];
}

export interface Menu {
  /** A fault by chance, as the weights have it. */
  draw(): Fault;
  /** The rare ones, which a short storm must not leave to chance. */
  readonly named: Readonly<
    Record<"fail over" | "fail over frozen" | "kill primary" | "long freeze", () => Fault>
  >;
  readonly repairs: Repairs;
}

const databaseRestMs = 3_000;

/** A lease of a job lasts 15 s: whoever is frozen for longer comes back to what others have taken over. */
const longerThanALeaseMs = 16_500;

export function newMenu(installation: Installation, random: Random): Menu {
  const repairs: Repairs = { failOvers: [], restartsMs: [] };
  const { cluster, serves, works, wallet, lines } = installation;
  const parts = [...serves, ...works];
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
  };
  const all: readonly { readonly weight: number; readonly make: () => Fault }[] = [
    { weight: 3, make: () => kill(random.pick(parts)) },
    { weight: 6, make: () => freeze(random.pick(parts), random.between(200, 2_500)) },
    { weight: 0.2, make: named["long freeze"] },
    { weight: 1, make: () => kill(wallet) },
    { weight: 36, make: () => lineFault(random, random.pick(linesOf(lines))) },
    { weight: 3, make: () => terminateBackends(installation, random) },
    { weight: 0.4, make: killPrimary },
    { weight: 0.6, make: () => freezePrimary(installation, random) },
    { weight: 0.4, make: () => failOver(random.chance(0.5)) },
    { weight: 34, make: () => walletFault(installation, random) },
  ];
  return { draw: () => random.weighted(all).make(), named, repairs };
}

/** What happened, as it goes into the history. */
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
    { name: "gateway to wallet", line: lines.gatewayToWallet },
    { name: "wallet to serve", line: lines.walletToServe },
    { name: "work to shop", line: lines.workToShop },
    { name: "serve to database", line: lines.serveToDatabase },
    { name: "work to database", line: lines.workToDatabase },
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

function terminateBackends({ cluster }: Installation, random: Random): Fault {
  const share = random.pick([0.2, 0.5, 1]);
  return {
    kind: "connections ended",
    target: "primary",
    place: "database",
    restMs: databaseRestMs,
    async strike() {
      await cluster.execute(
        "postgres",
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = '${database}' and application_name like 'tollgate%' and random() < ${share}`,
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

function walletFault({ control }: Installation, random: Random): Fault {
  const verb = random.pick(["submit", "inquire", "cancel", "refund"]);
  const count = random.between(1, 3);
  const forMs = random.between(200, 900);
  const fault = random.pick<{ readonly kind: string; readonly [more: string]: unknown }>([
    { kind: "answer-lost", match: { verb }, count },
    { kind: "late-answer", match: { verb }, count, delayMs: random.between(100, 6_000) },
    { kind: "garbage", match: { verb }, count, wrong: random.pick(["body", "signature"]) },
    { kind: "error-500", match: { verb }, count },
    { kind: "refuse-connection", match: { verb }, count },
    { kind: "inquiry-lag", count, delayMs: random.between(500, 5_000) },
    { kind: "callback-twice", count },
    { kind: "callback-drop", count },
  ]);
  return {
    kind: `wallet: ${fault.kind}`,
    target: "wallet",
    place: "wallet's conduct",
    async strike() {
      // It may be down at this very moment, which is a fault as well.
      await control("POST", "/control/faults", fault).catch(() => undefined);
      await waitMs(forMs);
      // What found no occasion must not pile up: it would strike every probe of a gateway that has become careful.
      await control("DELETE", "/control/faults").catch(() => undefined);
    },
  };
}
