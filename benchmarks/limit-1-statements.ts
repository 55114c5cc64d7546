import { createHash, randomBytes, randomUUID } from "node:crypto";
import { Client } from "pg";
import { familyCpuTimeUs } from "./cpu-time.ts";

/** PostgreSQL's part of limit-1: CPU µs and WAL bytes per payment or inquiry. */
export interface SqlCost {
  readonly acceptUs: number;
  readonly settleUs: number;
  readonly inquiryUs: number;
  readonly acceptWalBytes: number;
  readonly wholeWalBytes: number;
}

/** Number of payments per statement. */
const batchSize = 16;
const connectionCount = 2;
const merchantCount = 50;
const seededEach = 2_000;
/** Settings for plans with index lookups, prepared once, even while tables are small. */
const indexOnlySettings = [
  "enable_seqscan",
  "enable_bitmapscan",
  "enable_hashjoin",
  "enable_mergejoin",
  "jit",
]
  .map((setting) => `-c ${setting}=off`)
  .concat("-c plan_cache_mode=force_generic_plan")
  .join(" ");

const requestBody = JSON.stringify({
  productCode: "CASHIER_PAYMENT",
  paymentRequestId: "limit-3b1c7d52-2f0e-4f5a-9a54-0f6f6a1f1a11",
  order: {
    referenceOrderId: "order-1",
    orderDescription: "Two coffees",
    orderAmount: { currency: "EUR", value: "1250" },
  },
  paymentAmount: { currency: "EUR", value: "1250" },
  paymentMethod: { paymentMethodType: "GCASH" },
  paymentRedirectUrl: "https://shop.example/thanks",
  paymentNotifyUrl: "http://127.0.0.1:40000/notify",
  env: { terminalType: "WEB" },
});
const walletTexts = JSON.stringify({
  code: "provider-code-0123456789abcdef0123456789abcdef",
  url: "http://127.0.0.1:40000/pay/0123456789abcdef0123456789abcdef",
});
const answerBody = JSON.stringify({
  result: {
    resultCode: "PAYMENT_IN_PROCESS",
    resultStatus: "U",
    resultMessage: "The payment is in process.",
  },
  paymentId: "20261116123450000047601000000001234",
  paymentRequestId: "limit-3b1c7d52-2f0e-4f5a-9a54-0f6f6a1f1a11",
  paymentAmount: { currency: "EUR", value: "1250" },
  paymentCreateTime: "2026-11-16T12:34:50+00:00",
  normalUrl: "http://127.0.0.1:40000/pay/0123456789abcdef0123456789abcdef",
});
const notificationBody = JSON.stringify({
  notifyType: "PAYMENT_RESULT",
  result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
  paymentId: "20261116123450000047601000000001234",
  paymentRequestId: "limit-3b1c7d52-2f0e-4f5a-9a54-0f6f6a1f1a11",
  paymentAmount: { currency: "EUR", value: "1250" },
  paymentCreateTime: "2026-11-16T12:34:50+00:00",
  paymentTime: "2026-11-16T12:34:56+00:00",
});
const acknowledgement = JSON.stringify({
  result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success" },
});

const texts = JSON.stringify({
  description: "Two coffees",
  redirectUrl: "https://shop.example/thanks",
  notifyUrl: "http://127.0.0.1:40000/notify",
});

const logRow = `
  insert into request_log (at, request_id, merchant, duration_us, key_version, path, result_code, sha256, request_body, answer_body)
  select clock_timestamp(), log_id, merchant, 12345, 1, 1, 2, sha256, request_body, answer_body from given`;

/** The stages of a payment, each one statement and one commit for sixteen payments. */
const stages = {
  /** The statement of the stage `accept` is idempotent: a payment with an existing request id writes nothing. */
  accept: `
    insert into payments (payment_id, created_at, expires_at, due_at, amount_minor, merchant, connector, method, product,
      result_code, status, currency, request_id, fingerprint, texts)
    select payment_id, now(), now() + interval '1 hour', now() + interval '15 s', 1250, merchant, 1, 1, 1, 2, 'p', 'EUR',
      request_id, fingerprint, texts
    from unnest($1::uuid[], $2::int[], $3::text[], $4::bytea[], $5::text[])
      as given (payment_id, merchant, request_id, fingerprint, texts)
    on conflict (merchant, request_id) do nothing
    returning payment_id`,
  /**
   * The stage `order` stores the provider's response to the order. Its statement also inserts the row of the request
   * log.
   */
  order: `
    with given as (
      select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[], $5::bytea[], $6::text[], $7::text[])
        as given (payment_id, provider_texts, log_id, merchant, sha256, request_body, answer_body)
    ), logged as (${logRow})
    update payments set accepted_at = now(), due_at = expires_at, provider_texts = given.provider_texts
    from given where payments.payment_id = given.payment_id and payments.epoch = 1
    returning payments.payment_id`,
  settle: `
    with given as (
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[]) as given (payment_id, event_id, notification_id, body)
    ), moved as (
      update payments set status = 's', result_code = 1, sequence = sequence + 1, paid_minor = amount_minor, paid_at = now(),
        due_at = null, provider_event = given.event_id
      from given where payments.payment_id = given.payment_id and payments.status = 'p'
      returning payments.payment_id, merchant, currency, amount_minor, sequence, notification_id, body
    ), posted as (
      insert into ledger (payment_id, at, amount_minor, merchant, effect, line, debit, credit, currency)
      select payment_id, now(), amount_minor, merchant, 1, 1, 1, 2, currency from moved
    )
    insert into notifications (notification_id, payment_id, created_at, merchant, sequence, body)
    select notification_id, payment_id, now(), merchant, sequence, body from moved
    returning notification_id`,
  acknowledge: `
    update notifications set delivered_at = now(), attempts = attempts + 1, key_version = 1, http_status = 200,
      total_ms = 3.2, answer = given.answer
    from unnest($1::uuid[], $2::text[]) as given (notification_id, answer)
    where notifications.notification_id = given.notification_id
    returning notifications.notification_id`,
  inquiry: `
    with given as (
      select * from unnest($1::int[], $2::text[], $3::uuid[], $4::bytea[], $5::text[], $6::text[])
        as given (merchant, request_id, log_id, sha256, request_body, answer_body)
    ), logged as (${logRow})
    select payments.* from given join payments using (merchant, request_id)`,
} as const;
type Stage = keyof typeof stages;

interface Payment {
  readonly paymentId: string;
  readonly merchant: number;
  readonly requestId: string;
  readonly notificationId: string;
}

/** The parameters of each stage's statement for a batch of payments: one list for each column. */
const valuesOf: Readonly<Record<Stage, (batch: readonly Payment[]) => unknown[][]>> = {
  accept: (batch) => [
    batch.map(({ paymentId }) => paymentId),
    batch.map(({ merchant }) => merchant),
    batch.map(({ requestId }) => requestId),
    batch.map(({ requestId }) => sha256(requestId)),
    batch.map(() => texts),
  ],
  order: (batch) => [
    batch.map(({ paymentId }) => paymentId),
    batch.map(() => walletTexts),
    batch.map(() => randomUUID()),
    batch.map(({ merchant }) => merchant),
    batch.map(({ requestId }) => sha256(requestId)),
    batch.map(() => requestBody),
    batch.map(() => answerBody),
  ],
  settle: (batch) => [
    batch.map(({ paymentId }) => paymentId),
    batch.map(() => randomUUID()),
    batch.map(({ notificationId }) => notificationId),
    batch.map(() => notificationBody),
  ],
  acknowledge: (batch) => [
    batch.map(({ notificationId }) => notificationId),
    batch.map(() => acknowledgement),
  ],
  inquiry: (batch) => [
    batch.map(({ merchant }) => merchant),
    batch.map(() => String(1 + Math.floor(Math.random() * seededEach))),
    batch.map(() => randomUUID()),
    batch.map(({ requestId }) => sha256(requestId)),
    batch.map(() => '{"paymentRequestId":"1234"}'),
    batch.map(() => answerBody),
  ],
};

export interface LimitStatements {
  /** Runs this many payments through all stages, and the same number of inquiries. */
  round(payments: number): Promise<SqlCost>;
  stop(): Promise<void>;
}

export async function connectStatements(url: string, postgresPid: number): Promise<LimitStatements> {
  const clients = await Promise.all(Array.from({ length: connectionCount }, () => connect(url)));
  return {
    round: (payments) => measureRound(clients, postgresPid, payments),
    stop: async () => void (await Promise.all(clients.map((client) => client.end()))),
  };
}

async function measureRound(
  clients: readonly Client[],
  postgresPid: number,
  payments: number,
): Promise<SqlCost> {
  const batches = Array.from({ length: Math.ceil(payments / batchSize) }, newBatch);
  const count = batches.length * batchSize;
  const measureStages = async (...names: readonly Stage[]): Promise<{ us: number; walBytes: number }> => {
    const beforeBytes = await walBytes(clients);
    const beforeUs = familyCpuTimeUs(postgresPid);
    for (const name of names) await runStage(clients, name, batches);
    const us = (familyCpuTimeUs(postgresPid) - beforeUs) / count;
    return { us, walBytes: ((await walBytes(clients)) - beforeBytes) / count };
  };
  const accepted = await measureStages("accept", "order");
  const settleStages = await measureStages("settle", "acknowledge");
  const inquired = await measureStages("inquiry");
  return {
    acceptUs: accepted.us,
    settleUs: settleStages.us,
    inquiryUs: inquired.us,
    acceptWalBytes: accepted.walBytes,
    wholeWalBytes: accepted.walBytes + settleStages.walBytes,
  };
}

/** Each connection runs its share of the batches in sequence, one commit per statement. */
async function runStage(
  clients: readonly Client[],
  name: Stage,
  batches: readonly (readonly Payment[])[],
): Promise<void> {
  const waiting = [...batches];
  const runAll = async (client: Client): Promise<void> => {
    for (let batch = waiting.pop(); batch; batch = waiting.pop()) {
      const { rowCount } = await client.query({ name, text: stages[name], values: valuesOf[name](batch) });
      if (rowCount !== batch.length)
        throw new Error(`limit-1: ${name} wrote ${rowCount} of ${batch.length}.`);
    }
  };
  await Promise.all(clients.map(runAll));
}

function newBatch(): readonly Payment[] {
  return Array.from({ length: batchSize }, () => ({
    paymentId: newId(),
    merchant: 1 + Math.floor(Math.random() * merchantCount),
    requestId: `limit-${randomUUID()}`,
    notificationId: newId(),
  }));
}

/** A UUID of version 7, which begins with the time: a new row is at the end of the index. */
function newId(): string {
  const hex = Date.now().toString(16).padStart(12, "0") + randomBytes(10).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, options: indexOnlySettings });
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ fsync: string; synchronous_commit: string }>(
    "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit",
  );
  if (rows[0]?.fsync !== "on" || rows[0].synchronous_commit !== "on")
    throw new Error("limit-1 counts only durable writes: fsync and synchronous_commit must be on.");
  return client;
}

async function walBytes([client]: readonly Client[]): Promise<number> {
  const at = await client?.query<{ at: string }>("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as at");
  return Number(at?.rows[0]?.at);
}
