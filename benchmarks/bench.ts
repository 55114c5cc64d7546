import { parseArgs } from "node:util";
import { measureRsa, measureSql } from "./bare.ts";
import { cpuTimeUs, familyCpuTimeUs } from "./cpu-time.ts";
import { install, type Installation } from "./installation.ts";
import { startPaymentBench, type PaymentRound } from "./payment-bench.ts";
import { inquiryColumns, lastLine, median, paymentColumns, table, type Round } from "./report.ts";
import { checkSameStatements } from "./same-statements.ts";
import { startLoad, type Load } from "./start-load.ts";

/**
 * The CPU time of an operation, beside its lower bound: PostgreSQL's work for its SQL and OpenSSL's for its
 * signatures. Both are measured in turns in one run, because a machine's speed drifts.
 */
interface Extent {
  readonly rounds: number;
  /** Duration of the load on the gateway, in each round. */
  readonly seconds: number;
  /** Transactions of pgbench, in each round. */
  readonly transactions: number;
  readonly warmUpSeconds: number;
  readonly signedRequests: number;
  /** Payments in each round: once as warm-up, then measured. */
  readonly payments: number;
}

const full: Extent = {
  rounds: 5,
  seconds: 5,
  transactions: 20_000,
  warmUpSeconds: 15,
  signedRequests: 10_000,
  payments: 2_000,
};
const smoke: Extent = {
  rounds: 2,
  seconds: 1,
  transactions: 2_000,
  warmUpSeconds: 2,
  signedRequests: 1_000,
  payments: 200,
};
/** The request log is flushed in batches, up to a quarter of a second after the answer. */
const settleMs = 500;

const { values: options } = parseArgs({ options: { smoke: { type: "boolean", default: false } } });
const installation = await install();
try {
  await benchAll(installation, options.smoke ? smoke : full);
} finally {
  await installation.stop();
}

async function benchAll(at: Installation, extent: Extent): Promise<void> {
  const load = await startLoad({
    url: at.serveUrl,
    path: "/ams/sandbox/api/v1/payments/inquiryPayment",
    clientIds: at.merchants.map(({ clientId }) => clientId),
    privateKey: at.privateKey,
    gatewayPublicKey: at.gatewayPublicKey,
    paymentsEach: 2_000,
    requestCount: extent.signedRequests,
    inFlight: 32,
  });
  try {
    await load.send({ ms: extent.warmUpSeconds * 1000 });
    await checkSameStatements(at, load);
    const rounds: Round[] = [];
    while (rounds.length < extent.rounds) rounds.push(await measureRound(at, load, extent));
    print(table("inquiry, CPU µs", inquiryColumns, rounds));
    const paid = await benchPayments(at, extent);
    print(lastLine(median(inquiryColumns, rounds), median(paymentColumns, paid)));
  } finally {
    load.stop();
  }
}

async function benchPayments(at: Installation, extent: Extent): Promise<readonly PaymentRound[]> {
  const bench = await startPaymentBench(at);
  try {
    await bench.round(extent.payments);
    const rounds: PaymentRound[] = [];
    while (rounds.length < extent.rounds) rounds.push(await bench.round(extent.payments));
    print(table("payment, CPU µs", paymentColumns, rounds));
    return rounds;
  } finally {
    bench.stop();
  }
}

async function measureRound(at: Installation, load: Load, extent: Extent): Promise<Round> {
  const rsa = await measureRsa();
  const bareSqlUs = await measureSql(at, { sqlFile: "inquiry.sql", walled: true }, extent.transactions);
  const unwalledUs = await measureSql(at, { sqlFile: "inquiry.sql", walled: false }, extent.transactions);

  const serveBefore = cpuTimeUs(at.servePid);
  const postgresBefore = familyCpuTimeUs(at.postgres.pid);
  const burst = await load.send({ ms: extent.seconds * 1000 });
  if (burst.failures > 0)
    throw new Error(`${burst.failures} requests failed, the first: ${burst.firstFailure}`);
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const serveUs = (cpuTimeUs(at.servePid) - serveBefore) / burst.answers;
  const postgresUs = (familyCpuTimeUs(at.postgres.pid) - postgresBefore) / burst.answers;

  const rsaUs = (rsa.signUs * burst.signed) / burst.answers + rsa.verifyUs;
  return {
    rsaUs,
    bareSqlUs,
    bareUs: rsaUs + bareSqlUs,
    serveUs,
    postgresUs,
    oursUs: serveUs + postgresUs,
    ratio: (rsaUs + bareSqlUs) / (serveUs + postgresUs),
    perSecond: (burst.answers / burst.elapsedMs) * 1000,
    p99Ms: burst.p99Ms,
    wallUs: bareSqlUs - unwalledUs,
  };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
