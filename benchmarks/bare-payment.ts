import { createHash, randomBytes } from "node:crypto";
import { Client } from "pg";
import { familyCpuTimeUs } from "./cpu-time.ts";
import { urlFor, workRole, type Installation } from "./installation.ts";
import {
  acceptTransactions,
  settleTransactions,
  type Asked,
  type BenchPayment,
  type Transaction,
} from "./payment-statements.ts";

const connections = 8;

/** What the SQL of a payment costs PostgreSQL, in CPU µs: until the wallet has it, and from there to its end. */
export interface BarePayment {
  readonly acceptUs: number;
  readonly settleUs: number;
}

/**
 * Asked by a plain client with prepared statements, one payment a transaction, each transaction in one trip.
 * Not by pgbench: it cannot make ids of 35 digits. What the client itself costs is not counted in either case.
 */
export async function measurePaymentSql(at: Installation, payments: number): Promise<BarePayment> {
  const clients = await Promise.all(
    Array.from({ length: connections }, () => connect(urlFor(at.postgres, workRole))),
  );
  try {
    const made = Array.from({ length: payments }, (_, index) => newPayment(at, index));
    // Every connection plans every statement once, and that is not counted.
    await Promise.all(
      clients.map((client, index) =>
        runAll(client, [newPayment(at, index)], [acceptTransactions, settleTransactions]),
      ),
    );
    const acceptUs = await costOf(at, () => share(clients, made, [acceptTransactions]));
    const settleUs = await costOf(at, () => share(clients, made, [settleTransactions]));
    return { acceptUs: acceptUs / payments, settleUs: settleUs / payments };
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

type Life = (payment: BenchPayment) => readonly Transaction[];

async function costOf({ postgres }: Installation, work: () => Promise<void>): Promise<number> {
  const beforeUs = familyCpuTimeUs(postgres.pid);
  await work();
  return familyCpuTimeUs(postgres.pid) - beforeUs;
}

async function share(
  clients: readonly Client[],
  payments: readonly BenchPayment[],
  lives: readonly Life[],
): Promise<void> {
  await Promise.all(
    clients.map((client, own) =>
      runAll(
        client,
        payments.filter((_, index) => index % connections === own),
        lives,
      ),
    ),
  );
}

async function runAll(
  client: Client,
  payments: readonly BenchPayment[],
  lives: readonly Life[],
): Promise<void> {
  for (const payment of payments)
    for (const life of lives)
      for (const transaction of life(payment)) await runOne(client, payment, transaction);
}

async function runOne(client: Client, { clientId }: BenchPayment, transaction: Transaction): Promise<void> {
  const tenant = { text: "select set_config('app.clients', $1::text[]::text, true)", values: [[clientId]] };
  await Promise.all([
    client.query("begin"),
    ...[tenant, ...transaction].map((asked) => ask(client, asked)),
    client.query("commit"),
  ]);
}

function ask(client: Client, { text, values }: Asked): Promise<unknown> {
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  return client.query({ name, text, values: [...values] });
}

function newPayment({ merchants }: Installation, index: number): BenchPayment {
  const { clientId, bucket } = merchants[index % merchants.length] ?? { clientId: "", bucket: 0 };
  const digits = (): string =>
    BigInt(`0x${randomBytes(16).toString("hex")}`)
      .toString()
      .padStart(39, "0")
      .slice(0, 18);
  const paymentId = `20261115000000000${digits()}`;
  return {
    bucket,
    clientId,
    paymentId,
    requestId: `bare-${paymentId}`,
    notificationId: `20261115000000001${digits()}`,
  };
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, pipeline: true });
  await client.connect();
  return client;
}
