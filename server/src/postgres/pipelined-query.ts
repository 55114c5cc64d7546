import type { Duplex } from "node:stream";
import { WrongCellError } from "../core/wrong-cell-error.ts";
import { Query, types, type ClientBase, type Connection } from "pg";
import type { Statement } from "./sql.ts";

/**
 * Runs one statement under a setting that is local to the transaction. Both are sent in one round trip with one Sync,
 * so that PostgreSQL runs them as one implicit transaction, without BEGIN and COMMIT. The next query pipelined on the
 * connection is another transaction, whether this one succeeded or not. docs/decisions/0043 explains why this code
 * writes the wire protocol itself, and what to check when pg is upgraded.
 */
export async function runPipelinedQuery<Row extends object>(
  client: ClientBase,
  setting: Statement,
  statement: Statement,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new PipelinedQuery(setting, statement, (e, rows) => (e ? reject(e) : resolve(rows as Row[]))),
    );
  });
}

type QueryCallback = (error: Error | null, rows?: readonly object[]) => void;

/** The description of a result's rows: the name of each column, and the parser of its text. */
type RowShape = readonly { readonly name: string; readonly read: (text: string) => unknown }[];

/** The driver's connection, beyond its published types. */
interface WireConnection {
  readonly stream: Duplex;
  readonly parsedStatements: { [name: string]: string };
  parse(statement: Statement): void;
  bind(message: { statement: string; values: Statement["values"]; valueMapper: typeof toWire }): void;
  describe(portal: { type: "P" }): void;
  execute(): void;
  sync(): void;
}

/**
 * Cache of row descriptions, by connection and prepared statement. The cache cannot be stale: PostgreSQL refuses to run
 * a prepared statement whose result type has changed.
 */
const shapes = new WeakMap<WireConnection, Map<string, RowShape>>();

/**
 * The query as the driver expects it. It is a class because the driver requires one; the driver calls its methods as
 * the response arrives.
 */
class PipelinedQuery extends Query {
  // The driver wraps this callback, to call it after `query_timeout`.
  private callback: QueryCallback;
  private readonly setting: Statement;
  private readonly statement: Statement;
  // Not `rows`: the driver reads that property as its own option.
  private readonly resultRows: object[] = [];
  private shapesByStatement: Map<string, RowShape> | undefined;
  private isSettingComplete = false;
  /** Whether the setting was made. PostgreSQL does not make it for a merchant in another cell. */
  private isScoped = false;
  private fault: Error | null = null;

  constructor(setting: Statement, statement: Statement, callback: QueryCallback) {
    super("");
    this.setting = setting;
    this.statement = statement;
    this.callback = callback;
    this.submit = (connection: Connection) => this.send(connection as unknown as WireConnection);
  }

  private send(wire: WireConnection): void {
    this.shapesByStatement = shapes.get(wire) ?? new Map<string, RowShape>();
    shapes.set(wire, this.shapesByStatement);
    corkUntilNextTurn(wire.stream);
    bind(wire, this.setting);
    wire.execute();
    bind(wire, this.statement);
    if (!this.shapesByStatement.has(this.statement.name)) wire.describe({ type: "P" });
    wire.execute();
    wire.sync();
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    const shape = fields.map(({ name, dataTypeID }) => ({ name, read: types.getTypeParser(dataTypeID) }));
    this.shapesByStatement?.set(this.statement.name, shape);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    // The first row of the response belongs to the setting.
    if (!this.isSettingComplete) {
      this.isScoped = true;
      return;
    }
    try {
      this.resultRows.push(readRow(this.shapesByStatement?.get(this.statement.name) ?? [], fields));
    } catch (error) {
      this.fault = error as Error;
    }
  }

  handleCommandComplete(): void {
    this.isSettingComplete = true;
  }

  handleReadyForQuery(): void {
    if (!this.isScoped) this.fault = new WrongCellError();
    this.callback(this.fault, this.resultRows);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

/**
 * Corks the socket, so that all queries of one turn of the event loop are sent in one packet, and PostgreSQL wakes up
 * once.
 */
export function corkUntilNextTurn(stream: Duplex): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/**
 * The statement counts as prepared before the server has responded, because the connection is discarded if preparing
 * fails.
 */
function bind(wire: WireConnection, statement: Statement): void {
  const { name, text, values } = statement;
  if (wire.parsedStatements[name] === undefined) {
    wire.parse(statement);
    wire.parsedStatements[name] = text;
  }
  wire.bind({ statement: name, values, valueMapper: toWire });
}

function readRow(shape: RowShape, fields: readonly (string | null)[]): object {
  if (shape.length !== fields.length) throw new Error("PostgreSQL sent a row without its description.");
  const row: { [name: string]: unknown } = {};
  for (const [index, { name, read }] of shape.entries()) {
    const text = fields[index] ?? null;
    row[name] = text === null ? null : read(text);
  }
  return row;
}

type Value = Statement["values"][number];

function toWire(value: Value): string | Buffer | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "object") return `{${value.map(toElement).join(",")}}`;
  return String(value);
}

function toElement(value: Value): string {
  if (value === null) return "null";
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString("hex")}"`;
  const text = String(toWire(value));
  return /["\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, "\\$&")}"` : `"${text}"`;
}
