import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { availableParallelism, loadavg } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { formatTable } from "./report.ts";

/** CPU µs per RSA-2048 signature, in three ways, alternately. Decision 0111 uses these figures. */
interface Round {
  readonly singleUs: number;
  readonly poolBatchUs: number;
  readonly workerBatchUs: number;
}

type Sign = (text: Buffer) => Promise<Buffer>;
interface Pending {
  readonly text: Buffer;
  readonly resolve: (signature: Promise<Buffer> | Buffer) => void;
}

const rounds = 9;
const signatures = 2_000;
const inFlight = 32;
const batchMax = 4;
const gatherMs = 1;

if (isMainThread) await main();
else serveBatches(workerData as KeyObject);

async function main(): Promise<void> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const single: Sign = (text) =>
    new Promise((resolve, reject) => {
      sign("sha256", text, privateKey, (error, signature) => (error ? reject(error) : resolve(signature)));
    });
  const strategies: Readonly<Record<keyof Round, Sign>> = {
    singleUs: single,
    poolBatchUs: inBatches((batch) => {
      for (const { text, resolve } of batch) resolve(single(text));
    }),
    workerBatchUs: inBatches(workersWith(privateKey)),
  };
  for (const strategy of Object.values(strategies)) await measure(strategy);
  const measured: Round[] = [];
  const names = Object.keys(strategies) as (keyof Round)[];
  for (let round = 0; round < rounds; round++) {
    const figures = { singleUs: 0, poolBatchUs: 0, workerBatchUs: 0 };
    // The ways alternate in going first, so that drift within a round favours none.
    for (const [at] of names.entries()) {
      const name = names[(at + round) % names.length] ?? "singleUs";
      figures[name] = await measure(strategies[name]);
    }
    measured.push(figures);
  }
  const columns = [
    ["single", "singleUs", 0],
    ["batch in the pool", "poolBatchUs", 0],
    ["batch in a worker", "workerBatchUs", 0],
  ] as const;
  process.stdout.write(`${formatTable("CPU µs per signature", columns, measured)}\n`);
  process.stdout.write(`load average ${loadavg()[0]?.toFixed(2)}\n`);
  process.exit(0);
}

async function measure(strategy: Sign): Promise<number> {
  let remaining = signatures;
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (remaining-- > 0) await strategy(Buffer.from(`${remaining}`.padEnd(600)));
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / signatures;
}

/** `inBatches` collects texts into a batch of up to four, and waits at most one millisecond for more. */
function inBatches(flush: (batch: readonly Pending[]) => void): Sign {
  let pending: Pending[] = [];
  const flushNow = (): void => {
    const batch = pending;
    pending = [];
    flush(batch);
  };
  return (text) =>
    new Promise((resolve) => {
      pending.push({ text, resolve });
      const batch = pending;
      if (batch.length === batchMax) flushNow();
      else if (batch.length === 1) setTimeout(() => batch === pending && flushNow(), gatherMs);
    });
}

/** One thread per core, which signs a batch and returns it in one message. */
function workersWith(key: KeyObject): (batch: readonly Pending[]) => void {
  const pendingBatches = new Map<number, readonly Pending[]>();
  const workers = Array.from({ length: availableParallelism() }, () => {
    const worker = new Worker(import.meta.filename, { workerData: key });
    worker.on("message", ({ id, signed }: { id: number; signed: readonly Uint8Array[] }) => {
      for (const [at, { resolve }] of (pendingBatches.get(id) ?? []).entries())
        resolve(Buffer.from(signed[at] ?? []));
      pendingBatches.delete(id);
    });
    return worker;
  });
  let next = 0;
  return (batch) => {
    pendingBatches.set(++next, batch);
    workers[next % workers.length]?.postMessage({ id: next, texts: batch.map(({ text }) => text) });
  };
}

function serveBatches(key: KeyObject): void {
  const port = parentPort;
  port?.on("message", ({ id, texts }: { id: number; texts: readonly Uint8Array[] }) => {
    const signed = texts.map((text) => sign("sha256", text, key));
    port.postMessage({ id, signed }, []);
  });
}
