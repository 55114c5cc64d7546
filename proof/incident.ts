import { database, serveLogin } from "./installation.ts";
import type { Trial } from "./trial.ts";

/** Something that goes wrong in an installation, and whom it has to call. */
export interface Incident {
  readonly name: string;
  /** The alert of deploy/prometheus/rules.yaml that says what is wrong, whatever others come with it. */
  readonly alert: string;
  /** Makes it go wrong, and gives what mends it. */
  strike(world: World): Promise<() => Promise<void>>;
}

export interface World {
  readonly trial: Trial;
  /** Starts the first serving process again, with its metrics where they were; does not wait until it is ready. */
  restartServe(): Promise<void>;
}

/** What settling uses raises, as it does when PostgreSQL's libraries are replaced under the running server. */
const brokenSettling: Incident = {
  name: "payments cannot be ended",
  alert: "TollgateNothingEnds",
  async strike({ trial: { installation } }) {
    const { cluster } = installation;
    const [before] = await cluster.execute<{ text: string }>(
      database,
      "select pg_get_functiondef('payment_follows_its_lifecycle()'::regprocedure) as text",
    );
    await cluster.execute(
      database,
      `create or replace function payment_follows_its_lifecycle() returns trigger language plpgsql
        as $$ begin raise exception 'could not load library'; end $$`,
    );
    return async () => void (await cluster.execute(database, before?.text ?? ""));
  },
};

const stoppedWorkers: Incident = {
  name: "all workers stand still",
  alert: "TollgateWorkersStopped",
  async strike({ trial: { installation } }) {
    for (const work of installation.works) work.freeze();
    return async () => installation.works.forEach((work) => work.thaw());
  },
};

const silentWallet: Incident = {
  name: "the wallet is silent",
  alert: "TollgateWalletSilent",
  async strike({ trial: { installation } }) {
    const [line] = installation.lines.gatewayToWallets;
    line?.fail({ kind: "black-hole" });
    return async () => line?.heal();
  },
};

/** The password was changed in the database, and a process is restarted with the old one. */
const wrongPassword: Incident = {
  name: "the password was changed, and a process restarted",
  alert: "TollgateProcessDown",
  async strike({ trial: { installation }, restartServe }) {
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
  name: "the database cannot be reached",
  alert: "TollgateDatabaseAway",
  async strike({ trial: { installation } }) {
    const { servesToDatabase, workToDatabase } = installation.lines;
    const lines = [...servesToDatabase, workToDatabase];
    for (const line of lines) line.fail({ kind: "black-hole" });
    return async () => lines.forEach((line) => line.heal());
  },
};

/** The mark that a restored dump has: balances that were summed on another server. restore.ts restores a real one. */
const restoredDump: Incident = {
  name: "a dump was restored, and balances were not rebuilt",
  alert: "TollgateBalancesForeign",
  async strike({ trial: { installation } }) {
    await installation.cluster.execute(database, "update balances_position set server = server + 1");
    return async () => void (await installation.operate("balances", "rebuild"));
  },
};

/** Command-line word → the incident that it runs. */
export const incidents: Readonly<Record<string, Incident>> = {
  settling: brokenSettling,
  workers: stoppedWorkers,
  wallet: silentWallet,
  password: wrongPassword,
  database: lostDatabase,
  restored: restoredDump,
};
