import { execFile, spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { cpuTimeUs, familyCpuTimeUs } from "./cpu-time.ts";
import { install, type Installation } from "./installation.ts";
import { median, formatTable } from "./report.ts";

/**
 * Measures the CPU time of a webhook, compared with its lower bound: the signature by OpenSSL and a plain POST of the
 * same bytes. PostgreSQL's part counts as ours. Measured alternately in one run, as in `bench.ts`.
 */
const { values: options } = parseArgs({ options: { smoke: { type: "boolean", default: false } } });
const [rounds, count] = options.smoke ? [1, 500] : [5, 4_000];
const bytes = 420;
const program = fileURLToPath(new URL("bare-post.ts", import.meta.url));

/** Times are CPU µs per webhook. */
interface Round {
  readonly signUs: number;
  readonly postUs: number;
  readonly bareUs: number;
  readonly workUs: number;
  readonly postgresUs: number;
  readonly oursUs: number;
  readonly ratio: number;
  readonly ratioWithoutPostgres: number;
  readonly perSecond: number;
}

const columns = [
  ["rsa", "signUs", 0],
  ["+ post", "postUs", 0],
  ["= bare", "bareUs", 0],
  ["work", "workUs", 0],
  ["+ postgres", "postgresUs", 0],
  ["= ours", "oursUs", 0],
  ["ratio", "ratio", 2],
  ["without postgres", "ratioWithoutPostgres", 2],
  ["rate/s", "perSecond", 0],
] as const;

const run = promisify(execFile);
const installation = await install();
const receiver = spawn(process.execPath, [program, "receive"], { stdio: ["ignore", "inherit", "pipe"] });
try {
  const url = await waitForReceiver(receiver);
  // Warm-up of the code. ANALYZE then gives the planner realistic statistics.
  await measureRound(installation, url, 0);
  await installation.query("analyze");
  const measured: Round[] = [];
  while (measured.length < rounds) measured.push(await measureRound(installation, url, measured.length + 1));
  process.stdout.write(`${formatTable("notification, CPU µs", columns, measured)}\n`);
  const { ratio, oursUs, bareUs, perSecond } = median(columns, measured);
  const times = `ours_us=${oursUs.toFixed(0)} bare_us=${bareUs.toFixed(0)}`;
  process.stdout.write(`notifications: ratio=${ratio.toFixed(2)} ${times} rate=${perSecond.toFixed(0)}/s\n`);
} finally {
  receiver.kill("SIGKILL");
  await installation.stop();
}

/** CPU µs of one RSA-2048 signature in OpenSSL itself. */
async function measureRsa(): Promise<number> {
  const { stdout } = await run("openssl", ["speed", "-mr", "-seconds", "1", "rsa2048"]);
  const [, signsPerSecond] = /^\+F2:\d+:2048:([\d.]+):[\d.]+$/m.exec(stdout) ?? [];
  if (!signsPerSecond) throw new Error(`openssl speed said: ${stdout}`);
  return 1e6 / Number(signsPerSecond);
}

async function waitForReceiver({ stderr }: ChildProcess): Promise<string> {
  for await (const text of stderr ?? []) {
    const url = /receives at (\S+)/.exec(String(text))?.[1];
    if (url) return `${url}/notify`;
  }
  throw new Error("The receiver process exited.");
}

async function measureRound(at: Installation, url: string, round: number): Promise<Round> {
  const signUs = await measureRsa();
  const { stdout } = await run(process.execPath, [program, url, String(count), String(bytes)]);
  const before = { workUs: cpuTimeUs(at.workPid), postgresUs: familyCpuTimeUs(at.postgres.pid) };
  const startedMs = performance.now();
  await insertNotifications(at, url, round);
  await waitUntilDelivered(at);
  const seconds = (performance.now() - startedMs) / 1_000;
  const workUs = (cpuTimeUs(at.workPid) - before.workUs) / count;
  const postgresUs = (familyCpuTimeUs(at.postgres.pid) - before.postgresUs) / count;
  const postUs = Number(stdout);
  const bareUs = signUs + postUs;
  return {
    signUs,
    postUs,
    bareUs,
    workUs,
    postgresUs,
    oursUs: workUs + postgresUs,
    ratio: bareUs / (workUs + postgresUs),
    ratioWithoutPostgres: bareUs / workUs,
    perSecond: count / seconds,
  };
}

async function insertNotifications(at: Installation, url: string, round: number): Promise<void> {
  const { clientId, bucket } = at.merchants[0] ?? { clientId: "", bucket: 0 };
  const { origin } = new URL(url);
  await at.query(
    `with given as (
       select 'bench-${round}-' || n as id, clock_timestamp() as now from generate_series(1, ${count}) as n
     ), told as (
       insert into notifications (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, created_at)
       select ${bucket}, id, '${clientId}', 'notifyPayment', id, 1, '${url}',
         convert_to(rpad('{"paymentId":"' || id || '"}', ${bytes}), 'UTF8'), now from given
     )
     insert into jobs (bucket, subject_id, job, client_id, queue, due_at, follows_merchant_clock)
     select ${bucket}, id, 'deliver-notification', '${clientId}', '${clientId} ${origin}', now, true from given`,
  );
}

async function waitUntilDelivered(at: Installation): Promise<void> {
  for (;;) {
    const [row] = await at.query<{ left: number }>(
      "select count(*)::int as left from jobs where job = 'deliver-notification'",
    );
    if (row?.left === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
