import assert from "node:assert/strict";
import { asSuperuser, type TestDatabase } from "../start/test-database.ts";
import { call, pathOf, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { isWebhookSigned, startTestShop, type TestShop } from "../start/test-shop.ts";
import { payRequest, startTestStack, type TestStack, type TestProvider } from "../start/test-stack.ts";

export type DisputeWebhook = Readonly<Record<string, unknown>>;

/** Ledger balances of a payment and its moves; debits minus credits, in minor units. */
export interface LedgerBalances {
  readonly receivable: bigint;
  readonly payable: bigint;
  readonly frozen: bigint;
}

/** A complete gateway with a provider, and a shop that receives webhooks about disputes. */
export interface TestDisputes extends DisputeRequests, DisputeEvents, DisputeQueries {
  readonly stack: TestStack;
  readonly url: string;
  readonly database: TestDatabase;
  readonly merchant: TestMerchant;
  readonly provider: TestProvider;
  readonly shop: TestShop;
}

/** Requests of the merchant, and their outcomes. */
interface DisputeRequests {
  /** Sends a request to an operation in `payments/`. */
  request(operation: string, request: object): Promise<ReceivedAnswer>;
  codeOf(answer: ReceivedAnswer): string | undefined;
  /** A paid payment of 12.50 EUR. */
  createPaidPayment(more?: object): Promise<string>;
  refund(paymentId: string, value: string): Promise<ReceivedAnswer>;
  cancel(paymentId: string): Promise<ReceivedAnswer>;
  /** Advances the merchant's test clock, and returns after all due jobs have run. */
  advance(bySeconds: number): Promise<void>;
}

/** Actions of the provider, and the webhooks that follow. */
interface DisputeEvents {
  /** The provider opens a dispute; returns it as in the merchant's webhook. */
  open(
    paymentId: string,
    terms?: object,
  ): Promise<{ readonly disputeId: string; readonly body: DisputeWebhook }>;
  /** The first webhook about a dispute of this payment. */
  firstWebhookOf(paymentId: string): Promise<DisputeWebhook>;
  /** The provider acts on the newest dispute of a payment. */
  decide(paymentId: string, event: string, body?: object): Promise<void>;
  /** Waits for a webhook of this type about a dispute, with a valid signature. */
  waitForWebhook(disputeId: string, type: string): Promise<DisputeWebhook>;
  /** The types of all webhooks so far, oldest first. */
  webhookTypesOf(disputeId: string): readonly string[];
  /** Waits for this number of webhooks about a dispute. */
  waitForWebhookCount(disputeId: string, count: number): Promise<void>;
}

/** Reads the database. */
interface DisputeQueries {
  ledgerBalances(paymentId: string): Promise<LedgerBalances>;
  /** Waits until a dispute has this status. */
  waitForStatus(disputeId: string, status: string, timeoutMs?: number): Promise<void>;
  /** Waits until a payment has a dispute. */
  waitForDispute(paymentId: string): Promise<void>;
}

/** `startDisputeStack` starts the processes. `prepare` can create rows before the gateway starts. */
export async function startDisputeStack(
  prepare: (stack: TestStack) => Promise<void> = async () => undefined,
): Promise<TestDisputes> {
  const stack = await startTestStack();
  await prepare(stack);
  const { merchant, provider, database } = stack;
  const shop = await startTestShop();
  const { url } = await stack.serve({ isPublic: true });
  await stack.work();
  const callAt: CallAt = (path, request) =>
    call(url, merchant, { path: pathOf("sandbox", path), body: JSON.stringify(request) });
  const notifyUrls = [{ notificationKind: "notifyDispute", url: shop.notifyUrl }];
  const changed = await callAt("tollgate/changeEndpoints", { notifyUrls });
  assert.equal(changed.json.result["resultCode"], "SUCCESS");
  const parts = { stack, url, database, merchant, provider, shop };
  return { ...parts, ...newRequests(callAt, provider), ...newEvents(shop, stack), ...newQueries(database) };
}

type CallAt = (path: string, request: object) => Promise<ReceivedAnswer>;

function newRequests(callAt: CallAt, provider: TestProvider): DisputeRequests {
  let count = 0;
  const ask: DisputeRequests["request"] = (operation, request) => callAt(`payments/${operation}`, request);
  const codeOf: DisputeRequests["codeOf"] = ({ json }) => json.result["resultCode"];
  return {
    request: ask,
    codeOf,
    async createPaidPayment(more = {}) {
      count += 1;
      const { json } = await ask("pay", payRequest(`disputed-${count}`, more));
      const paymentId = String(json["paymentId"]);
      assert.equal((await provider.control(paymentId, "approve")).status, 200);
      await eventually(
        10_000,
        () => ask("inquiryPayment", { paymentId }),
        (answer) => answer.json["paymentStatus"] === "SUCCESS",
      );
      return paymentId;
    },
    refund(paymentId, value) {
      count += 1;
      const refundAmount = { currency: "EUR", value };
      return ask("refund", { refundRequestId: `refund-${count}`, paymentId, refundAmount });
    },
    cancel: (paymentId) => ask("cancel", { paymentId }),
    async advance(bySeconds) {
      count += 1;
      const advanceRequest = { turnRequestId: `turn-${count}`, bySeconds };
      const advanced = await eventually(
        30_000,
        () => callAt("tollgate/advanceClock", advanceRequest),
        ({ json }) => json.result["resultStatus"] !== "U",
      );
      assert.equal(codeOf(advanced), "SUCCESS");
    },
  };
}

function newEvents(shop: TestShop, { merchant, provider }: TestStack): DisputeEvents {
  const webhooksAbout = (disputeId: string): ReturnType<TestShop["disputeWebhooks"]> =>
    shop.disputeWebhooks().filter(({ json }) => json["disputeId"] === disputeId);
  const toldOf: DisputeEvents["webhookTypesOf"] = (disputeId) =>
    webhooksAbout(disputeId).map(({ json }) => String(json["disputeNotificationType"]));
  return {
    webhookTypesOf: toldOf,
    async open(paymentId, terms = {}) {
      const before = shop.disputeWebhooks().length;
      const { status, text } = await provider.control(paymentId, "dispute", terms);
      assert.equal(status, 200, text);
      const isFirstWebhook = ({ json }: { readonly json: DisputeWebhook }): boolean =>
        json["paymentId"] === paymentId && json["sequence"] === 1;
      const found = await eventually(
        10_000,
        async () => shop.disputeWebhooks().slice(before).find(isFirstWebhook),
        (each) => each !== undefined,
      );
      assert(found);
      return { disputeId: String(found.json["disputeId"]), body: found.json };
    },
    async firstWebhookOf(paymentId) {
      const found = await eventually(
        10_000,
        async () => shop.disputeWebhooks().find(({ json }) => json["paymentId"] === paymentId),
        (each) => each !== undefined,
      );
      assert(found);
      return found.json;
    },
    async decide(paymentId, event, body) {
      assert.equal(await provider.dispute(paymentId, event, body), 200);
    },
    async waitForWebhook(disputeId, type) {
      const found = await eventually(
        10_000,
        async () => webhooksAbout(disputeId).find(({ json }) => json["disputeNotificationType"] === type),
        (each) => each !== undefined,
      );
      assert(found && isWebhookSigned(found, merchant.gatewayPublicKey));
      return found.json;
    },
    async waitForWebhookCount(disputeId, expected) {
      await eventually(
        10_000,
        async () => toldOf(disputeId).length,
        (count) => count === expected,
      );
    },
  };
}

function newQueries(database: TestDatabase): DisputeQueries {
  return {
    ledgerBalances: (paymentId) => readBalances(database, paymentId),
    async waitForStatus(disputeId, status, timeoutMs = 10_000) {
      await eventually(
        timeoutMs,
        () => disputeStatus(database, disputeId),
        (found) => found === status,
      );
    },
    async waitForDispute(paymentId) {
      await eventually(
        10_000,
        () => asSuperuser("select from disputes where payment_id = $1", [paymentId], database.superuserUrl),
        (found) => found.length > 0,
      );
    },
  };
}

async function disputeStatus(database: TestDatabase, disputeId: string): Promise<string | undefined> {
  const [row] = await asSuperuser<{ status: string }>(
    "select status from disputes where dispute_id = $1",
    [disputeId],
    database.superuserUrl,
  );
  return row?.status;
}

async function readBalances(database: TestDatabase, paymentId: string): Promise<LedgerBalances> {
  const [row] = await asSuperuser<Record<"receivable" | "payable" | "frozen", string>>(
    `with subjects as (
       select $1::text as id
       union all select refund_id from refunds where payment_id = $1
       union all select dispute_id from disputes where payment_id = $1
     ), sides as (
       select debit_account as account, amount_minor as minor from ledger_transfers join subjects on id = subject_id
       union all
       select credit_account, -amount_minor from ledger_transfers join subjects on id = subject_id
     )
     select coalesce(sum(minor) filter (where account like 'provider receivable%'), 0)::text as receivable,
       coalesce(sum(minor) filter (where account like 'merchant payable%'), 0)::text as payable,
       coalesce(sum(minor) filter (where account like 'merchant frozen%'), 0)::text as frozen
     from sides`,
    [paymentId],
    database.superuserUrl,
  );
  assert(row);
  return { receivable: BigInt(row.receivable), payable: BigInt(row.payable), frozen: BigInt(row.frozen) };
}
