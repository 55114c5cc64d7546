import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { get } from "node:http";
import { after, test } from "node:test";
import { pollUntilDefined, startTestInstallation, type TillProcess } from "./testing/test-installation.ts";
import type { TillView } from "./view.ts";

/**
 * Point of sale, gateway and provider are real processes; the test can break the connection between the point of sale
 * and the gateway.
 */
const installation = await startTestInstallation();
after(() => installation.stop());
const till = await installation.startTill();

const hasState = (state: string) => (view: TillView) => view.sale?.state === state;
const hasEnded = ({ sale }: TillView): boolean =>
  sale !== undefined && !sale.mayCancel && sale.state !== "cancelling";

/** Returns a new amount for each sale, so that the test finds the sale in the provider's journal. */
let lastValue = 1_000;
const newValue = (): string => String((lastValue += 1));

async function scan(value: string, terms: object = {}, atTill: TillProcess = till): Promise<void> {
  await atTill.post("/next");
  const answer = await atTill.post("/sales", { value, code: await installation.createPaymentCode(terms) });
  assert.equal(answer.status, 200, answer.problem);
}

/** The id of the payment at the gateway. */
async function findPaymentId({ sale }: TillView): Promise<string> {
  return pollUntilDefined(async () => {
    const request = { paymentRequestId: sale?.id ?? "" };
    const answer = await installation.client.payments.inquiryPayment(request, { throwOnFailure: false });
    return answer.paymentId;
  });
}

async function findPaymentStatus({ sale }: TillView): Promise<string | undefined> {
  const { paymentStatus } = await installation.client.payments.inquiryPayment({
    paymentRequestId: sale?.id ?? "",
  });
  return paymentStatus;
}

test("a code that the buyer shows is paid with one request", async () => {
  const value = newValue();
  await scan(value);
  const view = await till.until(hasEnded);
  assert.equal(view.sale?.state, "paid");
  assert.equal(await findPaymentStatus(view), "SUCCESS");
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 1, netMinor: BigInt(value) });
});

const declinedCases = {
  "no money": { terms: { declines: "USER_BALANCE_NOT_ENOUGH" }, code: "USER_BALANCE_NOT_ENOUGH" },
  "an old code": { terms: { lifetimeSeconds: 0 }, code: "EXPIRED_CODE" },
};
for (const [name, { terms, code }] of Object.entries(declinedCases))
  test(`${name}: not paid, and the screen has the reason`, async () => {
    const value = newValue();
    await scan(value, terms);
    const { sale } = await till.until(hasEnded);
    assert.equal(sale?.state, "declined");
    assert.equal(sale.resultCode, code);
    assert.deepEqual(await installation.findProviderTotals(value), { charges: 0, netMinor: 0n });
  });

test("response lost after the payment: an inquiry finds the outcome", async () => {
  const value = newValue();
  till.connection.dropResponses(1);
  await scan(value);
  const view = await till.until(hasEnded);
  assert.equal(view.sale?.state, "paid");
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 1, netMinor: BigInt(value) });
});

test("a buyer who must confirm and does not: cancelled, and the order can no longer be paid", async () => {
  const value = newValue();
  await scan(value, { asks: true });
  const asking = await till.until(hasState("asks"));
  const paymentId = await findPaymentId(asking);
  const view = await till.until(hasEnded, 40_000);
  assert.equal(view.sale?.state, "cancelled");
  assert.equal(await findPaymentStatus(view), "CANCELLED");
  assert.match(String((await installation.control(`POST payments/${paymentId}/approve`))["problem"]), /./);
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 0, netMinor: 0n });
});

test("race of cancel and approval: screen and provider agree", async () => {
  for (const delayMs of [0, 5, 15, 40]) {
    const value = newValue();
    await scan(value, { asks: true });
    const asking = await till.until(hasState("asks"));
    const [id, paymentId] = [asking.sale?.id, await findPaymentId(asking)];
    const approving = installation.control(`POST payments/${paymentId}/approve`);
    await new Promise((wake) => setTimeout(wake, delayMs));
    await Promise.all([approving, till.post(`/sales/${id}/cancel`)]);
    const { sale } = await till.until(hasEnded, 40_000);
    const expectedKept = sale?.state === "paid" ? BigInt(value) : 0n;
    await pollUntilDefined(async () =>
      (await installation.findProviderTotals(value)).netMinor === expectedKept ? true : undefined,
    );
    assert.ok((await installation.findProviderTotals(value)).charges <= 1);
  }
});

test("all responses lost: the webhook has the outcome", async () => {
  const value = newValue();
  till.connection.dropResponses(Infinity);
  await scan(value);
  assert.equal((await till.until(hasEnded)).sale?.state, "paid");
  till.connection.repair();
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 1, netMinor: BigInt(value) });
});

test("connection lost before the buyer pays: unknown, and found out when the connection is back", async () => {
  const value = newValue();
  await scan(value, { asks: true });
  const asking = await till.until(hasState("asks"));
  const paymentId = await findPaymentId(asking);
  till.connection.cut();
  await installation.control(`POST payments/${paymentId}/approve`);
  const view = await till.until(hasState("unknown"), 60_000);
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 1, netMinor: BigInt(value) });
  till.connection.repair();
  await till.post(`/sales/${view.sale?.id}/check`);
  assert.equal((await till.until(hasEnded)).sale?.state, "paid");
  assert.equal(await findPaymentStatus(view), "SUCCESS");
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 1, netMinor: BigInt(value) });
});

test("connection lost before anything arrives: unknown, and another sale is rejected until it is resolved", async () => {
  const value = newValue();
  const code = await installation.createPaymentCode();
  await till.post("/next");
  till.connection.cut();
  await till.post("/sales", { value, code });
  const view = await till.until(hasState("unknown"), 40_000);
  const rejected = await till.post("/sales", { value, code });
  assert.equal(rejected.status, 409);
  assert.equal((await till.post("/next")).status, 409);
  assert.equal((await till.post("/shift")).status, 409);
  await till.post(`/sales/${view.sale?.id}/check`);
  await till.until(hasState("checking"));
  await till.until(hasState("unknown"));
  till.connection.repair();
  await till.post(`/sales/${view.sale?.id}/cancel`);
  assert.equal((await till.until(hasEnded)).sale?.state, "cancelled");
  // By now a delayed pay request is rejected, so the buyer is never charged.
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 0, netMinor: 0n });
});

test("killed after sending: the payment is found after the restart", async () => {
  const [value, killedTill] = [newValue(), await installation.startTill({ pace: 0.1 })];
  killedTill.connection.dropResponses(Infinity);
  await scan(value, { asks: true }, killedTill);
  const { sale } = await killedTill.until(({ sale: now }) => now !== undefined);
  const paymentId = await pollUntilDefined(async () => {
    const request = { paymentRequestId: sale?.id ?? "" };
    return (await installation.client.payments.inquiryPayment(request, { throwOnFailure: false })).paymentId;
  });
  await killedTill.kill();
  await installation.control(`POST payments/${paymentId}/approve`);
  killedTill.connection.repair();
  await killedTill.restart();
  const view = await killedTill.until(hasEnded);
  assert.equal(view.sale?.id, sale?.id);
  assert.equal(view.sale?.state, "paid");
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 1, netMinor: BigInt(value) });
});

test("killed while cancelling: the cancel continues after the restart", async () => {
  const [value, killedTill] = [newValue(), await installation.startTill({ pace: 1 })];
  await scan(value, { asks: true }, killedTill);
  const { sale } = await killedTill.until(hasState("asks"));
  killedTill.connection.cut();
  await killedTill.post(`/sales/${sale?.id}/cancel`);
  await killedTill.until(hasState("cancelling"));
  await killedTill.kill();
  killedTill.connection.repair();
  await killedTill.restart();
  assert.equal((await killedTill.until(hasEnded)).sale?.state, "cancelled");
  assert.equal((await installation.findProviderTotals(value)).netMinor, 0n);
});

test("an order code is shown as an image, paid, and reported by webhook", async () => {
  const value = newValue();
  await till.post("/next");
  await till.post("/sales", { value });
  const showing = await till.until(({ sale }) => sale?.picture !== undefined);
  const picture = await fetch(till.url + showing.sale?.picture);
  assert.equal(picture.headers.get("content-type"), "image/svg+xml; charset=utf-8");
  await installation.control(`POST payments/${await findPaymentId(showing)}/approve`);
  assert.equal((await till.until(hasEnded)).sale?.state, "paid");
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 1, netMinor: BigInt(value) });
});

test("the code is not scanned in time: not paid", async () => {
  const [value, briefTill] = [newValue(), await installation.startTill({ payWithinSeconds: 3 })];
  await briefTill.post("/sales", { value });
  const view = await briefTill.until(hasEnded, 60_000);
  assert.ok(["declined", "cancelled"].includes(view.sale?.state ?? ""), view.sale?.state);
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 0, netMinor: 0n });
});

test("a buyer with a sticker is redirected to the provider, and two presses are one payment", async () => {
  const value = newValue();
  const form = await (await fetch(`${till.url}/t/table-7`)).text();
  const visit = /name="visit" value="([^"]+)"/.exec(form)?.[1] ?? "";
  const amount = `${value.slice(0, -2)}.${value.slice(-2)}`;
  const press = (): Promise<Response> =>
    fetch(`${till.url}/t/table-7`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ visit, amount }),
    });
  const [first, second] = await Promise.all([press(), press()]);
  assert.equal(first.status, 303);
  assert.ok(first.headers.get("location")?.startsWith(`${installation.tollgate.walletUrl}/pay/`));
  assert.equal(second.headers.get("location"), first.headers.get("location"));
  await fetch(first.headers.get("location") ?? "", {
    method: "POST",
    body: new URLSearchParams({ choice: "approve" }),
  });
  await till.until(({ sales }) => sales.some(({ id, state }) => id === visit && state === "paid"));
  assert.match(await (await fetch(`${till.url}/t/table-7/${visit}`)).text(), /<h1>Thank you!<\/h1>/);
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 1, netMinor: BigInt(value) });
});

test("a refund happens once although its response is lost, and the shift's totals are correct", async () => {
  const [value, ownTill] = ["5000", await installation.startTill()];
  await scan(value, {}, ownTill);
  const { sale } = await ownTill.until(hasState("paid"));
  ownTill.connection.dropResponses(1);
  await ownTill.post(`/sales/${sale?.id}/refund`, { amount: "12.50" });
  const { totals } = await ownTill.until(({ sales }) => sales[0]?.refunds[0]?.state === "done");
  assert.deepEqual(totals, [
    { currency: "EUR", count: 1, taken: "€50.00", givenBack: "€12.50", kept: "€37.50" },
  ]);
  assert.deepEqual(await installation.findProviderTotals(value), { charges: 1, netMinor: 3_750n });
  const { problem } = await ownTill.post(`/sales/${sale?.id}/refund`, { amount: "37.51" });
  assert.equal(problem, "The amount is higher than the rest that can be refunded.");
  await ownTill.post("/shift");
  assert.deepEqual((await ownTill.until(({ shiftSince }) => shiftSince !== undefined)).totals, []);
});

test("the point of sale of dev is running, and the gateway links to it", async () => {
  const { tillUrl, baseUrl, walletUrl } = installation.tollgate;
  const led = await fetch(`${baseUrl}/till`, { redirect: "manual" });
  assert.equal(led.headers.get("location")?.replace(/\/$/, ""), tillUrl);
  assert.match(await (await fetch(`${tillUrl}/side`)).text(), new RegExp(`src="${walletUrl}/"`));
  const framing = (await fetch(walletUrl)).headers.get("content-security-policy") ?? "";
  assert.ok(framing.includes(`frame-ancestors ${tillUrl};`), framing);
});

test("the cashier's pages respond only to their own machine", async () => {
  const send = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${till.url}/shift`, { method: "POST", headers, body: "{}" });
  assert.equal((await send({ "sec-fetch-site": "cross-site" })).status, 403);
  const { status } = await fetch(`${till.url}/notifications`, { method: "POST", body: "{}" });
  assert.equal(status, 401);
  // A foreign host name that resolves to this machine (DNS rebinding); pages for buyers accept any host name.
  assert.equal(await statusAs("evil.example", "/changes"), 403);
  assert.equal(await statusAs("evil.example", "/t/table-1"), 200);
  const key = await readFile(installation.tollgate.merchantPrivateKeyFile, "utf8");
  const controller = new AbortController();
  const { body } = await fetch(`${till.url}/changes`, { signal: controller.signal });
  const { value = "" } = (await body?.pipeThrough(new TextDecoderStream()).getReader().read()) ?? {};
  controller.abort();
  assert.ok(!value.includes(key.split("\n")[1] ?? "") && !/signature|keyVersion/.test(value));
});

function statusAs(host: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(till.url + path, { headers: { host }, agent: false }, (response) => {
      response.destroy();
      resolve(response.statusCode);
    }).once("error", reject);
  });
}
