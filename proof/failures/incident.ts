import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { database, serveLogin, runTollgate } from "../installation/installation.ts";
import { compileShiftedClock } from "./outage-database-clock.ts";
import { dumpDatabase, restoreDump } from "./restore-to-new-server.ts";
import { canMount, moveToSmallDisk } from "../installation/small-disk.ts";
import type { Trial } from "../trial/trial.ts";

/** A fault in an installation, and the alert that it must raise. */
export interface Incident {
  readonly name: string;
  /** The alert of deploy/prometheus/rules.yaml for this fault, in addition to possible others. */
  readonly alert: string;
  /** The reason why this machine can not test the incident; undefined if it can. */
  readonly skipReason?: string | undefined;
  /**
   * Prepares the fault in a healthy installation; returns the function that injects it, which returns the function that
   * repairs it.
   */
  prepare(context: IncidentContext): Promise<FaultInjector>;
}

export type FaultInjector = () => Promise<() => Promise<void>>;

export interface IncidentContext {
  readonly trial: Trial;
  /** Restarts the first serving process with its metrics on the same port; does not wait until it is ready. */
  restartServe(): Promise<void>;
}

/** Makes a function of the settlement fail, as when PostgreSQL's libraries are replaced under the running server. */
const failingSettlement: Incident = {
  name: "payments can not be settled",
  alert: "TollgateSettlementStalled",
  prepare:
    async ({ trial: { installation } }) =>
    async () => {
      const { cluster } = installation;
      const [original] = await cluster.execute<{ text: string }>(
        database,
        "select pg_get_functiondef('payment_follows_its_lifecycle()'::regprocedure) as text",
      );
      await cluster.execute(
        database,
        `create or replace function payment_follows_its_lifecycle() returns trigger language plpgsql
        as $$ begin raise exception 'could not load library'; end $$`,
      );
      return async () => void (await cluster.execute(database, original?.text ?? ""));
    },
};

const stoppedWorkers: Incident = {
  name: "all workers are frozen",
  alert: "TollgateWorkersStopped",
  prepare:
    async ({ trial: { installation } }) =>
    async () => {
      for (const work of installation.works) work.freeze();
      return async () => installation.works.forEach((work) => work.thaw());
    },
};

const silentProvider: Incident = {
  name: "the payment provider does not respond",
  alert: "TollgateProviderSilent",
  prepare:
    async ({ trial: { installation } }) =>
    async () => {
      const [proxy] = installation.proxies.gatewayToProviders;
      proxy?.fail({ kind: "black-hole" });
      return async () => proxy?.heal();
    },
};

/** The database has a new password for a process's login, and the process restarts with the old one. */
const wrongPassword: Incident = {
  name: "the password was changed, and a process restarted",
  alert: "TollgateProcessDown",
  prepare:
    async ({ trial: { installation }, restartServe }) =>
    async () => {
      const { cluster, variables } = installation;
      const { password } = new URL(variables["TOLLGATE_DATABASE_URL"] ?? "");
      await cluster.execute("postgres", `alter role ${serveLogin} password 'another'`);
      await restartServe();
      return async () => {
        await cluster.execute("postgres", `alter role ${serveLogin} password '${password}'`);
        await restartServe();
      };
    },
};

const lostDatabase: Incident = {
  name: "the database is not reachable",
  alert: "TollgateDatabaseUnreachable",
  prepare:
    async ({ trial: { installation } }) =>
    async () => {
      const { servesToDatabase, workToDatabase } = installation.proxies;
      const proxies = [...servesToDatabase, workToDatabase];
      for (const proxy of proxies) proxy.fail({ kind: "black-hole" });
      return async () => proxies.forEach((proxy) => proxy.heal());
    },
};

/** The synchronous standby is frozen, so commits wait for it. */
const lostStandby: Incident = {
  name: "the standby is frozen",
  alert: "TollgateStandbyMissing",
  prepare:
    async ({ trial: { installation } }) =>
    async () => {
      const standby = installation.cluster.standby();
      await standby?.freeze();
      return async () => standby?.thaw();
    },
};

/** A standby whose clock is an hour ahead is promoted. */
const skewedClock: Incident = {
  name: "the database's clock is an hour off",
  alert: "TollgateClockSkew",
  async prepare({ trial: { installation } }) {
    const { cluster } = installation;
    const folder = mkdtempSync(join(tmpdir(), "tollgate-clock-"));
    await cluster.buildStandby({ library: compileShiftedClock(folder), seconds: 3_600 });
    return async () => {
      await cluster.failOver();
      return async () => {
        await cluster.buildStandby();
        await cluster.failOver();
        await cluster.buildStandby();
        rmSync(folder, { recursive: true, force: true });
      };
    };
  },
};

/** Only the data disk is full. If the WAL disk were full, PostgreSQL would stop, and another alert would be raised. */
const fullDisk: Incident = {
  name: "the database's disk is full",
  alert: "TollgateDiskFull",
  skipReason: canMount ? undefined : "only root can make a small disk",
  async prepare({ trial: { installation } }) {
    const disk = await moveToSmallDisk(installation.cluster, { separateWal: true });
    return async () => {
      const timer = setInterval(() => disk.fill(), 250);
      disk.fill();
      return async () => {
        clearInterval(timer);
        disk.freeSpace();
        // PostgreSQL keeps running on this disk. After the lazy unmount, the folder of the disk can be removed.
        disk.unmount();
      };
    };
  },
};

/** A dump is restored to a new server, and the gateway connects to it; the balances were not rebuilt. */
const restoredDump: Incident = {
  name: "a dump was restored, and balances were not rebuilt",
  alert: "TollgateForeignBalances",
  async prepare({ trial }) {
    const { variables } = trial.installation;
    const folder = mkdtempSync(join(tmpdir(), "tollgate-restored-"));
    chmodSync(folder, 0o711);
    const dumpFiles = await dumpDatabase(trial, folder);
    return async () => {
      const restored = await restoreDump(trial, folder, dumpFiles);
      process.prependOnceListener("exit", () => {
        restored.killNow();
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      });
      const owner = { ...variables, TOLLGATE_OWNER_DATABASE_URL: restored.url(database) };
      return async () => void (await runTollgate(owner, "balances", "rebuild"));
    };
  },
};

/** Command-line word → its incident. */
export const incidents: Readonly<Record<string, Incident>> = {
  settling: failingSettlement,
  workers: stoppedWorkers,
  provider: silentProvider,
  password: wrongPassword,
  database: lostDatabase,
  standby: lostStandby,
  clock: skewedClock,
  disk: fullDisk,
  // The incident `restored` runs last, because the new server does not have the data of the old one.
  restored: restoredDump,
};
