import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { openDatabase, systemScope, type Database } from "./database.ts";
import { startLocalServer, type LocalServer } from "./local-server.ts";
import { migrate } from "./migrate.ts";
import type { ServerOrigin } from "./connection-origin.ts";
import { sql } from "./sql.ts";
import { findFreePort, startTemporaryPostgres } from "./temporary-postgres.ts";

const run = promisify(execFile);
const nobodyUserId = 65_534;

/** These tests run a primary with a synchronous standby, and a proxy that leads to one of the two. */
const settings = { synchronous_commit: "on", wal_level: "replica" };
const primary = await startTemporaryPostgres({ durable: false, settings });
after(() => primary.stop());
await migrate(primary.url("postgres"), "live");
await primary.execute("postgres", "create table orders (item text not null)");
const standby = await startStandby();
after(() => standby.stop("SIGQUIT"));
// The standby receives this database only by WAL, so it has no copy of files that PostgreSQL does not log.
await primary.execute("postgres", "create database younger");
await migrate(primary.url("younger"), "live");
const proxy = await startProxy(primary.port);

async function startStandby(): Promise<LocalServer> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-standby-"));
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, nobodyUserId, nobodyUserId);
  const url = new URL(primary.url("postgres"));
  const source = `host=127.0.0.1 port=${primary.port} user=postgres password=${url.password} application_name=second`;
  const args = [
    "-d",
    source,
    "-D",
    join(folder, "data"),
    "--write-recovery-conf",
    "--checkpoint=fast",
    "--no-sync",
  ];
  const identity = isRoot ? { uid: nobodyUserId, gid: nobodyUserId } : {};
  await run(join(primary.binFolder, "pg_basebackup"), args, { cwd: folder, ...identity });
  const files = { binFolder: primary.binFolder, folder, password: url.password };
  const started = await startLocalServer(files, { port: await findFreePort(), durable: false, settings });
  await primary.execute("postgres", "alter system set synchronous_standby_names = 'second'");
  await primary.execute("postgres", "select pg_reload_conf()");
  const states = "select from pg_stat_replication where sync_state = 'sync'";
  await eventually(
    10_000,
    () => asSuperuser(states, [], primary.url("postgres")),
    ({ length }) => length === 1,
  );
  return started;
}

interface Proxy {
  readonly url: string;
  /** Leads new connections to another port, and resets old connections. */
  moveTo(port: number): void;
}

async function startProxy(first: number): Promise<Proxy> {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((inside) => {
    const outside = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from);
      from.on("error", () => undefined).on("close", () => to.destroy());
      from.pipe(to);
    }
  });
  const reset = (): void => sockets.forEach((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    reset();
    server.close();
  });
  const url = new URL(primary.url("postgres"));
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    moveTo(port) {
      target = port;
      reset();
    },
  };
}

function open(url: string): Database {
  const options = { applicationName: "failover", connectionsMax: 4, onFault: () => undefined };
  const database = openDatabase({ url, ...options });
  after(() => database.close());
  return database;
}

/** Commits a row that only the primary has, by cancelling its wait for the standby. */
async function commitUnreplicated(item: string): Promise<void> {
  const url = primary.url("postgres");
  const writing = asSuperuser("insert into orders values ($1)", [item], url);
  const waiting = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'";
  await eventually(
    5_000,
    () => asSuperuser(waiting, [], url),
    ({ length }) => length > 0,
  );
  await writing;
}

const find = sql`select item from orders`;

test("a row that was read from the lost primary is not confirmed by the promoted standby", async () => {
  const database = open(proxy.url);
  const byReader = new Set<ServerOrigin>();
  const byTransaction = new Set<ServerOrigin>();
  const survivor = open(standby.url("postgres"));
  const duringRecovery = new Set<ServerOrigin>();
  await asSuperuser("insert into orders values ('replicated')", [], primary.url("postgres"));
  const replicated = new Set<ServerOrigin>();
  await database.reader(systemScope, replicated).query(find);
  await database.waitForReplication(replicated);

  await asSuperuser("alter system set primary_conninfo = ''", [], standby.url("postgres"));
  await asSuperuser("select pg_reload_conf()", [], standby.url("postgres"));
  await eventually(
    10_000,
    () => asSuperuser("select from pg_stat_replication", [], primary.url("postgres")),
    ({ length }) => length === 0,
  );
  await commitUnreplicated("lost");
  const read = await database.reader(systemScope, byReader).query<{ item: string }>(find);
  assert.deepEqual(
    read.map(({ item }) => item),
    ["replicated", "lost"],
  );
  await database.transaction(systemScope, (tx) => tx.query(find), byTransaction);
  await survivor.reader(systemScope, duringRecovery).query(find);

  await primary.stop();
  await asSuperuser("select pg_promote()", [], standby.url("postgres"));
  proxy.moveTo(standby.port);
  await eventually(
    5_000,
    () => open(proxy.url).reader(systemScope).query(find),
    ({ length }) => length === 1,
  );

  const readOnAnother = /another server/;
  await assert.rejects(database.waitForReplication(byReader), readOnAnother);
  await assert.rejects(database.waitForReplication(byTransaction), readOnAnother);
  // The connection survives the promotion, but the server from which its earlier reads came is unknown.
  await assert.rejects(survivor.waitForReplication(duringRecovery), readOnAnother);

  for (const each of [database, survivor]) {
    const origins = new Set<ServerOrigin>();
    await eventually(
      5_000,
      async () => {
        origins.clear();
        await each.reader(systemScope, origins).query(find);
        return each.waitForReplication(origins).then(() => "confirmed", String);
      },
      (output) => output === "confirmed",
    );
  }
});

test("a promoted standby records changes of audited rows at once", async () => {
  // PostgreSQL writes no WAL for an unlogged sequence, so on a standby without a restartpoint the sequence has no first
  // page.
  await asSuperuser("select add_row_change('{}', false, 1)", [], standby.url("younger"));
});
