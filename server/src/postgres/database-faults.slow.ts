import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import { openDatabase, type Database, type TransactionOutcome } from "./database.ts";
import { migrate } from "./migrate.ts";
import { sql } from "./sql.ts";
import { startTemporaryPostgres } from "./temporary-postgres.ts";

/** Time limit for responses: more than the client-side timeout of the database layer, but less than twice that. */
const answerWithinMs = 9_000;

/**
 * A PostgreSQL server that waits for a synchronous standby that does not exist, so that no commit of a change returns
 * by itself. The server sends no warnings by default, as an operator may configure it.
 */
const settings = {
  synchronous_standby_names: "ghost",
  synchronous_commit: "on",
  client_min_messages: "error",
};
const postgres = await startTemporaryPostgres({ durable: false, settings });
after(async () => {
  await signalAll("SIGCONT");
  await postgres.stop();
});
const url = postgres.url("postgres");
const unreplicated = `${url}?options=-c%20synchronous_commit%3Dlocal`;
await migrate(unreplicated, "live");
await asSuperuser("create table orders (item text not null)", [], unreplicated);

/** Signals the server's process and all its children. To clients a stopped server looks like a frozen machine. */
async function signalAll(signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
  const children = await readFile(`/proc/${postgres.pid}/task/${postgres.pid}/children`, "utf8");
  for (const pid of [String(postgres.pid), ...children.trim().split(" ")]) {
    try {
      process.kill(Number(pid), signal);
    } catch {
      // The process has ended since it was listed, so it needs no signal.
    }
  }
}

function open(applicationName: string): Database {
  const database = openDatabase({ url, applicationName, connectionsMax: 4, onFault: () => undefined });
  after(() => database.close());
  return database;
}

function order(database: Database, item: string): Promise<TransactionOutcome<object[]>> {
  return database.transaction(["x"], (tx) => tx.query(sql`insert into orders values (${item})`));
}

/** Waits until this connection's commit waits for the standby, and then runs `act` on its process. */
async function actOnStandbyWaiter(name: string, act = "pg_blocking_pids"): Promise<void> {
  const condition = `application_name = '${name}' and wait_event = 'SyncRep'`;
  const giveUpAtMs = performance.now() + 5_000;
  for (;;) {
    const found = await asSuperuser(`select ${act}(pid) from pg_stat_activity where ${condition}`, [], url);
    if (found.length > 0) return;
    assert.ok(performance.now() < giveUpAtMs, "No commit waited for the standby.");
  }
}

test("a commit whose wait for the standby was cancelled is unknown, although PostgreSQL reports success", async () => {
  const running = order(open("cancelled"), "a cancelled wait");
  await actOnStandbyWaiter("cancelled", "pg_cancel_backend");

  const done = await running;
  assert.equal(done.outcome, "unknown");
  assert.match(JSON.stringify(done.cause), /canceling wait for synchronous replication/);
  // The row is visible on this server, but would be lost in a failover. Therefore the outcome is unknown.
  assert.equal((await asSuperuser("select from orders where item = 'a cancelled wait'", [], url)).length, 1);
});

test("a server process that is terminated while its commit waits for the standby: unknown", async () => {
  const running = order(open("terminated"), "a terminated wait");
  await actOnStandbyWaiter("terminated", "pg_terminate_backend");
  assert.equal((await running).outcome, "unknown");
});

test("reads do not wait for the standby, and have a certain outcome", async () => {
  const read = await open("reads").transaction(["x"], (tx) => tx.query(sql`select 1 as one`));
  assert.deepEqual(read, { outcome: "committed", value: [{ one: 1 }] });
});

test("a frozen server delays a caller by at most nine seconds, and is used again when it is back", async () => {
  const [warm, cold] = [open("warm"), open("cold")];
  const nap = sql`select pg_sleep(0.05)`;
  await Promise.all([1, 2, 3, 4].map(() => warm.reader(["x"]).query(nap)));
  const committing = measureTime(order(warm, "a commit into the void"));
  await actOnStandbyWaiter("warm");

  await signalAll("SIGSTOP");
  const reading = measureTime(warm.reader(["x"]).query(sql`select 1`));
  const working = measureTime(order(warm, "a statement into the void"));
  const connecting = measureTime(order(cold, "a connection into the void"));

  assert.match(await assertInTime(committing), /"unknown"/);
  assert.match(await assertInTime(reading), /Query read timeout|terminated/);
  assert.match(await assertInTime(working), /"not committed"/);
  assert.match(await assertInTime(connecting), /"not committed"/);
  assert.ok((await connecting).tookMs < 3_500);

  await signalAll("SIGCONT");
  assert.deepEqual(await warm.reader(["x"]).query(sql`select 1 as one`), [{ one: 1 }]);
});

interface Timed {
  readonly output: string;
  readonly tookMs: number;
}

async function measureTime(work: Promise<unknown>): Promise<Timed> {
  const startedAtMs = performance.now();
  const output = await work.then((value) => JSON.stringify(value), String);
  return { output, tookMs: performance.now() - startedAtMs };
}

async function assertInTime(work: Promise<Timed>): Promise<string> {
  const { output, tookMs } = await work;
  assert.ok(tookMs <= answerWithinMs, `It took ${tookMs} ms.`);
  return output;
}
