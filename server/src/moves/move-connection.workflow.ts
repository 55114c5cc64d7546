import { Client } from "pg";
import { findCell } from "../cells/home.sql.ts";
import type { Statement, Tx } from "../postgres/sql.ts";
import { CommandFailed } from "../core/command-errors.ts";

/** One end of a move: the owner's connection to a cell's database, which sees the rows of one merchant. */
export interface MoveConnection {
  readonly client: Client;
  readonly clientId: string;
}

/**
 * Settings of both sessions. Rows are compared as text, so both sessions must format times, bytes and numbers in the
 * same way, whatever their servers' settings are.
 */
const sessionSettings = `select set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO', false),
  set_config('intervalstyle', 'iso_8601', false), set_config('bytea_output', 'hex', false),
  set_config('extra_float_digits', '1', false), set_config('jit', 'off', false)`;

export async function openMoveConnection(url: string, clientId: string): Promise<MoveConnection> {
  const client = new Client({ connectionString: url, application_name: "tollgate mover", pipeline: true });
  client.on("error", () => undefined);
  await client.connect();
  await client.query(sessionSettings);
  // Row-level security: the connection sees only the merchant's rows, also after the fence is closed, which applies to
  // all other connections.
  await client.query("select set_config('app.clients', $1, false)", [`{${clientId}}`]);
  return { client, clientId };
}

/**
 * `openSource` opens a connection for reading many rows. The owner's policies for all merchants are cheap to check; the
 * policy for one merchant parses a list for each row, which takes longer than reading the row. All queries filter by
 * the merchant's id.
 */
export async function openSource(url: string, clientId: string): Promise<MoveConnection> {
  const connection = await openMoveConnection(url, clientId);
  await connection.client.query(
    "select set_config('app.oversight', 'on', false), set_config('app.fills_search', 'on', false)",
  );
  return connection;
}

export async function inTransaction<Value>(
  { client }: MoveConnection,
  mode: string,
  work: () => Promise<Value>,
): Promise<Value> {
  await client.query(`begin ${mode}`);
  try {
    const value = await work();
    await client.query("commit");
    return value;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

export function asTx(client: Client): Tx {
  const query = async <Row extends object>({ text, values }: Statement): Promise<Row[]> =>
    (await client.query<Row>(text, values)).rows;
  return { query, write: (statement) => void query(statement) };
}

/** `requireCellName` returns the name of a cell; an installation without cells cannot take part in a move. */
export async function requireCellName(tx: Tx): Promise<string> {
  const name = await findCell(tx);
  if (name === undefined)
    throw new CommandFailed("Both installations must be cells: run `tollgate cell init` first.");
  return name;
}

const skewMaxMs = 1_000;

/**
 * `requireSynchronisedClocks` rejects a move if the clocks of the two servers differ (clock skew): leases and due times
 * are copied, and would expire too early or too late.
 */
export async function requireSynchronizedClocks(
  source: MoveConnection,
  target: MoveConnection,
): Promise<void> {
  const skewMs = Math.round((await measureClockOffsetMs(target)) - (await measureClockOffsetMs(source)));
  if (Math.abs(skewMs) > skewMaxMs)
    throw new CommandFailed(
      `The clocks of the two database servers differ by ${skewMs} ms (maximum ${skewMaxMs} ms). ` +
        "Synchronize them first.",
    );
}

/**
 * `measureClockOffsetMs` returns how far a server's clock is ahead of ours, from the fastest of five queries: the error is at
 * most half its round trip.
 */
async function measureClockOffsetMs({ client }: MoveConnection): Promise<number> {
  const samples: { readonly tookMs: number; readonly aheadMs: number }[] = [];
  for (let tries = 0; tries < 5; tries += 1) {
    const startedMs = Date.now();
    const { rows } = await client.query<{ now: number }>(
      "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now",
    );
    const tookMs = Date.now() - startedMs;
    samples.push({ tookMs, aheadMs: (rows[0]?.now ?? Number.NaN) - (startedMs + tookMs / 2) });
  }
  return samples.reduce((best, sample) => (sample.tookMs < best.tookMs ? sample : best)).aheadMs;
}
