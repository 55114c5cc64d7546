import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { Client } from "pg";
import { views } from "../../src/api/views.ts";
import { actAsOwner } from "../../src/commands/as-owner.ts";
import { readCommandLine } from "../../src/commands/command-line.ts";
import { operatorCommands } from "../../src/commands/operator-commands.ts";
import { serve } from "../../src/commands/serve.ts";
import { readSettings } from "../../src/commands/settings.ts";
import { work } from "../../src/commands/work.ts";
import { bucketOf } from "../../src/core/bucket.ts";
import { committed, openDatabase, systemScope, type Database } from "../../src/postgres/database.ts";
import { freePort } from "../../src/postgres/throw-away.ts";
import { rebuildSearch, type RebuiltPart } from "../../src/search/search.sql.ts";
import { usualTerms } from "../../src/wallets/connector.ts";
import { globalTeardown, startTestServer } from "../start/global-setup.ts";
import { call, newMerchant, pathOf, prepareTestGateway, type ReceivedAnswer } from "../start/test-gateway.ts";
import { connectTestWallet } from "../start/test-stack.ts";
import { fillStatements, type DatabaseSize } from "./fill-database.ts";
import { newPlanRecorder, type RecordedStatement } from "./recorded-plans.ts";

/** A gateway whose database has many payments, and the huge merchant that half of them belong to. */
export interface LargeWorld {
  readonly folder: string;
  readonly clientId: string;
  /** An id of the huge merchant's, by the kind's digits, such as `01` for a payment. */
  readonly ids: Readonly<Record<string, string>>;
  /** Tables with many rows, beyond those that grow with merchants. */
  readonly largeTables: ReadonlySet<string>;
  /** Statements that `run` has caused, by whichever login. */
  statementsOf(run: () => Promise<unknown>): Promise<readonly RecordedStatement[]>;
  ask(path: string, request: object): Promise<ReceivedAnswer>;
  view(name: string, request: object): Promise<object>;
  command(name: string, words: readonly string[]): Promise<void>;
  /** The first batch of `search rebuild` in the huge merchant's bucket. */
  rebuildSearch(limit: number): Promise<RebuiltPart>;
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Starts a PostgreSQL of its own, fills it, and starts `serve` and `work` in this process. */
export async function startLargeWorld(size: Omit<DatabaseSize, "hugeMerchant">): Promise<LargeWorld> {
  const recorder = await newPlanRecorder();
  await startTestServer({ ...recorder.settings, max_wal_size: "8GB", autovacuum: "off" });
  const { database, variables, operatorVariables } = await prepareTestGateway("sandbox");
  const merchant = await newMerchant(database);
  const { clientId } = merchant;
  const wallet = await connectTestWallet(database);
  const superuser = await fillLarge(database.superuserUrl, { ...size, hugeMerchant: clientId });
  const settings = { ...variables, TOLLGATE_PORT: String(await freePort()) };
  const serving = await serve(readSettings(settings));
  const working = await work(readSettings({ ...settings, TOLLGATE_DATABASE_URL: database.workUrl }));
  after(() => Promise.all([serving.stop(), working.stop()]));
  Object.assign(process.env, operatorVariables);
  const portal = openDatabase({
    url: database.appUrl,
    applicationName: "views",
    connectionsMax: 2,
    onFault: () => undefined,
  });
  after(() => portal.close());
  const folder = mkdtempSync(join(tmpdir(), "tollgate-large-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  // The last of all: hooks run in the order in which they were registered.
  after(async () => {
    await globalTeardown();
    await recorder.remove();
  });
  const query: LargeWorld["query"] = async <Row extends object>(
    text: string,
    values: readonly unknown[] = [],
  ) => (await superuser.query<Row>(text, [...values])).rows;

  return {
    folder,
    clientId,
    ids: await idsOf(query, clientId),
    largeTables: await largeTablesOf(query),
    query,
    async statementsOf(run) {
      const mark = (marker: string): Promise<unknown> =>
        onDatabase(database.superuserUrl, `select '${marker}'`);
      await recorder.read(mark);
      await run();
      return recorder.read(mark);
    },
    async ask(path, request) {
      const answer = await call(serving.url, merchant, {
        path: pathOf("sandbox", path),
        body: JSON.stringify(request),
      });
      if (path === "payments/pay") await wallet.control(String(answer.json["paymentId"]), "approve");
      return answer;
    },
    view: (name, request) => findView(portal, clientId, name, request),
    rebuildSearch: (limit) =>
      actAsOwner({ url: database.ownerUrl, environment: "sandbox" }, systemScope, async (tx) => ({
        value: await rebuildSearch(tx, { bucket: bucketOf(clientId), fromId: "", limit }),
        audit: undefined,
      })),
    async command(name, words) {
      const asked = readCommandLine([...name.split(" "), ...words], operatorCommands);
      assert.ok(asked.wants === "run" && asked.name === name, name);
      await operatorCommands[name]?.run(asked.given);
      process.exitCode = 0;
    },
  };
}

/** Fills the database, and has plans recorded from then on. Gives the superuser's connection. */
async function fillLarge(url: string, size: DatabaseSize): Promise<Client> {
  const superuser = new Client({ connectionString: url });
  superuser.on("error", () => undefined);
  await superuser.connect();
  for (const statement of fillStatements(size)) await superuser.query(statement);
  // Only the huge merchant's bucket has something to archive: the other thousand would each write a file.
  await superuser.query("set session_replication_role = replica");
  await superuser.query(
    "update payments set archive_id = 1 where bucket <> $1 and created_at < now() - interval '365 days'",
    [bucketOf(size.hugeMerchant)],
  );
  await superuser.query("set session_replication_role = origin");
  const { rows } = await superuser.query<{ name: string }>("select current_database() as name");
  await superuser.query(`alter database ${rows[0]?.name} set auto_explain.log_min_duration = 0`);
  return superuser;
}

/** What a view finds, as the serving login. */
async function findView(portal: Database, clientId: string, name: string, request: object): Promise<object> {
  const view = views.find((each) => each.name === name) ?? assert.fail(name);
  const bucket = bucketOf(clientId);
  const given = { environment: "sandbox", clientId, bucket, now: new Date(), aheadMs: 0 } as const;
  const found = portal.transaction([clientId], (tx) =>
    view.find({ tx, ...given, termsOf: () => usualTerms, recentCalls: [] }, request),
  );
  return committed(await found);
}

async function largeTablesOf(query: LargeWorld["query"]): Promise<ReadonlySet<string>> {
  const rows = await query<{ relname: string }>(
    `select relname from pg_class where reltuples > 1000 and relkind = 'r'
       and relname <> all ('{clients,feed_heads,settlement_terms,balances}')`,
  );
  return new Set(rows.map(({ relname }) => relname));
}

async function idsOf(
  query: LargeWorld["query"],
  clientId: string,
): Promise<Readonly<Record<string, string>>> {
  const rows = await query<{ kind: string; id: string }>(
    `select '01' as kind, (select payment_id from payments where client_id = $1 and status = 'SUCCESS' order by payment_id desc limit 1 offset 700) as id
     union all select 'erased', (select payment_id from payments where client_id = $1 and status = 'CANCELLED' order by payment_id desc limit 1 offset 300)
     union all select '02', (select refund_id from refunds where client_id = $1 order by refund_id desc limit 1)
     union all select '05', (select dispute_id from disputes where client_id = $1 and status = 'CREATED' order by dispute_id desc limit 1)
     union all select '08', (select notification_id from notifications where client_id = $1 order by notification_id desc limit 1)
     union all select '11', (select batch_id from settlement_batches where client_id = $1 order by batch_id desc limit 1)`,
    [clientId],
  );
  return Object.fromEntries(rows.map(({ kind, id }) => [kind, id]));
}

/** On a connection of its own, on which the settings of the database count. */
async function onDatabase(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
