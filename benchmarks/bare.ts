import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { familyCpuTimeUs } from "./cpu-time.ts";
import { appRole, database, rolePassword, unwalledRole, type Installation } from "./installation.ts";

const run = promisify(execFile);
export const pgbenchClients = 8;
const tenantSettings = /^select set_config\('app\.clients'.*;\n/gm;

export interface RsaCost {
  readonly signUs: number;
  readonly verifyUs: number;
}

/** What one signature and one verification cost OpenSSL itself, in CPU time. */
export async function measureRsa(): Promise<RsaCost> {
  const { stdout } = await run("openssl", ["speed", "-mr", "-seconds", "1", "rsa2048"]);
  const [, signsPerSecond, verifiesPerSecond] = /^\+F2:\d+:2048:([\d.]+):([\d.]+)$/m.exec(stdout) ?? [];
  if (!signsPerSecond || !verifiesPerSecond) throw new Error(`openssl speed said: ${stdout}`);
  return { signUs: 1e6 / Number(signsPerSecond), verifyUs: 1e6 / Number(verifiesPerSecond) };
}

export interface BareSql {
  readonly sqlFile: "inquiry.sql";
  /** False: the same SQL under a role that bypasses row-level security, with no tenant set. */
  readonly walled: boolean;
}

/** CPU µs that PostgreSQL spends on the SQL of one operation, when pgbench is the only client. */
export async function measureSql(
  installation: Installation,
  sql: BareSql,
  transactions: number,
): Promise<number> {
  // Connecting costs as much as a hundred operations. A server keeps its connections, so that cost is
  // subtracted.
  const connectingUs = await runPgbench(installation, sql, 1);
  const each = Math.ceil(transactions / pgbenchClients) + 1;
  const allUs = await runPgbench(installation, sql, each);
  return (allUs - connectingUs) / ((each - 1) * pgbenchClients);
}

/** Runs this many transactions on each of pgbench's clients. Gives the CPU time that PostgreSQL took. */
export async function runPgbench(
  installation: Installation,
  { sqlFile, walled }: BareSql,
  transactionsEach: number,
): Promise<number> {
  const { postgres } = installation;
  const counts = ["-c", String(pgbenchClients), "-j", "1", "-t", String(transactionsEach)];
  const script = scriptArguments(installation, sqlFile, walled);
  const env = {
    ...process.env,
    PGHOST: "127.0.0.1",
    PGPORT: String(postgres.port),
    PGDATABASE: database,
    PGUSER: walled ? appRole : unwalledRole,
    PGPASSWORD: rolePassword,
  };
  const beforeUs = familyCpuTimeUs(postgres.pid);
  const { stdout } = await run(
    join(postgres.binFolder, "pgbench"),
    ["-n", "-M", "prepared", ...counts, ...script],
    { env },
  );
  const all = transactionsEach * pgbenchClients;
  if (!stdout.includes(`transactions actually processed: ${all}/${all}\n`))
    throw new Error(`pgbench said: ${stdout}`);
  return familyCpuTimeUs(postgres.pid) - beforeUs;
}

/** The script's values are bind parameters, as the server's are. */
function scriptArguments({ folder }: Installation, sqlFile: string, walled: boolean): readonly string[] {
  const written = readFileSync(new URL(sqlFile, import.meta.url), "utf8");
  const script = walled ? written : written.replaceAll(tenantSettings, "");
  if (!walled && script === written) throw new Error(`${sqlFile} sets no tenant.`);
  const file = join(folder, sqlFile);
  writeFileSync(file, script);
  const values = Object.entries({ left: "0", ...loggedValues() });
  return ["-f", file, ...values.flatMap(([name, value]) => ["-D", `${name}=${value}`])];
}

/** The values of a row of the request log after an inquiry. */
function loggedValues(): Readonly<Record<string, string>> {
  return {
    at: new Date().toISOString(),
    keyVersion: "1",
    path: "/ams/sandbox/api/v1/payments/inquiryPayment",
    resultCode: "SUCCESS",
    durationUs: "12345",
    sha256: `\\x${"5a".repeat(32)}`,
    requestBody: '{"paymentRequestId":"1234"}',
    answerBody: JSON.stringify({
      result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
      paymentId: "20260301123450000047601000000001234",
      paymentRequestId: "1234",
      paymentStatus: "SUCCESS",
      paymentResultCode: "SUCCESS",
      paymentResultMessage: "success.",
      paymentAmount: { currency: "EUR", value: "1250" },
      actualPaymentAmount: { currency: "EUR", value: "1250" },
      paymentCreateTime: "2026-03-01T12:34:50+00:00",
      paymentTime: "2026-03-01T12:34:56+00:00",
      sequence: 1,
    }),
  };
}
