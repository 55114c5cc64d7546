import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { Pool } from "pg";
import { asSuperuser } from "../start/test-database.ts";
import { call as callGateway, newMerchant, pathOf, type TestMerchant } from "../start/test-gateway.ts";
import { startTestShop, type TestShop } from "../start/test-shop.ts";
import {
  startTestStack,
  type ServedGateway,
  type TestStack,
  type TestProvider,
} from "../start/test-stack.ts";

/** The real system: two gateway processes, a worker and a provider, shared by all runs. */
export interface RealSystem {
  readonly provider: TestProvider;
  /** Merchants with enough balance, so that no refund fails for lack of it. */
  readonly merchants: readonly TestMerchant[];
  /** A merchant that tries to use the ids of other merchants. */
  readonly outsider: TestMerchant;
  readonly feeBasisPoints: bigint;
  /** Receives the webhooks of all merchants. */
  readonly shop: TestShop;
  /** Webhooks about a payment's disputes so far. */
  disputeWebhooksOf(paymentId: string): readonly Readonly<Record<string, unknown>>[];
  /** Base URLs of the gateways. */
  readonly urls: readonly string[];
  /**
   * Sends a request to the gateways in turn; a verb alone is a payment operation. Retries when nothing was recorded.
   */
  call(merchant: TestMerchant, verb: string, body: object): Promise<Answer>;
  /** Makes jobs due that would wait up to six seconds for their next attempt. */
  makeJobsDue(): Promise<void>;
  /** Makes the payment expire at the gateway. */
  expirePayment(paymentId: string): Promise<void>;
  /** Makes the gateway poll a dispute now, and not in a minute. */
  watchDispute(disputeId: string): Promise<void>;
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** The provider's journal of a payment, or of a consent by its reference. */
  effectsOf(name: string): readonly ProviderEffect[];
  /** How often each operation returned each result code. */
  readonly answers: ReadonlyMap<string, number>;
}

export interface Answer {
  readonly code: string;
  /** S, F or U. */
  readonly status: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface ProviderEffect {
  readonly kind: string;
  readonly paymentId?: string;
  readonly reference?: string;
  readonly outcome?: string;
  readonly captureReference?: string;
  readonly refundReference?: string;
  readonly amount?: { readonly value: string };
  /** Whether a failed refund was done before. */
  readonly isReversal?: boolean;
  readonly providerDisputeId?: string;
  readonly state?: string;
  readonly acceptReason?: string;
  readonly takenAmount?: { readonly value: string };
  readonly dispute?: { readonly heldMinor: string };
}

const feeBasisPoints = 130n;
const floatMinor = "1000000000";

export async function startRealSystem(merchantCount: number): Promise<RealSystem> {
  const stack = await startTestStack();
  const { provider, database } = stack;
  const [outsider, ...others] = await Promise.all([
    newMerchant(database, "A outsider"),
    ...Array.from({ length: merchantCount - 1 }, () => newMerchant(database, "Another shop")),
  ]);
  const merchants = [stack.merchant, ...others];
  await applyTestSettings(database.superuserUrl);
  const [publicGateway, secondGateway] = await Promise.all([
    stack.serve({ isPublic: true }),
    stack.serve(),
    stack.work(),
  ]);
  const gateways = [publicGateway, secondGateway];
  const { call, answers } = newCaller(gateways);
  const pool = connect(stack);
  const shop = await startTestShop();
  const query: RealSystem["query"] = async <Row extends object>(
    text: string,
    values: readonly unknown[] = [],
  ) => (await pool.query<Row>(text, [...values])).rows;
  const system: RealSystem = {
    provider,
    merchants,
    outsider,
    feeBasisPoints,
    shop,
    disputeWebhooksOf: newWebhookReader(shop),
    urls: gateways.map(({ url }) => url),
    call,
    answers,
    effectsOf: newEffectReader(join(provider.folder, "effects.jsonl")),
    query,
    async makeJobsDue() {
      // Only jobs within six seconds become due, so that no lease, which lasts up to 15 s, is taken from its holder.
      await query(
        `update jobs set due_at = clock_timestamp()
         where due_at > clock_timestamp() and due_at < clock_timestamp() + interval '6 seconds'
           or job = 'drive-payment' and due_at > clock_timestamp() + interval '16 seconds'
             and subject_id in (select payment_id from payments where expires_at < now() and status in ('PROCESSING', 'PENDING'))`,
      );
      await query("select pg_notify('tollgate_jobs', '')");
    },
    async watchDispute(disputeId) {
      await query(
        "update jobs set due_at = clock_timestamp() where subject_id = $1 and job = 'watch-dispute'",
        [disputeId],
      );
      await query("select pg_notify('tollgate_jobs', '')");
    },
    async expirePayment(paymentId) {
      await query(
        `update payments set expires_at = now() - interval '1 second',
           session_expires_at = now() - interval '1 second' * sign(extract(epoch from session_expires_at))
         where payment_id = $1`,
        [paymentId],
      );
      await query(
        `update jobs set due_at = clock_timestamp()
         where subject_id = $1 and job in ('drive-payment', 'close-session')`,
        [paymentId],
      );
      await query("select pg_notify('tollgate_jobs', '')");
    },
  };
  const notifyUrls = [{ notificationKind: "notifyDispute", url: shop.notifyUrl }];
  for (const merchant of merchants) await call(merchant, "tollgate/changeEndpoints", { notifyUrls });
  await Promise.all(merchants.map((merchant) => payInitialBalance(system, merchant)));
  return system;
}

async function applyTestSettings(superuserUrl: string): Promise<void> {
  // Disables the rate limit, which is not tested here.
  await asSuperuser(
    `update clients set rate_per_second = 1000000, rate_burst = 1000000, fee_basis_points = ${feeBasisPoints}`,
    [],
    superuserUrl,
  );
  // The quiet time is set to 2 s. A rejection after a lost response is final only after the quiet time, and the default
  // of two minutes is longer than a run.
  await asSuperuser("update connectors set quiet_seconds = 2", [], superuserUrl);
}

function connect({ database }: TestStack): Pool {
  const pool = new Pool({ connectionString: database.superuserUrl, max: 4 });
  pool.on("error", () => undefined);
  after(() => pool.end());
  return pool;
}

function newCaller(gateways: readonly ServedGateway[]): Pick<RealSystem, "call" | "answers"> {
  const answers = new Map<string, number>();
  let calls = 0;
  return {
    answers,
    async call(merchant, verb, body) {
      for (;;) {
        calls += 1;
        const { url } = gateways[calls % gateways.length] ?? { url: "" };
        const path = pathOf("sandbox", verb.includes("/") ? verb : `payments/${verb}`);
        const { json } = await callGateway(url, merchant, { path, body: JSON.stringify(body) });
        const { resultCode: code = "", resultStatus: status = "" } = json.result;
        answers.set(`${verb} ${code}`, (answers.get(`${verb} ${code}`) ?? 0) + 1);
        const isRejected = ["REQUEST_TRAFFIC_EXCEED_LIMIT", "UNAVAILABLE_PAYMENT_METHOD"].includes(code);
        if (!isRejected) return { code, status, json };
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
  };
}

async function payInitialBalance(system: RealSystem, merchant: TestMerchant): Promise<void> {
  const amount = { currency: "EUR", value: floatMinor };
  const { json } = await system.call(merchant, "pay", {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId: "float",
    order: { referenceOrderId: "float", orderDescription: "Float", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    env: { terminalType: "WEB" },
  });
  await system.provider.control(String(json["paymentId"]), "approve");
  for (;;) {
    const inquired = await system.call(merchant, "inquiryPayment", { paymentRequestId: "float" });
    if (inquired.json["paymentStatus"] === "SUCCESS") return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Reads only new lines: a test of a thousand runs calls it a hundred thousand times. */
function newEffectReader(file: string): RealSystem["effectsOf"] {
  const byName = new Map<string, ProviderEffect[]>();
  const chunk = Buffer.alloc(1 << 20);
  let offset = 0;
  let rest = "";
  const readNewLines = (): void => {
    const handle = openSync(file, "r");
    for (let read = 1; read > 0; offset += read) {
      read = readSync(handle, chunk, 0, chunk.length, offset);
      rest += chunk.toString("utf8", 0, read);
    }
    closeSync(handle);
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const effect = JSON.parse(line) as ProviderEffect;
      const name = effect.paymentId ?? effect.reference;
      if (name !== undefined) appendTo(byName, name, effect);
    }
  };
  return (name) => {
    readNewLines();
    return byName.get(name) ?? [];
  };
}

function newWebhookReader(shop: TestShop): RealSystem["disputeWebhooksOf"] {
  const byPayment = new Map<string, Readonly<Record<string, unknown>>[]>();
  let read = 0;
  return (paymentId) => {
    const all = shop.all();
    for (const { json } of all.slice(read))
      if (json["disputeId"] !== undefined) appendTo(byPayment, String(json["paymentId"]), json);
    read = all.length;
    return byPayment.get(paymentId) ?? [];
  };
}

function appendTo<Value>(lists: Map<string, Value[]>, name: string, value: Value): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}
