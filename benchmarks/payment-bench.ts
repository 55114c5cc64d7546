import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { measureRsa } from "./bare.ts";
import { measurePaymentSql, type RecordedPayment } from "./bare-payment.ts";
import { cpuTimeUs, familyCpuTimeUs } from "./cpu-time.ts";
import type { Installation } from "./installation.ts";
import { record, type Transaction } from "./recorded-payment.ts";
import { startLoad, type Load } from "./start-load.ts";

/** The cost of a payment, ours and bare, in CPU µs. */
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
  /** What row-level security adds to the bare SQL of a whole payment; part of both sides. */
  readonly wallUs: number;
  /** The ratios with row-level security on neither side. */
  readonly acceptRatioUnwalled: number;
  readonly wholeRatioUnwalled: number;
}

/** Signatures that a payment takes: the answer and the order to the wallet; then the callback's answer and the notification. */
const accept = { signs: 2, verifies: 2 };
const settle = { signs: 2, verifies: 1 };

/** Makes payments, approves them at the wallet, and receives their notifications. */
export interface PaymentBench {
  round(payments: number): Promise<PaymentRound>;
  stop(): void;
}

interface Running {
  readonly load: Load;
  readonly told: { count: number };
  readonly recorded: RecordedPayment;
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
  const recorded = await recordPayment(at, load, told);
  return {
    round: (payments) => measureRound(at, { load, told, recorded }, payments),
    stop() {
      load.stop();
      shop.close();
    },
  };
}

async function measureRound(
  at: Installation,
  { load, told, recorded }: Running,
  payments: number,
): Promise<PaymentRound> {
  const rsa = await measureRsa();
  // The worker is paused: it would claim the jobs of the replayed payments.
  process.kill(at.workPid, "SIGSTOP");
  const sql = await measurePaymentSql(at, recorded, { payments, walled: true });
  const unwalled = await measurePaymentSql(at, recorded, { payments, walled: false });
  process.kill(at.workPid, "SIGCONT");

  const before = ours(at);
  const burst = await load.send({ ms: 120_000, answersMax: payments });
  if (burst.failures > 0)
    throw new Error(`${burst.failures} payments failed, the first: ${burst.firstFailure}`);
  await untilAccepted(at, burst.paymentIds);
  const accepted = ours(at);
  const wantedCount = told.count + burst.paymentIds.length;
  await approve(at, burst.paymentIds);
  while (told.count < wantedCount) await rest(20);
  await until(at, 0, "select count(*)::int as count from jobs");
  const settled = ours(at);

  const count = burst.paymentIds.length;
  const acceptRsaUs = accept.signs * rsa.signUs + accept.verifies * rsa.verifyUs;
  const settleRsaUs = settle.signs * rsa.signUs + settle.verifies * rsa.verifyUs;
  const acceptBareUs = sql.acceptUs + acceptRsaUs;
  const wholeBareUs = acceptBareUs + sql.settleUs + settleRsaUs;
  const acceptOursUs = (accepted - before) / count;
  const wholeOursUs = (settled - before) / count;
  const acceptWallUs = sql.acceptUs - unwalled.acceptUs;
  const wallUs = acceptWallUs + sql.settleUs - unwalled.settleUs;
  return {
    acceptBareUs,
    acceptOursUs,
    acceptRatio: acceptBareUs / acceptOursUs,
    wholeBareUs,
    wholeOursUs,
    wholeRatio: wholeBareUs / wholeOursUs,
    acceptPerSecond: (count / burst.elapsedMs) * 1000,
    wallUs,
    acceptRatioUnwalled: (acceptBareUs - acceptWallUs) / (acceptOursUs - acceptWallUs),
    wholeRatioUnwalled: (wholeBareUs - wallUs) / (wholeOursUs - wallUs),
  };
}

/** Records the statements of one payment, from PostgreSQL's log. */
async function recordPayment(
  at: Installation,
  load: Load,
  told: { readonly count: number },
): Promise<RecordedPayment> {
  let paymentId = "";
  const accepting = await record(at, async () => {
    [paymentId = ""] = (await load.send({ ms: 10_000, answersMax: 1 })).paymentIds;
    await untilAccepted(at, [paymentId]);
  });
  const wantedCount = told.count + 1;
  const settling = await record(at, async () => {
    await approve(at, [paymentId]);
    while (told.count < wantedCount) await rest(20);
    await until(at, 0, "select count(*)::int as count from jobs");
  });
  const [found] = await at.query<{ clientId: string; names: string[] }>(`
    select client_id as "clientId", array[payment_id, payment_request_id, wallet_reference]
      || array(select notification_id from notifications where subject_id = payment_id)
      || array(select event_id from wallet_events e where e.payment_id = p.payment_id)
      || array(select request_id from request_log r where r.answer_body like '%' || p.payment_id || '%') as names
    from payments p where payment_id = '${paymentId}'`);
  if (!found) throw new Error(`Payment ${paymentId} is nowhere.`);
  const own = (transaction: Transaction): boolean =>
    transaction.some(({ values }) =>
      found.names.some((name) => values.some((value) => value?.includes(name))),
    );
  const after = settling.filter(own);
  const delivery = after.findIndex((each) => each.some(({ text }) => text.includes("from notifications")));
  return {
    ...found,
    accept: accepting.filter(own),
    settle: [after.slice(0, delivery), [claimOfOne(settling)], after.slice(delivery)],
  };
}

/**
 * The claim of a batch of jobs, reduced to a batch of one. Its fixed cost is counted in full for each
 * payment.
 */
function claimOfOne(transactions: readonly Transaction[]): Transaction {
  const claim = transactions.find((each) =>
    each.some(({ text, values }) => text.includes("limit $3") && values[1]?.includes("deliver-notification")),
  );
  if (!claim) throw new Error("No worker has taken the notification.");
  return claim.map(({ text, values }) => ({
    text,
    values: text.includes("limit $3") ? values.with(2, "1") : values,
  }));
}

function ours(at: Installation): number {
  return cpuTimeUs(at.servePid) + cpuTimeUs(at.workPid) + familyCpuTimeUs(at.postgres.pid);
}

function untilAccepted(at: Installation, paymentIds: readonly string[]): Promise<void> {
  const accepted = "select count(*)::int as count from payments where wallet_accepted_at is not null";
  return until(at, paymentIds.length, `${accepted} and payment_id = any('{${paymentIds.join(",")}}')`);
}

async function until({ query }: Installation, wanted: number, question: string): Promise<void> {
  for (const giveUpAtMs = performance.now() + 60_000; ; await rest(50)) {
    const [row] = await query<{ count: number }>(question);
    if (row?.count === wanted) return;
    if (performance.now() > giveUpAtMs) throw new Error(`${row?.count} instead of ${wanted}: ${question}`);
  }
}

/** Approves payments as their buyers do, a few at a time. */
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
