import { readFileSync } from "node:fs";
import { generateKeyPairSync, sign, verify, type KeyObject } from "node:crypto";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startHops, type HopCost, type LimitHops } from "./limit-1-hops.ts";
import { connectStatements, type LimitStatements, type SqlCost } from "./limit-1-statements.ts";
import { limitColumns, formatTable, type LimitRound, type SignatureCost } from "./report.ts";

/**
 * The limit, version 1: the minimum CPU time of a payment on this machine, measured with a program that is independent
 * of the gateway. It has a fixed schema and fixed statements, sixteen payments per statement, each stage durable; the
 * signatures that the interface requires; and a plain Node message for each message. It counts PostgreSQL, signatures
 * and messages, but not its own client. It never changes with the gateway: a better limit is a new version with a new
 * name and its reason.
 *
 * node benchmarks/limit-1.ts --url postgres://… --pid <the server's> [--payments 8000] [--rounds 5]
 */
const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: "" },
    pid: { type: "string", default: "" },
    payments: { type: "string", default: "8000" },
    rounds: { type: "string", default: "5" },
  },
});

const schema = new Client({ connectionString: options.url });
await schema.connect();
await schema.query(readFileSync(new URL("limit-1.sql", import.meta.url), "utf8"));
await schema.end();
const statements = await connectStatements(options.url, Number(options.pid));
const hops = await startHops();
const keys = {
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ed: generateKeyPairSync("ed25519"),
  p256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
};
if (process.send) runAsChild();
else await runAlone();

/**
 * `runAsChild` runs the limit as a child process of the benchmark. Each message of the parent starts one round, and is its
 * number of payments.
 */
function runAsChild(): void {
  process.on("message", (payments: number) => {
    measureRound({ statements, hops }, payments).then(
      (round) => process.send?.(round),
      (error: Error) => {
        process.stderr.write(`${error.stack}\n`);
        process.exit(1);
      },
    );
  });
  process.once("disconnect", () => process.exit());
  process.send?.("ready");
}

async function runAlone(): Promise<void> {
  const rounds: LimitRound[] = [];
  await measureRound({ statements, hops }, Number(options.payments));
  while (rounds.length < Number(options.rounds))
    rounds.push(await measureRound({ statements, hops }, Number(options.payments)));
  process.stdout.write(`${formatTable("limit-1, CPU µs", limitColumns, rounds)}\n`);
  await statements.stop();
  hops.stop();
}

interface Parts {
  readonly statements: LimitStatements;
  readonly hops: LimitHops;
}

async function measureRound(parts: Parts, payments: number): Promise<LimitRound> {
  const sql = await parts.statements.round(payments);
  const hop = await parts.hops.round(payments);
  return sumOf(sql, measureSignatures(Math.ceil(payments / 10)), hop);
}

/**
 * The merchant's request is verified, and its response and webhook are signed with RSA-2048, as the interface requires.
 * The provider protocol is our own: the order is signed and its response verified, the callback verified and its
 * response signed, with Ed25519.
 */
function sumOf(sql: SqlCost, signatures: SignatureCost, hop: HopCost): LimitRound {
  const accept =
    signatures.rsaVerifyUs +
    signatures.rsaSignUs +
    signatures.edSignUs +
    signatures.edVerifyUs +
    sql.acceptUs;
  const settle = signatures.edVerifyUs + signatures.edSignUs + signatures.rsaSignUs + sql.settleUs;
  const inquiry = signatures.rsaVerifyUs + signatures.rsaSignUs + sql.inquiryUs;
  const roundTripUs = hop.inUs + hop.outUs;
  return {
    ...signatures,
    ...hop,
    acceptSqlUs: sql.acceptUs,
    settleSqlUs: sql.settleUs,
    inquirySqlUs: sql.inquiryUs,
    wholeWalBytes: sql.wholeWalBytes,
    acceptUs: accept,
    wholeUs: accept + settle,
    inquiryUs: inquiry,
    acceptHopsUs: accept + roundTripUs,
    wholeHopsUs: accept + settle + 2 * roundTripUs,
    inquiryHopsUs: inquiry + hop.inUs,
  };
}

function measureSignatures(times: number): SignatureCost {
  const rsa = measureKey(keys.rsa, "sha256", times);
  const ed = measureKey(keys.ed, null, times);
  const p256 = measureKey(keys.p256, "sha256", times);
  return {
    rsaSignUs: rsa.signUs,
    rsaVerifyUs: rsa.verifyUs,
    edSignUs: ed.signUs,
    edVerifyUs: ed.verifyUs,
    p256SignUs: p256.signUs,
    p256VerifyUs: p256.verifyUs,
  };
}

interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

function measureKey(
  { privateKey, publicKey }: KeyPair,
  hash: "sha256" | null,
  times: number,
): { readonly signUs: number; readonly verifyUs: number } {
  // The signed text of a `pay` request is about 520 bytes long.
  const text = Buffer.alloc(520, "x");
  const signed = sign(hash, text, privateKey);
  return {
    signUs: costOf(times, () => sign(hash, text, privateKey).length > 0),
    verifyUs: costOf(times, () => verify(hash, text, publicKey, signed)),
  };
}

function costOf(times: number, work: () => boolean): number {
  const before = process.cpuUsage();
  for (let verifiedCount = 0; verifiedCount < times; verifiedCount += 1)
    if (!work()) throw new Error("A signature is invalid.");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}
