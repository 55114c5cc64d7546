import { execFile, fork } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { once } from "node:events";
import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "pg";
import { signatureFor, signatureHolds } from "../clients/typescript/src/signing.ts";
import { findFreePort } from "../server/src/postgres/temporary-postgres.ts";
import { startSingleGateway, type SingleGateway } from "./installation/single-gateway.ts";
import type { OverloadCallOptions, Second } from "./overload/overload-caller.ts";
import { readPrivateKeyNumbers, type WrappedPrivateKeys } from "./installation/private-key-numbers.ts";
import { runProof, type ProofResult } from "./reports/run-proof.ts";

const perSecond = 10;
const secondsOfRound = 10;
const answersVerified = 1_000;
const p99MoreMsMax = 5;
const pemHeaders = { "PEM of a private key": Buffer.from("-----BEGIN PRIVATE KEY-----\nMII") };
const path = "/ams/sandbox/api/v1/payments/inquiryPayment";

await runProof({
  name: "signer",
  claim:
    "With the signer as a separate process, a core dump of `serve` (by `gcore`, after a thousand signed responses) contains no private key: neither the RSA primes nor the Ed25519 secret, in the encoding of keys and in OpenSSL's " +
    "byte order, nor the header of a PEM file. A dump of the signer contains them, so the search works. All of those responses verify. Two `serve` processes on one database accept payments alternately, " +
    `${perSecond} per second, one with the signer and one without, in rounds of ${secondsOfRound} s: the additional latency is at most ${p99MoreMsMax} ms at the 99th percentile. \`--tries\` is the number of rounds.`,
  triesDefault: 4,
  async run({ tries, logProgress }) {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-signer-proof-"));
    const gateway = await startSingleGateway({
      durable: true,
      hasWorker: true,
      variables: { TOLLGATE_LOG_LEVEL: "warn" },
    });
    try {
      return await measureSigner(gateway, folder, { tries, logProgress });
    } finally {
      await gateway.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

interface SignerProofOptions {
  readonly tries: number;
  logProgress(line: string): void;
}

async function measureSigner(
  gateway: SingleGateway,
  folder: string,
  { tries, logProgress }: SignerProofOptions,
): Promise<ProofResult> {
  const socket = { TOLLGATE_SIGNER_SOCKET: join(folder, "signer") };
  const signer = await gateway.startProcess(["signer"], socket, /^Tollgate signs/);
  const port = await findFreePort();
  const serveVariables = {
    TOLLGATE_KEY_FILE: "",
    TOLLGATE_OWNER_DATABASE_URL: "",
    TOLLGATE_PORT: String(port),
  };
  const serve = await gateway.startProcess(["serve"], { ...socket, ...serveVariables }, /^Tollgate serves/);
  const [wrappedKeys, gatewayKey] = await readGatewayKey(gateway);

  logProgress(`${answersVerified} responses with a separate signer`);
  const verified = await countVerifiedResponses(gateway, port, gatewayKey);
  const misses =
    verified === answersVerified ? [] : [`${answersVerified - verified} responses do not verify.`];

  const secrets = { ...readPrivateKeyNumbers(wrappedKeys, gateway.keyFile), ...pemHeaders };
  const dumps: [string, DumpResult][] = [];
  for (const [name, pid] of [
    ["serve, signer apart", serve.pid()],
    ["signer", signer.pid()],
  ] as const) {
    const result = await searchCoreDump(pid, folder, secrets);
    dumps.push([name, result]);
    logProgress(`${name}: ${result.found.join(", ") || "nothing"} in ${result.megabytes} MB`);
  }
  const [[, serveDump], ...others] = dumps as [[string, DumpResult], ...[string, DumpResult][]];
  if (serveDump.found.length > 0) misses.push(`The dump of serve contains ${serveDump.found.join(", ")}.`);
  for (const [name, { found }] of others)
    if (!found.includes("p reversed") || !found.includes("ed25519"))
      misses.push(`The search does not find the keys in the dump of ${name}.`);

  const times: Record<"separate" | "builtIn", number[]> = { separate: [], builtIn: [] };
  for (let round = 0; round < tries; round += 1) {
    times.builtIn.push(...(await measurePayTimes(gateway, gateway.port)));
    times.separate.push(...(await measurePayTimes(gateway, port)));
    logProgress(
      `round ${round + 1}: ${formatTimes(times.builtIn)} without, ${formatTimes(times.separate)} with`,
    );
  }
  const addedMs = percentile(times.separate, 0.99) - percentile(times.builtIn, 0.99);
  if (addedMs > p99MoreMsMax) misses.push(`The signer adds ${addedMs.toFixed(1)} ms at the 99th percentile.`);
  return {
    figures: {
      answersVerified: verified,
      payments: times.separate.length + times.builtIn.length,
      "p50Ms without": percentile(times.builtIn, 0.5).toFixed(2),
      "p50Ms with": percentile(times.separate, 0.5).toFixed(2),
      "p99Ms without": percentile(times.builtIn, 0.99).toFixed(2),
      "p99Ms with": percentile(times.separate, 0.99).toFixed(2),
      misses: misses.length,
    },
    misses,
    details: [
      "| core dump of | megabytes | found in it |",
      "| --- | --- | --- |",
      ...dumps.map(
        ([name, { megabytes, found }]) => `| ${name} | ${megabytes} | ${found.join(", ") || "nothing"} |`,
      ),
    ],
  };
}

async function readGatewayKey({
  databaseUrl,
}: SingleGateway): Promise<readonly [WrappedPrivateKeys, string]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<WrappedPrivateKeys & { public_key: Buffer }>(
    "select * from gateway_keys",
  );
  await client.end();
  const [wrappedKeys] = rows;
  if (!wrappedKeys) throw new Error("There is no gateway key.");
  const key = createPublicKey({ key: wrappedKeys.public_key, format: "der", type: "spki" });
  return [wrappedKeys, String(key.export({ format: "pem", type: "spki" }))];
}

async function countVerifiedResponses(
  { merchants: [merchant], privateKey }: SingleGateway,
  port: number,
  gatewayKey: string,
): Promise<number> {
  if (!merchant) throw new Error("There is no merchant.");
  const { clientId, keyVersion } = merchant;
  let verified = 0;
  for (let count = 0; count < answersVerified; count += 1) {
    const message = { path, clientId, time: String(Date.now()), body: `{"paymentId":"${count}"}` };
    const signature = signatureFor(message, privateKey, keyVersion);
    const headers = {
      "content-type": "application/json; charset=UTF-8",
      "client-id": clientId,
      "request-time": message.time,
      signature,
    };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers,
      body: message.body,
    });
    const time = response.headers.get("response-time") ?? "";
    const responseMessage = { path, clientId, time, body: await response.text() };
    if (signatureHolds(responseMessage, response.headers.get("signature") ?? "", gatewayKey)) verified += 1;
  }
  return verified;
}

interface DumpResult {
  readonly megabytes: number;
  readonly found: readonly string[];
}

/** `searchCoreDump` creates a core dump of a process, searches it for the secrets, and removes it. */
async function searchCoreDump(
  pid: number,
  folder: string,
  secrets: Readonly<Record<string, Buffer>>,
): Promise<DumpResult> {
  const file = join(folder, `core.${pid}`);
  await promisify(execFile)("gcore", ["-o", join(folder, "core"), String(pid)], {
    maxBuffer: 64 * 1024 ** 2,
  });
  const found = new Set<string>();
  const longest = Math.max(...Object.values(secrets).map(({ length }) => length));
  let carry = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { highWaterMark: 16 * 1024 ** 2 })) {
    const bytes = Buffer.concat([carry, chunk as Buffer]);
    for (const [name, each] of Object.entries(secrets)) if (bytes.includes(each)) found.add(name);
    carry = bytes.subarray(-longest);
  }
  const megabytes = Math.round(statSync(file).size / 1024 ** 2);
  rmSync(file);
  return { megabytes, found: [...found].sort() };
}

async function measurePayTimes(
  { merchants, privateKey }: SingleGateway,
  port: number,
): Promise<readonly number[]> {
  const caller = fork(fileURLToPath(new URL("overload/overload-caller.ts", import.meta.url)));
  const clientIds = merchants.map(({ clientId }) => clientId);
  const options: OverloadCallOptions = {
    port,
    clientIds,
    privateKey,
    seconds: secondsOfRound,
    usesNewConnections: false,
    perSecond,
  };
  caller.send(options);
  const [seconds] = (await once(caller, "message")) as [readonly Second[]];
  caller.disconnect();
  // The first second opens connections.
  return seconds.slice(1).flatMap(({ goodMs }) => goodMs);
}

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;
}

function formatTimes(times: readonly number[]): string {
  return `p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`;
}
