import { readFileSync } from "node:fs";
import { generateKeyPairSync, sign, verify, type KeyObject } from "node:crypto";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startHops, type HopCost, type LimitHops } from "./limit-1-hops.ts";
import { connectStatements, type LimitStatements, type SqlCost } from "./limit-1-statements.ts";
import { limitColumns, table } from "./report.ts";

/**
 * The limit, version 1: the least that a payment costs in CPU time on this machine, by a program that knows nothing
 * of the gateway. A fixed schema and fixed statements, sixteen payments a statement, each stage durable; the
 * signatures that the interface forces; a bare Node message for each message. It counts PostgreSQL, the
 * signatures and the messages, and not its own client. It never changes with the gateway: a better limit is a new
 * version, under a new name, that says why.
 *
 *     node benchmarks/limit-1.ts --url postgres://… --pid <the server's> [--payments 8000] [--rounds 5]
 */
export interface LimitRound extends SignatureCost, HopCost {
  readonly acceptSqlUs: number;
  readonly settleSqlUs: number;
  readonly inquirySqlUs: number;
  readonly wholeWalBytes: number;
  /** What cryptography and the database force. */
  readonly acceptUs: number;
  readonly wholeUs: number;
  readonly inquiryUs: number;
  /** The same with the messages: what a Node server can reach. */
  readonly acceptHopsUs: number;
  readonly wholeHopsUs: number;
  readonly inquiryHopsUs: number;
}

/** CPU µs of one operation by Node's own OpenSSL. P-256 is measured for comparison and counts for nothing. */
interface SignatureCost {
  readonly rsaSignUs: number;
  readonly rsaVerifyUs: number;
  readonly edSignUs: number;
  readonly edVerifyUs: number;
  readonly p256SignUs: number;
  readonly p256VerifyUs: number;
}

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
if (process.send) obey();
else await runAlone();

/** As a child of the bench: a round for each message, which is the number of payments. */
function obey(): void {
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
  process.stdout.write(`${table("limit-1, CPU µs", limitColumns, rounds)}\n`);
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
 * The merchant's request is verified, its answer and its notification signed: RSA-2048, as the interface says. Towards
 * the wallet the protocol is ours: the order is signed and its answer verified, the callback verified and its
 * answer signed, by Ed25519.
 */
function sumOf(sql: SqlCost, by: SignatureCost, hop: HopCost): LimitRound {
  const accept = by.rsaVerifyUs + by.rsaSignUs + by.edSignUs + by.edVerifyUs + sql.acceptUs;
  const settle = by.edVerifyUs + by.edSignUs + by.rsaSignUs + sql.settleUs;
  const inquiry = by.rsaVerifyUs + by.rsaSignUs + sql.inquiryUs;
  const bothWays = hop.inUs + hop.outUs;
  return {
    ...by,
    ...hop,
    acceptSqlUs: sql.acceptUs,
    settleSqlUs: sql.settleUs,
    inquirySqlUs: sql.inquiryUs,
    wholeWalBytes: sql.wholeWalBytes,
    acceptUs: accept,
    wholeUs: accept + settle,
    inquiryUs: inquiry,
    acceptHopsUs: accept + bothWays,
    wholeHopsUs: accept + settle + 2 * bothWays,
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
  // As long as the text of a `pay`.
  const text = Buffer.alloc(520, "x");
  const signed = sign(hash, text, privateKey);
  return {
    signUs: costOf(times, () => sign(hash, text, privateKey).length > 0),
    verifyUs: costOf(times, () => verify(hash, text, publicKey, signed)),
  };
}

function costOf(times: number, work: () => boolean): number {
  const before = process.cpuUsage();
  for (let done = 0; done < times; done += 1) if (!work()) throw new Error("A signature does not hold.");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}
