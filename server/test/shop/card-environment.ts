import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { chromium, type Page } from "playwright-core";
import { addConnector } from "../../src/operators/providers/connector-settings.ts";
import { asSuperuser } from "../start/test-database.ts";
import type { ReceivedAnswer } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { startTestShop, type TestShop } from "../start/test-shop.ts";
import { payRequest, startTestStack, callPayments, type TestProvider } from "../start/test-stack.ts";
import { newMerchantClient, type MerchantClient } from "./test-session.ts";

/** Gateway, worker and provider as processes, a shop with webhooks, and browsers in which buyers type cards. */
export interface CardEnvironment {
  readonly merchantClient: MerchantClient;
  readonly provider: TestProvider;
  readonly shop: TestShop;
  readonly shopUrl: string;
  readonly cardUrl: string;
  call(verb: string, body: object): Promise<ReceivedAnswer>;
  /** Cancels, and retries until the outcome is known. */
  cancel(paymentId: string): Promise<void>;
  /** A card payment, and the page to which its buyer is redirected. */
  order(more?: object): Promise<CardOrder>;
  openPage(address: string): Promise<Page>;
  /** Opens the checkout page, and continues to the card page. */
  toCardPage(pageUrl: string): Promise<Page>;
  /** The final state at gateway, ledger and provider, which must agree. */
  waitForFinalState(order: Pick<CardOrder, "paymentId" | "value">): Promise<CardPaymentState>;
  /** Log output of the gateway's processes. */
  log(): string;
  /** Every row of every table, as text. */
  dump(): Promise<string>;
}

export interface CardOrder {
  readonly paymentId: string;
  readonly pageUrl: string;
  /** In minor units. */
  readonly value: bigint;
}

export interface CardPaymentState {
  readonly status: "SUCCESS" | "FAIL" | "CANCELLED";
  readonly resultCode: string;
  /** How often the bank approved the charge, which must be at most once. */
  readonly charges: number;
  /** The amount that the provider took and did not return. */
  readonly keptMinor: bigint;
  readonly released: bigint;
}

export const manualCapture = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };

export async function startCardEnvironment(): Promise<CardEnvironment> {
  const stack = await startTestStack({ words: ["--list-orders"] });
  const { merchant, provider, database } = stack;
  await addConnector(database.ownerUrl, "sandbox", {
    name: "cards",
    url: provider.url,
    partnerId: "tollgate",
    publicKeyFile: provider.publicKeyFile,
    paymentMethodTypes: ["CARD"],
    simulator: true,
  });
  const variables = { TOLLGATE_LOG_LEVEL: "debug" };
  const { url, process: serving } = await stack.serve({ isPublic: true, variables });
  const working = await stack.work(variables);
  const shop = await startTestShop();
  const shopUrl = await startShopPage();
  const openPage = await startBrowser();
  let log = "";
  for (const { child } of [serving, working])
    child.stdout?.on("data", (text: Buffer) => (log += text.toString("utf8")));

  let count = 0;
  const call = (verb: string, body: object): Promise<ReceivedAnswer> =>
    callPayments(url, merchant, verb, body);
  const rows = <Row extends object>(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    asSuperuser<Row>(sql, [...values], database.superuserUrl);
  return {
    merchantClient: newMerchantClient(url, merchant),
    provider,
    shop,
    shopUrl,
    cardUrl: provider.cardUrl,
    call,
    async cancel(paymentId) {
      await eventually(
        40_000,
        () => call("cancel", { paymentId }),
        ({ json }) => json.result["resultStatus"] !== "U",
      );
    },
    async order(more = {}) {
      count += 1;
      const value = 2_000n + BigInt(count);
      const amount = { currency: "EUR", value: String(value) };
      const order = {
        referenceOrderId: `card-${count}`,
        orderDescription: "Two coffees",
        orderAmount: amount,
      };
      const addresses = { paymentRedirectUrl: shopUrl, paymentNotifyUrl: shop.notifyUrl };
      const paymentMethod = { paymentMethodType: "CARD" };
      const fields = { order, paymentAmount: amount, paymentMethod, ...addresses, ...more };
      const { json, text } = await call("pay", payRequest(`card-${count}`, fields));
      assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS", text);
      return { paymentId: String(json["paymentId"]), pageUrl: String(json["normalUrl"]), value };
    },
    openPage,
    async toCardPage(pageUrl) {
      const page = await openPage(pageUrl);
      await page.getByRole("link", { name: "Pay with Card" }).first().click();
      await page.getByLabel("Card number").waitFor();
      assert.equal(new URL(page.url()).origin, provider.cardUrl);
      return page;
    },
    waitForFinalState: (order) => settled({ call, provider, shop, rows, clientId: merchant.clientId }, order),
    log: () => log + serving.stderr() + working.stderr(),
    dump: () => dumpTables(rows),
  };
}

/** The page to which buyers return. */
async function startShopPage(): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>Shop</title><h1>Thanks</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/thanks`;
}

async function startBrowser(): Promise<(address: string) => Promise<Page>> {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });
  after(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  context.setDefaultTimeout(30_000);
  return async (address) => {
    const page = await context.newPage();
    await page.goto(address);
    return page;
  };
}

/** Fills in a test card by clicking its line, and submits it. */
export async function payWith(page: Page, card: string): Promise<void> {
  await page.locator("summary").click();
  await page.locator(`[href$="card=${card}"]`).click();
  await page.locator("button.main").click();
}

type Rows = <Row extends object>(sql: string, ...values: readonly unknown[]) => Promise<readonly Row[]>;

interface Sources extends Pick<CardEnvironment, "call" | "provider" | "shop"> {
  readonly rows: Rows;
  readonly clientId: string;
}

const finalStatuses = ["SUCCESS", "FAIL", "CANCELLED"] as const;

async function settled(
  { call, provider, shop, rows, clientId }: Sources,
  { paymentId, value }: Pick<CardOrder, "paymentId" | "value">,
): Promise<CardPaymentState> {
  const { json } = await eventually(
    40_000,
    () => call("inquiryPayment", { paymentId }),
    (answer) => finalStatuses.some((each) => each === answer.json["paymentStatus"]),
  );
  const status = finalStatuses.find((each) => each === json["paymentStatus"]) ?? "FAIL";
  const moneyOf = (): Money => moneyIn(provider.effects(), paymentId);
  // The test waits, because the gateway returns a late hold or late money shortly after the webhook.
  const { charges, keptMinor, held, captured, released } = await eventually(
    40_000,
    async () => moneyOf(),
    (money) => status === "SUCCESS" || (money.keptMinor === 0n && money.held === 0n),
  );
  assert.ok(charges <= 1, `charged ${charges} times`);
  assert.ok(keptMinor + held <= value, `more than ${value}`);
  const isManual = json["authExpiryTime"] !== undefined;
  if (status === "SUCCESS" && !isManual) assert.equal(keptMinor, value, "goods without money");
  if (status === "SUCCESS" && isManual)
    assert.equal(held + captured + released, value, "neither held nor taken");
  const transactions = (json["transactions"] ?? []) as readonly Readonly<Record<string, unknown>>[];
  const inLedger = await owedMinor(rows, clientId, [
    paymentId,
    ...transactions.map((each) => each["transactionId"]),
  ]);
  assert.equal(inLedger, keptMinor, "the ledger and the provider's journal do not agree");
  const webhooks = shop
    .webhooksOf(paymentId)
    .filter(({ json: told_ }) => told_["notifyType"] === "PAYMENT_RESULT");
  const statuses = webhooks.map(({ json: { result } }) => (result as Record<string, string>)["resultStatus"]);
  if (status === "FAIL") assert.ok(!statuses.includes("S"), "the shop was notified of a paid payment");
  return { status, resultCode: String(json["paymentResultCode"]), charges, keptMinor, released };
}

interface Money {
  readonly charges: number;
  readonly held: bigint;
  readonly captured: bigint;
  readonly keptMinor: bigint;
  readonly released: bigint;
}

type Effect = Readonly<Record<string, unknown>>;

/** `moneyIn` returns a payment's amounts from the provider's journal. */
function moneyIn(effects: readonly Effect[], paymentId: string): Money {
  const paymentEffects = effects.filter((line) => line["paymentId"] === paymentId);
  const effectsOfKind = (kind: string): readonly Effect[] =>
    paymentEffects.filter((line) => line["kind"] === kind);
  const sum = (lines: readonly Effect[], field: string): bigint =>
    lines.reduce(
      (total, line) => total + BigInt((line[field] as { value: string } | undefined)?.value ?? 0),
      0n,
    );
  const captured = sum(effectsOfKind("captured"), "amount");
  const released = sum(effectsOfKind("captured"), "released");
  const last = paymentEffects.findLast(({ kind }) =>
    ["authorized", "paid", "declined", "closed"].includes(String(kind)),
  );
  const isHeld = last?.["kind"] === "authorized";
  return {
    charges: effectsOfKind("paid").length + effectsOfKind("authorized").length,
    held: isHeld ? sum(effectsOfKind("authorized"), "paidAmount") - captured - released : 0n,
    captured,
    keptMinor: sum(effectsOfKind("paid"), "paidAmount") + captured - sum(effectsOfKind("refunded"), "amount"),
    released,
  };
}

/** The sum owed to the merchant for these subjects, from the ledger. */
async function owedMinor(rows: Rows, clientId: string, subjects: readonly unknown[]): Promise<bigint> {
  const [row] = await rows<{ owed: string }>(
    `select coalesce(sum(case when credit_account = $2 then amount_minor else -amount_minor end), 0)::text as owed
     from ledger_transfers where subject_id = any($1) and $2 in (credit_account, debit_account)`,
    subjects,
    `merchant payable ${clientId}`,
  );
  return BigInt(row?.owed ?? 0);
}

async function dumpTables(rows: Rows): Promise<string> {
  const tables = await rows<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const all = await rows<{ text: string }>(`select row_to_json(t)::text as text from ${name} t`);
    texts.push(name, ...all.map(({ text }) => text));
  }
  return texts.join("\n");
}
