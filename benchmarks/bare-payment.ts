import { createHash, randomBytes } from "node:crypto";
import { Client } from "pg";
import { familyCpuTimeUs } from "./cpu-time.ts";
import { unwalledRole, urlFor, workRole, type Installation } from "./installation.ts";
import { renamed, type Sent, type Transaction } from "./recorded-payment.ts";

const connections = 8;
/**
 * Planner settings of the server's own connections: generic plans that look rows up by index, even while
 * tables are small.
 */
const byKey = ["enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "jit"]
  .map((setting) => `-c ${setting}=off`)
  .concat("-c plan_cache_mode=force_generic_plan")
  .join(" ");

/** One payment of the server's, statement by statement: until the wallet has it, and from there to its end. */
export interface RecordedPayment {
  readonly accept: readonly Transaction[];
  /** Stages: all payments pass one before the next begins, because a claim takes any job that is due. */
  readonly settle: readonly (readonly Transaction[])[];
  /** The payment's own ids and names, which every replay replaces with new ones. */
  readonly names: readonly string[];
  readonly clientId: string;
}

/** What the SQL of a payment costs PostgreSQL, in CPU µs. */
export interface BarePayment {
  readonly acceptUs: number;
  readonly settleUs: number;
}

/**
 * Asked by a plain client with prepared statements, one payment a transaction, each transaction in one trip.
 * Not by pgbench: it cannot make ids of 35 digits. What the client itself costs is not counted in either case.
 */
export async function measurePaymentSql(
  at: Installation,
  recorded: RecordedPayment,
  { payments, walled }: { readonly payments: number; readonly walled: boolean },
): Promise<BarePayment> {
  const role = walled ? workRole : unwalledRole;
  const clients = await Promise.all(
    Array.from({ length: connections }, () => connect(urlFor(at.postgres, role), recorded.clientId)),
  );
  const replay = { clients, walled };
  try {
    const made = Array.from({ length: payments }, () => newNames(recorded.names));
    // Warm-up: every connection prepares and plans every statement once, and that is not counted.
    const first = clients.map(() => newNames(recorded.names));
    await share(replay, first, recorded.accept);
    for (const stage of recorded.settle) await share(replay, first, stage);
    const acceptUs = await costOf(at, () => share(replay, made, recorded.accept));
    const settleUs = await costOf(at, async () => {
      for (const stage of recorded.settle) await share(replay, made, stage);
    });
    await failUnlessDone(at, payments);
    return { acceptUs: acceptUs / payments, settleUs: settleUs / payments };
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

/**
 * Statements that find no row cost almost nothing, so the replayed payments must have finished as the
 * original did.
 */
async function failUnlessDone({ query }: Installation, payments: number): Promise<void> {
  const [left] = await query<{ count: number }>("select count(*)::int as count from jobs");
  const count = left?.count ?? 0;
  if (count > payments / 50) throw new Error(`${count} of ${payments} repeated payments were not finished.`);
  await query("delete from jobs");
}

async function costOf({ postgres }: Installation, work: () => Promise<void>): Promise<number> {
  const beforeUs = familyCpuTimeUs(postgres.pid);
  await work();
  return familyCpuTimeUs(postgres.pid) - beforeUs;
}

type Names = ReadonlyMap<string, string>;

interface Replay {
  readonly clients: readonly Client[];
  readonly walled: boolean;
}

async function share(
  { clients, walled }: Replay,
  payments: readonly Names[],
  transactions: readonly Transaction[],
): Promise<void> {
  const runAll = async (client: Client, own: number): Promise<void> => {
    for (const names of payments.filter((_, index) => index % connections === own))
      for (const transaction of transactions) await runOne(client, renamed(transaction, names), walled);
  };
  await Promise.all(clients.map(runAll));
}

/** Sets the merchant (tenant) for row-level security; a question's also sets `transaction_read_only`. */
const tenantSetting = /set_config\('app\.clients'/;

async function runOne(client: Client, transaction: Transaction, walled: boolean): Promise<void> {
  const [setting, ...rest] = transaction;
  const isQuestion = setting?.text.includes("transaction_read_only");
  // A question uses the connection's tenant setting: `pg` cannot send a setting of its own in the same round
  // trip.
  const sent = isQuestion || !walled ? rest.filter(({ text }) => !tenantSetting.test(text)) : transaction;
  const asked = sent.map((statement) => ask(client, statement));
  await Promise.all(isQuestion ? asked : [client.query("begin"), ...asked, client.query("commit")]);
}

function ask(client: Client, { text, values }: Sent): Promise<unknown> {
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  return client.query({ name, text, values: [...values] });
}

/** Replaces each name by a random one of the same form: digits for digits, letters for letters. */
function newNames(names: readonly string[]): Names {
  return new Map(names.map((name) => [name, sameForm(name)]));
}

function sameForm(name: string): string {
  const random = BigInt(`0x${randomBytes(24).toString("hex")}`).toString();
  const keep = /^\d{35}$/.test(name) ? name.length - 12 : Math.max(0, name.length - 18);
  return name.slice(0, keep) + random.slice(0, name.length - keep);
}

async function connect(url: string, clientId: string): Promise<Client> {
  const client = new Client({ connectionString: url, pipeline: true, options: byKey });
  await client.connect();
  await client.query("select set_config('app.clients', $1::text[]::text, false)", [[clientId]]);
  return client;
}
