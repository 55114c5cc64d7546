import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { measureRsa } from "./bare.ts";
import { measurePaymentSql } from "./bare-payment.ts";
import { cpuTimeUs, familyCpuTimeUs } from "./cpu-time.ts";
import type { Installation } from "./installation.ts";
import { startLoad, type Load } from "./start-load.ts";

/** What a payment costs, ours and bare, in CPU µs. */
export interface PaymentRound {
  /** `pay` to its signed answer, with the hand-over to the wallet, which the same process does at once. */
  readonly acceptBareUs: number;
  readonly acceptOursUs: number;
  readonly acceptRatio: number;
  /** From there on: the wallet's callback, the ledger, and the notification until it is acknowledged. */
  readonly wholeBareUs: number;
  readonly wholeOursUs: number;
  readonly wholeRatio: number;
  readonly acceptPerSecond: number;
}

/** Signatures that a payment takes: the answer and the order to the wallet; then the callback's answer and the notification. */
const accept = { signs: 2, verifies: 2 };
const settle = { signs: 2, verifies: 1 };

/** Makes payments, has them approved, and takes the notifications. */
export interface PaymentBench {
  round(payments: number): Promise<PaymentRound>;
  stop(): void;
}

export async function startPaymentBench(at: Installation): Promise<PaymentBench> {
  const told = { count: 0 };
  const shop = await startShop(told);
  const { port } = shop.address() as AddressInfo;
  const load = await startLoad({
    url: at.serveUrl,
    path: "/ams/sandbox/api/v1/payments/pay",
    clientIds: at.merchants.map(({ clientId }) => clientId),
    privateKey: at.privateKey,
    gatewayPublicKey: at.gatewayPublicKey,
    paymentsEach: 0,
    requestCount: 0,
    inFlight: 32,
    notifyUrl: `http://127.0.0.1:${port}/notify`,
  });
  return {
    round: (payments) => measureRound(at, load, told, payments),
    stop() {
      load.stop();
      shop.close();
    },
  };
}

async function measureRound(
  at: Installation,
  load: Load,
  told: { count: number },
  payments: number,
): Promise<PaymentRound> {
  const rsa = await measureRsa();
  // The worker would take the bare payments' jobs for its own.
  process.kill(at.workPid, "SIGSTOP");
  const sql = await measurePaymentSql(at, payments);
  await at.query("delete from jobs");
  process.kill(at.workPid, "SIGCONT");

  const before = ours(at);
  const burst = await load.send({ ms: 120_000, answersMax: payments });
  if (burst.failures > 0)
    throw new Error(`${burst.failures} payments failed, the first: ${burst.firstFailure}`);
  await until(
    at,
    burst.paymentIds.length,
    "select count(*)::int as count from payments where wallet_accepted_at is not null and status = 'PROCESSING'",
  );
  const accepted = ours(at);
  const wantedCount = told.count + burst.paymentIds.length;
  await approve(at, burst.paymentIds);
  while (told.count < wantedCount) await rest(20);
  await until(at, 0, "select count(*)::int as count from jobs");
  const settled = ours(at);

  const count = burst.paymentIds.length;
  const acceptBareUs = sql.acceptUs + accept.signs * rsa.signUs + accept.verifies * rsa.verifyUs;
  const wholeBareUs =
    acceptBareUs + sql.settleUs + settle.signs * rsa.signUs + settle.verifies * rsa.verifyUs;
  const acceptOursUs = (accepted - before) / count;
  const wholeOursUs = (settled - before) / count;
  return {
    acceptBareUs,
    acceptOursUs,
    acceptRatio: acceptBareUs / acceptOursUs,
    wholeBareUs,
    wholeOursUs,
    wholeRatio: wholeBareUs / wholeOursUs,
    acceptPerSecond: (count / burst.elapsedMs) * 1000,
  };
}

function ours(at: Installation): number {
  return cpuTimeUs(at.servePid) + cpuTimeUs(at.workPid) + familyCpuTimeUs(at.postgres.pid);
}

async function until({ query }: Installation, wanted: number, question: string): Promise<void> {
  for (const giveUpAtMs = performance.now() + 60_000; ; await rest(50)) {
    const [row] = await query<{ count: number }>(question);
    if (row?.count === wanted) return;
    if (performance.now() > giveUpAtMs) throw new Error(`${row?.count} instead of ${wanted}: ${question}`);
  }
}

/** The buyers, so many at a time. */
async function approve({ wallet }: Installation, paymentIds: readonly string[]): Promise<void> {
  const waiting = [...paymentIds];
  const headers = { authorization: `Bearer ${wallet.controlSecret}` };
  const approveNext = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const { status } = await fetch(`${wallet.url}/control/payments/${id}/approve`, {
        method: "POST",
        headers,
      });
      if (status !== 200) throw new Error(`The wallet answered ${status} to an approval.`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, approveNext));
}

async function startShop(told: { count: number }): Promise<Server> {
  const acknowledged = JSON.stringify({
    result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success" },
  });
  const shop = createServer((request, response) => {
    request.resume().on("end", () => {
      told.count += 1;
      response.end(acknowledged);
    });
  }).listen(0, "127.0.0.1");
  await once(shop, "listening");
  return shop;
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
