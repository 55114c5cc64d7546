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
import { freePort } from "../server/src/postgres/temporary-postgres.ts";
import { startLoneGateway, type LoneGateway } from "./installation/lone-gateway.ts";
import type { CallOrder, Second } from "./overload/overload-caller.ts";
import { privateNumbers, type WrappedHalves } from "./installation/private-numbers.ts";
import { runProof, type Shown } from "./reports/run-proof.ts";

const perSecond = 10;
const secondsOfRound = 10;
const answersVerified = 1_000;
const p99MoreMsMax = 5;
const pemWords = { "PEM of a private key": Buffer.from("-----BEGIN PRIVATE KEY-----\nMII") };
const path = "/ams/sandbox/api/v1/payments/inquiryPayment";

await runProof({
  name: "signer",
  claim:
    "With the signer as a separate process, a core dump of `serve` (by `gcore`, after a thousand signed responses) contains no private key: neither the RSA primes nor the Ed25519 secret, in the encoding of keys and in OpenSSL's " +
    "byte order, nor the header of a PEM file. A dump of the signer contains them, so the search works. All of those responses verify. Two `serve` processes on one database accept payments alternately, " +
    `${perSecond} per second, one with the signer and one without, in rounds of ${secondsOfRound} s: the additional latency is at most ${p99MoreMsMax} ms at the 99th percentile. \`--tries\` is the number of rounds.`,
  triesDefault: 4,
  async run({ tries, say }) {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-signer-proof-"));
    const gateway = await startLoneGateway({
      durable: true,
      works: true,
      variables: { TOLLGATE_LOG_LEVEL: "warn" },
    });
    try {
      return await prove(gateway, folder, { tries, say });
    } finally {
      await gateway.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

interface Asked {
  readonly tries: number;
  say(line: string): void;
}

async function prove(gateway: LoneGateway, folder: string, { tries, say }: Asked): Promise<Shown> {
  const socket = { TOLLGATE_SIGNER_SOCKET: join(folder, "signer") };
  const signer = await gateway.startMore(["signer"], socket, /^Tollgate signs/);
  const port = await freePort();
  const own = { TOLLGATE_KEY_FILE: "", TOLLGATE_OWNER_DATABASE_URL: "", TOLLGATE_PORT: String(port) };
  const serve = await gateway.startMore(["serve"], { ...socket, ...own }, /^Tollgate serves/);
  const [row, gatewayKey] = await keysOf(gateway);

  say(`${answersVerified} responses with a separate signer`);
  const verified = await verifiedAnswers(gateway, port, gatewayKey);
  const misses =
    verified === answersVerified ? [] : [`${answersVerified - verified} responses do not verify.`];

  const sought = { ...privateNumbers(row, gateway.keyFile), ...pemWords };
  const dumps: [string, Dumped][] = [];
  for (const [name, pid] of [
    ["serve, signer apart", serve.pid()],
    ["signer", signer.pid()],
  ] as const) {
    const dumped = await dump(pid, folder, sought);
    dumps.push([name, dumped]);
    say(`${name}: ${dumped.found.join(", ") || "nothing"} in ${dumped.megabytes} MB`);
  }
  const [[, apart], ...others] = dumps as [[string, Dumped], ...[string, Dumped][]];
  if (apart.found.length > 0) misses.push(`The dump of serve contains ${apart.found.join(", ")}.`);
  for (const [name, { found }] of others)
    if (!found.includes("p reversed") || !found.includes("ed25519"))
      misses.push(`The search does not find the keys in the dump of ${name}.`);

  const times: Record<"apart" | "own", number[]> = { apart: [], own: [] };
  for (let round = 0; round < tries; round += 1) {
    times.own.push(...(await payTimes(gateway, gateway.port)));
    times.apart.push(...(await payTimes(gateway, port)));
    say(`round ${round + 1}: ${shown(times.own)} without, ${shown(times.apart)} with`);
  }
  const moreMs = at(times.apart, 0.99) - at(times.own, 0.99);
  if (moreMs > p99MoreMsMax) misses.push(`The signer adds ${moreMs.toFixed(1)} ms at the 99th percentile.`);
  return {
    figures: {
      answersVerified: verified,
      payments: times.apart.length + times.own.length,
      "p50Ms without": at(times.own, 0.5).toFixed(2),
      "p50Ms with": at(times.apart, 0.5).toFixed(2),
      "p99Ms without": at(times.own, 0.99).toFixed(2),
      "p99Ms with": at(times.apart, 0.99).toFixed(2),
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

async function keysOf({ databaseUrl }: LoneGateway): Promise<readonly [WrappedHalves, string]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<WrappedHalves & { public_key: Buffer }>("select * from gateway_keys");
  await client.end();
  const [row] = rows;
  if (!row) throw new Error("There is no gateway key.");
  const key = createPublicKey({ key: row.public_key, format: "der", type: "spki" });
  return [row, String(key.export({ format: "pem", type: "spki" }))];
}

async function verifiedAnswers(
  { merchants: [merchant], privateKey }: LoneGateway,
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
    const answered = { path, clientId, time, body: await response.text() };
    if (signatureHolds(answered, response.headers.get("signature") ?? "", gatewayKey)) verified += 1;
  }
  return verified;
}

interface Dumped {
  readonly megabytes: number;
  readonly found: readonly string[];
}

/** `dump` creates a core dump of a process, searches it for the secrets, and removes it. */
async function dump(pid: number, folder: string, sought: Readonly<Record<string, Buffer>>): Promise<Dumped> {
  const file = join(folder, `core.${pid}`);
  await promisify(execFile)("gcore", ["-o", join(folder, "core"), String(pid)], {
    maxBuffer: 64 * 1024 ** 2,
  });
  const found = new Set<string>();
  const longest = Math.max(...Object.values(sought).map(({ length }) => length));
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { highWaterMark: 16 * 1024 ** 2 })) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    for (const [name, each] of Object.entries(sought)) if (bytes.includes(each)) found.add(name);
    rest = bytes.subarray(-longest);
  }
  const megabytes = Math.round(statSync(file).size / 1024 ** 2);
  rmSync(file);
  return { megabytes, found: [...found].sort() };
}

async function payTimes({ merchants, privateKey }: LoneGateway, port: number): Promise<readonly number[]> {
  const caller = fork(fileURLToPath(new URL("overload/overload-caller.ts", import.meta.url)));
  const clientIds = merchants.map(({ clientId }) => clientId);
  const order: CallOrder = {
    port,
    clientIds,
    privateKey,
    seconds: secondsOfRound,
    isFresh: false,
    perSecond,
  };
  caller.send(order);
  const [seconds] = (await once(caller, "message")) as [readonly Second[]];
  caller.disconnect();
  // The first second opens connections.
  return seconds.slice(1).flatMap(({ goodMs }) => goodMs);
}

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;
}

function shown(times: readonly number[]): string {
  return `p50 ${at(times, 0.5).toFixed(1)} ms, p99 ${at(times, 0.99).toFixed(1)} ms`;
}
