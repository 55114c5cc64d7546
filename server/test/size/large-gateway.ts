import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { Client } from "pg";
import { views } from "../../src/catalog/views.ts";
import { accountingDayOf } from "../../src/core/accounting-day.ts";
import { actAsOwner, type Operator } from "../../src/operator-session/owner-session.ts";
import { readCommandLine } from "../../src/operators/framework/command-line.ts";
import { closeMonth } from "../../src/operators/ledger/close-month.ts";
import { operatorCommands } from "../../src/processes/operator-commands.ts";
import { serve } from "../../src/processes/serve.ts";
import { readSettings } from "../../src/settings/settings.ts";
import { work } from "../../src/processes/work.ts";
import { bucketOf } from "../../src/core/bucket.ts";
import { requireCommitted, openDatabase, systemScope, type Database } from "../../src/postgres/database.ts";
import { findFreePort } from "../../src/postgres/temporary-postgres.ts";
import { rebuildSearch, type RebuiltChunk } from "../../src/search/search.sql.ts";
import { defaultTerms } from "../../src/providers/connector.ts";
import { globalTeardown, startTestServer } from "../start/global-setup.ts";
import { call, newMerchant, pathOf, prepareTestGateway, type ReceivedAnswer } from "../start/test-gateway.ts";
import { connectTestProvider } from "../start/test-stack.ts";
import { fillSettings, fillSteps, type DatabaseSize, type FillStep } from "./fill-database.ts";
import { newPlanRecorder, type PlanRecorder, type RecordedStatement } from "./recorded-plans.ts";

/** A gateway whose database has many payments, half of them of one huge merchant. */
export interface LargeGateway {
  readonly folder: string;
  readonly clientId: string;
  /**
   * An id of each kind of the huge merchant's records. The key is the kind's digits in an id, such as `01` for a
   * payment.
   */
  readonly ids: Readonly<Record<string, string>>;
  /** Tables with many rows, beyond those that grow with merchants. */
  readonly largeTables: ReadonlySet<string>;
  /** Statements that `run` has caused, by any login. */
  statementsOf(run: () => Promise<unknown>): Promise<readonly RecordedStatement[]>;
  request(path: string, request: object): Promise<ReceivedAnswer>;
  view(name: string, request: object): Promise<object>;
  command(name: string, commandArguments: readonly string[]): Promise<void>;
  /** Runs the first batch of `search rebuild` in the huge merchant's bucket. */
  rebuildSearch(limit: number): Promise<RebuiltChunk>;
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** A filled database before its plans are recorded: recording would slow down the measurements. */
export interface LargeDatabase extends Pick<LargeGateway, "folder" | "clientId" | "view" | "query"> {
  readonly operator: Operator;
}

/** Optional steps around the fill, for the evidence run. */
export interface FillHooks {
  /** Reports progress. */
  report(line: string): void;
  /** Measures the filled database, before `serve` and `work` start. */
  measure(filled: LargeDatabase): Promise<void>;
}

/** A database that is larger than the page cache of PostgreSQL's default settings. */
const dayMs = 86_400_000;
/** The age in days of the old month that the tests read. */
export const oldDays = 390;
const [manyPayments, sharedBuffers] = [1_000_000, "2GB"] as const;

/** Starts a separate PostgreSQL, fills it, and starts `serve` and `work` in this process. */
export async function startLargeGateway(
  size: Omit<DatabaseSize, "hugeMerchant">,
  steps?: FillHooks,
): Promise<LargeGateway> {
  const recorder = await startServerFor(size);
  try {
    return await startWorldOn(recorder, size, steps);
  } catch (error) {
    // The server is removed here, because the test runner does not run the hooks of a file that failed to load.
    await globalTeardown();
    await recorder.remove();
    throw error;
  }
}

async function startWorldOn(
  recorder: PlanRecorder,
  size: Omit<DatabaseSize, "hugeMerchant">,
  steps: FillHooks | undefined,
): Promise<LargeGateway> {
  const { database, variables, operatorVariables } = await prepareTestGateway("sandbox");
  const merchant = await newMerchant(database);
  const { clientId } = merchant;
  const provider = await connectTestProvider(database);
  const superuser = await fillLarge(database.superuserUrl, { ...size, hugeMerchant: clientId }, steps);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-large-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const query: LargeGateway["query"] = async <Row extends object>(
    text: string,
    values: readonly unknown[] = [],
  ) => (await superuser.query<Row>(text, [...values])).rows;
  const operator = { url: database.ownerUrl, environment: "sandbox", by: { reason: "size" } } as const;
  // Finance closes months. With these two, a statement of the old month and one of last month start from a month close.
  for (const days of [oldDays, 31])
    await closeMonth(operator, accountingDayOf(new Date(Date.now() - days * dayMs)).slice(0, 7), new Date());
  if (steps) {
    const portal = openPortal(database.appUrl);
    const view: LargeGateway["view"] = (name, request) => findView(portal, clientId, name, request);
    await steps.measure({ folder, clientId, view, query, operator });
    await portal.close();
  }
  await recordPlans(superuser);
  const settings = { ...variables, TOLLGATE_PORT: String(await findFreePort()) };
  const serving = await serve(readSettings(settings));
  const working = await work(readSettings({ ...settings, TOLLGATE_DATABASE_URL: database.workUrl }));
  after(() => Promise.all([serving.stop(), working.stop()]));
  Object.assign(process.env, operatorVariables);
  const portal = openPortal(database.appUrl);
  after(() => portal.close());
  // This hook must be registered last, because hooks run in the order of their registration and the server must stop
  // last.
  after(async () => {
    await globalTeardown();
    await recorder.remove();
  });

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
    async request(path, request) {
      const answer = await call(serving.url, merchant, {
        path: pathOf("sandbox", path),
        body: JSON.stringify(request),
      });
      if (path === "payments/pay") await provider.control(String(answer.json["paymentId"]), "approve");
      return answer;
    },
    view: (name, request) => findView(portal, clientId, name, request),
    rebuildSearch: (limit) =>
      actAsOwner(operator, systemScope, async (tx) => ({
        value: await rebuildSearch(tx, { bucket: bucketOf(clientId), fromId: "", limit }),
        audit: undefined,
      })),
    command: runCommand,
  };
}

/** Runs an operator's command in this process. */
async function runCommand(name: string, commandArguments: readonly string[]): Promise<void> {
  const parsed = readCommandLine([...name.split(" "), ...commandArguments], operatorCommands);
  assert.ok(parsed.action === "run" && parsed.name === name, name);
  await operatorCommands[name]?.run(parsed.args);
  process.exitCode = 0;
}

/** Connections of the login that serves the portal's views. */
function openPortal(url: string): Database {
  return openDatabase({ url, applicationName: "views", connectionsMax: 2, onFault: () => undefined });
}

/** Starts a server whose plans can be recorded. */
async function startServerFor({ payments }: Pick<DatabaseSize, "payments">): Promise<PlanRecorder> {
  const recorder = await newPlanRecorder();
  await startTestServer({
    ...recorder.settings,
    max_wal_size: "8GB",
    checkpoint_timeout: "30min",
    autovacuum: "off",
    ...(payments >= manyPayments && { shared_buffers: sharedBuffers }),
  });
  return recorder;
}

/** Fills the database; returns the superuser's connection. */
async function fillLarge(url: string, size: DatabaseSize, steps?: FillHooks): Promise<Client> {
  const superuser = new Client({ connectionString: url });
  superuser.on("error", () => undefined);
  await superuser.connect();
  const startedMs = performance.now();
  const runStep = async (statements: FillStep): Promise<void> => {
    await runInParallel(url, statements);
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
    steps?.report(`${seconds} s: ${statements.length} statements of the fill`);
  };
  for (const statements of fillSteps(size)) await runStep(statements);
  const { rows } = await superuser.query<{ definition: string }>("select definition from dropped_indexes");
  await runStep(rows.map(({ definition }) => definition));
  await superuser.query("drop table dropped_indexes; select rebuild_balances()");
  await runStep(await vacuumStatements(superuser));
  // Only the huge merchant's bucket has payments to archive. Otherwise each of a thousand merchants would write a file.
  await superuser.query("set session_replication_role = replica");
  await superuser.query(
    "update payments set archive_id = 1 where bucket <> $1 and created_at < now() - interval '365 days'",
    [bucketOf(size.hugeMerchant)],
  );
  await superuser.query("set session_replication_role = origin");
  return superuser;
}

const fillConnections = 2;

/** Runs statements in order on a few connections. */
async function runInParallel(url: string, statements: FillStep): Promise<void> {
  const pending = [...statements];
  const runPending = async (): Promise<void> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(fillSettings);
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) await client.query(next);
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: fillConnections }, runPending));
}

/** Largest tables first. */
async function vacuumStatements(superuser: Client): Promise<FillStep> {
  const { rows } = await superuser.query<{ statement: string }>(
    `select format('vacuum (analyze) %I', relname) as statement from pg_class
     where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by pg_relation_size(oid) desc`,
  );
  return rows.map(({ statement }) => statement);
}

/** Enables auto_explain for new connections. */
async function recordPlans(superuser: Client): Promise<void> {
  const { rows } = await superuser.query<{ name: string }>("select current_database() as name");
  await superuser.query(`alter database ${rows[0]?.name} set auto_explain.log_min_duration = 0`);
}

/** Runs a view as the serving login. */
async function findView(portal: Database, clientId: string, name: string, request: object): Promise<object> {
  const view = views.find((each) => each.name === name) ?? assert.fail(name);
  const bucket = bucketOf(clientId);
  const context = { environment: "sandbox", clientId, bucket, now: new Date(), aheadMs: 0 } as const;
  const found = portal.transaction([clientId], (tx) =>
    view.find({ tx, ...context, termsOf: () => defaultTerms, recentCalls: [] }, request),
  );
  return requireCommitted(await found);
}

async function largeTablesOf(query: LargeGateway["query"]): Promise<ReadonlySet<string>> {
  const rows = await query<{ relname: string }>(
    `select relname from pg_class where reltuples > 1000 and relkind = 'r'
       and relname <> all ('{clients,feed_heads,settlement_terms,balances}')`,
  );
  return new Set(rows.map(({ relname }) => relname));
}

async function idsOf(
  query: LargeGateway["query"],
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

/** `onDatabase` runs a statement on a new connection, which uses the settings of the database. */
async function onDatabase(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
